"""What is inferred reads more than the chat template writes: what models leave out, or write in another place."""

from __future__ import annotations

from typing import Any, Final

import pytest

from inferring.small_formats import JSON, THINK, SmallFormat, call, each_call, inferred, read

SECTIONED: Final = each_call(
    "<call>{{ f.name }}<args>{{ f.arguments | tojson }}</call>", first="<calls>", last="</calls>"
)
MARKED: Final = each_call(f"<call>{JSON}</call>")
TAGGED: Final = each_call(
    "<tool>{{ f.name }}{% for key, value in f.arguments.items() %}"
    "<key>{{ key }}</key><value>{{ value if value is string else value | tojson }}</value>{% endfor %}</tool>"
)
F: Final = call("f", a=1)
G: Final = call("g")


def parsed(calls: str, text: str, **pieces: Any) -> Any:
    inference = inferred(SmallFormat(calls=calls, reasoning=THINK, **pieces).text)
    assert inference.clean
    return read(inference, text)


def test_the_marks_of_a_section_may_be_missing() -> None:
    for text in (
        '<calls><call>f<args>{"a": 1}</call></calls>',
        '<call>f<args>{"a": 1}</call></calls>',
        '<call>f<args>{"a": 1}</call>',
        '</calls><call>f<args>{"a": 1}</call><calls>',
    ):
        assert parsed(SECTIONED, text) == {"tool_calls": [F]}


def test_a_call_ends_reasoning_that_is_open() -> None:
    for calls, text in (
        (MARKED, '<call>{"name": "f", "arguments": {"a": 1}}</call>'),
        (SECTIONED, '<call>f<args>{"a": 1}</call>'),
    ):
        assert parsed(calls, f"<think>Hm. {text}<|over|>") == {"reasoning_content": "Hm.", "tool_calls": [F]}


def test_a_section_whose_calls_have_no_marks_ends_reasoning_and_the_turn() -> None:
    calls = each_call(
        '{"{{ f.name }}": {{ f.arguments | tojson }}}', first="<calls>[", between=", ", last="]</calls>"
    )
    text = '<think>Hm. <calls>[{"f": {"a": 1}}, {"g": {}}]</calls><|user|>'
    assert parsed(calls, text, end="") == {"reasoning_content": "Hm.", "tool_calls": [F, G]}


def test_the_end_of_a_turn_may_be_stripped() -> None:
    for calls in (MARKED, SECTIONED):
        for end in ("<|over|>\n", "<|over|>", ""):
            assert parsed(calls, f"Yes.{end}") == {"content": "Yes."}
    for end in ("</call><|over|>\n", "</call>", "<|over|>", ""):
        text = f'<call>{{"name": "f", "arguments": {{"a": 1}}}}{end}'
        assert parsed(MARKED, text) == {"tool_calls": [F]}


def test_nothing_behind_the_end_of_a_turn_is_of_the_message() -> None:
    assert parsed(MARKED, "Yes.<|over|>\n<|user|>And now?") == {"content": "Yes."}


def test_a_turn_ends_where_another_begins() -> None:
    assert parsed(MARKED, "Yes.<|user|>And now?", end="") == {"content": "Yes."}
    text = '<call>{"name": "f", "arguments": {"a": 1}}</call><|user|><result>1'
    assert parsed(MARKED, text, end="") == {"tool_calls": [F]}


def test_a_closer_may_be_missing_in_front_of_the_next_call() -> None:
    text = '<call>{"name": "f", "arguments": {"a": 1}}<call>{"name": "g", "arguments": {}}</call>'
    assert parsed(MARKED, text) == {"tool_calls": [F, G]}
    text = "<tool>h<key>a</key><value>x</value><tool>g</tool>"
    assert parsed(TAGGED, text) == {"tool_calls": [call("h", a="x"), G]}


def test_calls_may_have_no_arguments() -> None:
    assert parsed(MARKED, '<call>{"name": "g", "arguments": {}}</call>') == {"tool_calls": [G]}
    assert parsed(SECTIONED, "<call>g<args>{}</call>") == {"tool_calls": [G]}
    assert parsed(TAGGED, "<tool>g</tool>") == {"tool_calls": [G]}


@pytest.mark.parametrize("mark", ["</think>", "</call>", "</calls>", "<calls>"])
def test_marks_that_belong_to_nothing_are_no_content(mark: str) -> None:
    assert parsed(SECTIONED, f"Yes.{mark}") == {"content": "Yes."}


def test_several_pieces_of_content_and_reasoning_are_kept() -> None:
    call_text = '<call>{"name": "f", "arguments": {"a": 1}}</call>'
    text = f"<think>Hm.</think>One.{call_text}<think>Oh.</think>Two."
    assert parsed(MARKED, text) == {
        "reasoning_content": "Hm.\nOh.",
        "content": "One.\nTwo.",
        "tool_calls": [F],
    }


def test_a_turn_that_goes_on_behind_a_result_is_read() -> None:
    result = "<result>{{ message.content }}</result>"
    inference = inferred(SmallFormat(calls=MARKED, result=result, end="<|over|>").text)
    assert inference.clean
    prompt = '<|model|>\n<call>{"name": "f", "arguments": {}}</call><|over|><result>1</result>'
    assert read(inference, "One.", prompt) == {"content": "One."}
