"""The field for calls: what opens and closes the region of a call that is written in a known way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.inferring.call_formats import pattern_with_ids
from respc.inferring.call_sights import ID, INDEX, NAME
from respc.inferring.calls_tags import without_groups
from respc.inferring.tokens import any_of, escaped, units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.inferring.call_formats import CallFormat
    from respc.inferring.frame import Ends

_JSON_SIGNS: Final = "{}[]\"', :\n\t"


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
    envelope = written.envelope
    structure = (
        envelope.section_open,
        envelope.section_close,
        envelope.separator,
        envelope.close,
    )
    if _is_strong(envelope.open):
        for field in _marked(written, ends):
            yield CallField(written, field, _ahead(written), structure)
    elif envelope.has_section:
        yield CallField(written, _in_section(written, ends), "", structure)
    else:
        for field in _bare(written, ends):
            yield CallField(written, field, "", ())


def _is_strong(opener: str) -> bool:
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
    opener = pattern_with_ids(written.envelope.open)
    blank = (
        r"\s*" if written.envelope.open[-1:] in ("", ">", "]") or written.envelope.open[-1:].isspace() else ""
    )
    return opener + (blank + written.head if written.head else "")


def _ahead(written: CallFormat) -> str:
    begins = rf"\s*{written.begins}" if written.begins else ""
    return without_groups(_opener(written)) + begins


def _marked(written: CallFormat, ends: Ends) -> Iterator[dict[str, Any]]:
    """Yield fields for calls that a mark of their own opens."""
    envelope = written.envelope
    is_literal = not written.head and not set(envelope.open) & {ID, INDEX, NAME}
    opening = {"open": envelope.open.strip()} if is_literal else {"open_pattern": _opener(written)}
    close = first_unit(envelope.close)
    closer = pattern_with_ids(close)
    behind = [closer + r"\s*"] if closer else []
    if not closer:
        behind += [pattern_with_ids(each) + r"\s*" for each in (envelope.separator, envelope.section_close)]
    again = [] if written.each else [rf"(?={without_groups(_opener(written))})"]
    over = ends.over
    body = _body(written)
    patterns = [each for each in behind if each != r"\s*"]
    hardened = any_of([*patterns, *again, *over])
    if hardened:
        yield {**opening, "close_pattern": hardened, **body}
    else:
        yield {**opening, **body}
    if closer and not set(close) & {ID, INDEX, NAME}:
        yield {**opening, "close": close, **body}


def _in_section(written: CallFormat, ends: Ends) -> dict[str, Any]:
    """Make a field for calls that stand one behind another in a section, without marks of their own."""
    envelope = written.envelope
    opener = pattern_with_ids(envelope.open)
    body_begins = opener + written.head + (rf"(?=\s*{written.begins})" if written.begins else "")
    last = (envelope.close + envelope.separator).rstrip()[-1:]
    behind = escaped(last) if last else written.ends
    first = pattern_with_ids(envelope.section_open)
    again = without_groups(body_begins)
    closer = pattern_with_ids(envelope.close)
    section_close = pattern_with_ids(envelope.section_close)
    alternatives = [rf"{closer}\s*{section_close}\s*"] if closer or section_close else []
    if envelope.several:
        separator = pattern_with_ids(envelope.separator)
        guard = "" if closer or separator else f"(?<={written.ends})"
        alternatives.insert(0, rf"{guard}{closer}\s*{separator}\s*(?={again})")
        following = rf"|(?<={behind}\s*){body_begins}" if behind else ""
    else:
        following = ""
    made: dict[str, Any] = {"open_pattern": rf"{first}\s*{body_begins}{following}"}
    if alternatives or ends.over:
        made["close_pattern"] = any_of([*alternatives, *ends.over])
    return {**made, **_body(written)}


def _bare(written: CallFormat, ends: Ends) -> Iterator[dict[str, Any]]:
    """Yield fields for calls that nothing opens but their own beginning."""
    envelope = written.envelope
    separator = pattern_with_ids(envelope.separator)
    closer = pattern_with_ids(envelope.close)
    begins = written.head + (rf"(?={written.begins})" if written.begins else "")
    if pattern_with_ids(envelope.open):
        begins = pattern_with_ids(envelope.open) + begins
    over = ends.over
    if written.head:
        opening = rf"(?:^\s*|{separator}\s*){begins}" if separator else rf"^\s*{begins}"
        again = rf"(?=\s*{separator}\s*{without_groups(begins)})" if separator else ""
        closing = any_of([closer and closer + r"\s*", again, *over])
    else:
        opening = begins
        guard = "" if closer or separator else f"(?<={written.ends})"
        again = rf"{guard}{closer}\s*{separator}\s*(?={written.begins})" if envelope.several else ""
        closing = any_of([again, closer and closer + r"\s*", *over])
    made = {"open_pattern": opening, **({"close_pattern": closing} if closing else {}), **_body(written)}
    yield made


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
