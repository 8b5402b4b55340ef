"""Parsers and modules side by side in one process share nothing that changes."""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import pytest

import respc
from support.chunking import random_cuts
from support.oracle import Trace, assert_same, compiled, record
from support.strictness import first_difference
from support.templates import own_names, own_samples, own_template

DEFAULTS: dict[str, Any] = {
    "defaults": {"role": "assistant", "list": [1, {"deep": []}], "calls": []},
    "start_anchor": "A",
    "fields": {
        "calls": {
            "open": "<c>",
            "close": "</c>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}", "constant": {"list": [1]}},
        },
        "content": {},
    },
}
CALL = '<c>{"name": "f", "arguments": {"a": "1", "b": [1]}}</c>'


class Stream:
    """One parser at work, with everything that it gave so far."""

    def __init__(self, module: Any, row: dict[str, Any], chunks: list[str]) -> None:
        self.parser = module.ResponseParser(row["prefix"], tools=row["tools"])
        self.chunks = chunks
        self.trace = Trace(list(self.parser.initial_events))

    def step(self) -> None:
        """Feed the next chunk."""
        self.trace.feeds.append(self.parser.feed(self.chunks[len(self.trace.feeds)]))

    @property
    def has_more(self) -> bool:
        return len(self.trace.feeds) < len(self.chunks)

    def end(self) -> Trace:
        """Finalize and return the whole trace."""
        message, events = self.parser.finalize()
        return Trace(self.trace.initial_events, self.trace.feeds, events, message)


def streams(count: int, seed: int) -> list[tuple[Trace, Stream]]:
    """Return streams over all of the tests' own templates, with what each gives alone."""
    random = Random(seed)
    cases = [(compiled(own_template(name)), row) for name in own_names() for row in own_samples(name)]
    made = []
    while len(made) < count:
        module, row = random.choice(cases)
        chunks = random_cuts(row["text"], random)[:25]
        alone = record(lambda m=module, r=row: m.ResponseParser(r["prefix"], tools=r["tools"]), chunks)
        if alone.error is None:
            made.append((alone, Stream(module, row, chunks)))
    return made


def test_thousands_of_interleaved_streams_equal_each_alone() -> None:
    made = streams(2000, seed=1)
    random = Random(2)
    running = list(made)
    while running:
        random.shuffle(running)
        for _, stream in running:
            if stream.has_more:
                stream.step()
        running = [pair for pair in running if pair[1].has_more]
    for alone, stream in made:
        assert_same(alone, stream.end())


def test_streams_in_threads_equal_each_alone() -> None:
    made = streams(400, seed=3)
    failures: list[BaseException] = []

    def work(part: list[tuple[Trace, Stream]]) -> None:
        try:
            while any(stream.has_more for _, stream in part):
                for _, stream in part:
                    if stream.has_more:
                        stream.step()
            for alone, stream in part:
                assert_same(alone, stream.end())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(made[start::8],)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_two_modules_of_one_template_are_apart() -> None:
    one, two = respc.load(DEFAULTS), respc.load(DEFAULTS)
    assert one.ResponseParser is not two.ResponseParser
    first, second = one.ResponseParser(""), two.ResponseParser("")
    first.feed(CALL)
    assert second.finalize()[0] == {"role": "assistant", "list": [1, {"deep": []}], "calls": []}
    assert len(first.finalize()[0]["calls"]) == 1


def ruin(value: Any) -> None:
    """Change everything inside a value that can change."""
    if isinstance(value, dict):
        for inner in list(value.values()):
            ruin(inner)
        value.clear()
        value["ruined"] = True
    elif isinstance(value, list):
        for inner in list(value):
            ruin(inner)
        value[:] = ["ruined"]


@pytest.mark.parametrize("passes", [None, ()])
def test_ruined_messages_and_events_spoil_no_other(passes: tuple[str, ...] | None) -> None:
    module = compiled(DEFAULTS, passes)
    chunks = ["x", CALL, "yy", "z" + CALL, "end"]
    prefix = "Aabc" + CALL
    clean = record(lambda: module.ResponseParser(prefix), chunks)
    assert clean.message is not None
    assert len(clean.message["calls"]) == 3
    for _ in range(2):
        parser = module.ResponseParser(prefix)
        ruin([parser.initial_events, *map(parser.feed, chunks)])
        message, events = parser.finalize()
        ruin(events)
        ruin(message)
        assert_same(clean, record(lambda: module.ResponseParser(prefix), chunks))


@pytest.mark.parametrize("passes", [None, ()])
def test_ruined_events_spoil_no_later_event_of_the_same_parser(passes: tuple[str, ...] | None) -> None:
    module = compiled(DEFAULTS, passes)
    chunks = ["x", "yy", "z", CALL, "a", "b"]
    clean = record(lambda: module.ResponseParser("Apre"), chunks)
    parser = module.ResponseParser("Apre")
    assert first_difference(clean.initial_events, parser.initial_events) is None
    parser.initial_events.clear()
    for expected, chunk in zip(clean.feeds, chunks, strict=True):
        events = parser.feed(chunk)
        assert first_difference(expected, events) is None
        for event in events:
            event.clear()
        events.clear()


def test_tools_are_read_anew_for_each_parser() -> None:
    module = compiled(DEFAULTS)
    properties: dict[str, Any] = {"a": {"type": "integer"}}
    tools = [{"name": "f", "parameters": {"properties": properties}}]
    values = []
    for kind in ("integer", "string", "number"):
        properties["a"] = {"type": kind}
        message = module.parse_response(CALL, prefix="", tools=tools)
        values.append(message["calls"][0]["function"]["arguments"]["a"])
    assert first_difference([1, "1", 1], values) is None
    assert tools == [{"name": "f", "parameters": {"properties": {"a": {"type": "number"}}}}]


def test_a_batch_shares_nothing() -> None:
    module = compiled(DEFAULTS)
    messages = module.parse_response([CALL] * 3, prefix="")
    ruin(messages[0])
    assert first_difference(messages[1], module.parse_response(CALL, prefix="")) is None
    ruin(messages[1])
    assert first_difference(messages[2], module.parse_response(CALL, prefix="")) is None
