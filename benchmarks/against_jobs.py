"""What two checkouts are compared over: texts of the measured families, and prose and samples of ready-made parsers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.generations import answering, calling, prose_chunks
from benchmarks.ready_made import OUTSIDE, Written, ready_made, ways_in
from benchmarks.side import STREAMED
from benchmarks.tokens import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.families import Family
    from benchmarks.generations import Generation
    from benchmarks.ready_made import ReadyMade
    from benchmarks.settings import Settings

WHOLE = "whole text"
LENGTHS = (100, 1_000, 10_000)
_QUICK_LONGEST = 1_000
_PROSE_TOKENS = 1_000
_SHORTEST_OF_ONE_KIND = 1_000


@dataclass(frozen=True, slots=True)
class Job:
    """Work for both sides.

    Attributes:
        how: streamed or whole text.
        parser: what tables call the parser.
        text: and the text.
        tokens: how many chunks there are in all.
        module: where the module comes from, for a side.
        items: what is parsed.
    """

    how: str
    parser: str
    text: str
    tokens: int
    module: dict[str, Any]
    items: list[dict[str, Any]]

    def as_request(self) -> dict[str, Any]:
        """Give what a side is told."""
        return {"prepare": {"how": self.how, "items": self.items, **self.module}}


def jobs(settings: Settings) -> Iterator[Job]:
    """Give all work, family after family."""
    for family in settings.families:
        yield from _of_family(family, settings)
    for parser in ready_made():
        if settings.measures(parser.name):
            yield from _of_ready_made(parser)


def _of_family(family: Family, settings: Settings) -> Iterator[Job]:
    lengths = [tokens for tokens in LENGTHS if tokens <= _QUICK_LONGEST or not settings.quick]
    module = {"template": family.template, "name": family.name}

    def job(how: str, text: str, generation: Generation) -> Job:
        item = _item(Written(family.prompt, generation.text), generation.chunks)
        return Job(how, family.name, text, len(generation.chunks), module, [item])

    for tokens in lengths:
        yield job(STREAMED, "ordinary", answering(family, tokens))
    for tokens in lengths:
        yield job(WHOLE, "ordinary", answering(family, tokens))
        if tokens >= _SHORTEST_OF_ONE_KIND:
            yield job(WHOLE, "without a call", answering(family, tokens, with_calls=False))
            yield job(WHOLE, "mostly calls", calling(family, tokens))


def _of_ready_made(parser: ReadyMade) -> Iterator[Job]:
    prose = _prose(parser)
    samples = [_item(sample, cut_at(sample.text, parser.tokens)) for sample in parser.samples]
    for how in (STREAMED, WHOLE):
        for text, items in (("prose", [prose]), ("samples", samples)):
            tokens = sum(len(item["chunks"]) for item in items)
            yield Job(how, f"{parser.name}, ready-made", text, tokens, {"module": parser.name}, items)


def _prose(parser: ReadyMade) -> dict[str, Any]:
    ways = ways_in(parser)
    way_in = ways["content"] if "content" in ways else next(ways[state] for state in ways if state != OUTSIDE)
    chunks = [*([way_in.text] if way_in.text else []), *prose_chunks("ordinary", _PROSE_TOKENS)]
    return _item(Written(way_in.prefix, "".join(chunks)), chunks)


def _item(written: Written, chunks: list[str]) -> dict[str, Any]:
    return {"prefix": written.prefix, "tools": written.tools, "text": written.text, "chunks": chunks}


def cut_at(text: str, marks: Sequence[str]) -> list[str]:
    """Cut a text into tokens, with each mark a token, whatever the tokenizer of the workload knows."""
    if not marks:
        return cut(text)
    pattern = "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True))
    pieces = re.split(f"({pattern})", text)
    return [
        chunk
        for number, piece in enumerate(pieces)
        for chunk in ([piece] if number % 2 else cut(piece) if piece else [])
    ]
