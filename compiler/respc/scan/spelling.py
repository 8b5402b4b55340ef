"""Writes a pattern's syntax tree as an expression that `re` reads as `regex` reads the pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from respc.patterns.classes import are_apart, is_any
from respc.patterns.syntax import Assertion, Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.naming import Names

if TYPE_CHECKING:
    from typing import TypeGuard

SPECIAL = frozenset(r".^$*+?{}[]|()")
CLASS_SPECIAL = frozenset("^-[]&~|")
"""The characters that do not stand for themselves in an expression, and in a class."""

_ESCAPES = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\f": r"\f", "\v": r"\v", "\\": r"\x5c"}
_ONLY_REGEX = frozenset({r"\w", r"\W", r"\d", r"\D", r"\S"})
ONLY_REGEX = "has a part that only `regex` knows"
"""What is said of a part that has no spelling."""

NESTED = "can begin again inside its own runs"
SHARED = "begins with a run in which another delimiter can stand"
HANDED_OVER = "has a run that can leave text to a later one"
"""Why time can grow faster than the text, as a sentence goes on after "it"."""

_COUNTS: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}


class NotSpelledError(Exception):
    """There is something in a pattern that is not written for `re`."""


@dataclass
class Spelling:
    """Writes the delimiters of one expression.

    Attributes:
        groups: for the group of each delimiter, the names in the template of the groups in its expression.
        needs_regex: whether there is a class of characters that only `regex` knows.
        names: those of all groups in the expression.
    """

    groups: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    needs_regex: bool = False
    names: Names = field(default_factory=Names)

    def write(self, node: Node, delimiter: str = "") -> str:
        """Write a node; its groups are those of a delimiter, left out where there is none."""
        match node:
            case Text() | OneOf():
                return self.one(node)
            case Sequence(items):
                return self._sequence(items, delimiter)
            case Choice(branches):
                return f"(?:{'|'.join(self.write(branch, delimiter) for branch in branches)})"
            case Repeat(item, low, high, lazy):
                return (
                    self.closed(item, delimiter) + counted(low, high) + ("?" if lazy and low != high else "")
                )
            case Group(item, name):
                if name is None or not delimiter:
                    return self.closed(item, delimiter)
                return f"(?P<{self._group(name, delimiter)}>{self.write(item, delimiter)})"
            case LookAhead(item, False):
                return f"(?={self.write(item)})"
            case Assertion(kind="start"):
                return r"\A"
            case Assertion(kind="word edge"):
                self.needs_regex = True
                return r"\b"
            case _:
                raise NotSpelledError(type(node).__name__)

    def closed(self, node: Node, delimiter: str = "") -> str:
        """Write a node so that how often it comes can stand behind it."""
        written = self.write(node, delimiter)
        return written if isinstance(node, Text | OneOf | Choice) else f"(?:{written})"

    def alternatives(self, node: Node) -> str:
        """Write a node that is a whole expression: alternatives need nothing around them."""
        match node:
            case Sequence((only,)):
                return self.alternatives(only)
            case Choice(branches):
                return "|".join(map(self.write, branches))
            case _:
                return self.write(node)

    def one(self, node: Text | OneOf) -> str:
        """Write one character, or a class of them."""
        if isinstance(node, Text):
            return written_character(node.character, SPECIAL)
        if is_any(node):
            return "."
        if node.members is None:
            raise NotSpelledError("class")
        tokens = re.findall(r"\\.|.", node.members, re.DOTALL)
        if _ONLY_REGEX.intersection(tokens):
            self.needs_regex = True
        members = "".join(
            map(_member, sorted(tokens, key=lambda token: token != r"\s") if r"\s" in tokens else tokens)
        )
        if not members:
            raise NotSpelledError("class without members")
        if len(tokens) == 1 and not node.negated:
            return members if len(tokens[0]) > 1 else written_character(tokens[0], SPECIAL)
        return f"[{'^' if node.negated else ''}{members}]"

    def _sequence(self, items: tuple[Node, ...], delimiter: str) -> str:
        parts: list[str] = []
        for position, item in enumerate(items):
            written = self.write(item, delimiter)
            following = items[position + 1] if position + 1 < len(items) else None
            run = bare(item)
            if delimiter and is_run(run) and is_gap(following) and ends_before(run, items[position + 1 :]):
                # What comes after the gap is not in the run, so a shorter run leads nowhere that this one does not.
                kept = self.names.take("kept")
                written = f"(?=(?P<{kept}>{written}))(?P={kept})"
            parts.append(written)
        return "".join(parts)

    def _group(self, name: str, delimiter: str) -> str:
        group = self.names.take(name)
        self.groups.setdefault(delimiter, {})[group] = name
        return group


def counted(low: int, high: int | None) -> str:
    """Write how often something is repeated."""
    if (low, high) == (1, 1):
        return ""
    if (low, high) in _COUNTS:
        return _COUNTS[low, high]
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def written_character(character: str, special: frozenset[str]) -> str:
    """Write a character so that it stands for itself, and prints."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in special:
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def written_text(text: str) -> str:
    """Write a text so that it stands for itself."""
    return "".join(written_character(character, SPECIAL) for character in text)


def bare(node: Node) -> Node:
    """Take away the groups around a node."""
    while isinstance(node, Group) or (isinstance(node, Sequence) and len(node.items) == 1):
        node = node.item if isinstance(node, Group) else node.items[0]
    return node


def is_run(node: Node | None) -> bool:
    """Tell whether a node is a run of one class without bound, or a group around one."""
    if isinstance(node, Group):
        return is_run(node.item)
    return (
        isinstance(node, Repeat)
        and isinstance(node.item, Text | OneOf)
        and node.high is None
        and not node.lazy
    )


def ends_before(run: Node, rest: tuple[Node, ...]) -> bool:
    """Tell whether a run leads nowhere by ending earlier: after a gap, which may be empty, comes what is not in it."""
    match bare(run), rest:
        case Repeat(item), (Repeat(low=0), Text() as first, *_):
            return are_apart(item, first)
        case _:
            return False


def is_lazy_run(node: Node | None) -> TypeGuard[Repeat]:
    """Tell whether a node is a lazy repeat without bound."""
    return isinstance(node, Repeat) and node.lazy and node.high is None


def is_gap(node: Node | None) -> bool:
    """Tell whether a node is a lazy run of any characters."""
    return is_lazy_run(node) and isinstance(node.item, OneOf) and is_any(node.item)


def _member(token: str) -> str:
    if token == "\\\\":
        return r"\x5c"
    if len(token) == 1:
        return written_character(token, frozenset())
    return token
