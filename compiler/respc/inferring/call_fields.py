"""The field for calls: what opens and closes the region of a call that is written in a known way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from respc.inferring.call_formats import ahead_of, pattern_with_ids
from respc.inferring.call_sights import ID, INDEX, NAME
from respc.inferring.hardening_closers import lines_behind
from respc.inferring.tokens import MARK, any_of, lenient, marks, units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.inferring.call_formats import CallFormat
    from respc.inferring.frame import Ends

_JSON_SIGNS: Final = "{}[]\"', :\n\t"
_SIGNS: Final = frozenset({ID, INDEX, NAME})


@dataclass(frozen=True, slots=True)
class CallField:
    """A field for calls.

    Attributes:
        format: how calls are written.
        field: the field of the response template.
        ahead: a pattern of what a call begins with, to be looked ahead for; "" where that is nothing of its own.
        structure: what stands around calls and belongs to no field, as it is written.
    """

    format: CallFormat
    field: dict[str, Any]
    ahead: str
    structure: tuple[str, ...]


def call_fields(written: CallFormat, ends: Ends) -> Iterator[CallField]:
    """Yield the fields that read calls, the most forgiving first.

    Args:
        written: how calls are written.
        ends: what ends a turn.
    """
    written = without_wrapper(written)
    envelope = written.envelope
    structure = (
        envelope.section_open,
        envelope.section_close,
        envelope.separator,
        envelope.close,
    )
    if is_strong(envelope.open):
        for field in _marked(written, ends):
            yield CallField(written, field, _ahead(written), structure)
    elif envelope.has_section and not envelope.runs_together:
        ahead = pattern_with_ids(envelope.section_open) if marks(envelope.section_open) else ""
        yield CallField(written, _in_section(written, ends), ahead, structure)
    else:
        for field in _bare(written, ends):
            yield CallField(written, field, "", structure)


def without_wrapper(written: CallFormat) -> CallFormat:
    """Take marks in front of the one that holds the name for those of a section, which may be missing."""
    envelope = written.envelope
    ends = [match.end() for match in MARK.finditer(envelope.open)]
    if (
        not ends
        or not written.head
        or NAME in envelope.open
        or not envelope.open[ends[-1] :].lstrip().startswith(("<", "["))
    ):
        return written
    section = envelope.section_open + envelope.open[: ends[-1]]
    own = replace(envelope, section_open=section, open=envelope.open[ends[-1] :].lstrip())
    return replace(written, envelope=own)


def is_strong(opener: str) -> bool:
    """Tell whether an opener is a mark or a word, not only signs that are in all JSON."""
    return bool(opener.strip(_JSON_SIGNS))


def first_unit(text: str) -> str:
    """Give the first mark of a closer, with its words; all of it where it has no mark."""
    return next(iter(units(text)), text.strip())


def _body(written: CallFormat) -> dict[str, Any]:
    made: dict[str, Any] = {} if written.each else {"repeats": True}
    made["content"] = written.content
    if written.content_args:
        made["content_args"] = written.content_args
    made["transform"] = written.transform
    if written.each:
        made["transform_each"] = True
    return made


def _opener(written: CallFormat) -> str:
    if written.lead:
        return written.lead + written.head
    opener = pattern_with_ids(written.envelope.open)
    blank = (
        r"\s*" if written.envelope.open[-1:] in ("", ">", "]") or written.envelope.open[-1:].isspace() else ""
    )
    return opener + (blank + written.head if written.head else "")


def _ahead(written: CallFormat) -> str:
    opener = _opener(written)
    begins = written.begins if not opener.endswith(")") else ""
    blank = r"\s*" if begins and not opener.endswith(r"\s*") else ""
    return ahead_of(opener) + blank + begins


def _marked(written: CallFormat, ends: Ends) -> Iterator[dict[str, Any]]:
    """Yield fields for calls that a mark of their own opens."""
    envelope = written.envelope
    is_literal = not written.head and not set(envelope.open) & _SIGNS
    opening = {"open": envelope.open.strip()} if is_literal else {"open_pattern": _opener(written)}
    body = _body(written)
    for closing in _closings(written, ends):
        yield {**opening, **({"close_pattern": closing} if closing else {}), **body}
    close = first_unit(envelope.close)
    if close and not set(close) & _SIGNS:
        yield {**opening, "close": close, **body}


def _closings(written: CallFormat, ends: Ends) -> Iterator[str]:
    """Yield patterns of what closes a call that a mark opens; "" where nothing does."""
    envelope = written.envelope
    closer = pattern_with_ids(first_unit(envelope.close))
    # The end of a section ends a call that nobody has closed.
    others = [each for each in (envelope.separator, envelope.section_close) if marks(each) or not closer]
    behind = [
        pattern + r"\s*"
        for pattern in (closer, *(pattern_with_ids(first_unit(each)) for each in others))
        if pattern
    ]
    if written.each:
        lines = [] if closer else lines_behind(written)
        yield any_of([*behind, *lines, *ends.over])
        return
    mark = next(iter(marks(envelope.open)), "")
    if mark and not closer:
        # Blanks in what is looked ahead for would go on over such a line, so that only the mark is.
        yield any_of([*behind, *lines_behind(written), rf"(?={lenient(mark)})", *ends.over])
    yield any_of([*behind, rf"(?={ahead_of(_opener(written))})", *ends.over])


def _in_section(written: CallFormat, ends: Ends) -> dict[str, Any]:
    """Make a field for calls that stand one behind another in a section, without marks of their own."""
    envelope = written.envelope
    section = pattern_with_ids(envelope.section_open)
    opener, closer = pattern_with_ids(envelope.open), pattern_with_ids(envelope.close)
    between = closer + _blank(envelope.separator) + pattern_with_ids(envelope.separator)
    last = closer + _blank(envelope.section_close) + pattern_with_ids(envelope.section_close)
    closing = [last + r"\s*"] if last else []
    # A name is enough to know a call by.
    begins = opener + (written.head or f"(?={written.signature})")
    if between:
        # What separates two calls opens the second, so that nothing has to be looked behind for.
        opening = rf"(?:{section}|{between})\s*{begins}"
        if envelope.several:
            ahead = ahead_of(opener + (written.head or written.signature))
            closing.insert(0, rf"(?={between}\s*{ahead})")
    else:
        opening = rf"(?:{section}\s*)?{begins}"
        if envelope.several and "\n" in envelope.close + envelope.separator:
            closing.insert(0, rf"\n\s*(?={written.signature})")
    made: dict[str, Any] = {"open_pattern": opening}
    if closing or ends.over:
        made["close_pattern"] = any_of([*closing, *ends.over])
    return {**made, **_body(written)}


def _blank(text: str) -> str:
    return r"\s*" if text[:1].isspace() else ""


def _bare(written: CallFormat, ends: Ends) -> Iterator[dict[str, Any]]:
    """Yield fields for calls that nothing opens but their own beginning."""
    envelope = written.envelope
    closer = pattern_with_ids(envelope.close)
    separator = pattern_with_ids(envelope.separator)
    opener = pattern_with_ids(envelope.open) + (written.head or f"(?={written.signature})")
    body = _body(written)
    if written.head:
        closing = any_of([*([closer + r"\s*"] if closer else []), *ends.over])
        yield {"open_pattern": rf"^\s*{opener}", **({"close_pattern": closing} if closing else {}), **body}
        return
    closings = [closer + r"\s*"] if closer else []
    if envelope.several and (closer or separator):
        closings.insert(0, rf"{closer}\s*{separator}\s*(?={written.signature})")
    elif envelope.several and "\n" in envelope.close + envelope.separator:
        closings.insert(0, rf"\n\s*(?={written.signature})")
    lines = [] if closings else lines_behind(written)
    closing = any_of([*closings, *lines, *ends.over])
    yield {"open_pattern": opener, **({"close_pattern": closing} if closing else {}), **body}


def structure_of(texts: Sequence[str]) -> list[str]:
    """Give what belongs to no field: the marks of some texts, each with its words, and none that begins another."""
    found = list(dict.fromkeys(unit for text in texts for unit in units(text)))
    kept: list[str] = []
    for unit in found:
        beginning = max(
            (other for other in found if other != unit and unit.startswith(other)), key=len, default=""
        )
        rest = unit[len(beginning) :].strip()
        if not beginning or rest not in found:
            kept.append(unit)
    return [unit for unit in kept if not any(other != unit and other.startswith(unit) for other in kept)]
