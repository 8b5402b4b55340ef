"""Whether a pattern takes the longest text that it can: of several ways to go on, it prefers the first."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Node, Repeat, Sequence, parts_of, walk
from respc.scan.language import NOWHERE, Language, reachable, text_of
from respc.scan.two_languages import MOST_PAIRS, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.scan.language import Places

_MOST_COMPARED = 24


def prefers_shorter(tree: Node, alphabet: str) -> bool:
    """Tell whether a text can be taken although a longer one, by a way that is tried later, matches as well."""
    if any(isinstance(node, Repeat) and node.lazy and node.low != node.high for node in walk(tree)):
        return True
    return any(_prefers_shorter(ways, rest, alphabet) for ways, rest in _ways_apart(tree))


def _ways_apart(tree: Node) -> Iterator[tuple[tuple[Node, ...], tuple[Node, ...]]]:
    """Find where a pattern has several ways to go on, the preferred ones first, and what comes after each."""
    for _, node, rest, _ in parts_of(tree):
        if isinstance(node, Choice):
            yield node.branches, rest
        elif node.low != node.high:
            more = Repeat(node.item, 0, None if node.high is None else node.high - node.low - 1)
            yield (Sequence((node.item, more)), Sequence(())), rest


def _prefers_shorter(ways: tuple[Node, ...], rest: tuple[Node, ...], alphabet: str) -> bool:
    texts = [text for text in map(text_of, ways) if text is not None]
    pairs = permutations(texts, 2) if rest else combinations(texts, 2)
    if len(texts) == len(ways) and not any(other.startswith(text) for text, other in pairs):
        return False
    if len(ways) > _MOST_COMPARED:
        return True
    languages = [Language(Sequence((way, *rest)), alphabet) for way in ways]
    return any(_takes_less(one, other) for one, other in combinations(languages, 2))


def _takes_less(one: Language, other: Language) -> bool:
    """Tell whether of a text the longest that is one can be shorter than the longest that is the other."""

    def onward(pair: tuple[Places, Places]) -> Iterator[tuple[Places, Places]]:
        after = one.after(pair[0])
        for character, there in other.after(pair[1]).items():
            here = after.get(character, NOWHERE)
            if not one.accepts(here):
                yield here, there

    whole = [(here, there) for here, there in pairs_of(one, other) if one.accepts(here)]
    return any(
        other.accepts(there) and not one.accepts(here) for here, there in reachable(whole, onward, MOST_PAIRS)
    )
