"""Questions about the texts of delimiters, answered by automata: which texts are one, which have begun to be one.

An automaton has a transition for each of a few characters that stand for all others: those that the delimiters name,
and one for each way in which the rest can belong to their classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeVar

from respc.patterns.classes import has, takes
from respc.patterns.syntax import (
    Assertion,
    Choice,
    Group,
    LookAhead,
    Node,
    OneOf,
    Repeat,
    Sequence,
    Text,
    walk,
)
from respc.scan.beginnings import until_decided
from respc.scan.spelling import NotSpelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

Reached = TypeVar("Reached", bound="Hashable")

_MOST_PLACES = 10_000
_MOST_STATES = 3_000

# One of each kind that `\w`, `\d` and `\s` tell apart, among characters that templates name by such classes alone.
_OTHERS = "\0\x01\x1c\n\t a_5é中٣\u0301\u200d\xa0\u3000…😀"

Places = frozenset[int]
"""Where in a delimiter a text is. Behind the edge of a word, `_BEFORE_WORD` or `_BEFORE_NO_WORD` is added."""

NOWHERE: Places = frozenset()

_BEFORE_WORD, _BEFORE_NO_WORD = 1 << 20, 1 << 21
_PLACE = _BEFORE_WORD - 1
_WORD = OneOf(None, members=r"\w")


class TooManyPlacesError(NotSpelledError):
    """A question about a delimiter would take too long to answer."""


def reachable(
    starts: Iterable[Reached], onward: Callable[[Reached], Iterable[Reached]], most: int | None = None
) -> Iterator[Reached]:
    """Give all that can be reached from somewhere, the starts too, each once.

    Args:
        starts: where to begin.
        onward: gives what is reached from one in a step.
        most: how many it may be; None without bound.

    Raises:
        TooManyPlacesError: it is more.
    """
    waiting = list(dict.fromkeys(starts))
    seen = set(waiting)
    while waiting:
        each = waiting.pop()
        yield each
        if most is not None and len(seen) > most:
            raise TooManyPlacesError("too many pairs")
        for reached in onward(each):
            if reached not in seen:
                seen.add(reached)
                waiting.append(reached)


def alphabet_of(trees: Iterable[Node]) -> str:
    """Choose characters that stand for all others, as far as the classes of some patterns tell them apart."""
    named = set(_OTHERS)
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, Text):
                named.add(node.character)
            elif isinstance(node, OneOf) and node.members is not None:
                named.update(_around(node))
    return "".join(sorted(named))


def _around(node: OneOf) -> Iterator[str]:
    """Name the characters at which a class may begin or end."""
    members = node.members or ""
    for position, character in enumerate(members):
        yield character
        if character == "-" and 0 < position < len(members) - 1:
            low, high = members[position - 1], members[position + 1]
            yield from (chr(max(ord(low) - 1, 0)), chr(min(ord(high) + 1, 0x10FFFF)))


@dataclass
class Language:
    """The texts of a delimiter. What a look-ahead at its end reads belongs to them, as far as it is needed.

    Attributes:
        tree: the delimiter.
        alphabet: what `alphabet_of` gave, for all delimiters that are compared.
    """

    tree: Node
    alphabet: str
    _steps: list[list[tuple[Text | OneOf, int]]] = field(
        default_factory=list[list[tuple["Text | OneOf", int]]]
    )
    _empty: list[list[int]] = field(default_factory=list[list[int]])
    _edges: dict[int, int] = field(default_factory=dict[int, int])
    _known: dict[Places, dict[str, Places]] = field(default_factory=dict[Places, dict[str, Places]])

    def __post_init__(self) -> None:
        self._last = self._place()
        self._first = self._add(until_decided_at_end(self.tree), self._last)

    @cached_property
    def start(self) -> Places:
        """The places before any text."""
        return self._closure((self._first,), "")

    @cached_property
    def text(self) -> str | None:
        """The only text, if the delimiter is a plain one."""
        return text_of(self.tree)

    def accepts(self, places: Places) -> bool:
        """Tell whether the text so far is a delimiter, before some text at least."""
        return any(place & _PLACE == self._last for place in places)

    def accepts_always(self, places: Places) -> bool:
        """Tell whether the text so far is a delimiter, whatever comes."""
        return self._last in places

    def after(self, places: Places) -> dict[str, Places]:
        """Give the places after one more character, for each character with which there are any."""
        known = self._known.get(places)
        if known is None:
            # A long literal has as many of them as it has places, which is not many.
            if len(self._known) > max(_MOST_STATES, len(self._steps)):
                raise TooManyPlacesError("too many places")
            known = self._known[places] = self._after(places)
        return known

    def _after(self, places: Places) -> dict[str, Places]:
        taken = set[str]()
        for place in places:
            for one, _ in self._steps[place & _PLACE]:
                taken |= taken_of(one, self.alphabet)
        reached = (
            (character, self.step(places, character)) for character in self.alphabet if character in taken
        )
        return {character: after for character, after in reached if after}

    def step(self, places: Places, character: str) -> Places:
        """Give the places after a character, none if no text goes on with it."""
        if self._edges:
            refused = _BEFORE_NO_WORD if _is_word(character) else _BEFORE_WORD
            places = frozenset(place & _PLACE for place in places if not place & refused)
        steps = (step for place in places for step in self._steps[place])
        return self._closure([target for one, target in steps if takes(one, character)], character)

    def edges(self, places: Places) -> list[Text | OneOf]:
        """Give what texts can go on with."""
        return [one for place in sorted(places) for one, _ in self._steps[place & _PLACE]]

    def states(self) -> Iterator[Places]:
        """Give the places that texts can lead to."""
        return self.states_from([self.start])

    def states_from(self, starts: Iterable[Places]) -> Iterator[Places]:
        """Give the places that texts can lead to from some, these too."""
        return reachable(starts, lambda places: self.after(places).values())

    def whole(self) -> Iterator[Places]:
        """Give the places at which the text so far is a delimiter."""
        return filter(self.accepts, self.states())

    def _place(self) -> int:
        if len(self._steps) > _MOST_PLACES:
            raise TooManyPlacesError("too many places")
        self._steps.append([])
        self._empty.append([])
        return len(self._steps) - 1

    def _closure(self, places: Iterable[int], last: str) -> Places:
        waiting, seen = list(places), set(places)
        while waiting:
            place = waiting.pop()
            number, before = place & _PLACE, place & ~_PLACE
            targets = [target | before for target in self._empty[number]]
            if number in self._edges:
                targets += [self._edges[number] | each for each in _before_edge(last)]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        # Only places from which a character leads on tell texts apart.
        return frozenset(
            place for place in seen if self._steps[place & _PLACE] or place & _PLACE == self._last
        )

    def _add(self, node: Node, target: int) -> int:
        """Add a node that leads to a place, and give the place before it."""
        match node:
            case Text() | OneOf():
                place = self._place()
                self._steps[place].append((node, target))
                return place
            case Sequence(items):
                for item in reversed(items):
                    target = self._add(item, target)
                return target
            case Choice(branches):
                place = self._place()
                self._empty[place] += [self._add(branch, target) for branch in branches]
                return place
            case Repeat(item, low, high):
                return self._repeat(item, low, high, target)
            case Group(item):
                return self._add(item, target)
            case LookAhead(item, False):
                return self._add(item, target)
            case Assertion(kind="start"):
                return target
            case Assertion(kind="word edge"):
                place = self._place()
                self._edges[place] = target
                return place
            case _:
                raise NotSpelledError(type(node).__name__)

    def _repeat(self, item: Node, low: int, high: int | None, target: int) -> int:
        if high is None:
            loop = self._place()
            self._empty[loop] += [self._add(item, loop), target]
            target = loop
        else:
            for _ in range(high - low):
                place = self._place()
                self._empty[place] += [self._add(item, target), target]
                target = place
        for _ in range(low):
            target = self._add(item, target)
        return target


@lru_cache(maxsize=4_096)
def taken_of(one: Text | OneOf, alphabet: str) -> frozenset[str]:
    """Give the characters of an alphabet that are that of a node, or in its class."""
    return frozenset(character for character in alphabet if takes(one, character))


def _before_edge(last: str) -> tuple[int, ...]:
    """Tell what has to come behind the edge of a word, by the character before it; anything if that is not known."""
    if not last:
        return _BEFORE_WORD, _BEFORE_NO_WORD
    return (_BEFORE_NO_WORD,) if _is_word(last) else (_BEFORE_WORD,)


def _is_word(character: str) -> bool:
    return has(_WORD, character)


def until_decided_at_end(node: Node) -> Node:
    """Cut the look-aheads at the end of a pattern to what decides them."""
    match node:
        case Sequence(items) if items:
            return Sequence((*items[:-1], until_decided_at_end(items[-1])))
        case Choice(branches):
            return Choice(tuple(map(until_decided_at_end, branches)))
        case Group(item, name):
            return Group(until_decided_at_end(item), name)
        case LookAhead(item, False):
            return Sequence(until_decided((item,)))
        case _:
            return node


def outgrows(language: Language) -> bool:
    """Tell whether a text that is a delimiter can go on to one that has only begun to be one."""
    return any(
        not language.accepts(reached)
        for places in language.whole()
        for reached in language.after(places).values()
    )


def text_of(node: Node) -> str | None:
    """Give the text that a node is, if it is one."""
    if isinstance(node, Text):
        return node.character
    if isinstance(node, Sequence) and all(isinstance(item, Text) for item in node.items):
        return "".join(item.character for item in node.items if isinstance(item, Text))
    return None


def outgrows_by(language: Language, character: str) -> bool:
    """Tell whether a text that only has begun to be a delimiter again becomes one by one more character."""
    return any(
        not language.accepts(places) and _is_whole_after(language, places, character)
        for places in language.states_from(language.whole())
    )


def can_end_by(language: Language, character: str) -> bool:
    """Tell whether a text that is a delimiter can end with some character."""
    return any(_is_whole_after(language, places, character) for places in language.states())


def _is_whole_after(language: Language, places: Places, character: str) -> bool:
    return language.accepts(language.after(places).get(character, NOWHERE))


def can_grow(language: Language) -> bool:
    """Tell whether a text that is a delimiter can go on at all."""
    return any(map(language.after, language.whole()))


def fits_in_run(language: Language, one: Text | OneOf) -> bool:
    """Tell whether a text that is a delimiter can stand in a run of one class of characters."""

    def further(places: Places) -> list[Places]:
        return [reached for character, reached in language.after(places).items() if takes(one, character)]

    return any(map(language.accepts, reachable(further(language.start), further)))


def grows_through(language: Language, characters: frozenset[str]) -> bool:
    """Tell whether a text that is a delimiter can go on to any that takes one of some characters further on."""
    return any(
        characters & language.after(places).keys() for places in language.states_from(language.whole())
    )
