"""Random texts of a grammar: at each step the engine says which tokens may come, and one of them is taken.

Free text has hard characters in it, and after a while the walk heads for the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from support.grammar_engines import Held, Vocabulary

_MOST: Final = 4_000
_HARD: Final = frozenset(b"<>{}[]()\"'\\|\n:,;=/&`")
_PRINTABLE: Final = frozenset({*range(32, 127), 10})
_LETTERS: Final = b"abcxyzABCXYZ"
_CLOSING: Final = b"}])"
_QUOTES: Final = b"\"'"


class EndlessWalkError(AssertionError):
    """A walk did not come to an end."""


class Walker:
    """Walks grammars with tokens of a vocabulary.

    Args:
        vocabulary: the tokens.
        endings: what ends free texts, in an order that stays: hardly a random walk would write one of them whole.
    """

    def __init__(self, vocabulary: Vocabulary, endings: Iterable[str]) -> None:
        self._tokens, self._end = vocabulary.tokens, vocabulary.special[-1]
        self._endings = [vocabulary.encode(ending) for ending in endings]
        single = {token: text[0] for token, text in enumerate(self._tokens) if len(text) == 1}
        of_byte = {byte: token for token, byte in single.items()}
        self._hard = {token for token, byte in single.items() if byte in _HARD}
        self._printable = {token for token, byte in single.items() if byte in _PRINTABLE}
        self._long = {token for token, text in enumerate(self._tokens) if len(text) > 1} - {self._end}
        # Of what begins so, xgrammar lets also through what no text has: halves of surrogate pairs.
        self._no_text = {token for token, text in enumerate(self._tokens) if text.endswith(b"\xed")}
        self._letters = {of_byte[byte] for byte in _LETTERS}
        self._closing = [of_byte[byte] for byte in _CLOSING]
        self._quotes = [of_byte[byte] for byte in _QUOTES]

    def walk(self, held: Held, random: Random) -> list[int]:
        """Give the tokens of a random text of a grammar, without the one that ends it.

        Raises:
            EndlessWalkError: it has no end.
        """
        matcher = held.matcher()
        ids: list[int] = []
        ahead: list[int] = []
        freely = random.choice((0, 10, 40, 120))
        while len(ids) < _MOST:
            allowed = [token for token in matcher.allowed().tolist() if token not in self._no_text]
            if self._end in allowed:
                if len(ids) >= freely or random.random() < 0.3 or len(allowed) == 1:
                    return ids
                allowed.remove(self._end)
            if not allowed:
                break
            if ahead and ahead[-1] not in allowed:
                ahead = []
            if not ahead:
                ahead = self._next(allowed, random, homeward=len(ids) >= freely)
            token = ahead.pop()
            if not matcher.accept(token):
                raise EndlessWalkError(f"an allowed token is refused: {self._tokens[token]!r}")
            ids.append(token)
        text = b"".join(self._tokens[each] for each in ids)
        raise EndlessWalkError(f"no end after {len(ids)} tokens: {text[:300]!r} … {text[-100:]!r}")

    def _next(self, allowed: list[int], random: Random, *, homeward: bool) -> list[int]:
        """Give the next tokens, the last one first; those behind the first may not be allowed."""
        if random.random() < (0.4 if homeward else 0.05):
            endings = [ending for ending in self._endings if ending[0] in allowed]
            if endings:
                return random.choice(endings)[::-1]
        return [self._homeward(allowed, random) if homeward else self._free(allowed, random)]

    def _free(self, allowed: list[int], random: Random) -> int:
        """Take any token, and such more often that a parser could take for something else."""
        chance = random.random()
        kind = self._printable
        if chance < 0.1:
            kind = self._long
        elif chance < 0.35:
            kind = self._hard
        return random.choice((chance < 0.9 and [token for token in allowed if token in kind]) or allowed)

    def _homeward(self, allowed: list[int], random: Random) -> int:
        """Take what ends something: whether that is a mark or a character, only the grammar knows."""
        marks = [token for token in allowed if token in self._long]
        if marks and random.random() < 0.3:
            return random.choice(marks)
        given = set(allowed)
        in_text = given >= self._letters
        # Strings may have either around them, and one is no end of a string in the other.
        quotes = random.sample(self._quotes, len(self._quotes))
        order = [*quotes, *self._closing] if in_text else [*self._closing, *quotes]
        closing = [token for token in order if token in given]
        if closing and random.random() < 0.8:
            return closing[0]
        return random.choice([token for token in allowed if token in self._printable] or allowed)


def endings_of(text: str, values: Iterable[str]) -> set[str]:
    """Give what stands behind values in a text, up to each place where it could be enough."""
    behind = re.split("|".join(re.escape(value) for value in values), text)[1:]
    return {ending[: mark.end()] for ending in behind for mark in re.finditer(r"[>\]\n]|\Z", ending)} - {""}
