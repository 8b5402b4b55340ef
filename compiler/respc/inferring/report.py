"""What each part of an inferred template was read from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from respc.inferring.inference import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.candidates import Candidate, Findings
    from respc.inferring.probes import Sight

_KEYS = ("open", "open_pattern", "close", "close_pattern", "content", "content_args")
_LONGEST = 240


def observations(findings: Findings, candidate: Candidate) -> tuple[Observation, ...]:
    """Say of each part of a template what it was read from.

    Args:
        findings: what was found of the chat template.
        candidate: the template that was chosen.
    """
    return (*_of_anchor(findings, candidate), *_of_fields(findings, candidate))


def _of_anchor(findings: Findings, candidate: Candidate) -> Iterator[Observation]:
    template = candidate.template
    key = "start_anchor" if "start_anchor" in template else "start_anchor_pattern"
    for anchor, tail in zip(findings.frame.anchors, findings.frame.seen, strict=True):
        what = "prompts have this behind the last message, where the model's begins"
        yield Observation("", key, anchor, what, tail.feature, tail.context, tail.text[-_LONGEST:])


def _of_fields(findings: Findings, candidate: Candidate) -> Iterator[Observation]:
    fields: dict[str, dict[str, Any]] = candidate.template["fields"]
    if findings.reasoning is not None and "reasoning_content" in fields:
        found = findings.reasoning
        yield from _of_field(
            "reasoning_content", fields["reasoning_content"], found.how, found.sight, found.excerpt
        )
    if candidate.calls is not None:
        what = f"a call is written as {candidate.calls.format.kind}"
        sight = candidate.calls.format.sight
        yield from _of_field("tool_calls", fields["tool_calls"], what, sight, sight.turn)
    if findings.content is not None:
        sight = findings.content.sight
        what = "content is what no other field takes; this ends the turn, or belongs to no field"
        yield from _of_field("content", fields["content"], what, sight, sight.turn + sight.ending)


def _of_field(
    name: str, field: dict[str, Any], what: str, sight: Sight, excerpt: str
) -> Iterator[Observation]:
    for key in _KEYS:
        if key in field:
            value = field[key]
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield Observation(name, key, shown, what, sight.feature, sight.context, excerpt[-_LONGEST:])
