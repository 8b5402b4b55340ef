"""The recording: every character has one place, every step follows on the one before, and nothing is changed by it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc.trace import trace_response
from respc.trace.recording import MOST_STEPS
from respc_runtime.errors import MissingAnchorError
from support.templates import own_names, own_samples, own_template
from support.traces import BROKEN, CALL, OUTPUT, PROMPT, TEMPLATE, traced

if TYPE_CHECKING:
    from respc.trace import Trace

FORMS = ("default", "serving")


@cache
def traces_of(name: str, form: str, size: int) -> list[Trace]:
    """Return the traces of a template's samples, whatever they come to; none where the form is refused."""
    asked: dict[str, Any] = {"events": form, "chunk_size": size, "any_prefix": True}
    try:
        return [
            trace_response(
                sample["text"],
                own_template(name),
                prefix=sample.get("prefix") or "",
                tools=sample.get("tools"),
                **asked,
            )
            for sample in own_samples(name)
        ]
    except respc.TemplateError:
        assert form == "serving", "only what is asked besides can be refused"
        return []


def events_of(parser: Any, text: str, size: int) -> list[Any]:
    events = [*parser.initial_events]
    for start in range(0, len(text), size):
        events += parser.feed(text[start : start + size])
    return [*events, *parser.finalize()[1]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", own_names())
def test_every_character_has_one_mark_and_every_step_goes_on_where_the_last_one_ended(
    name: str, form: str
) -> None:
    for trace in traces_of(name, form, 3):
        place = 0
        for mark in trace.marks:
            assert mark.start == place <= mark.end, mark
            assert mark.reason or mark.kind not in ("outside", "unread"), mark
            place = mark.end
        assert place == len(trace.text)
        decided = 0
        for before, step in zip((None, *trace.steps), trace.steps, strict=False):
            assert step.start == (0 if before is None else before.known)
            assert decided <= step.decided <= step.known
            decided = step.decided
            if step.held is not None:
                assert (step.held.start, step.held.end) == (step.decided, step.known)
                assert step.held.suspects or step.held.care, step.held
                assert step.held.text == trace.text[step.decided : step.known]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", own_names())
def test_the_bodies_are_the_text_that_was_let_out(name: str, form: str) -> None:
    for trace in traces_of(name, form, 3):
        if trace.failure is not None:
            continue
        events = [event for step in trace.steps for event in step.events]
        for field in trace.fields:
            told = "".join(
                event["text"]
                for event in events
                if event["type"] == "region_chunk" and event["field"] == field
            )
            bodies = "".join(
                trace.text[mark.start : mark.end]
                for mark in trace.marks
                if mark.field == field and mark.kind in ("body", "unread")
            )
            # What a careful parser holds back at the end of the prompt is no text of the generation.
            assert bodies == told or (form == "serving" and trace.prompt_length and bodies.endswith(told))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [OUTPUT, "", "x" * 30, CALL + CALL])
def test_the_events_and_the_message_are_those_of_the_parser(text: str, form: str) -> None:
    trace = traced(text, events=form, chunk_size=5)
    parser = respc.load(TEMPLATE, events=form).ResponseParser
    assert [event for step in trace.steps for event in step.events] == events_of(parser(PROMPT), text, 5)
    assert trace.message == parser(PROMPT).finish(text)


def test_the_marks_say_what_the_text_is() -> None:
    trace = traced(OUTPUT + " ", prefix=f"{PROMPT}<think>So.</think>")
    shown = [(mark.kind, mark.field, trace.text[mark.start : mark.end]) for mark in trace.marks]
    assert [each for each in shown if each[2]] == [
        ("opener", "reasoning_content", "<think>"),
        ("body", "reasoning_content", "So."),
        ("closer", "reasoning_content", "</think>"),
        ("opener", "reasoning_content", "<think>"),
        ("body", "reasoning_content", "Hm."),
        ("closer", "reasoning_content", "</think>\n\n"),
        ("body", "content", "Let me see."),
        ("opener", "tool_calls", "<tool_call>"),
        ("body", "tool_calls", CALL[11:-12]),
        ("closer", "tool_calls", "</tool_call>"),
        ("closer", None, "<|im_end|>"),
        ("body", "content", " "),
    ]
    assert (trace.passed_length, trace.prompt_length) == (len(PROMPT), len("<think>So.</think>"))


def test_what_is_held_back_names_the_delimiter_that_may_have_begun() -> None:
    trace = traced("<thi", chunk_size=4)
    assert trace.steps[0].held is not None
    assert trace.steps[0].held.why == ("may become `<think>`, the opener of `reasoning_content`",)


