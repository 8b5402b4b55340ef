"""What default modules can be asked for that the interpreter has not: strict bodies, closers in strings as data."""

from __future__ import annotations

from typing import Any

import pytest

import respc
from respc_runtime.errors import ResponseError
from support.chunking import single_cuts

CALLS: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {
        "tool_calls": {"open": "<call>", "close": "</call>", "repeats": True, "content": "json"},
        "content": {"close": "<end>", "repeats": True, "join": ""},
    },
}
TAGS: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "xml-inline",
            "content_args": {"tag_pattern": "<(?P<key>[ab])>(?P<value>.*?)</>"},
        }
    },
}
IN_A_STRING = 'a<call>{"x": "y</call>z"}</call>b'


@pytest.mark.parametrize(
    "body", ["<a>1</>text", "text<a>1</>", "<a>1</><a>2</>", "<a>1</><b>2", "<a>1<b>2</>", "1"]
)
def test_strict_bodies_refuse_what_is_passed_over_else(body: str) -> None:
    text = f"<call>{body}</call>"
    respc.load(TAGS).parse_response(text, prefix="")
    with pytest.raises(ResponseError, match="tool_calls"):
        respc.load(TAGS, strict_bodies=True).parse_response(text, prefix="")


def test_strict_bodies_read_tags_and_blanks() -> None:
    module = respc.load(TAGS, strict_bodies=True)
    message = module.parse_response("<call>\n<a>1</>\n <b>2</> </call>", prefix="")
    assert message == {"tool_calls": [{"a": "1", "b": "2"}]}
    assert module.parse_response("<call></call>", prefix="") == {"tool_calls": [{}]}


def test_a_closer_in_a_string_is_data_if_asked_for() -> None:
    with pytest.raises(ResponseError):
        respc.load(CALLS).parse_response(IN_A_STRING, prefix="")
    module = respc.load(CALLS, closers_in_strings=True)
    expected = {"tool_calls": [{"x": "y</call>z"}], "content": "ab"}
    assert module.parse_response(IN_A_STRING, prefix="") == expected
    for _, chunks in single_cuts(IN_A_STRING):
        parser = module.ResponseParser("")
        for chunk in chunks:
            parser.feed(chunk)
        assert parser.finalize()[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        'a<call>{"x": "y</call>b',  # no other closer comes
        'a<call>{"x": "y}\n</call>b "c</call>',  # a string does not go on over the end of a line
        'a<call>{"x": "y</call>b" c</call>',  # with the other closer it is no JSON either
    ],
)
def test_the_first_closer_counts_where_no_later_one_does(text: str) -> None:
    module = respc.load(CALLS, closers_in_strings=True)
    for _, chunks in [("", [text]), *single_cuts(text)]:
        events = events_of(module.ServingParser(""), chunks)
        (malformed,) = [event for event in events if event["type"] == "region_malformed"]
        assert malformed["start"] == text.index("</call>")


def events_of(parser: Any, chunks: list[str]) -> list[dict[str, Any]]:
    fed = [event for chunk in chunks for event in parser.feed(chunk)]
    return [*fed, *parser.finalize()[1]]


def test_the_options_do_not_change_the_other_texts() -> None:
    text = 'a<call>{"x": 1}</call>b<end>'
    plain = respc.load(CALLS).parse_response(text, prefix="")
    for options in ({"strict_bodies": True}, {"closers_in_strings": True}):
        assert respc.load(CALLS, **options).parse_response(text, prefix="") == plain
