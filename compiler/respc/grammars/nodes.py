"""The nodes of a grammar: what a model may write, the same for every engine.

Nothing changes a node once it is made: they are shared and kept. They are not frozen, since to make a frozen one takes
twice the time, and a request makes a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Literal as OneOfTexts
from typing import NamedTuple, TypeAlias


@dataclass(slots=True, unsafe_hash=True)
class Literal:
    """A text."""

    text: str


@dataclass(slots=True, unsafe_hash=True)
class Constant(Literal):
    """A text that stays apart from those around it.

    A lexer that takes the longest text it knows would else go on with a key and its one value where another schema has
    the same key and other values, and never come back to the key.
    """


@dataclass(slots=True, unsafe_hash=True)
class Characters:
    """One character of a class.

    Attributes:
        ranges: the first and the last character of each range.
        negated: whether it is a character of none of these.
    """

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False


@dataclass(slots=True, unsafe_hash=True)
class Sequence:
    """Items one after another."""

    items: tuple[Node, ...]


@dataclass(slots=True, unsafe_hash=True)
class Choice:
    """One of the branches."""

    branches: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class KnownChoice:
    """A choice without free texts and rules that comes again and again; what is written of this object is kept.

    Attributes:
        choice: the choice.
    """

    choice: Choice


@dataclass(slots=True, unsafe_hash=True)
class Repeat:
    """``item`` at least ``low`` times, at most ``high`` (None: without bound)."""

    item: Node
    low: int = 0
    high: int | None = None


Letters: TypeAlias = OneOfTexts["any", "escaped", "plain"]
"""What a free text is made of: any characters; those of a JSON string, with escapes; or those without any escape."""


@dataclass(slots=True, unsafe_hash=True)
class FreeText:
    """A text that the model chooses, up to the first place where it ends.

    Attributes:
        letters: what it is made of.
        end: what ends it, and is a part of this node; "" where the whole output ends.
        without: texts that may not begin in it.
        unlike: texts that it may not be.
    """

    letters: Letters
    end: str
    without: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


@dataclass(slots=True, unsafe_hash=True)
class Reference:
    """A rule, by its name."""

    name: str


Node: TypeAlias = Literal | Characters | Sequence | Choice | KnownChoice | Repeat | FreeText | Reference


class Rules(NamedTuple):
    """Rules that stay together.

    Attributes:
        name: of the rule that others refer to.
        nodes: what references name, in the order in which they are written.
    """

    name: str
    nodes: dict[str, Node]


START = "root"
"""The rule of the whole output."""
EMPTY = Sequence(())


def sequence(*items: Node) -> Node:
    """Put items one after another; literals that meet become one, and within a sequence none meet."""
    flat: list[Node] = []
    met: list[Literal] = []
    """Literals behind all that is flat."""
    for item in items:
        if type(item) is Literal:
            if item.text:
                met.append(item)
        elif type(item) is not Sequence:
            if met:
                flat.append(_one_literal(met))
                met = []
            flat.append(item)
        elif item.items:
            first, *parts = item.items
            if type(first) is Literal:
                met.append(first)
            else:
                parts.insert(0, first)
            if met and parts:
                flat.append(_one_literal(met))
                met = []
            if parts and type(last := parts[-1]) is Literal:
                met.append(last)
                del parts[-1]
            flat += parts
    if met:
        flat.append(_one_literal(met))
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _one_literal(literals: list[Literal]) -> Literal:
    return literals[0] if len(literals) == 1 else Literal("".join([each.text for each in literals]))


def led(text: str, node: Node) -> Node:
    """Put a text in front of a node; as `sequence` does, and nearly all parts of an object are put so."""
    if type(node) is not Sequence:
        if type(node) is Literal:
            return Literal(text + node.text)
        return Sequence((Literal(text), node)) if text else node
    first, *rest = node.items or (Literal(""),)
    if type(first) is Literal:
        return Sequence((Literal(text + first.text), *rest)) if rest else Literal(text + first.text)
    return Sequence((Literal(text), *node.items)) if text else node


def choice(*branches: Node) -> Node:
    """Let one of the branches be there, each of which is written once."""
    if len(branches) == 1:
        return branches[0]
    distinct = tuple(dict.fromkeys(branches))
    return distinct[0] if len(distinct) == 1 else Choice(distinct)


def known(node: Node) -> Node:
    """Keep what is written of a node without free texts and rules, where that is worth it."""
    return KnownChoice(node) if isinstance(node, Choice) else node


def factored(*branches: Node) -> Node:
    """Let one of the branches be there; what begins with a whole literal of another stands behind that.

    A lexer that takes the longest text it knows would else go on with the longer literal, and never come back.
    """
    heads = sorted(dict.fromkeys([head for each in branches if (head := _head(each))]), key=len)
    for head in heads:
        sharing = [each for each in branches if _head(each).startswith(head)]
        if len(sharing) > 1:
            rests = [_without_head(each, len(head)) for each in sharing]
            others = [each for each in branches if each not in sharing]
            return factored(sequence(Literal(head), factored(*rests)), *others)
    return choice(*branches)


def _head(node: Node) -> str:
    first = node.items[0] if isinstance(node, Sequence) and node.items else node
    return first.text if isinstance(first, Literal) else ""


def _without_head(node: Node, length: int) -> Node:
    items = node.items if isinstance(node, Sequence) else (node,)
    return sequence(Literal(_head(node)[length:]), *items[1:])


def optional(item: Node) -> Node:
    """Let an item be there or not."""
    return Repeat(item, 0, 1)


@lru_cache(maxsize=4_096)
def text_name(text: FreeText, before: str = "") -> str:
    """Name a free text, and what is in front of it: the same has the same name in all grammars."""
    return f"text-{sha256(repr((text, before)).encode()).hexdigest()[:8]}"


def times(low: int, high: int | None) -> str:
    """Write how often something is repeated."""
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{low},}}"
        case _:
            return ("" if low == 1 else f"{{{low}}}") if low == high else f"{{{low},{high}}}"
