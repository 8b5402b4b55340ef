"""The quick way through tags whose value is the last thing in them: one match for the key, one `find` for the value."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from respc.codegen.literals import literal, pattern_literal
from respc.patterns.parse import escaped_member, whitespace
from respc.patterns.steps import Behind, GroupEnd, GroupStart, Here, Run, Value

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.patterns.steps import Step
    from respc.patterns.syntax import OneOf


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
    if value.trims is not None and not _is_blanks(value.trims):
        return None
    opening = _opening(own, steps[:-1], writer)
    if opening is None:
        return None
    blanks = writer.runtime("BLANKS") if value.trims is not None else '""'
    closing = literal(value.text)
    return f"{writer.runtime('tag_pairs')}(body, {literal(head.text)}, {opening}, {closing}, {blanks}, {matcher})"


def _is_blanks(run: Run) -> bool:
    members = run.members
    return members.members == r"\s" and not members.negated and run.low == 0 and run.high is None


def _opening(own: str, steps: tuple[Step, ...], writer: ModuleWriter) -> str | None:
    """Add the pattern of a tag up to its value, with a group for the key, and give its name."""
    pieces: list[str | None] = []  # None stands for all blanks, which the runtime lists
    groups: list[str] = []
    for step in steps:
        match step:
            case Here(text):
                pieces.append(re.escape(text))
            case Run(members, low, high) if members.characters:
                pieces += _class(members)
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
    writer.standard_imports.add("import re")
    codes: list[str] = []
    for blank, run in groupby(pieces, lambda piece: piece is None):
        codes.append(writer.runtime("BLANKS") if blank else pattern_literal("".join(filter(None, run))))
    return writer.constant(f"{own}_opening", f"re.compile({' + '.join(codes)})")


def _repeat(low: int, high: int | None) -> str:
    if high is None and low < 2:
        return "+" if low else "*"
    return f"{{{low},{'' if high is None else high}}}"


def _class(members: OneOf) -> list[str | None]:
    """Write a class for `re`, which agrees with `regex` on those whose characters are listed."""
    assert members.characters is not None, "the class is listed"
    blanks = members.characters >= whitespace()
    others = sorted(members.characters - whitespace() if blanks else members.characters)
    start = f"[{'^' if members.negated else ''}" + "".join(map(escaped_member, others))
    return [start, None, "]"] if blanks else [f"{start}]"]
