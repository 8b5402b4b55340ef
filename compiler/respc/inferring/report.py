"""What each part of an inferred template was read from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import regex

from respc.inferring.inference import Observation
from respc.inferring.probes import CONTENT
from respc.inferring.tokens import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.candidates import Candidate, Findings
    from respc.inferring.probes import Sight

_LONGEST: Final = 240
_LONGEST_AHEAD: Final = 40
_SECONDS: Final = 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """The piece of a rendering that a key of a field is about."""

    key: str
    text: str


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
        shown = tail.text[-_LONGEST:]
        yield Observation("", key, anchor, what, tail.feature, tail.context, anchor, shown)


def _of_fields(findings: Findings, candidate: Candidate) -> Iterator[Observation]:
    fields: dict[str, dict[str, Any]] = candidate.template["fields"]
    if findings.reasoning is not None and "reasoning_content" in fields:
        found = findings.reasoning
        yield from _of_field("reasoning_content", fields, found.how, found.sight)
    if candidate.calls is not None:
        what = f"a call is written as {candidate.calls.format.kind}"
        yield from _of_field("tool_calls", fields, what, candidate.calls.format.sight)
    if findings.content is not None:
        what = "content is what no other field takes; its closer ends the turn, or belongs to no field"
        yield from _of_field("content", fields, what, findings.content.sight)


def _of_field(name: str, fields: dict[str, dict[str, Any]], what: str, sight: Sight) -> Iterator[Observation]:
    text = sight.turn + sight.ending
    for piece in _pieces(fields[name], text):
        value = fields[name][piece.key]
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        rendering = text if len(text) <= _LONGEST else text[-_LONGEST:]
        yield Observation(name, piece.key, shown, what, sight.feature, sight.context, piece.text, rendering)


def _pieces(field: dict[str, Any], text: str) -> Iterator[_Piece]:
    """Yield the keys of a field that say how it is written, each with the piece of a rendering that it is about.

    Args:
        field: the field.
        text: the rendering.
    """
    start = max(0, text.find(CONTENT))
    if "open" in field or "open_pattern" in field:
        opener = _found(field, "open", text, 0)
        yield _Piece("open" if "open" in field else "open_pattern", _shown(opener))
        start = 0 if opener is None else opener.end()
    end = len(text)
    if "close" in field or "close_pattern" in field:
        closer = _found(field, "close", text, start)
        yield _Piece("close" if "close" in field else "close_pattern", _shown(closer))
        end = end if closer is None else closer.start()
    if "content" in field:
        yield _Piece("content", text[start:end])
    if "content_args" in field:
        pattern = field["content_args"].get("tag_pattern")
        tag = None if pattern is None else _search(pattern, text[start:end], 0)
        yield _Piece("content_args", text[start:end] if tag is None else tag[0])


def _shown(found: regex.Match[str] | None) -> str:
    """Give what a delimiter matches; where it only looks ahead, the beginning of what it sees."""
    if found is None:
        return ""
    return found[0] or found.string[found.start() :][:_LONGEST_AHEAD]


def _found(field: dict[str, Any], key: str, text: str, start: int) -> regex.Match[str] | None:
    """Find where an opener or a closer matches."""
    if key in field:
        written: str | list[str] = field[key]
        pattern = "|".join(map(escaped, [written] if isinstance(written, str) else written))
    else:
        pattern = field[f"{key}_pattern"]
    return _search(pattern, text, start)


def _search(pattern: str, text: str, start: int) -> regex.Match[str] | None:
    try:
        return regex.compile(pattern, regex.DOTALL).search(text, start, timeout=_SECONDS)
    except TimeoutError:
        return None
