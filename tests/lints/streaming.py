"""Streams that show what a finding says, in the interpreter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import regex

from respc.patterns.trials import matched_samples
from support.oracle import Trace, interpret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lints.building import Template

BODY = "body"
TAIL = "tail"
NEUTRAL = "\ue002"
"""A character that hardly any pattern is about."""


@dataclass(frozen=True)
class Stage:
    """What stands before and behind the text of a delimiter, so that the parser looks for that delimiter."""

    before: str
    behind: str


def texts_of(field: dict[str, Any], side: str) -> list[str]:
    """Return texts that the opener or closer of a field takes; none where it has no such."""
    if f"{side}_pattern" in field:
        return list(matched_samples(field[f"{side}_pattern"]))
    literals = field.get(side, [])
    return [literals] if isinstance(literals, str) else list(literals)


def stage_of(template: Template, pointer: str, body: str = BODY, tail: str = TAIL) -> Stage:
    """Return the stage of the delimiter at a pointer."""
    _, _, name, side, *_ = pointer.split("/")
    field = template["fields"][name]
    if side.startswith("open"):
        return Stage("", body + "".join(texts_of(field, "close")[:1]))
    return Stage("".join(texts_of(field, "open")[:1]) + body, tail)


def streamed(template: Template, *chunks: str) -> Trace:
    """Return what the interpreter gives for some chunks."""
    return interpret(template, "", chunks)


def events_of(trace: Trace) -> list[dict[str, Any]]:
    """Return the events of a whole stream, texts that follow each other in one."""
    merged: list[dict[str, Any]] = []
    for event in [each for events in [*trace.feeds, trace.final_events or []] for each in events]:
        if event["type"] == "region_chunk" and merged and merged[-1]["type"] == "region_chunk":
            merged[-1] = {**merged[-1], "text": merged[-1]["text"] + event["text"]}
        else:
            merged.append(event)
    return merged


def seen(trace: Trace) -> tuple[Any, ...]:
    """Return what a stream gives, but for where its texts were cut."""
    return trace.message, trace.error, events_of(trace)


def opened(trace: Trace) -> list[str]:
    """Return the names of the fields that opened, in order."""
    return [event["field"] for event in events_of(trace) if event["type"] == "region_open"]


def values_of(trace: Trace, field: str) -> list[Any]:
    """Return the values that the regions of a field had."""
    return [
        event["value"]
        for event in events_of(trace)
        if event["type"] == "region_close" and event["field"] == field
    ]


def is_cut_apart(template: Template, stage: Stage, text: str, cut: int) -> bool:
    """Return whether it matters that a chunk ends inside the text of a delimiter."""
    whole = streamed(template, stage.before + text + stage.behind)
    return seen(whole) != seen(streamed(template, stage.before + text[:cut], text[cut:] + stage.behind))


def cuts_that_matter(template: Template, stage: Stage, text: str) -> list[int]:
    """Return where a chunk can end inside the text of a delimiter so that it matters."""
    return [cut for cut in range(1, len(text)) if is_cut_apart(template, stage, text, cut)]


def alone(side: str, value: Any, is_pattern: bool) -> tuple[Template, str]:
    """Return a template around one delimiter, and the pointer to that."""
    name = f"{side}_pattern" if is_pattern else side
    other = {"close": "\ue001"} if side == "open" else {"open": "\ue000"}
    field = {**other, name: value, "transform": "{content}"}
    fields = {"a": field, "content": {"repeats": True, "join": "\n"}}
    return {"start_anchor": "<bot>", "fields": fields}, f"/fields/a/{name}"


def delimiters_of(template: Template) -> Iterator[tuple[str, Any, bool]]:
    """Yield the openers and closers of a template: the side, the value, and whether it is a pattern."""
    for field in template["fields"].values():
        for side in ("open", "close"):
            for name in (side, f"{side}_pattern"):
                if name in field:
                    yield side, field[name], name != side


def is_pattern_too(literal: str) -> bool:
    """Return whether a literal could be read as a pattern."""
    try:
        regex.compile(literal)
    except regex.error:
        return False
    return True
