"""Lazy runs of characters in delimiters, as in `<a.*?>`: each ends where what comes after it first can stand."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from respc.patterns.syntax import Node, Repeat, Sequence, Text, parts_of, walk
from respc.scan.language import Language, can_grow, grows_through
from respc.scan.spelling import is_lazy_run
from respc.scan.two_languages import one_while_other

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard


def lazy_tails(tree: Node) -> Iterator[tuple[Repeat, tuple[Node, ...]]]:
    """Find the lazy runs of a pattern, and what comes after each."""
    return ((run, rest) for _, run, rest, _ in parts_of(tree) if is_lazy_run(run))


def is_lazy_part(node: Node) -> TypeGuard[Repeat]:
    """Tell whether a node is lazy, and has a bounded length, but not always the same."""
    return isinstance(node, Repeat) and node.lazy and node.high is not None and node.low != node.high


def lazy_parts_matter(tree: Node) -> bool:
    """Tell whether a lazy part of bounded length could be longer than the shortest that what follows allows."""
    before_another = [
        part
        for node in walk(tree)
        if isinstance(node, Sequence)
        for part, following in pairwise(node.items)
        if is_lazy_part(part)
        and isinstance(part.item, Text)
        and isinstance(following, Text)
        and part.item != following
    ]
    return len(before_another) < sum(map(is_lazy_part, walk(tree)))


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
    head, tail = Language(parts[0], alphabet), Language(parts[2], alphabet)
    return not tail.accepts(tail.start) and not grows_through(head, frozenset(tail.after(tail.start)))


def around_lazy(node: Node) -> tuple[Node, Repeat, Node] | None:
    """Give what comes before a lazy run, it, and what it needs and comes after it; None if there is a way past it."""
    for before, run, rest, passed in parts_of(node):
        if is_lazy_run(run):
            needed = (Repeat(run.item, run.low, run.low),) if run.low else ()
            return None if passed else (Sequence(before), run, Sequence((*needed, *rest)))
    return None
