"""The response templates that may be right, the likeliest and most forgiving first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from respc.inferring.call_fields import CallField, call_fields, is_strong, structure_of
from respc.inferring.call_formats import pattern_with_ids
from respc.inferring.frame import Ends, Frame
from respc.inferring.hardening_headers import FreeHeader, free_header_of_content
from respc.inferring.tokens import any_of, lenient, marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_formats import CallFormat
    from respc.inferring.content import ContentMarks
    from respc.inferring.reasoning import Reasoning


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found of a chat template.

    Attributes:
        frame: where messages begin and end.
        reasoning: how reasoning is written, if it is.
        content: what stands around content, if it is written.
        calls: the ways in which calls may be written; empty where none are.
    """

    frame: Frame
    reasoning: Reasoning | None
    content: ContentMarks | None
    calls: tuple[CallFormat, ...]

    def final_ends(self) -> list[str]:
        """Give what ends a turn, and is nowhere within one."""
        inner = [] if self.reasoning is None else [self.reasoning.close, *self.reasoning.beside]
        for each in self.calls:
            envelope = each.envelope
            inner += [envelope.open, envelope.separator, envelope.section_open]
            if envelope.several:
                inner.append(envelope.close)
        offered = [*self.frame.ends, *self.frame.followers]
        return [end for end in offered if not any(end in text for text in inner)]

    def ends(self) -> Ends:
        """Give what ends a turn, as patterns."""
        final = self.final_ends()
        inner = [end for end in self.frame.ends if end not in final]
        return Ends(any_of([lenient(end) for end in final]), any_of([lenient(end) for end in inner]))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A response template that may be right.

    Attributes:
        template: the template.
        calls: the field for calls in it, if there is one.
    """

    template: dict[str, Any]
    calls: CallField | None


def candidates(findings: Findings) -> Iterator[Candidate]:
    """Yield response templates, each once: at first such that end where another turn begins, too."""
    seen: set[str] = set()
    alone = replace(findings, frame=replace(findings.frame, followers=()))
    for each in chain(_candidates(findings), _candidates(alone)):
        if repr(each.template) not in seen:
            seen.add(repr(each.template))
            yield each


def _candidates(findings: Findings) -> Iterator[Candidate]:
    ends = findings.ends()
    calls: list[CallField | None] = [field for each in findings.calls for field in call_fields(each, ends)]
    made: list[tuple[int, Candidate]] = []
    for place, field in enumerate(calls or [None]):
        reasons = list(_reasoning_fields(findings, field, ends))
        contents = list(_content_fields(findings, field, ends))
        for (first, reason), (second, content) in product(enumerate(reasons), enumerate(contents)):
            fields: dict[str, Any] = {}
            if reason is not None:
                fields["reasoning_content"] = reason
            if field is not None:
                fields["tool_calls"] = field.field
            fields["content"] = content
            template = {"defaults": {"role": "assistant"}, **_anchor(findings.frame), "fields": fields}
            made.append((place + first + second, Candidate(template, field)))
    made.sort(key=lambda each: each[0])
    yield from (candidate for _, candidate in made)


def _anchor(frame: Frame) -> dict[str, Any]:
    if frame.pattern is not None:
        return {"start_anchor_pattern": frame.pattern}
    return {"start_anchor": frame.anchors[0] if len(frame.anchors) == 1 else list(frame.anchors)}


def _reasoning_fields(
    findings: Findings, calls: CallField | None, ends: Ends
) -> Iterator[dict[str, Any] | None]:
    reasoning = findings.reasoning
    if reasoning is None:
        yield None
        return
    body = {"repeats": True, "join": "\n"}
    closer = lenient(reasoning.close)
    opening: dict[str, Any] = {"open": reasoning.open}
    if not reasoning.open:
        opening = {"open_pattern": rf"^(?=\s*\S[\s\S]*?{closer})"}
    ahead = list(_ahead(findings.content, calls))
    over = ends.over
    own = [closer + r"\s*"] if closer else []
    hardened = any_of([*own, *ahead, *over])
    if hardened:
        yield {**opening, "close_pattern": hardened, **body}
    if closer:
        if over and ahead:
            yield {**opening, "close_pattern": any_of([*own, *over]), **body}
        yield {**opening, "close": reasoning.close, **body}


def _ahead(content: ContentMarks | None, calls: CallField | None) -> Iterator[str]:
    """Yield patterns of what ends reasoning that nobody has closed: the marks in front of content, and calls."""
    opened = content.open if content is not None and marks(content.open) else ""
    if opened:
        yield rf"(?={lenient(opened)})"
    if calls is None or not calls.ahead:
        return
    yield rf"(?={calls.ahead})"
    section = calls.format.envelope.section_open
    if not is_strong(calls.format.envelope.open):
        return  # the section is all that opens calls, and was looked ahead for
    if marks(section) and not (opened and section.strip().startswith(opened)):
        yield rf"(?={pattern_with_ids(section)}\s*{calls.ahead})"


def _content_fields(findings: Findings, calls: CallField | None, ends: Ends) -> Iterator[dict[str, Any]]:
    body = {"repeats": True, "join": "\n"}
    swallowed = _swallowed(findings, calls)
    over = [rf"(?:{ends.final})[\s\S]*"] if ends.final else []
    first = [rf"(?:{any_of(swallowed)})\s*"] if swallowed else []
    if (free := _free_header(findings)) is not None:
        others = [each for each in swallowed if not free.covers(each)]
        yield {"close_pattern": any_of([rf"(?:{any_of([free.pattern, *others])})\s*", *over]), **body}
    if first or over:
        yield {"close_pattern": any_of([*first, *over]), **body}
    else:
        yield dict(body)
    every = any_of([*swallowed, *(lenient(end) for end in findings.frame.ends)])
    if every:
        yield {"close_pattern": rf"(?:{every})\s*", **body}
    if ends.final:
        yield {"close": list(findings.final_ends()), **body}


def _free_header(findings: Findings) -> FreeHeader | None:
    reasoning, content = findings.reasoning, findings.content
    if reasoning is None or content is None:
        return None
    return free_header_of_content(content.leads, reasoning.open)


def _swallowed(findings: Findings, calls: CallField | None) -> list[str]:
    """Give the patterns of all that belongs to no field."""
    texts: list[str] = []
    reasoning, content = findings.reasoning, findings.content
    if reasoning is not None:
        texts += [*reasoning.beside, reasoning.close]
    if content is not None:
        texts += [*content.leads, content.close, content.behind]
    if calls is not None:
        texts += calls.structure
    final = findings.final_ends()
    opened = None if reasoning is None else reasoning.open
    texts += [rest for rest in findings.frame.rests if not opened or opened not in rest]
    texts = [*texts, *(end for end in findings.frame.ends if end not in final)]
    kept = _openers(findings, calls)
    patterns: list[str] = []
    for text in structure_of(texts):
        if text in kept or any(end in text for end in final):
            continue
        patterns.append(pattern_with_ids(text).replace("(?P<id>", "(?:"))
    return list(dict.fromkeys([*patterns, *_words(content, calls)]))


def _words(content: ContentMarks | None, calls: CallField | None) -> Iterator[str]:
    """Yield patterns for words in front of content: they are words of the format only at its beginning."""
    opener = "" if calls is None else calls.format.envelope.open.strip()
    for lead in () if content is None else content.leads:
        if not marks(lead):
            yield lenient(lead) if opener and lead.startswith(opener) else rf"^\s*{lenient(lead)}"


def _openers(findings: Findings, calls: CallField | None) -> set[str]:
    """Give the marks that open a field: the content must not take them."""
    kept: set[str] = set()
    if findings.reasoning is not None:
        kept.add(findings.reasoning.open)
    if calls is not None:
        envelope = calls.format.envelope
        kept.add((envelope.open if is_strong(envelope.open) else envelope.section_open).strip())
    return kept
