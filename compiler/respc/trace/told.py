"""The events of a step in words, short enough for a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from respc.corpora import json_text
from respc_runtime.outside_text import OUTSIDE_REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc.trace.model import Step, Trace

ToldKind: TypeAlias = Literal["opens", "text", "closes", "malformed", "outside"]

_LONGEST: Final = 160


@dataclass(frozen=True, slots=True)
class Told:
    """An event in words.

    Attributes:
        field: the field it is about; None for none.
        said: what it says besides: text, the value as JSON, a reason.
        is_text: whether that is text of the model.
    """

    kind: ToldKind
    field: str | None
    said: str = ""
    is_text: bool = False


def told_of(event: Mapping[str, Any]) -> Told:
    """Put an event into words."""
    field = event["field"]
    match event["type"]:
        case "region_open":
            captures = event.get("captures")
            return Told("opens", field, json_text(captures) if captures else "")
        case "region_chunk":
            return Told("text", field, shortened(event["text"]), is_text=True)
        case "region_close":
            return Told("closes", field, shortened(json_text(event["value"])))
        case "region_malformed":
            return Told("malformed", field, event["error"].reason)
        case _:
            return Told(
                "outside",
                field,
                f"{OUTSIDE_REASONS[event['reason']]}: {shortened(event['text'])}",
                is_text=True,
            )


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Leave out the middle of a text that is too long, and say so."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"


def shortened_values(value: Any, longest: int) -> Any:
    """Give a message whose strings are not longer than that."""
    if isinstance(value, str):
        return shortened(value, longest)
    if isinstance(value, dict):
        return {key: shortened_values(each, longest) for key, each in value.items()}
    if isinstance(value, list):
        return [shortened_values(each, longest) for each in value]
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
