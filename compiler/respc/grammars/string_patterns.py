"""Patterns of strings: the part of them that all readers of JSON schemas agree about, as a tree.

Readers take a pattern for one of ECMAScript or of Python, which differ in what the short names of classes match. Here
a class has what it has in both, so that a text of these is one of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from respc_runtime.character_classes import BLANKS

MOST_REPEATS: Final = 1_000
_DEEPEST: Final = 40
_LAST: Final = 0x10FFFF
_COUNT: Final = re.compile(r"\{(\d{1,6})(?:(,)(\d{0,6}))?\}")
_HEX: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))")
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_GROUP: Final = re.compile(r"\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))", re.ASCII)

Ranges: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One character of these ranges, which are in order and apart."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Row:
    """Items one after another."""

    items: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of the branches."""

    branches: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """``item`` at least ``low`` times, at most ``high`` (None: without bound)."""

    item: Part
    low: int
    high: int | None


Part: TypeAlias = OneOf | Row | Either | Times


class NotAgreedError(ValueError):
    """Readers do not agree about a pattern, or it says what no tree here can; the message says what."""


def _joined(ranges: list[tuple[int, int]]) -> Ranges:
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def all_but(ranges: Ranges) -> Ranges:
    """List the characters that are in none of these ranges."""
    found: list[tuple[int, int]] = []
    start = 0
    for first, last in (*_joined(list(ranges)), (_LAST + 1, _LAST + 1)):
        if start < first:
            found.append((start, first - 1))
        start = last + 1
    return tuple(found)


def within(one: Ranges, other: Ranges) -> Ranges:
    """List the characters that are in ranges of both."""
    return all_but((*all_but(one), *all_but(other)))


def _of(characters: str) -> Ranges:
    return _joined([(ord(each), ord(each)) for each in characters])


_DIGITS: Final = ((ord("0"), ord("9")),)
_WORD: Final = _joined([*_DIGITS, *((ord(first), ord(last)) for first, last in ("az", "AZ", "__"))])
_NOT_ASCII: Final = ((0x80, _LAST),)
_IN_SOME: Final[dict[str, Ranges]] = {
    "d": (*_DIGITS, *_NOT_ASCII),
    "w": (*_WORD, *_NOT_ASCII),
    "s": _of(BLANKS + "\ufeff\x1c\x1d\x1e\x1f"),
    "D": all_but(_DIGITS),
    "W": all_but(_WORD),
    "S": all_but(_of("\t\n\v\f\r ")),
}
"""What some readers have in the classes that have a short name; of other scripts any may be."""
_IN_ALL: Final = {name: all_but(_IN_SOME[name.swapcase()]) for name in _IN_SOME}
"""What all readers have in them."""
_NOT_ANY: Final = _of("\n\r\u2028\u2029")
ANY: Final = OneOf(all_but(()))
"""Any character."""


@lru_cache(maxsize=256)
def pattern_tree(pattern: str) -> Part:
    """Read a pattern, and what can be around it where it is not anchored.

    Raises:
        NotAgreedError: it has something that is not read here.
    """
    return _Reader(pattern).whole()


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._named = _IN_ALL

    def whole(self) -> Part:
        """Read all of it: each branch on its own can be anchored."""
        branches = [self._anchored()]
        while self._take("|"):
            branches.append(self._anchored())
        if self._at < len(self._pattern):
            raise NotAgreedError(f"there is no group that `{self._pattern[self._at]}` closes")
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def _anchored(self) -> Part:
        around = Times(ANY, 0, None)
        before = () if self._take("^") else (around,)
        items = self._items()
        behind = () if self._take("$") else (around,)
        return Row((*before, *items, *behind))

    def _take(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _items(self) -> list[Part]:
        items: list[Part] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)$":
            items.append(self._repeated(self._one()))
        return items

    def _one(self) -> Part:
        character = self._pattern[self._at]
        if character == "(":
            return self._group()
        if character == "[":
            self._at += 1
            return self._members()
        if character in "^*+?{}]":
            raise NotAgreedError(f"`{character}` is where it means nothing for all readers")
        if character == "\\":
            return OneOf(self._escape())
        self._at += 1
        return OneOf(all_but(_NOT_ANY) if character == "." else _of(character))

    def _group(self) -> Part:
        opened = _GROUP.match(self._pattern, self._at)
        if opened is None:
            raise NotAgreedError("conditions on what is around, and flags, cannot be held to")
        self._at = opened.end()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotAgreedError("groups are nested too deeply")
        branches = [Row(tuple(self._items()))]
        while self._take("|"):
            branches.append(Row(tuple(self._items())))
        if not self._take(")"):
            raise NotAgreedError("a group has no end, or an anchor in it")
        self._depth -= 1
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def _repeated(self, item: Part) -> Part:
        low, high = 1, 1
        if self._take("*"):
            low, high = 0, -1
        elif self._take("+"):
            high = -1
        elif self._take("?"):
            low = 0
        elif found := _COUNT.match(self._pattern, self._at):
            self._at = found.end()
            low = int(found[1])
            high = low if found[2] is None else int(found[3]) if found[3] else -1
        else:
            return item
        if high != -1 and high < low:
            raise NotAgreedError("a repeat has its bounds the wrong way round")
        if max(low, high) > MOST_REPEATS:
            raise NotAgreedError(f"something is repeated more than {MOST_REPEATS} times")
        self._take("?")  # which of the ways to match is tried first changes no language
        if self._at < len(self._pattern) and self._pattern[self._at] in "*+?{":
            raise NotAgreedError("a repeat is repeated, which readers do not agree about")
        return Times(item, low, None if high == -1 else high)

    def _members(self) -> OneOf:
        # Out of a class is what no reader has in it.
        negated = self._take("^")
        self._named = _IN_SOME if negated else _IN_ALL
        ranges: list[tuple[int, int]] = []
        while not self._take("]"):
            first = self._member()
            if self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at):
                self._at += 1
                last = self._member()
                if (
                    len(first) != 1
                    or len(last) != 1
                    or not first[0][0] == first[0][1] <= last[0][0] == last[0][1]
                ):
                    raise NotAgreedError("a range in a class has no two ends in order")
                first = ((first[0][0], last[0][0]),)
            ranges += first
        if not ranges:
            raise NotAgreedError("a class is empty")
        self._named = _IN_ALL
        return OneOf(all_but(_joined(ranges)) if negated else _joined(ranges))

    def _member(self) -> Ranges:
        if self._at >= len(self._pattern):
            raise NotAgreedError("a class has no end")
        character = self._pattern[self._at]
        if character == "\\":
            return self._escape()
        if character == "[":
            raise NotAgreedError("a class is in a class, which readers do not agree about")
        self._at += 1
        return _of(character)

    def _escape(self) -> Ranges:
        if found := _HEX.match(self._pattern, self._at):
            self._at = found.end()
            code = int(found[1] or found[2], 16)
            if 0xD800 <= code < 0xE000:
                raise NotAgreedError("half of a character is no character")
            return ((code, code),)
        character = self._pattern[self._at + 1 : self._at + 2]
        self._at += 2
        if character and character in self._named:
            return self._named[character]
        if character and character in _CONTROLS:
            return _of(_CONTROLS[character])
        if not character or character.isalnum() or character == "_":
            raise NotAgreedError(f"`\\{character}` is not read the same by all readers")
        return _of(character)
