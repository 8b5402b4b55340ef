"""Chunks that are text of the open region and nothing else take a short path, which differs in nothing but work."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from openai_form.completions_of_tests import TEMPLATE, numbered_ids, run, serving_parser, with_field
from respc_runtime.folded_text import MOST_PIECES, FoldedText
from respc_runtime.openai import ChatCompletionParser
from support.chunking import few
from support.families import Family, families

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.call_deltas import Delta

CALL = '<call>{"name": "f", "arguments": {"a": "1"}}</call>'
OPEN_CALL = CALL.removesuffix('"}}</call>')
CHUNKS = 4_000


class LongPath(ChatCompletionParser):
    """The form as if no chunk were clean."""

    __slots__ = ()

    def feed(self, text: str) -> list[Delta]:
        events = self._parser.feed(text)
        self._input.add(text)
        return self._deltas(events)


def outcome(
    kind: type[ChatCompletionParser],
    family: Family,
    sample: dict[str, Any],
    chunks: list[str],
    **options: Any,
) -> tuple[Any, ...]:
    """Give all that a generation leads to, chunk by chunk."""
    form = kind(
        family.module.ServingParser,
        sample["prefix"],
        tools=sample["tools"],
        make_id=numbered_ids(),
        **options,
    )
    deltas = [list(form.initial_deltas), *map(form.feed, chunks), form.finalize()]
    unread = [(region.field, region.text, str(region.error), region.indexes) for region in form.unread]
    return deltas, form.message, form.finish_reason, unread


def check_both_paths(family: Family, samples: list[dict[str, Any]], random: Random) -> None:
    for sample in samples:
        options = {
            "stream_arguments": random.random() < 0.5,
            "unread_as_content": random.random() < 0.5,
            "prefill": random.random() < 0.5,
        }
        cut = random.randrange(len(sample["text"]) + 1) if random.random() < 0.3 else 0
        given = {**sample, "prefix": sample["prefix"] + sample["text"][:cut]}
        for _, chunks in few(sample["text"][cut:], random, 1):
            short = outcome(ChatCompletionParser, family, given, chunks, **options)
            assert short == outcome(LongPath, family, given, chunks, **options)


@pytest.mark.parametrize("family", families(), ids=str)
def test_both_paths_give_the_same(family: Family) -> None:
    random = Random(family.name)
    check_both_paths(family, random.sample(family.samples, 2), random)


@pytest.mark.long
@pytest.mark.parametrize("family", families(), ids=str)
def test_both_paths_give_the_same_for_all_samples(family: Family) -> None:
    check_both_paths(family, family.samples, Random(f"all {family.name}"))


def calls_made(feed: Callable[[str], object], chunks: list[str]) -> int:
    """Count the calls of Python functions that chunks lead to."""
    made = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal made
        made += event == "call"

    sys.setprofile(count)
    try:
        for chunk in chunks:
            feed(chunk)
    finally:
        sys.setprofile(None)
    return made


@pytest.mark.parametrize("before", ["text", "<think>text", OPEN_CALL, f"text{CALL}<think>more"])
def test_a_clean_chunk_costs_one_call_beside_that_of_the_parser(before: str) -> None:
    form = ChatCompletionParser(serving_parser(TEMPLATE), "")
    form.feed(before)
    form.feed(" x")
    chunks = [f" {number}" for number in range(MOST_PIECES // 2)]
    assert calls_made(form.feed, chunks) == 2 * len(chunks)


def test_a_chunk_that_ends_in_a_blank_costs_a_few() -> None:
    form = ChatCompletionParser(serving_parser(TEMPLATE), "")
    form.feed("text")
    chunks = [" x\n"] * 100
    assert calls_made(form.feed, chunks) <= 7 * len(chunks)


@pytest.mark.parametrize(
    ("before", "stream_arguments", "most"),
    [
        ("text", False, 1.1),
        ("<think>text", False, 1.1),
        (OPEN_CALL, False, 1.5),
        (OPEN_CALL, True, 1.6),  # what went out of the arguments is kept as well
    ],
)
def test_an_open_stream_holds_little_beside_its_parser(
    before: str, stream_arguments: bool, most: float
) -> None:
    parser = serving_parser(TEMPLATE)

    def held(make: Callable[[], Any]) -> int:
        streams = [make() for _ in range(5)]
        gc.collect()
        tracemalloc.start()
        try:
            for chunk in [before, *(f" w{number}" for number in range(CHUNKS))]:
                for stream in streams:
                    stream.feed("".join([chunk[:1], chunk[1:]]))
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    form = held(lambda: ChatCompletionParser(parser, "", stream_arguments=stream_arguments))
    assert form <= most * held(lambda: parser(""))


def test_the_input_is_read_as_a_whole_at_the_start_and_the_end_alone() -> None:
    reads = 0
    base = serving_parser(TEMPLATE)

    class Parser(base):
        __slots__ = ()

        @property
        def input_text(self) -> str:
            nonlocal reads
            reads += 1
            return str(super().input_text)

    form = ChatCompletionParser(Parser, "")
    for number in range(50):
        for chunk in (
            f"text {number}",
            " more\n",
            CALL,
            "<think>",
            "so",
            " it is",
            "</think>",
            "<call>{</call>",
        ):
            form.feed(chunk)
    form.finalize()
    assert len(form.unread) == 50
    assert reads == 2


@pytest.mark.parametrize("field", [{}, {"content_args": {"strip": False}}])
def test_one_character_that_is_held_back_and_comes_again_is_there_as_often(field: dict[str, Any]) -> None:
    # Strings of one character are one object: that an event has the same string says nothing of what is held back.
    text = "a<<<call<<x<< <<\n<</<<end" + "<" * 5 + "b"
    parser, _ = run(with_field("content", **field), ["x", *text])
    assert parser.message is not None
    assert parser.message["content"] == f"x{text}"


def test_many_blanks_wait_for_the_text_behind_them() -> None:
    parser, deltas = run(TEMPLATE, ["a", *["\n", "\n\n"] * 200, "b", *" " * 300])
    assert [delta["content"] for delta in deltas if "content" in delta] == ["a", "\n" * 600 + "b"]
    assert parser.message == {"role": "assistant", "content": "a" + "\n" * 600 + "b"}


@pytest.mark.parametrize("prefill", [True, False])
@pytest.mark.parametrize("held", ["", "</th", "\n<thi"])
def test_an_opener_that_the_prompt_has_twice_is_no_text(held: str, prefill: bool) -> None:
    prompt = f"<turn><think>\n<think>\nabc{held}"
    parser, _ = run(TEMPLATE, ["def", " ghi</think>x"], prompt, prefill=prefill)
    assert parser.message is not None
    assert parser.message["content"] == "x"
    assert parser.message["reasoning_content"] == (f"abc{held}" if prefill else "") + "def ghi"


@pytest.mark.parametrize("rest", ["nk>abc", "nk>", "nk>\n<think>abc"])
def test_an_opener_that_comes_twice_across_the_end_of_the_prompt_is_no_text(rest: str) -> None:
    parser, _ = run(TEMPLATE, [rest, "d</think>x"], "<turn><think>\n<thi")
    assert parser.message is not None
    assert parser.message["reasoning_content"] == ("abcd" if "abc" in rest else "d")


def test_folded_text_is_one_text() -> None:
    text = FoldedText("a")
    for number in range(3 * MOST_PIECES):
        text.add(str(number % 10))
        assert len(text.pieces) <= MOST_PIECES
    pieces = text.pieces
    assert text.text == "a" + ("0123456789" * MOST_PIECES)[: 3 * MOST_PIECES]
    assert text.pieces is pieces == [text.text]
    text.become("")
    assert text.pieces is pieces == []
    assert text.text == ""
