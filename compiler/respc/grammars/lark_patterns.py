"""Nodes as the regular expressions that terminals of Lark are made of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from respc.grammars.nodes import Characters, Choice, KnownChoice, Literal, Node, Repeat, Sequence, times

if TYPE_CHECKING:
    from collections.abc import Iterable

_CACHED: Final = 4_096
_IN_NUMBERS: Final = "0123456789eE.+-"
_PART_OF_NUMBER: Final = re.compile(f"[{re.escape(_IN_NUMBERS)}]*")
_ESCAPED: Final = {
    **{ord(character): f"\\{character}" for character in "\\.+*?()|[]{}^$#&-~/\"'"},
    **{character: f"\\x{character:02x}" for character in (*range(0x20), 0x7F)},
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}


@lru_cache(maxsize=_CACHED)
def _known_pattern(node: KnownChoice) -> str | None:
    return pattern_of(node.choice)


def pattern_of(node: Node, *, inner: bool = False) -> str | None:
    """Write a node as a regular expression; None where it has other rules or tokens in it, or may be empty."""
    match node:
        case Literal():
            return escaped(node.text) if _is_part(node.text) else None
        case Characters():
            return class_of(node.ranges, negated=node.negated)
        case Sequence():
            if node.items and type(first := node.items[0]) is Literal and not _is_part(first.text):
                return None
            parts = _patterns(node.items)
            if parts is None or (not inner and _may_be_empty(node.items)):
                return None
            return "".join(parts)
        case Choice():
            if has_only_literals(node):
                return None
            parts = _patterns(node.branches)
            if parts is None:
                return None
            return f"(?:{'|'.join(parts)})"
        case KnownChoice():
            return _known_pattern(node)
        case Repeat():
            written = pattern_of(node.item, inner=True)
            if written is None:
                return None
            one = written if isinstance(node.item, Characters) else f"(?:{written})"
            return one + times(node.low, node.high)
        case _:
            return None


def has_only_literals(node: Choice) -> bool:
    """Tell whether a choice is one of texts."""
    for branch in node.branches:  # noqa: SIM110 - half of the time, and each choice is asked
        if not isinstance(branch, Literal):
            return False
    return True


def _is_part(text: str) -> bool:
    """Tell whether a text may be in a pattern.

    The lexer takes the longest of all terminals and never goes back: two that begin with the same number must not have
    more than that in one.
    """
    # Nearly all are known by their first character.
    return len(text) == 1 or (text[:1] in _IN_NUMBERS and _PART_OF_NUMBER.fullmatch(text) is not None)


def _may_be_empty(items: Iterable[Node]) -> bool:
    return all(isinstance(item, Repeat) and not item.low for item in items)


def _patterns(nodes: Iterable[Node]) -> list[str] | None:
    """Write nodes as regular expressions; None where one cannot be."""
    written: list[str] = []
    for node in nodes:
        pattern = pattern_of(node, inner=True)
        if pattern is None:
            return None
        written.append(pattern)
    return written


def class_of(ranges: Iterable[tuple[str, str]], *, negated: bool) -> str:
    """Write a class of characters."""
    members = "".join(
        escaped(first) + ("" if first == last else f"-{escaped(last)}") for first, last in ranges
    )
    return f"[{'^' if negated else ''}{members}]"


def escaped(text: str) -> str:
    """Write a text as a regular expression that matches nothing else."""
    return text.translate(_ESCAPED)