@pytest.mark.parametrize(
    ("template", "text", "why"),
    [
        (TEMPLATE, "a<", ["may become `<think>`", "may become `<tool_call>`", "may become `<|im_end|>`"]),
        (TEMPLATE, "<think>a</t", [r"may begin the closer of `reasoning_content`, `</think>\s*`"]),
        (
            TEMPLATE,
            "<think>a</think>",
            [r"is the closer of `reasoning_content`, and may go on: `</think>\s*`"],
        ),
        (
            {"start_anchor": "A", "fields": {"a": {"open": ["<a", "<ab"]}}},
            "<a",
            ["is the opener of `a`, and may become `<ab`"],
        ),
        (
            {"start_anchor": "A", "fields": {"a": {"open": ["<a", "<ab"]}}},
            "<ab",
            ["is the opener of `a`, which counts when more text comes"],
        ),
        (
            {"start_anchor": "A", "fields": {"a": {"open_pattern": "xy|<a+|<b", "close": "."}, "c": {}}},
            "c<",
            ["may begin the opener of `a`, `<a+` or `<b`"],
        ),
        (
            {"start_anchor": "A", "fields": {"a": {"open_pattern": "(?i)xy|ab", "close": "."}, "c": {}}},
            "X",
            ["may begin the opener of `a`, `(?i)xy|ab`"],
        ),
    ],
)
def test_the_reasons_are_in_the_words_of_the_field(template: object, text: str, why: list[str]) -> None:
    held = traced(text, template, chunks=1, prefix="").steps[0].held
    assert held is not None
    assert len(held.why) == len(why)
    assert all(part in said for part, said in zip(why, held.why, strict=True)), held.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<think>\n", "may be the opener of `reasoning_content` written once more"),
        ('<tool_call>{"a": "</tool_call>', "has the closer of `tool_calls` in a string of the body"),
    ],
)
def test_what_a_careful_parser_waits_for_is_told(text: str, why: str) -> None:
    held = traced(text, chunks=1, events="serving").steps[0].held
    assert held is not None
    assert any(said.startswith(why) for said in held.why), held.why


def test_where_the_parser_raises_the_trace_says_what_and_what_was_not_read() -> None:
    trace = traced(BROKEN)
    assert trace.message is None
    assert trace.failure is not None
    assert (trace.failure.error, trace.failure.field) == ("ResponseValueError", "tool_calls")
    unread = [
        (trace.text[mark.start : mark.end], mark.reason) for mark in trace.marks if mark.kind == "unread"
    ]
    assert unread == [
        ("oops", trace.failure.message),
        ("</tool_call>Two.", "the parser had stopped before it"),
    ]


def test_a_prompt_that_raises_is_traced_up_to_there() -> None:
    trace = traced("more", prefix=f"{PROMPT}{BROKEN}")
    assert trace.failure is not None
    assert [step.kind for step in trace.steps] == ["prompt"]
    assert trace.marks[-1].end == len(trace.text)


def test_with_serving_events_what_cannot_be_read_is_told_and_the_rest_goes_on() -> None:
    trace = traced(BROKEN, events="serving")
    assert trace.failure is None
    assert trace.message == {"role": "assistant", "content": "One.Two."}
    assert [mark.reason for mark in trace.marks if mark.kind == "unread"] == [
        "not JSON: Expecting value: line 1 column 1 (char 0)"
    ]


@pytest.mark.parametrize("events", FORMS)
def test_text_that_no_field_takes_is_outside(events: str) -> None:
    template = {"start_anchor": "A", "fields": {"a": {"open": "<a>", "close": "</a>"}}}
    trace = traced("x<a>y</a>z", template, prefix="", events=events)
    outside = [mark for mark in trace.marks if mark.kind == "outside"]
    assert [trace.text[mark.start : mark.end] for mark in outside] == ["x", "z"]
    assert {mark.reason for mark in outside} == {"no field takes this text"}


def test_many_chunks_are_taken_together_and_each_counts_once() -> None:
    trace = traced("word " * 1_000, chunk_size=1)
    assert len(trace.steps) <= MOST_STEPS + 2
    assert sum(step.chunks for step in trace.steps) == trace.chunk_count == 5_000
    few = traced("word " * 10, chunk_size=1)
    assert {step.chunks for step in few.steps[:-1]} == {1}


def test_the_message_of_a_step_has_the_regions_that_ended_and_stays_as_it_was() -> None:
    trace = traced(CALL + CALL, chunk_size=len(CALL))
    assert [len(step.message.get("tool_calls", [])) for step in trace.steps] == [1, 2, 2]


@pytest.mark.parametrize(
    ("asked", "sizes"),
    [
        ({"chunk_size": 4}, [4, 4, 2]),
        ({"chunks": 4}, [2, 3, 2, 3]),
        ({"chunks": 99}, [1] * 10),
        ({"chunks": 1}, [10]),
        ({}, [4, 4, 2]),
    ],
)
def test_the_text_is_cut_as_asked(asked: dict[str, int], sizes: list[int]) -> None:
    trace = traced("0123456789", **asked)
    assert [step.known - step.start for step in trace.steps[:-1]] == sizes


@pytest.mark.parametrize("asked", [{"chunk_size": 1, "chunks": 1}, {"chunk_size": 0}, {"chunks": -1}])
def test_a_cut_that_cannot_be_is_an_error(asked: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="chunk"):
        traced("text", **asked)


def test_a_prompt_without_start_anchor_is_refused_unless_it_is_asked_for() -> None:
    with pytest.raises(MissingAnchorError):
        traced("text", prefix="<think>")
    trace = traced("text", prefix="<think>", any_prefix=True)
    assert trace.message == {"role": "assistant", "reasoning_content": "text"}


def test_tools_cast_arguments() -> None:
    text = CALL.replace("1", '"1"')
    tool = {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    cast = traced(text, tools=[tool])
    assert cast.message != traced(text).message
    assert cast.message == respc.parse_response(text, TEMPLATE, prefix=PROMPT, tools=[tool])
