"""From a pattern to its syntax tree, by the `regex` module's own parser.

The parser that will run the pattern is the only one that reads its language exactly as it does. It is not part of
that module's documented interface, so every step that does not find what it expects ends in `Opaque`: a new release
of `regex` can make the compiler less clever, never wrong.
"""

from __future__ import annotations

import importlib
import itertools
from functools import cache
from typing import TYPE_CHECKING, Any

import regex

from respc.patterns.syntax import (
    Assertion,
    Atomic,
    Choice,
    Group,
    LookAhead,
    LookBehind,
    Node,
    OneOf,
    Opaque,
    Reference,
    Repeat,
    Sequence,
    Text,
)
from respc_runtime.character_classes import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable

core: Any = importlib.import_module("regex._regex_core")

_LARGEST_LISTED_RANGE = 64
_UNDERSTOOD_FLAGS = regex.DOTALL | regex.UNICODE | regex.VERSION0 | regex.VERBOSE | regex.MULTILINE
_NO_CASE_FLAGS = 0


def parse_pattern(pattern: str) -> Node:
    """Parse a pattern that `regex` accepts, with the flags that response templates have (Unicode, DOTALL)."""
    try:
        tree, info = _parse(pattern)
    except Exception as error:
        return Opaque(f"the parser of regex: {type(error).__name__}")
    if info.flags & ~_UNDERSTOOD_FLAGS:
        return Opaque("flags")
    return _node(tree)


def place_of_error(error: regex.error, pattern: str) -> tuple[int, int] | None:
    """Give the character of a pattern that an error is about: the last one where it is about the end."""
    place = getattr(error, "pos", None)
    if place is None or not pattern:
        return None
    start = min(place, len(pattern) - 1)
    return start, start + 1


def syntax_tree(pattern: str) -> Any:
    """Parse a pattern to the module's own tree; raises whatever that parser raises."""
    return _parse(pattern)[0]


def _parse(pattern: str) -> tuple[Any, Any]:
    flags = regex.DOTALL
    while True:
        source = core.Source(pattern)
        info = core.Info(flags, source.char_type, {})
        info.guess_encoding = regex.UNICODE
        source.ignore_space = bool(info.flags & regex.VERBOSE)
        try:
            return core._parse_pattern(source, info), info
        except core._UnscopedFlagSet:
            # A flag for the whole pattern, met in its middle: the parser wants to start again with it.
            flags = info.global_flags


@cache
def whitespace() -> frozenset[str]:
    r"""List what ``\s`` matches: not quite what `str.isspace` says."""
    return frozenset(BLANKS)


def _node(tree: Any) -> Node:
    kind = type(tree).__name__
    try:
        convert = _CONVERSIONS.get(kind)
        return Opaque(kind) if convert is None else convert(tree)
    except (AttributeError, TypeError, ValueError):
        return Opaque(kind)


def _character(tree: Any) -> Node:
    if tree.case_flags != _NO_CASE_FLAGS or tree.zerowidth:
        return OneOf(None)
    character = chr(tree.value)
    if tree.positive:
        return Text(character)
    return OneOf(frozenset(character), negated=True, members=escaped_member(character))


def _string(tree: Any) -> Node:
    if tree.case_flags != _NO_CASE_FLAGS:
        return Opaque("String")
    return Sequence(tuple(Text(chr(code)) for code in tree.characters))


def _class(tree: Any) -> Node:
    return OneOf(_members(tree), negated=not tree.positive, members=_written(tree))


def _written(tree: Any) -> str | None:
    """Write the members of a class as they would stand between brackets, as if it were not negated."""
    if tree.case_flags != _NO_CASE_FLAGS or tree.zerowidth:
        return None
    match type(tree).__name__:
        case "Character":
            return escaped_member(chr(tree.value))
        case "Range":
            return f"{escaped_member(chr(tree.lower))}-{escaped_member(chr(tree.upper))}"
        case "Property" if not tree.encoding:  # else it is a class of ASCII alone
            return _properties().get(tree.value)
        case "SetUnion":
            parts = [_written_member(item) for item in tree.items]
            return None if None in parts else "".join(part for part in parts if part is not None)
        case _:
            return None


