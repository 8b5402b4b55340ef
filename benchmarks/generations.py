"""Whole generations of a family, of a wanted length in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from benchmarks.tokens import cut
from benchmarks.workload import write, write_calls

if TYPE_CHECKING:
    from benchmarks.families import Family
    from benchmarks.workload import Kind

_CALLS = 3
_SHORT = 300
"""Below so many tokens, one call is enough to fill a good part of a generation."""
_REASONING_SHARE = 0.25
_TOKENS_OF_A_TEXT_BEFORE_CALLS = 40
_CHARACTERS_A_TOKEN = 6
"""More than any text has on average."""


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote after the prompt, and the same in chunks of a token's size."""

    text: str
    chunks: list[str]

    @property
    def share_with_mark(self) -> float:
        """How many of the chunks hold the character with which most delimiters begin."""
        return sum("<" in chunk for chunk in self.chunks) / len(self.chunks)


def answering(
    family: Family, tokens: int, kind: Kind = "ordinary", seed: int = 1, *, with_calls: bool = True
) -> Generation:
    """Write reasoning, an answer that fills the generation up to the wanted length, and a few calls or none."""
    calls = write_calls(1 if tokens < _SHORT else _CALLS, seed) if with_calls else []
    around = len(cut(family.write("", "", calls)))
    free = max(tokens - around, 8)
    in_reasoning = int(free * _REASONING_SHARE)
    pieces = _pieces(kind, free, seed)
    text = family.write("".join(pieces[:in_reasoning]).strip(), "".join(pieces[in_reasoning:]).strip(), calls)
    return Generation(text, cut(text))


def calling(family: Family, tokens: int, seed: int = 1) -> Generation:
    """Write a little text, then calls that fill the generation up to the wanted length."""
    pieces = _pieces("ordinary", 2 * _TOKENS_OF_A_TEXT_BEFORE_CALLS, seed)
    reasoning = "".join(pieces[:_TOKENS_OF_A_TEXT_BEFORE_CALLS]).strip()
    answer = "".join(pieces[_TOKENS_OF_A_TEXT_BEFORE_CALLS:]).strip()
    plain = len(cut(family.write(reasoning, answer, ())))
    of_a_call = (len(cut(family.write(reasoning, answer, write_calls(20, seed)))) - plain) / 20
    calls = write_calls(max(1, round((tokens - plain) / of_a_call)), seed)
    text = family.write(reasoning, answer, calls)
    return Generation(text, cut(text))


def unfinished(family: Family, tokens: int) -> Generation:
    """Write reasoning and an answer that is still going on."""
    pieces = _pieces("ordinary", tokens, seed=1)
    reasoning = int(tokens * _REASONING_SHARE)
    before = (
        family.reasoning[0] + "".join(pieces[:reasoning]).strip() + family.reasoning[1] + family.answer[0]
    )
    text = before + "".join(pieces[reasoning:]).strip()
    return Generation(text, cut(text))


def repeating(family: Family, tokens: int, times: int) -> list[list[str]]:
    """Write an open answer that says the same again and again, and give the chunks of each time.

    The first and the last are the same text, so that what they cost can be compared, but in strings of their own:
    chunks come fresh from a tokenizer, not from the processor's cache.
    """
    before = family.reasoning[0] + "So." + family.reasoning[1] + family.answer[0]
    part = _pieces("ordinary", tokens // times, seed=1)
    return [cut(before), *([_fresh(chunk) for chunk in part] for _ in range(times))]


def prose_chunks(kind: Kind, tokens: int) -> list[str]:
    """Write so many tokens of text, for any format: it begins with a word, and has no delimiter."""
    return _pieces(kind, tokens, seed=1)


def _fresh(chunk: str) -> str:
    return (chunk + " ")[:-1]


def _pieces(kind: Kind, tokens: int, seed: int) -> list[str]:
    return list(_long_enough(kind, (tokens * _CHARACTERS_A_TOKEN).bit_length(), seed)[:tokens])


@lru_cache(maxsize=64)
def _long_enough(kind: Kind, bits: int, seed: int) -> list[str]:
    """Cut a text of a power of two, so that texts of about a length share the work."""
    return cut(write(kind, 2**bits, seed))
