"""The examples of the language's documentation, with their results written out.

Each result is checked against the interpreter as well: an example that it disagrees with is wrong.
"""

from __future__ import annotations

from typing import Any

import pytest

import respc
from support.chunking import characters, whole
from support.oracle import assert_same, compiled, interpret, refused_by_interpreter, run_compiled
from support.strictness import first_difference

CHATML = "<|im_start|>assistant\n"
FULL = {
    "defaults": {"role": "assistant"},
    "start_anchor": CHATML,
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "content": "text"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": "<|im_end|>", "content": "text"},
    },
}
TWO_TURNS = (
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n"
    "<|im_start|>user\nAgain?<|im_end|>\n<|im_start|>assistant\n"
)
CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
QWEN_TAGS = {
    "tag_pattern": r"<parameter=(?P<key>\w+)>\s*(?P<value>.*?)\s*</parameter>",
    "value_parser": {"name": "json", "args": {"allow_non_json": True}},
}
ALARM = {
    "type": "function",
    "function": {
        "name": "set_alarm",
        "parameters": {
            "type": "object",
            "properties": {
                "hour": {"type": "integer"},
                "enabled": {"type": "boolean"},
                "label": {"type": "string"},
            },
        },
    },
}


def call_of(name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def one_field(name: str, **spec: Any) -> dict[str, Any]:
    return {"start_anchor": CHATML, "fields": {name: spec}}


def message_of(template: dict[str, Any], text: str, prefix: str = "", tools: Any = None) -> Any:
    """Return the compiled parser's message, after comparing whole traces, for two chunkings."""
    for chunks in (characters(text), whole(text)):
        expected = interpret(template, prefix, chunks, tools)
        actual = run_compiled(compiled(template), prefix, chunks, tools)
        assert_same(expected, actual, repr(text))
        assert actual.error is None
    return actual.message


def error_of(template: dict[str, Any], text: str) -> str | None:
    """Return the class of the error that the compiled parser ends with, as the interpreter does."""
    expected = interpret(template, "", [text])
    actual = run_compiled(compiled(template), "", [text])
    assert_same(expected, actual, repr(text))
    return actual.error


EXAMPLES = {
    "reasoning and a call": (
        FULL,
        '<think>\nI should greet the user\n</think>\n\n<tool_call>{"name": "greet_user", "arguments": '
        '{"greeting": "Hi!"}}</tool_call>',
        {
            "role": "assistant",
            "reasoning_content": "I should greet the user",
            "tool_calls": [call_of("greet_user", {"greeting": "Hi!"})],
        },
    ),
    "joined": (
        one_field("reasoning_content", open="<think>", close="</think>", repeats=True, join="\n"),
        "<think>first</think>...<think>second</think>",
        {"reasoning_content": "first\nsecond"},
    ),
    "int": (one_field("n", open="<n>", close="</n>", content="int"), "<n> 42 </n>", {"n": 42}),
    "float": (one_field("n", open="<n>", close="</n>", content="float"), "<n> 42 </n>", {"n": 42.0}),
    "bool": (one_field("n", open="<n>", close="</n>", content="bool"), "<n> True </n>", {"n": True}),
    "text": (one_field("n", open="<n>", close="</n>"), "<n> 42 </n>", {"n": "42"}),
    "text not stripped": (
        one_field("n", open="<n>", close="</n>", content_args={"strip": False}),
        "<n> 42 </n>",
        {"n": " 42 "},
    ),
    "unquoted keys": (
        one_field(
            "args", open="<args>", close="</args>", content="json", content_args={"unquoted_keys": True}
        ),
        '<args>{city: "London"}</args>',
        {"args": {"city": "London"}},
    ),
    "string delimiters": (
        one_field(
            "args",
            open="<args>",
            close="</args>",
            content="json",
            content_args={"string_delims": [["«", "»"]]},
        ),
        '<args>{"city": «the "big" one»}</args>',
        {"args": {"city": 'the "big" one'}},
    ),
    "not JSON": (
        one_field(
            "args", open="<args>", close="</args>", content="json", content_args={"allow_non_json": True}
        ),
        "<args> London </args>",
        {"args": "London"},
    ),
    "xml-inline": (
        one_field(
            "tool_calls",
            open_pattern=r"<tool_call>\s*<function=(?P<name>\w+)>",
            close="</tool_call>",
            repeats=True,
            content="xml-inline",
            content_args=QWEN_TAGS,
            transform=CALL,
        ),
        "<tool_call><function=get_weather><parameter=city>London</parameter>"
        "<parameter=units>celsius</parameter></function></tool_call>",
        {"tool_calls": [call_of("get_weather", {"city": "London", "units": "celsius"})]},
    ),
    "kv-lines": (
        one_field("meta", open="<meta>", close="</meta>", content="kv-lines"),
        "<meta>name: alice\nage: 30</meta>",
        {"meta": {"name": "alice", "age": "30"}},
    ),
    "kv-lines of int": (
        one_field(
            "meta",
            open="<meta>",
            close="</meta>",
            content="kv-lines",
            content_args={"value_parser": {"name": "int"}},
        ),
        "<meta>height: 180\nage: 30</meta>",
        {"meta": {"height": 180, "age": 30}},
    ),
    "kv-lines without a separator": (
        one_field("meta", open="<meta>", close="</meta>", content="kv-lines"),
        "<meta>passed over\ntime: 12:30</meta>",
        {"meta": {"time": "12:30"}},
    ),
    "python-call-list": (
        one_field("calls", open="<calls>", close="</calls>", content="python-call-list"),
        '<calls>[f(a=1, b="x")]</calls>',
        {"calls": [{"name": "f", "arguments": {"a": 1, "b": "x"}}]},
    ),
    "renamed by a dotted placeholder": (
        one_field(
            "call",
            open="<call>",
            close="</call>",
            content="json",
            transform={"name": "{content.name}", "arguments": "{content.args}"},
        ),
        '<call>{"name": "f", "args": {"x": 1}}</call>',
        {"call": {"name": "f", "arguments": {"x": 1}}},
    ),
    "Harmony": (
        {
            "start_anchor": "<|start|>assistant",
            "fields": {
                "tool_calls": {
                    "open_pattern": r"<\|channel\|>commentary to=functions\.(?P<name>\w+).*?<\|message\|>",
                    "close": "<|call|>",
                    "repeats": True,
                    "content": "json",
                    "transform": CALL,
                }
            },
        },
        "<|channel|>commentary to=functions.get_current_weather <|constrain|>json<|message|>"
        '{"location": "San Francisco, CA"}<|call|>',
        {"tool_calls": [call_of("get_current_weather", {"location": "San Francisco, CA"})]},
    ),
    "transform of each record": (
        one_field(
            "tool_calls",
            open="<|START_ACTION|>",
            close="<|END_ACTION|>",
            content="json",
            transform_each=True,
            transform={"type": "function", "function": {"name": "{tool_name}", "arguments": "{parameters}"}},
        ),
        '<|START_ACTION|>[{"tool_name": "f", "parameters": {"x": 1}}, {"tool_name": "g", "parameters": {}}]'
        "<|END_ACTION|>",
        {"tool_calls": [call_of("f", {"x": 1}), call_of("g", {})]},
    ),
    "no closer runs to the end": (
        one_field("note", open="<note>"),
        "before <note>all the rest </note>",
        {"note": "all the rest </note>"},
    ),
    "several literals": (
        one_field("note", open=["<note>", "[note]"], close=["</note>", "[/note]"], repeats=True),
        "<note>a[/note] [note]b</note>",
        {"note": ["a", "b"]},
    ),
    "look-ahead": (
        one_field("note", open_pattern=r"<note>(?=!)", close_pattern=r"(?=<)"),
        "<note>no <note>!yes<",
        {"note": "!yes"},
    ),
    "dot matches newlines": (
        one_field("note", open_pattern="<.*?>", close="/"),
        "<a\nb>x/",
        {"note": "x"},
    ),
    "a key that caught nothing vanishes": (
        FULL,
        "<think></think>Yes",
        {"role": "assistant", "content": "Yes"},
    ),
    "the end closes what is open": (FULL, "<think>cut", {"role": "assistant", "reasoning_content": "cut"}),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    template, text, expected = EXAMPLES[name]
    assert first_difference(expected, message_of(template, text)) is None


def test_prefix_of_two_turns_keeps_nothing_of_the_first_answer() -> None:
    assert message_of(FULL, "Yes.", TWO_TURNS) == {"role": "assistant", "content": "Yes."}
    assert compiled(FULL).ResponseParser(TWO_TURNS).initial_events == []


def test_prefix_opens_a_block() -> None:
    parser = compiled(FULL).ResponseParser(TWO_TURNS + "<think>\n")
    assert parser.initial_events == [
        {"type": "region_open", "field": "reasoning_content"},
        {"type": "region_chunk", "field": "reasoning_content", "text": "\n", "dirty": False},
    ]
    assert message_of(FULL, "why</think>Yes", TWO_TURNS + "<think>\n") == {
        "role": "assistant",
        "reasoning_content": "why",
        "content": "Yes",
    }


def test_start_anchor_does_not_apply_to_the_generation() -> None:
    message = message_of(FULL, f"before {CHATML}after")
    assert message == {"role": "assistant", "content": f"before {CHATML}after"}


def test_events_of_a_stream() -> None:
    parser = compiled(FULL).ResponseParser(prefix="")
    assert parser.feed("<thi") == []
    assert parser.feed("nk>hm") == [
        {"type": "region_open", "field": "reasoning_content"},
        {"type": "region_chunk", "field": "reasoning_content", "text": "hm", "dirty": False},
    ]
    assert parser.feed(" </think><tool_call>") == [
        {"type": "region_chunk", "field": "reasoning_content", "text": " ", "dirty": False},
        {"type": "region_close", "field": "reasoning_content", "value": "hm"},
        {"type": "region_open", "field": "tool_calls"},
    ]
    assert parser.feed('{"name": "f"}') == [
        {"type": "region_chunk", "field": "tool_calls", "text": '{"name": "f"}', "dirty": True}
    ]
    chunks = ["<thi", "nk>hm", " </think><tool_call>", '{"name": "f"}']
    assert_same(interpret(FULL, "", chunks), run_compiled(compiled(FULL), "", chunks))
    call = {"type": "function", "function": {"name": "f"}}
    assert parser.finalize() == (
        {"role": "assistant", "reasoning_content": "hm", "tool_calls": [call]},
        [{"type": "region_close", "field": "tool_calls", "value": call}],
    )


def test_what_could_become_a_delimiter_is_held_back() -> None:
    parser = compiled(FULL).ResponseParser(prefix="")
    assert [event.get("text") for event in parser.feed("a <")] == [None, "a "]
    assert [event.get("text") for event in parser.feed("b")] == ["<b"]


def test_joined_closes_carry_the_value_of_their_own_block() -> None:
    template, text, _ = EXAMPLES["joined"]
    trace = interpret(template, "", [text])
    assert_same(trace, run_compiled(compiled(template), "", [text]))
    closes = [event["value"] for event in trace.feeds[0] if event["type"] == "region_close"]
    assert closes == ["first", "second"]


def test_tool_arguments_are_cast_by_the_schema() -> None:
    text = (
        '<tool_call>{"name": "set_alarm", "arguments": {"hour": "7", "enabled": "true", "label": "wake up"}}'
        "</tool_call>"
    )
    expected = {
        "role": "assistant",
        "tool_calls": [call_of("set_alarm", {"hour": 7, "enabled": True, "label": "wake up"})],
    }
    assert first_difference(expected, message_of(FULL, text, tools=[ALARM])) is None


def test_batch_gives_a_list() -> None:
    messages = compiled(FULL).parse_response(["one", "two"], prefix="")
    assert messages == [{"role": "assistant", "content": "one"}, {"role": "assistant", "content": "two"}]


def test_prefix_is_required_and_empty_opts_out() -> None:
    module = compiled(FULL)
    with pytest.raises(ValueError, match="prefix"):
        module.parse_response("one")
    assert module.parse_response("one", prefix="") == {"role": "assistant", "content": "one"}


@pytest.mark.parametrize(
    ("template", "text", "error"),
    [
        (one_field("a", open="<a>", close="</a>", optional=False), "nothing", "ValueError"),
        (one_field("a", open="<a>", close="</a>", transform="{b}"), "<a>x</a>", "KeyError"),
        (
            one_field("a", open="<a>", close="</a>", content="json", transform="{content.b}"),
            "<a>{}</a>",
            "ValueError",
        ),
        (
            one_field("a", open="<a>", close="</a>", content="json", repeats=True, join=""),
            "<a>1</a>",
            "ValueError",
        ),
        (one_field("a", open="<a>", close="</a>", content="json"), "<a>London</a>", "ValueError"),
        (one_field("a", open="<a>", close="</a>", content="python-call-list"), "<a>[f(1)]</a>", "ValueError"),
    ],
)
def test_errors_while_parsing(template: dict[str, Any], text: str, error: str) -> None:
    assert error_of(template, text) == error


@pytest.mark.parametrize(
    "template",
    [
        {"fields": {"a": {}}},
        {"start_anchor": "A", "start_anchor_pattern": "A", "fields": {"a": {}}},
        {"start_anchor": "A", "fields": {"a": {}, "b": {}}},
        one_field("a", open="<a>", transform="call {content}"),
        one_field("a", open="<a>", open_pattern="<a>"),
        one_field("a", open="<a>", join=","),
        one_field("a", open_pattern="(?P<name>a)"),
        one_field("a", open="<a>", content="yaml"),
    ],
)
def test_templates_that_are_refused(template: dict[str, Any]) -> None:
    refusal = refused_by_interpreter(template)
    assert refusal is not None
    assert refusal.error == "ValueError"
    with pytest.raises(ValueError, match=r".") as caught:
        respc.load(template)
    assert isinstance(caught.value, respc.TemplateError)
