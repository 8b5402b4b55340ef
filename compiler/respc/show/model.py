"""What is shown of a template: frozen, in words, and free of characters that do not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def with_blanks_shown(text: str) -> str:
    """Put a sign in the place of each blank at the ends of a text, where nobody would see it."""
    body = text.strip(" ")
    if not body:
        return "␣" * len(text)
    start = len(text) - len(text.lstrip(" "))
    return "␣" * start + body + "␣" * (len(text) - start - len(body))


@dataclass(frozen=True, slots=True)
class Border:
    """A delimiter, the start anchor, or the tags of a body.

    Attributes:
        texts: the literals as written, or the one pattern.
        is_pattern: whether it is a pattern.
        found_by: what it was compiled to.
        because: why.
        held: what can be held back while it is not decided; empty where nothing is.
        held_briefly: the same for a narrow place.
    """

    texts: tuple[str, ...]
    is_pattern: bool
    found_by: str
    because: str
    held: str = ""
    held_briefly: str = ""

    @property
    def written(self) -> str:
        """Give the literals, or the pattern between slashes."""
        return f"/{self.texts[0]}/" if self.is_pattern else " or ".join(self.texts)


@dataclass(frozen=True, slots=True)
class Field:
    """A field.

    Attributes:
        name: its key in the message.
        opener: None for the implicit field.
        closer: None where a region runs to the end.
        content: the content parser, with what it does to the values inside.
        tags: the patterns that find the tags of a body, and of the values in it.
        transform: the transform as JSON; empty for none.
        each: whether it applies to every element of a list.
        kept: what becomes of several regions.
        required: whether a message without the field is an error.
    """

    name: str
    opener: Border | None
    closer: Border | None
    content: str
    tags: tuple[Border, ...]
    transform: str
    each: bool
    kept: str
    required: bool

    @property
    def value(self) -> str:
        """Tell in words what the text of a region becomes."""
        parts = [self.kept]
        if self.transform:
            parts.insert(0, f"{'each element' if self.each else 'the value'} as `{self.transform}`")
        if self.required:
            parts.append("a message without it is an error")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: of a field, or of none where it belongs to the field before.

    Attributes:
        field: the name of the field.
        part: what of it.
        written: how that is written in the template.
        compiled: what became of it, and why.
        held: what it holds back.
        is_pattern: whether it is written as a pattern.
        is_text: whether it is written as text at all; if not, ``written`` says something in words.
    """

    field: str
    part: str
    written: str
    compiled: str
    held: str
    is_pattern: bool = False
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    """A template.

    Attributes:
        title: the template's name.
        anchor: what the message begins after, in the prefix.
        outside: how the state outside every explicit region is searched.
        implicit: the field that takes the text that no region claims.
        fields: the explicit fields in the template's order.
    """

    title: str
    anchor: Border
    outside: str
    implicit: Field | None
    fields: tuple[Field, ...]

    def rows(self) -> Iterator[Row]:
        """Give the lines of a table."""
        yield _row("", "start", self.anchor)
        if self.implicit is None:
            yield Row("(no field)", "opens", "text that no region claims", "dropped", "")
        for field in (*self.fields, *((self.implicit,) if self.implicit else ())):
            yield from _rows(field)


def _rows(field: Field) -> Iterator[Row]:
    if field.opener is None:
        yield Row(field.name, "opens", "text that no region claims", "", "")
    else:
        yield _row(field.name, "opens", field.opener)
    if field.closer is not None:
        yield _row("", "closes", field.closer)
    else:
        yield Row("", "closes", "(the end of the text)", "", "")
    yield Row("", "value", field.content, field.value, "")
    for tags in field.tags:
        yield _row("", "tags", tags)


def _row(field: str, part: str, border: Border) -> Row:
    compiled = f"{border.found_by}: {border.because}"
    return Row(field, part, border.written, compiled, border.held, border.is_pattern, is_text=True)
