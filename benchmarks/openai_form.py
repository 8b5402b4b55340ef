"""What the OpenAI form costs: beside the serving parser that it stands on, in time and in memory."""

from __future__ import annotations

import gc
import statistics
import tracemalloc
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.equality import require_same
from benchmarks.generations import answering, calling, unfinished
from benchmarks.timing import ratio
from respc import load
from respc.measuring.timing import in_rounds, own_copy, pour
from respc_runtime.openai import ChatCompletionParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.families import Family
    from benchmarks.generations import Generation
    from benchmarks.settings import Settings

LENGTHS = (100, 1_000, 10_000)
MEMORY_LENGTHS = (1_000, 10_000)
OPEN_STREAMS = 50
_ROUNDS_FOR_ONE = 3
"""Ratios of such short work need more rounds than those of other sections."""


@dataclass(frozen=True, slots=True)
class OpenAIFormRow:
    """One generation in chunks of a token, from a new parser to the message."""

    family: str
    text: str
    tokens: int
    parser_microseconds: float
    form_over_parser: float
    streamed_arguments_over_parser: float


@dataclass(frozen=True, slots=True)
class OpenAIFormMemoryRow:
    """One of many streams whose answers are open, in bytes; their callers keep nothing."""

    family: str
    tokens: int
    parser_held: int
    form_held: int

    @property
    def held_ratio(self) -> float:
        """Give what the form holds, its parser included, over what the parser alone holds."""
        return self.form_held / self.parser_held


def openai_form(settings: Settings) -> Iterator[OpenAIFormRow]:
    """Stream generations of each family through the serving parser, and through the form of it."""
    for family in settings.families:
        for tokens in LENGTHS[: 2 if settings.quick else None]:
            yield _measured(family, "ordinary", tokens, answering(family, tokens), settings)
        yield _measured(family, "dense", 1_000, answering(family, 1_000, "dense"), settings)
        yield _measured(family, "mostly calls", 1_000, calling(family, 1_000), settings)


def _measured(
    family: Family, text: str, tokens: int, generation: Generation, settings: Settings
) -> OpenAIFormRow:
    parser = load(family.template, name=family.name, events="serving").ResponseParser
    for stream_arguments in (False, True):
        require_same_as_whole(parser, family, generation, stream_arguments=stream_arguments)
    forms = partial(ChatCompletionParser, parser, family.prompt)
    works = {
        "parser": _streaming(partial(parser, family.prompt), generation.chunks),
        "form": _streaming(forms, generation.chunks),
        "streamed arguments": _streaming(partial(forms, stream_arguments=True), generation.chunks),
    }
    times = in_rounds(works, _ROUNDS_FOR_ONE * settings.rounds_for(tokens))
    return OpenAIFormRow(
        family=family.name,
        text=text,
        tokens=tokens,
        parser_microseconds=statistics.median(times["parser"]) * 1e6,
        form_over_parser=ratio(times, "form", "parser"),
        streamed_arguments_over_parser=ratio(times, "streamed arguments", "parser"),
    )


def _streaming(make: Callable[[], Any], chunks: Sequence[str]) -> Callable[[], object]:
    loop = own_copy(pour)

    def stream() -> object:
        parser = make()
        loop(parser.feed, chunks)
        return parser.finalize()

    return stream


def require_same_as_whole(
    parser: Any, family: Family, generation: Generation, *, stream_arguments: bool = False
) -> None:
    """Compare the texts and calls of the deltas with the message, and with that of the text in one chunk.

    Raises:
        UnequalError: they differ.
    """
    what = f"{family.name}, OpenAI form"
    message, deltas = _formed(parser, family, generation.chunks, stream_arguments)
    at_once, _ = _formed(parser, family, [generation.text], stream_arguments)
    require_same(at_once, message, f"{what}, message")
    for key in ("content", "reasoning_content"):
        written = "".join(delta.get(key, "") for delta in deltas)
        require_same(message.get(key) or "", written, f"{what}, {key}")
    calls: list[dict[str, Any]] = []
    for delta in deltas:
        for part in delta.get("tool_calls", ()):
            if "id" in part:
                calls.append({"name": part["function"]["name"], "arguments": ""})
            calls[part["index"]]["arguments"] += part["function"]["arguments"]
    functions = [call["function"] for call in message.get("tool_calls", ())]
    require_same(functions, calls, f"{what}, calls")


def _formed(
    parser: Any, family: Family, chunks: Iterable[str], stream_arguments: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    form = ChatCompletionParser(
        parser, family.prompt, stream_arguments=stream_arguments, make_id=lambda: "call_0"
    )
    deltas = [*form.initial_deltas, *(delta for chunk in chunks for delta in form.feed(chunk))]
    deltas += form.finalize(stopped=True)
    assert form.message is not None
    return form.message, deltas


def openai_form_memory(settings: Settings) -> Iterator[OpenAIFormMemoryRow]:
    """Measure what open streams hold, of the serving parser and of the form of it."""
    for family in settings.families:
        parser = load(family.template, name=family.name, events="serving").ResponseParser
        make_parser = partial(parser, family.prompt)
        make_form = partial(ChatCompletionParser, parser, family.prompt)
        for tokens in MEMORY_LENGTHS[: 1 if settings.quick else None]:
            generation = unfinished(family, tokens)
            require_same_as_whole(parser, family, generation)
            held = _held(make_parser, generation), _held(make_form, generation)
            yield OpenAIFormMemoryRow(family.name, tokens, *held)


def _held(make: Callable[[], Any], generation: Generation) -> int:
    """Give the bytes that each of many open streams holds; chunks are cut anew, as they come from a tokenizer."""
    places = list(pairwise([0, *accumulate(map(len, generation.chunks))]))
    _pour_all([make()], generation.text, places)  # caches fill before anything is counted
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        parsers = [make() for _ in range(OPEN_STREAMS)]
        _pour_all(parsers, generation.text, places)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        del parsers
    finally:
        tracemalloc.stop()
    return (held - before) // OPEN_STREAMS


def _pour_all(parsers: list[Any], text: str, places: list[tuple[int, int]]) -> None:
    for start, end in places:
        for parser in parsers:
            parser.feed(text[start:end])
