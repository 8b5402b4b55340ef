"""What a response comes to, whichever way its text is cut: for modules that are compiled to be stable."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from transformers.utils.chat_parsing.response_templates import load_response_template

import respc
from support.oracle import NEVER_ENDS, Trace, interpret, record
from support.strictness import first_difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import ModuleType

    from support.oracle import Event, Template

Region = tuple[str, str, Any]
"""Field, joined text and value of a region."""


@dataclass(frozen=True)
class Response:
    """What all the calls of a parser come to: the class of what was raised, or the message and its regions."""

    error: str | None
    message: Any = None
    regions: tuple[Region, ...] = ()

    def difference(self, other: Response) -> str | None:
        """Return how another response differs from this one, or None."""
        return first_difference(vars(self), vars(other), "response")


@lru_cache(maxsize=512)
def _stable(text: str, events: str) -> ModuleType | None:
    try:
        return respc.load(json.loads(text), events=events, stable=True)
    except respc.TemplateError as refused:
        errors = {found.code.slug for found in refused.diagnostics if found.severity == "error"}
        if errors == {"unstable-delimiter"}:
            return None
        raise


def stable_module(template: Template, events: str = "default") -> ModuleType | None:
    """Return the stable module of a template that has to compile, or None if it cannot be stable."""
    return _stable(json.dumps(template), events)


def after_anchor(template: Template, prefix: str) -> str:
    """Return the part of a prefix that the interpreter keeps."""
    cut: str = load_response_template(deepcopy(template)).truncate_past_last_anchor(prefix)
    return cut


def regions(events: Iterable[Event]) -> Iterator[Region]:
    """Join the chunks of each region."""
    text: list[str] = []
    for event in events:
        if event["type"] == "region_open":
            text = []
        elif event["type"] == "region_chunk":
            text.append(event["text"])
        else:
            yield event["field"], "".join(text), event["value"]


def response_of(trace: Trace) -> Response:
    """Return what a trace comes to."""
    if trace.error is not None:
        return Response(trace.error)
    fed = [event for events in trace.feeds for event in events]
    events = [*(trace.initial_events or []), *fed, *(trace.final_events or [])]
    return Response(None, list((trace.message or {}).items()), tuple(regions(events)))


def response_at_once(template: Template, prefix: str, text: str, tools: Any = None) -> Response | None:
    """Return what the interpreter makes of everything in one chunk; None where it never ends."""
    trace = interpret(template, "", [after_anchor(template, prefix) + text], tools)
    return None if trace.error == NEVER_ENDS else response_of(trace)


def response_in_chunks(module: ModuleType, prefix: str, chunks: Sequence[str], tools: Any = None) -> Response:
    """Return what a compiled module makes of a generation."""
    return response_of(record(lambda: module.ResponseParser(prefix, tools=deepcopy(tools)), chunks))
