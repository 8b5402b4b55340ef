"""The state machine as a state diagram of Mermaid."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.show.model import Field, Machine

_LONGEST: Final = 80
_OUTSIDE: Final = "outside"
_STATEMENT_ANYWHERE: Final = re.compile("(?i)(?<=direction) ")
"""The blank of what Mermaid takes for a statement wherever it stands in a line, in quotes or not."""


def mermaid(machine: Machine) -> str:
    """Write the machine as the text of a diagram."""
    return "".join(f"{line}\n" for line in _lines(machine))


def _lines(machine: Machine) -> Iterator[str]:
    implicit = machine.implicit
    yield "stateDiagram-v2"
    yield "    direction LR"
    yield _state(_OUTSIDE, "outside: text is dropped" if implicit is None else _named(implicit))
    for number, field in enumerate(machine.fields):
        yield _state(f"field{number}", _named(field))
    yield _arrow("[*]", _OUTSIDE, f"after {machine.anchor.written}")
    for number, field in enumerate(machine.fields):
        if field.opener is not None:
            yield _arrow(_OUTSIDE, f"field{number}", field.opener.written)
        if field.closer is not None:
            yield _arrow(f"field{number}", _OUTSIDE, field.closer.written)
        else:
            yield _arrow(f"field{number}", "[*]", "the end of the text")
    if implicit is not None and implicit.closer is not None:
        yield _arrow(_OUTSIDE, _OUTSIDE, f"{implicit.closer.written} ends the region")
    yield _arrow(_OUTSIDE, "[*]", "the end of the text")


def _named(field: Field) -> str:
    return f"{field.name} ({field.content})"


def _state(key: str, text: str) -> str:
    return f'    state "{_escaped(text)}" as {key}'


def _arrow(start: str, end: str, text: str) -> str:
    return f"    {start} --> {end} : {_escaped(text)}"


def _escaped(text: str) -> str:
    """Write whatever could mean something to Mermaid, or to the HTML that it makes, as a character's number."""
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    escaped = "".join(
        character if character in " _" or character.isalnum() else f"#{ord(character)};"
        for character in short
    )
    return _STATEMENT_ANYWHERE.sub("#32;", escaped)
