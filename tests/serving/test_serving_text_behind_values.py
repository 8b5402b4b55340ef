"""Text behind a call that has no closer of its own: on a line of its own, and on the last line of the call."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc_runtime.value_ends import ValueEnd
from support.chunking import few, single_cuts

if TYPE_CHECKING:
    from types import ModuleType

LINE = r"\n(?=[A-Za-z])"


def serving(content: str = "json", close: str = LINE) -> ModuleType:
    call = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    calls = {"open_pattern": r"\[CALL\](?P<name>\w+)", "content": content, "repeats": True, "transform": call}
    if content == "python-call-list":
        calls = {**calls, "open_pattern": r"\[CALL\]", "transform": "{content}"}
    return respc.load(
        {
            "start_anchor": "<start>",
            "fields": {
                "tool_calls": {**calls, "close_pattern": rf"{close}|(?=\[CALL\])|</s>[\s\S]*"},
                "content": {"close": "</s>", "repeats": True, "join": "|"},
            },
        },
        events="serving",
    )


def parts(module: ModuleType, text: str) -> tuple[list[str], str | None, list[str]]:
    """Give arguments, content and unread bodies; they are the same for any cut."""
    found: list[tuple[list[str], str | None, list[str]]] = []
    for _, chunks in (*few(text, Random(text)), *single_cuts(text)):
        parser = module.ResponseParser(prefix="")
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        message, last = parser.finalize()
        start, unread = 0, []
        for event in [*events, *last]:
            start = event["start"] if event["type"] in ("region_open", "text_outside") else start
            if event["type"] in ("region_malformed", "text_outside"):
                unread.append(parser.input_text[start : event["end"]])
        calls = [json.dumps(call) for call in message.get("tool_calls", [])]
        found.append((calls, message.get("content"), unread))
    assert all(each == found[0] for each in found)
    return found[0]


def call(name: str, **arguments: Any) -> str:
    return json.dumps({"type": "function", "function": {"name": name, "arguments": arguments}})


@pytest.mark.parametrize(
    ("text", "calls", "content"),
    [
        ('[CALL]f{"a": 1} Done.', [call("f", a=1)], "Done."),
        ('[CALL]f{"a": 1}Done.</s>', [call("f", a=1)], "Done."),
        ('[CALL]f{"a": {"b": [1, 2]}}\nDone.', [call("f", a={"b": [1, 2]})], "Done."),
        ('[CALL]f{"a": "} else {"} \n - so', [call("f", a="} else {")], "- so"),
        ('[CALL]f{"a": "\\\\\\"} x"} <b> it', [call("f", a='\\"} x')], "<b> it"),
        ("One [CALL]f{} two [CALL]g{} three", [call("f"), call("g")], "One|two|three"),
        ('[CALL]f{"a": 1}  ', [call("f", a=1)], None),
        ('[CALL]f {"a": 1} [CALL]g{}</s>', [call("f", a=1), call("g")], None),
        ("[CALL]f{} <", [call("f")], "<"),
    ],
)
def test_text_behind_a_value(text: str, calls: list[str], content: str | None) -> None:
    assert parts(serving(), text) == (calls, content, [])


@pytest.mark.parametrize(
    "body",
    [
        '{"a": 1}}',
        '{"a": 1}, "b": 2}',
        '{"a": 1} {"b": 2}',
        '{"a": 1, b} Done.',
        '{"a": "one\ntwo"}',
        '{"a": "one\ntwo"} Done.',
        '{"a": 1,\nb: 2}\nDone.',
        '{"a": 1',
        " a Done.",
    ],
)
def test_a_body_that_cannot_be_read_goes_on_to_its_mark(body: str) -> None:
    calls, content, unread = parts(serving(), f"[CALL]f{body}[CALL]g{{}} So.")
    assert (calls, content) == ([call("g")], "So.")
    assert unread == [f"[CALL]f{body}"]


def test_text_behind_a_value_needs_a_template_that_knows_of_lines() -> None:
    calls, content, unread = parts(serving(close=r"\[END\]"), '[CALL]f{"a": 1} Done.')
    assert (calls, content, unread) == ([], None, ['[CALL]f{"a": 1} Done.'])


def test_text_behind_calls_as_python() -> None:
    text = """[CALL][f(a='it\\'s ] "', b=[1, [2]])] Done."""
    template = serving("python-call-list", close=r"\n(?=[A-Z])")
    assert parts(template, text) == (
        [json.dumps([{"name": "f", "arguments": {"a": "it's ] \"", "b": [1, [2]]}}])],
        "Done.",
        [],
    )


def test_the_end_of_a_value_in_pieces() -> None:
    text = ' {"a\\"}": [1, {"b": "\\\\"}]} x'
    value = ValueEnd('"')
    for known, character in enumerate(text):
        assert value.read(character, 0, 1, known)
    assert value.place == text.index(" x")
    up_to_the_string = ValueEnd('"')
    assert up_to_the_string.read(text, 0, text.index("}"), 0)
    assert up_to_the_string.place is None
    assert up_to_the_string.read(text, 0, len(text), 0)
    assert up_to_the_string.place == value.place
    assert not ValueEnd('"').read("x {}", 0, 4, 0)
