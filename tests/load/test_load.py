"""Many streams at once: none is mixed with another, none stays in memory, whatever was wrong with it."""

from __future__ import annotations

import gc
import tracemalloc
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc_runtime.errors import ResponseError
from support.families import Family, families, representatives
from support.load import Plan, Plans, Stream, alone, damaged, first_mixed, interleaved
from support.stability import stable_module

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_STREAMS = 1000
SOME_STREAMS = 300
SLACK = 16 * 1024
"""What may be left of a round: free lists and the tracer's own."""
LONG = 200_000


@contextmanager
def without_collector() -> Iterator[None]:
    """Leave memory to reference counting alone."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("streams", [SOME_STREAMS, pytest.param(MOST_STREAMS, marks=pytest.mark.long)])
def test_many_interleaved_streams_equal_each_alone(streams: int) -> None:
    make = Plans(Random(1)).make
    plans = [make() for _ in range(streams)]
    ran = [alone(plan) for plan in plans]
    expected = [stream.results for stream in ran]
    assert first_mixed(plans, expected, interleaved(plans, Random(2))) is None
    # What the streams are like: of all kinds enough, or the test says little.
    assert len({plan.module for plan in plans}) > 0.9 * len(families())
    assert sum(stream.malformed > 0 for stream in ran) > streams // 20
    assert sum(plan.calls is not None for plan in plans) > streams // 10
    assert sum(plan.tools is not None for plan in plans) > streams // 4


def test_only_documented_errors_are_raised() -> None:
    make = Plans(Random(3)).make
    for plan in (make() for _ in range(MOST_STREAMS // 4)):
        for text in (damaged("".join(plan.chunks), Random(plan.name)) for _ in range(3)):
            parser = plan.module.ResponseParser(plan.prefix, tools=plan.tools)
            try:
                parser.feed(text)
                parser.finalize()
            except ResponseError:
                pass


def test_memory_is_flat_over_rounds_of_streams() -> None:
    make = Plans(Random(4)).make
    plans = [make() for _ in range(150)]
    used = []
    with without_collector():
        tracemalloc.start()
        try:
            for number in range(5):
                interleaved(plans, Random(number))
                used.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
    assert max(used[2:]) <= used[1] + SLACK, used


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_streams_leave_no_cycle(family: Family) -> None:
    module = stable_module(family.template, "serving")
    assert module is not None
    random = Random(str(family))
    plans = [
        Plan(sample["id"], module, sample["prefix"], (text[:9], text[9:]), sample["tools"], calls)
        for sample in family.samples
        for text in (
            sample["text"],
            damaged(sample["text"], random),
            sample["text"][: len(sample["text"]) // 2],
        )
        for calls in (None, 1, 3)
    ]
    with without_collector():
        for plan in plans:
            alone(plan)
        assert gc.collect() == 0


MALFORMED: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {
        "json": {
            "open": "<json>",
            "close": ";",
            "content": "json",
            "repeats": True,
            "transform": "{content.a}",
        },
        "int": {"open": "<int>", "close": ";", "content": "int", "repeats": True},
        "calls": {"open": "<calls>", "close": ";", "content": "python-call-list", "repeats": True},
        "content": {"repeats": True, "join": ""},
    },
}
BAD_BODIES = [
    "<json>{",
    "<json>{}",
    "<json>[1]",
    "<json>" + "[" * 5000,
    "<int>x",
    "<calls>[f(",
    "<calls>[f(1)]",
]


def parsers_alive(module: Any) -> int:
    return sum(type(one) is module.ResponseParser for one in gc.get_objects())


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: body[:12])
def test_an_error_that_is_kept_keeps_no_parser(body: str) -> None:
    module = respc.load(MALFORMED, events="serving")
    with without_collector():
        parser = module.ResponseParser("")
        kept = [event["error"] for event in parser.feed(f"a{body};b") if event["type"] == "region_malformed"]
        assert len(kept) == 1
        assert parsers_alive(module) == 1
        del parser
        assert parsers_alive(module) == 0
        del kept
        assert gc.collect() == 0


@pytest.mark.parametrize(("events", "text"), [("default", "<int>x;"), ("serving", "<int>1;")])
def test_a_parser_that_raised_is_freed_by_counting_alone(events: str, text: str) -> None:
    """Of the serving form too: a default that takes no regions is a fault of the template, not of a region."""
    module = respc.load({**MALFORMED, "defaults": {"int": 0}}, events=events)
    raised = ""
    with without_collector():
        parser = module.ResponseParser("")
        try:
            parser.feed(text)
        except ResponseError as error:
            raised = str(error)
        assert parsers_alive(module) == 1
        del parser
        assert parsers_alive(module) == 0
        assert gc.collect() == 0
    assert "field 'int'" in raised


@pytest.mark.parametrize(
    "opener",
    [
        "<json>{",
        "<int>",
        "<calls>",
    ],
)
def test_an_error_that_is_kept_keeps_no_long_body(opener: str) -> None:
    module = respc.load(MALFORMED, events="serving")
    text = opener + "x" * LONG + ";"
    kept: list[Any] = []
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        parser = module.ResponseParser("")
        for start in range(0, len(text), 1000):
            kept += [
                e["error"] for e in parser.feed(text[start : start + 1000]) if e["type"] == "region_malformed"
            ]
        assert len(kept) == 1
        del parser
        assert tracemalloc.get_traced_memory()[0] - before < SLACK
    finally:
        tracemalloc.stop()


def test_streams_that_differ_are_told_apart() -> None:
    """The comparison can fail: a stream that is given a chunk of another one is found."""
    make = Plans(Random(6)).make
    plans = [plan for plan in (make() for _ in range(40)) if plan.calls is None and len(plan.chunks) > 3]
    expected = [alone(plan).results for plan in plans]
    streams = [Stream(plan) for plan in plans]
    mixed = streams[0]
    mixed.plan = Plan(*vars(plans[0]).values())
    object.__setattr__(mixed.plan, "chunks", (*plans[0].chunks[:2], "from another", *plans[0].chunks[3:]))
    for stream in streams:
        while not stream.done:
            stream.step()
    assert first_mixed(plans, expected, streams) is not None