def _written_member(tree: Any) -> str | None:
    written = _written(tree)
    if tree.positive or written is None:
        return written
    return written.upper() if written in _properties().values() else None


def escaped_member(character: str) -> str:
    """Write a character as a member of a class."""
    return f"\\{character}" if character in r"\^-[]&~|" else character


@cache
def _properties() -> dict[object, str]:
    """Map the module's numbers of the classes that have a letter to how they are written."""
    return {_parse(written)[0].items[0].value: written for written in (r"\s", r"\w", r"\d")}


def _members(tree: Any) -> frozenset[str] | None:
    """List a class as if it were not negated."""
    if tree.case_flags != _NO_CASE_FLAGS or tree.zerowidth:
        return None
    kind = type(tree).__name__
    if kind == "Character":
        return frozenset(chr(tree.value))
    if kind == "Range" and tree.upper - tree.lower < _LARGEST_LISTED_RANGE:
        return frozenset(map(chr, range(tree.lower, tree.upper + 1)))
    if kind == "Property" and not tree.encoding and _properties().get(tree.value) == r"\s":
        return whitespace()
    if kind == "SetUnion":
        parts = [_members(item) if item.positive else None for item in tree.items]
        if None not in parts:
            return frozenset(itertools.chain.from_iterable(part for part in parts if part))
    return None


def _sequence(tree: Any) -> Node:
    return Sequence(tuple(map(_node, tree.items)))


def _repeat(tree: Any) -> Node:
    return Repeat(_node(tree.subpattern), tree.min_count, tree.max_count, type(tree).__name__ == "LazyRepeat")


def _group(tree: Any) -> Node:
    if tree.group < 0:  # a group made by the parser, for a call
        return Opaque("Group")
    return Group(_node(tree.subpattern), tree.info.group_name.get(tree.group))


def _reference(tree: Any) -> Node:
    if tree.case_flags != _NO_CASE_FLAGS:
        return Opaque("RefGroup")
    written = str(tree.group)
    name = tree.info.group_name.get(int(written)) if written.isdecimal() else written
    return Opaque("RefGroup") if name is None else Reference(name)


def _look_around(tree: Any) -> Node:
    item = _node(tree.subpattern)
    return LookBehind(item) if tree.behind else LookAhead(item, not tree.positive)


_CONVERSIONS: dict[str, Callable[[Any], Node]] = {
    "Any": lambda tree: OneOf(frozenset("\n"), negated=True, members="\n"),
    "AnyAll": lambda tree: OneOf(frozenset(), negated=True, members=""),
    "AnyU": lambda tree: OneOf(None),
    "Atomic": lambda tree: Atomic(_node(tree.subpattern)),
    "Boundary": lambda tree: Assertion(1, "word edge" if tree.positive and not tree.encoding else ""),
    "Branch": lambda tree: Choice(tuple(map(_node, tree.branches))),
    "Character": _character,
    "EndOfLine": lambda tree: Assertion(0),
    "EndOfString": lambda tree: Assertion(0, "end"),
    "EndOfStringLine": lambda tree: Assertion(0, "last line end"),
    "EndOfWord": lambda tree: Assertion(1),
    "GreedyRepeat": _repeat,
    "Group": _group,
    "LazyRepeat": _repeat,
    "LookAround": _look_around,
    "PossessiveRepeat": lambda tree: Atomic(_repeat(tree)),
    "Property": _class,
    "Range": _class,
    "RefGroup": _reference,
    "Sequence": _sequence,
    "SetUnion": _class,
    "StartOfLine": lambda tree: Assertion(1),
    "StartOfString": lambda tree: Assertion(1, "start"),
    "StartOfWord": lambda tree: Assertion(1),
    "String": _string,
}
