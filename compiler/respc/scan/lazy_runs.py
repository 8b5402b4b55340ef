"""Lazy runs of characters in delimiters, as in `<a.*?>`: each ends where what comes after it first can stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Group, LookAhead, Node, Repeat, Sequence, Text
from respc.scan.language import Language, can_grow, grows_through
from respc.scan.two_languages import one_while_other

if TYPE_CHECKING:
    from collections.abc import Iterator


def lazy_tails(tree: Node) -> Iterator[tuple[Repeat, tuple[Node, ...]]]:
    """Find the lazy runs of a pattern, and what comes after each."""
    match tree:
        case Sequence(items):
            for position, item in enumerate(items):
                for run, tail in lazy_tails(item):
                    yield run, (*tail, *items[position + 1 :])
        case Choice(items):
            for item in items:
                yield from lazy_tails(item)
        case Repeat(_, _, None, lazy=True):
            yield tree, ()
        case Group(item) | LookAhead(item) | Repeat(item):
            yield from lazy_tails(item)
        case _:
            pass


def lazy_parts_matter(tree: Node) -> bool:
    """Tell whether a lazy part of bounded length could be longer than the shortest that what follows allows."""
    match tree:
        case Sequence(items):
            for position, item in enumerate(items):
                if isinstance(item, Repeat) and item.lazy and item.high is not None and item.low != item.high:
                    following = items[position + 1] if position + 1 < len(items) else None
                    if not isinstance(following, Text) or not isinstance(item.item, Text):
                        return True
                    if following == item.item:
                        return True
                elif lazy_parts_matter(item):
                    return True
            return False
        case Repeat(_, low, high, lazy=True) if high is not None and low != high:
            return True
        case Choice(items):
            return any(map(lazy_parts_matter, items))
        case Group(item) | LookAhead(item) | Repeat(item):
            return lazy_parts_matter(item)
        case _:
            return False


def certain_branches(branches: tuple[Node, ...], alphabet: str) -> tuple[Node, ...]:
    """Give the branches up to the lazy one, unless more text could change which of them is taken, or its end."""
    lazy = next((position for position, branch in enumerate(branches) if any(lazy_tails(branch))), None)
    if lazy is None or not _ends_alike(branches[lazy], alphabet):
        return ()
    languages = [Language(branch, alphabet) for branch in branches[: lazy + 1]]
    for position, language in enumerate(languages):
        if position < lazy and can_grow(language):
            return ()
        if any(one_while_other(language, before) for before in languages[:position]):
            return ()
    return branches[: lazy + 1]


def _ends_alike(branch: Node, alphabet: str) -> bool:
    """Tell whether what comes before a lazy run, where it could take more, can take nothing of what comes after."""
    parts = around_lazy(branch)
    if parts is None:
        return False
    head, tail = (Language(Sequence(part), alphabet) for part in parts)
    return not tail.accepts(tail.start) and not grows_through(head, frozenset(tail.after(tail.start)))


def around_lazy(node: Node) -> tuple[tuple[Node, ...], tuple[Node, ...]] | None:
    """Give what comes before a lazy run, and what it needs and comes after it; None if there is a way past it."""
    match node:
        case Sequence(items):
            for position, item in enumerate(items):
                if any(lazy_tails(item)):
                    parts = around_lazy(item)
                    return parts and ((*items[:position], *parts[0]), (*parts[1], *items[position + 1 :]))
            return None
        case Group(item) | LookAhead(item):
            return around_lazy(item)
        case Repeat(item, low, None, lazy=True):
            return (), (Repeat(item, low, low),) if low else ()
        case _:
            return None
