"""The events of a step in words, short enough for a line."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from respc.corpora import json_text
from respc.source.json_kinds import is_list, is_object
from respc_runtime.outside_text import OUTSIDE_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from respc.trace.model import Step, Trace

ToldKind: TypeAlias = Literal["opens", "text", "closes", "malformed", "outside"]

_LONGEST: Final = 160
_MOST_EVENTS: Final = 12


@dataclass(frozen=True, slots=True)
class Told:
    """An event in words.

    Attributes:
        field: the field it is about; None for none.
        said: what it says besides: text, the value as JSON, a reason.
    """

    kind: ToldKind
    field: str | None
    said: str = ""


def told_of(events: Iterable[Mapping[str, Any]]) -> tuple[list[Told], int]:
    """Put events into words, and count those that are too many; text of one region is put together."""
    told: list[Told] = []
    for (kind, field), run in groupby(events, lambda event: (event["type"], event["field"])):
        if kind == "region_chunk":
            text = "".join(event["text"] for event in run)
            told.append(Told("text", field, shortened(text)))
        else:
            told += map(_told, run)
    return told[:_MOST_EVENTS], max(0, len(told) - _MOST_EVENTS)


def _told(event: Mapping[str, Any]) -> Told:
    field = event["field"]
    match event["type"]:
        case "region_open":
            captures = event.get("captures")
            return Told("opens", field, json_text(captures) if captures else "")
        case "region_close":
            return Told("closes", field, shortened(json_text(event["value"])))
        case "region_malformed":
            return Told("malformed", field, event["error"].reason)
        case _:
            said = f"{OUTSIDE_REASONS[event['reason']]}: {shortened(event['text'])}"
            return Told("outside", field, said)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Leave out the middle of a text that is too long, and say so."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} ... {len(text) - 2 * half:,} characters ... {text[-half:]}"


def shortened_values(value: object, longest: int, most: int) -> object:
    """Give a message whose strings are not longer than that, with so many elements of each list at most."""
    if isinstance(value, str):
        return shortened(value, longest)
    if is_object(value):
        return {key: shortened_values(each, longest, most) for key, each in value.items()}
    if is_list(value):
        half = most // 2
        hidden = len(value) - 2 * half
        kept = value if hidden <= 1 else [*value[:half], f"... {hidden:,} more ...", *value[-half:]]
        return [shortened_values(each, longest, most) for each in kept]
    return value


def name_of(step: Step, trace: Trace) -> str:
    """Say what a step took."""
    if step.kind == "prompt":
        return "the prompt"
    if step.kind == "end":
        return "the end"
    first = sum(each.chunks for each in trace.steps[: step.number] if each.kind == "chunks") + 1
    return f"chunk {first}" if step.chunks == 1 else f"chunks {first} to {first + step.chunks - 1}"


def summary_of(trace: Trace) -> str:
    """Say in a sentence what was traced."""
    generated = len(trace.text) - trace.prompt_length
    size = f"{generated:,} {'character' if generated == 1 else 'characters'}"
    chunks = "one chunk" if trace.chunk_count == 1 else f"{trace.chunk_count:,} chunks"
    parts = [f"{size} in {chunks}" if generated else "no text"]
    if trace.prompt_length:
        parts.append(f"behind {trace.prompt_length:,} that the prompt wrote")
    most = max((step.chunks for step in trace.steps), default=1)
    if most > 1:
        parts.append(f"up to {most:,} chunks a step")
    if trace.events_form != "default":
        parts.append(f"{trace.events_form} events")
    return ", ".join(parts)
