"""The quick way through tags whose value is the last thing in them: one match for the key, one `find` for the value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from respc.codegen.literals import literal
from respc.codegen.matchers import compiled, listed_class
from respc.patterns.steps import Behind, GroupEnd, GroupStart, Here, Run, Value

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.patterns.steps import Step


def write_pairs(own: str, steps: tuple[Step, ...], matcher: str, writer: ModuleWriter) -> str | None:
    """Write the call that iterates over the keys and values of the tags of ``body``, or None for other tags.

    Args:
        own: a part of an identifier.
        steps: the steps of a tag.
        matcher: the function that matches a tag, for those that the quick way does not understand.
        writer: where constants and names go.
    """
    head, value = steps[0], steps[-1]
    if not isinstance(head, Here) or not isinstance(value, Value) or value.name != "value":
        return None
    trims = value.trims
    if trims is not None and not (trims.members.is_blanks and trims.high is None):
        return None
    opening = _opening(own, steps[:-1], writer)
    if opening is None:
        return None
    blanks = writer.runtime("BLANKS") if trims is not None else '""'
    closing = literal(value.text)
    return f"{writer.runtime('tag_pairs')}(body, {literal(head.text)}, {opening}, {closing}, {blanks}, {matcher})"


def _opening(own: str, steps: tuple[Step, ...], writer: ModuleWriter) -> str | None:
    """Add the pattern of a tag up to its value, with a group for the key, and give its name."""
    pieces: list[str | None] = []
    groups: list[str] = []
    for step in steps:
        match step:
            case Here(text):
                pieces.append(re.escape(text))
            case Run(members, low, high) if members.characters:
                pieces += listed_class(members)
                pieces.append(_repeat(low, high))
            case Behind(text):
                pieces.append(f"(?<={re.escape(text)})")
            case GroupStart("key"):
                groups.append("start")
                pieces.append("(")
            case GroupEnd("key", back=0):
                groups.append("end")
                pieces.append(")")
            case _:
                return None
    if groups != ["start", "end"]:
        return None
    return writer.constant(f"{own}_opening", compiled(pieces, writer))


def _repeat(low: int, high: int | None) -> str:
    if high is None and low < 2:
        return "+" if low else "*"
    return f"{{{low},{'' if high is None else high}}}"
