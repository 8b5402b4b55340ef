"""Texts of which a pattern needs one: where none of them is, the pattern does not match."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from respc.patterns.syntax import Atomic, Choice, Group, LookAhead, OneOf, Repeat, Sequence, Text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Sequence as SequenceOf

    from respc.patterns.syntax import Node

_MOST_TEXTS: Final = 16
_LARGEST_CLASS: Final = 4
_MOST_FIRST: Final = 32
_SHORT: Final = 2
Texts = frozenset[str]


def needed_texts(node: Node) -> Texts | None:
    """Give texts of which every match, and what it looks ahead at, has at least one; None where there are none.

    Of all such texts those are given whose shortest is longest.
    """
    match node:
        case Text() | OneOf():
            return _whole(node)
        case Sequence(items):
            return _of_sequence(items)
        case Choice(branches):
            found = [needed_texts(branch) for branch in branches]
            known = [texts for texts in found if texts is not None]
            return _limited(known) if len(known) == len(found) else None
        case Repeat(item, low) if low > 0:
            return needed_texts(item)
        case Group(item) | Atomic(item):
            return needed_texts(item)
        case LookAhead(item, negative):
            return None if negative else needed_texts(item)
        case _:
            return None


def minimal(texts: Iterable[str]) -> tuple[str, ...]:
    """Leave out the texts that have another one in them."""
    found = set(texts)
    return tuple(sorted(text for text in found if not any(other in text for other in found - {text})))


def _of_sequence(items: SequenceOf[Node]) -> Texts | None:
    candidates: list[Texts] = []
    run: Texts = frozenset(("",))
    for number, item in enumerate(items):
        whole = _whole(item)
        joined = None if whole is None else _joined(run, whole)
        if joined is None:
            candidates.append(run)
            if 0 < min(map(len, run)) <= _SHORT and (first := _first_characters(items[number:])):
                # So little is in many texts, and before what follows it in few.
                candidates.append(frozenset(head + tail for head, tail in product(run, first)))
            inner = needed_texts(item)
            candidates += [] if inner is None else [inner]
            # What begins with texts goes on with them.
            run = frozenset(("",)) if whole is None else whole
        else:
            run = joined
    candidates.append(run)
    best = max(candidates, key=lambda texts: (min(map(len, texts)), -len(texts)))
    return best if min(map(len, best)) else None


def _first_characters(items: SequenceOf[Node]) -> Texts | None:
    """List what the next character can be; None where there need be none, or it can be one of many."""
    found: Texts = frozenset()
    for item in items:
        inner = item.item if isinstance(item, Repeat) else item
        match inner:
            case Text(character):
                found |= {character}
            case OneOf(characters, False) if characters is not None:
                found |= characters
            case _:
                return None
        if len(found) > _MOST_FIRST:
            return None
        if not (isinstance(item, Repeat) and item.low == 0):
            return found
    return None


def _whole(node: Node) -> Texts | None:
    """List all that a node matches, and looks at, if that is a few texts."""
    match node:
        case Text(character):
            return frozenset((character,))
        case OneOf(characters, negated):
            if negated or characters is None or len(characters) > _LARGEST_CLASS:
                return None
            return characters
        case Sequence(items):
            joined: Texts | None = frozenset(("",))
            for item in items:
                whole = _whole(item)
                joined = None if joined is None or whole is None else _joined(joined, whole)
            return joined
        case Choice(branches):
            found = [_whole(branch) for branch in branches]
            known = [texts for texts in found if texts is not None]
            return _limited(known) if len(known) == len(found) else None
        case Repeat(item, 0, 1):
            whole = _whole(item)
            return None if whole is None else whole | {""}
        case Group(item) | Atomic(item):
            return _whole(item)
        case LookAhead(item, False):
            return _whole(item)
        case _:
            return None


def _joined(heads: Texts, tails: Texts) -> Texts | None:
    if len(heads) * len(tails) > _MOST_TEXTS:
        return None
    return frozenset(head + tail for head, tail in product(heads, tails))


def _limited(parts: Iterable[Texts]) -> Texts | None:
    texts = frozenset[str]().union(*parts)
    return texts if len(texts) <= 4 * _MOST_TEXTS else None
