"""Writing JSON as people lay templates out: what is short stands on one line."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from respc.source.json_kinds import is_list, is_object

_WIDTH: Final = 100
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def laid_out(value: Any, *, step: str = "  ", margin: str = "", on_one_line: bool = False) -> str:
    """Write a value as JSON: a line for each of its members, and more only for those that are long.

    Args:
        value: what JSON can hold.
        step: what a level is indented by.
        margin: the indentation of the line that the value begins on.
        on_one_line: whether there is one line, however long.
    """
    text = json.dumps(value, ensure_ascii=False) if on_one_line else _written(value, step, margin, _WIDTH)
    # UTF-8 cannot hold half of a surrogate pair.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _written(value: Any, step: str, margin: str, used: int) -> str:
    """Write a value behind so many characters of its line."""
    line = json.dumps(value, ensure_ascii=False)
    if not value or used + len(line) < _WIDTH:
        return line
    inner = margin + step
    if is_object(value):
        names = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        members = [
            name + _written(member, step, inner, len(inner + name))
            for name, member in zip(names, value.values(), strict=True)
        ]
        return _block("{}", members, inner, margin)
    if is_list(value):
        return _block("[]", [_written(member, step, inner, len(inner)) for member in value], inner, margin)
    return line


def _block(brackets: str, members: list[str], inner: str, margin: str) -> str:
    lines = ",\n".join(f"{inner}{member}" for member in members)
    return f"{brackets[0]}\n{lines}\n{margin}{brackets[1]}"
