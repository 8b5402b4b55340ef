"""A trace as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from respc.corpora import json_text

if TYPE_CHECKING:
    from respc.trace.model import Held, Step, Trace


def trace_json(trace: Trace) -> str:
    """Write a trace as one JSON object; places count characters of its ``text``."""
    record: dict[str, Any] = {
        "title": trace.title,
        "events_form": trace.events_form,
        "text": trace.text,
        "prompt_length": trace.prompt_length,
        "passed_length": trace.passed_length,
        "chunk_count": trace.chunk_count,
        "fields": list(trace.fields),
        "marks": [asdict(mark) for mark in trace.marks],
        "steps": [_step(step) for step in trace.steps],
        "message": trace.message,
        "failure": None if trace.failure is None else asdict(trace.failure),
    }
    return json_text(record, indent=2) + "\n"


def _step(step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "kind": step.kind,
        "chunks": step.chunks,
        "start": step.start,
        "known": step.known,
        "decided": step.decided,
        "held": None if step.held is None else _held(step.held),
        "field": step.field,
        "events": [plain_event(event) for event in step.events],
    }


def _held(held: Held) -> dict[str, Any]:
    return {
        "start": held.start,
        "end": held.end,
        "why": list(held.why),
        "suspects": [asdict(suspect) for suspect in held.suspects],
    }


def plain_event(event: Any) -> dict[str, Any]:
    """Give an event as JSON has it: an error by its class and its reason."""
    if "error" not in event:
        return dict(event)
    error = event["error"]
    return {**event, "error": type(error).__name__, "reason": error.reason}
