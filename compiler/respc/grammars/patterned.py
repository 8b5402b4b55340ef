"""Strings that a pattern allows, as grammars.

The strings have none of the characters in them that delimiters begin with: so they cannot be taken for one, and where
they end is plain to engines that take the longest text they know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.grammars.errors import GrammarError
from respc.grammars.nodes import (
    EMPTY,
    Characters,
    Choice,
    Literal,
    Node,
    Repeat,
    Sequence,
    optional,
    sequence,
)
from respc.grammars.string_patterns import (
    Either,
    NotAgreedError,
    OneOf,
    Ranges,
    Row,
    Times,
    all_but,
    pattern_tree,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.grammars.nodes import Letters
    from respc.grammars.string_patterns import Part

_SHORT: Final = {"\\": "\\", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_CONTROLS: Final = ((0, 0x1F),)
_HALVES: Final = ((0xD800, 0xDFFF),)
_MOST_NODES: Final = 2_000


def patterned_string(pattern: object, path: str, letters: Letters, end: str, without: Iterable[str]) -> Node:
    """Write the strings that a pattern allows, and what ends them.

    Args:
        pattern: the pattern, which is searched for in a string.
        path: where the schema is that has it.
        letters: what strings are made of.
        end: what ends the string.
        without: what may not begin in it.

    Raises:
        GrammarError: readers do not agree about the pattern, or no string of it can be written.
    """
    if not isinstance(pattern, str):
        raise GrammarError("grammar-schema", "`pattern` has to be a text", f"{path}/pattern")
    try:
        written = _Writer(letters, end, {each[0] for each in (*without, end) if each}).part(
            pattern_tree(pattern)
        )
    except NotAgreedError as error:
        reason = f"the pattern cannot be held to: {error}"
        raise GrammarError("grammar-schema", reason, f"{path}/pattern") from error
    if written is None:
        reason = "no string of this pattern is without what would end the call"
        raise GrammarError("grammar-schema", reason, f"{path}/pattern")
    if len(end) == 1:
        # With what ends it, it is never empty.
        return Choice((_row((written, Characters(((end, end),)))),))
    if not _may_be_empty(written):
        return sequence(_whole(written), Literal(end))
    rest = _not_empty(written)
    return Literal(end) if rest is None else sequence(optional(_whole(rest)), Literal(end))


def _whole(node: Node) -> Node:
    """Keep a text together, so that engines read it as one."""
    return Choice((node,))


class _Writer:
    def __init__(self, letters: Letters, end: str, excluded: set[str]) -> None:
        self._letters = letters
        self._quote = end if letters != "any" else ""
        self._excluded = excluded
        """Characters that may not be in what is written."""
        self._left = _MOST_NODES

    def part(self, part: Part) -> Node | None:
        """Write a part of a pattern; None where no text of it can be written."""
        self._left -= 1
        if self._left < 0:
            raise NotAgreedError("it is too large")
        match part:
            case OneOf(ranges):
                return self._one(ranges)
            case Row(items):
                written = [self.part(item) for item in items]
                known = [each for each in written if each is not None]
                return _row(known) if len(known) == len(written) else None
            case Either(branches):
                return _either(each for branch in branches if (each := self.part(branch)) is not None)
            case Times(item, low, high):
                inner = self.part(item)
                if inner is None or high == 0:
                    return None if low else EMPTY
                return EMPTY if inner == EMPTY else Repeat(inner, low, high)

    def _one(self, ranges: Ranges) -> Node | None:
        excluded = [(ord(each), ord(each)) for each in self._excluded]
        if self._letters == "any":
            return _characters(within(ranges, all_but((*excluded, *_HALVES))))
        plain = within(ranges, all_but((*excluded, *_HALVES, *_CONTROLS, *_points(self._quote + "\\"))))
        # In quotes some characters are written as escapes.
        escapes = {**_SHORT, self._quote: self._quote} if "\\" not in self._excluded else {}
        short = "".join(
            letter
            for character, letter in escapes.items()
            if (letter not in self._excluded or letter == self._quote) and within(ranges, _points(character))
        )
        escaped = (_characters(_points("\\")), _characters(_points(short)))
        known = [each for each in escaped if each is not None]
        branches = (_characters(plain), _row(known) if len(known) == len(escaped) else None)
        return _either(each for each in branches if each is not None)


def _points(characters: str) -> Ranges:
    return tuple((ord(each), ord(each)) for each in sorted(set(characters)))


def _characters(ranges: Ranges) -> Characters | None:
    """Write one character of a class; one that has nearly all is written by what it has not."""
    if not ranges:
        return None
    if ranges[-1][1] == all_but(())[-1][1]:
        others = all_but((*ranges, *_HALVES))
        return Characters(tuple((chr(first), chr(last)) for first, last in others), negated=True)
    return Characters(tuple((chr(first), chr(last)) for first, last in ranges))


def _row(items: Iterable[Node]) -> Node:
    flat = [part for item in items for part in (item.items if isinstance(item, Sequence) else (item,))]
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _either(branches: Iterable[Node]) -> Node | None:
    distinct = tuple(dict.fromkeys(branches))
    written = tuple(each for each in distinct if each != EMPTY)
    if not written:
        return EMPTY if distinct else None
    chosen = written[0] if len(written) == 1 else Choice(written)
    return chosen if len(written) == len(distinct) else Repeat(chosen, 0, 1)


def _may_be_empty(node: Node) -> bool:
    match node:
        case Sequence(items):
            return all(map(_may_be_empty, items))
        case Choice(branches):
            return any(map(_may_be_empty, branches))
        case Repeat(item, low):
            return not low or _may_be_empty(item)
        case _:
            return False


def _not_empty(node: Node) -> Node | None:
    """Write the same without the empty text; None where that is all."""
    match node:
        case Sequence(items):
            found: list[Node] = []
            for number, item in enumerate(items):
                first = _not_empty(item)
                found += [] if first is None else [_row((first, *items[number + 1 :]))]
                if not _may_be_empty(item):
                    break
            return _either(found)
        case Choice(branches):
            return _either(each for branch in branches if (each := _not_empty(branch)) is not None)
        case Repeat(item, low, high):
            if not _may_be_empty(item):
                return Repeat(item, max(low, 1), high)
            first = _not_empty(item)
            return None if first is None else Repeat(first, 1, high)
        case _:
            return node
