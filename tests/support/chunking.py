"""Ways to cut a text into the chunks of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Chunking = tuple[str, list[str]]

EMPTY_CHUNK_ODDS = 6


def whole(text: str) -> list[str]:
    """Return the text as one chunk, also when it is empty."""
    return [text]


def characters(text: str) -> list[str]:
    """Return one chunk a character."""
    return list(text)


def single_cuts(text: str) -> Iterator[Chunking]:
    """Yield every way to cut the text once, named by the place of the cut."""
    for place in range(1, len(text)):
        yield f"cut at {place}", [text[:place], text[place:]]


def telling_cuts(text: str, every: int = 8) -> Iterator[Chunking]:
    """Yield the single cuts beside a mark, as delimiters are made of, and some of the others."""
    for place in range(1, len(text)):
        if place % every == 0 or not (text[place - 1] + text[place]).isalnum():
            yield f"cut at {place}", [text[:place], text[place:]]


def random_cuts(text: str, random: Random) -> list[str]:
    """Return the text cut at random places, short and long chunks mixed, with an empty one now and then."""
    longest = random.choice((2, 4, 9, 30))
    chunks: list[str] = []
    start = 0
    while start < len(text):
        if random.randrange(EMPTY_CHUNK_ODDS) == 0:
            chunks.append("")
        end = start + random.randint(1, longest)
        chunks.append(text[start:end])
        start = end
    if random.randrange(EMPTY_CHUNK_ODDS) == 0:
        chunks.append("")
    return chunks


def few(text: str, random: Random, count: int = 2) -> Iterator[Chunking]:
    """Yield the whole text, its characters and some random cuts."""
    yield "whole", whole(text)
    yield "characters", characters(text)
    for number in range(count):
        yield f"random {number}", random_cuts(text, random)


def many(text: str, random: Random, count: int = 4) -> Iterator[Chunking]:
    """Yield what ``few`` does and every single cut."""
    yield from few(text, random, count)
    yield from single_cuts(text)
