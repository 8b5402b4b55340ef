"""What tells a place at which a delimiter can begin, for expressions in which `re` does not see that by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from respc.patterns.classes import is_any
from respc.patterns.parse import whitespace
from respc.patterns.syntax import Choice, OneOf
from respc.scan.language import Language, Places, TooManyPlacesError
from respc.scan.marks import Marks, is_common, is_everywhere, listed_few
from respc.scan.spelling import CLASS_SPECIAL, SPECIAL, Spelling, written_character
from respc_runtime.beginnings import first_characters, spelled_beginnings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.patterns.syntax import Node

_IN_ASCII = {r"\d": "0-9", r"\w": "0-9A-Z_a-z"}
_NO_ASCII = "\x80-\U0010ffff"
_READ_OTHERWISE = frozenset({*_IN_ASCII, r"\D", r"\W", r"\S"})

_MOST_APART = 40
"""So many characters, at most, are written one by one, each with what comes behind it."""

_MOST_WORDS = 2
"""So many characters, at most, come next in marks of more than one."""

_DEPTH = 3
"""So many characters of a delimiter are looked at: most of what is none differs in them."""


def gate_of(branches: Iterable[Node], expressions: Iterable[str], alphabet: str, *, holds: bool) -> str:
    """Write what stands wherever a delimiter can begin: its first characters, as far as they are known.

    Args:
        branches: the delimiters of a state.
        expressions: those of the state; where `re` sees what they begin with, and text is not full of that, there is
            no need for a gate.
        alphabet: as of `Language`.
        holds: whether text is held back that has begun any of them.

    Returns:
        An expression, empty where there is no need for it or nothing is known.
    """
    is_seen = all(_begins_with_characters(each) for each in expressions if each)
    try:
        language = Language(Choice(tuple(branches)), alphabet)
    except TooManyPlacesError:
        return ""
    firsts = listed_few([language.edges(language.start)])
    if firsts is None or language.accepts(language.start):
        return ""
    if is_seen and not any(each.isalnum() or each.isspace() for each in firsts):
        return ""
    if len(firsts) > _MOST_APART or not holds:
        return _one_of(firsts)
    ways = _ways_on(language, language.start, firsts, 1)
    if not any(ways.values()):
        return _one_of(firsts)
    return "|".join(written_character(first, SPECIAL) + behind for first, behind in ways.items())


def in_words(marks: Marks, branches: Iterable[Node], alphabet: str) -> Marks:
    """Tell delimiters by more than one character where text is full of those that they begin with.

    What has begun to be a delimiter, and has not come to the end of its mark, ends with any but the last character of
    one.

    Args:
        marks: those of the delimiters, of one character each.
        branches: the delimiters.
        alphabet: as of `Language`.
    """
    if marks.first is None or marks.held is None or not is_everywhere(marks.first):
        return marks
    try:
        language = Language(Choice(tuple(branches)), alphabet)
    except TooManyPlacesError:
        return marks
    first = set(marks.first)
    held = set(marks.held)
    for one in filter(is_common, marks.first):
        words = list(_words(language, language.step(language.start, one), one))
        first.remove(one)
        first.update(words)
        held.update(*(word[:-1] for word in words))
    told = {mark for mark in first if not any(other != mark and other in mark for other in first)}
    return Marks(frozenset(told), frozenset(held))


def _words(language: Language, places: Places, begun: str) -> Iterator[str]:
    """Give the first few characters of the delimiters that begin with some; fewer where what comes is not known."""
    known = None
    if len(begun) < _DEPTH and not language.accepts(places):
        known = listed_few([language.edges(places)])
    if known is None or len(known) > _MOST_WORDS:
        yield begun
        return
    for one in sorted(known):
        yield from _words(language, language.step(places, one), begun + one)


def _ways_on(language: Language, places: Places, characters: frozenset[str], depth: int) -> dict[str, str]:
    """Write what comes behind each of some characters."""
    return {one: _behind(language, language.step(places, one), depth) for one in sorted(characters)}


def _behind(language: Language, places: Places, depth: int) -> str:
    """Write what comes behind a few characters that have begun a delimiter; nothing where they are one.

    That is the end of the text, or more characters; where those cannot be told, anything.
    """
    if depth == _DEPTH or language.accepts(places):
        return ""
    edges = language.edges(places)
    known = [edge for edge in edges if listed_few([[edge]]) is not None]
    others = [_class_around(edge) for edge in edges if isinstance(edge, OneOf) and edge not in known]
    following = listed_few([[edge] for edge in known]) or frozenset()
    if None in others or len(following) > _MOST_APART:
        return r"(?:\Z|)"
    alike: dict[str, set[str]] = {}
    for one, behind in _ways_on(language, places, following, depth + 1).items():
        alike.setdefault(behind, set()).add(one)
    ways = [_one_of(frozenset(together)) + behind for behind, together in alike.items()]
    return f"(?:{'|'.join((*dict.fromkeys(each for each in others if each), *ways))}|\\Z)"


def _class_around(one: OneOf) -> str | None:
    r"""Write a class of characters, or a larger one where `re` and `regex` read it differently.

    Returns:
        The class; None where any character may be in it.
    """
    if is_any(one) or one.members is None:
        return None
    tokens: list[str] = re.findall(r"\\.|.", one.members, re.DOTALL)
    if one.negated:
        kept = "".join(token for token in tokens if token not in _READ_OTHERWISE)
        return Spelling().one(OneOf(None, True, kept)) if kept else None
    if not {*tokens} & _READ_OTHERWISE:
        return Spelling().one(one)
    if {*tokens} & _READ_OTHERWISE - _IN_ASCII.keys():
        return None
    return Spelling().one(
        OneOf(None, False, "".join(_IN_ASCII.get(token, token) for token in tokens) + _NO_ASCII)
    )


def _one_of(characters: frozenset[str]) -> str:
    if len(characters) == 1:
        return written_character(min(characters), SPECIAL)
    blanks = whitespace()
    if characters == blanks:
        return r"\s"
    parts = [r"\s"] if blanks <= characters else []
    parts += (
        written_character(one, CLASS_SPECIAL) for one in sorted(characters - blanks if parts else characters)
    )
    return f"[{''.join(parts)}]"


def _begins_with_characters(expression: str) -> bool:
    """Tell whether each alternative of an expression begins with a character, which `re` looks for."""
    return None not in first_characters(spelled_beginnings(expression))
