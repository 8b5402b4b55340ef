"""What serving events say of each region: where its delimiters are, what they captured, and what went wrong."""

from __future__ import annotations

import gc
import weakref
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import regex

import respc
from respc_runtime.errors import MissingFieldError, ParserStateError, ResponseError
from support.chunking import few, single_cuts
from support.families import Family, families
from support.templates import own_names, own_samples, own_template

if TYPE_CHECKING:
    from types import ModuleType

Event = dict[str, Any]


def serving(template: dict[str, Any], **options: Any) -> ModuleType:
    return respc.load(template, events="serving", **{"stable": False, **options})


def events_of(parser: Any, chunks: list[str]) -> list[Event]:
    events = list(parser.initial_events)
    for chunk in chunks:
        events += parser.feed(chunk)
    return events + parser.finalize()[1]


def delimiter_of(field: dict[str, Any], key: str) -> regex.Pattern[str]:
    if f"{key}_pattern" in field:
        return regex.compile(field[f"{key}_pattern"], regex.DOTALL)
    literals = field[key] if isinstance(field[key], list) else [field[key]]
    longest_first = sorted(literals, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first)))


def has(field: dict[str, Any], key: str) -> bool:
    return key in field or f"{key}_pattern" in field


def check_delimiters(
    template: dict[str, Any], text: str, events: list[Event], ends_of_turn: tuple[str, ...]
) -> int:
    """Assert that the span of each delimiter holds it, and give back how many there are."""
    seen = 0
    for event in events:
        if event["type"] in ("region_chunk", "text_outside"):
            continue
        field = template["fields"][event["field"]]
        key = "open" if event["type"] == "region_open" else "close"
        explicit = "captures" in event if key == "open" else event["start"] < event["end"]
        if not explicit:
            assert event["start"] == event["end"]
            continue
        seen += 1
        pattern = delimiter_of(field, key)
        # Without the text around first: what came after it may not have been there. Look-ahead needs it.
        start, end = event["start"], event["end"]
        match = pattern.fullmatch(text, start, end) or pattern.match(text, start)
        if key == "close" and (match is None or match.end() != end):
            # The end of the response cut it off, or it takes what stands behind the end of the turn.
            cut = end == len(text) and pattern.fullmatch(text, start, end, partial=True)
            assert cut or (match is not None and text[start:end].strip() in ends_of_turn)
            continue
        assert match is not None
        assert match.span() == (start, end)
        if key == "open":
            groups = {name: group for name, group in match.groupdict().items() if group is not None}
            assert event["captures"] == groups
    return seen


@pytest.mark.parametrize("passes", [None, ()], ids=["all-passes", "no-pass"])
@pytest.mark.parametrize("name", own_names())
def test_spans_hold_the_delimiters_of_own_templates(name: str, passes: tuple[str, ...] | None) -> None:
    template = own_template(name)
    module = serving(template, passes=passes)
    seen = 0
    for sample in own_samples(name):
        for _, chunks in few(sample["text"], Random(sample["id"])):
            parser = module.ResponseParser(sample["prefix"], tools=sample["tools"])
            try:
                events = events_of(parser, chunks)
            except ResponseError:
                continue
            seen += check_delimiters(template, parser.input_text, events, parser.ends_of_turn)
    assert seen


@pytest.mark.parametrize("family", families(), ids=str)
def test_spans_hold_the_delimiters_of_families(family: Family) -> None:
    module = serving(family.template)
    seen = 0
    for sample in family.samples:
        for _, chunks in few(sample["text"], Random(sample["id"])):
            parser = module.ResponseParser(sample["prefix"], tools=sample["tools"])
            events = events_of(parser, chunks)
            seen += check_delimiters(family.template, parser.input_text, events, parser.ends_of_turn)
    assert seen


CALLS: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<start>",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open_pattern": r"<call (?P<name>\w+)(?: (?P<id>\d+))?>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {"close": "<end>", "repeats": True, "join": ""},
    },
}


def test_events_of_one_generation() -> None:
    parser = serving(CALLS).ResponseParser("<start>other<start>")
    assert parser.initial_events == []
    assert parser.input_text == ""
    assert parser.feed("Look: <call f 1>{") == [
        {"type": "region_open", "field": "content", "start": 0, "end": 0},
        {"type": "region_chunk", "field": "content", "text": "Look: ", "dirty": False},
        {"type": "region_close", "field": "content", "start": 6, "end": 6, "value": "Look:", "closed": True},
        {
            "type": "region_open",
            "field": "tool_calls",
            "start": 6,
            "end": 16,
            "captures": {"name": "f", "id": "1"},
        },
        {"type": "region_chunk", "field": "tool_calls", "text": "{", "dirty": True},
    ]
    value = {"type": "function", "function": {"name": "f", "arguments": {}}}
    assert parser.feed("}</call><call g>1") == [
        {"type": "region_chunk", "field": "tool_calls", "text": "}", "dirty": True},
        {
            "type": "region_close",
            "field": "tool_calls",
            "start": 18,
            "end": 25,
            "value": value,
            "closed": True,
        },
        {"type": "region_open", "field": "tool_calls", "start": 25, "end": 33, "captures": {"name": "g"}},
        {"type": "region_chunk", "field": "tool_calls", "text": "1", "dirty": True},
    ]
    message, events = parser.finalize()
    cut_off = {"type": "function", "function": {"name": "g", "arguments": 1}}
    assert events == [
        {
            "type": "region_close",
            "field": "tool_calls",
            "start": 34,
            "end": 34,
            "value": cut_off,
            "closed": False,
        }
    ]
    assert message == {"role": "assistant", "content": "Look:", "tool_calls": [value, cut_off]}
    assert parser.input_text == "Look: <call f 1>{}</call><call g>1"


@pytest.mark.parametrize(
    ("ending", "closed"),
    [("</call>", True), ("</call", False), ("", False), ("</call><end>", True)],
)
def test_closed_tells_a_whole_call_from_one_cut_off(ending: str, closed: bool) -> None:
    text = "<call f>1" + ending
    for _, chunks in [("whole", [text]), *single_cuts(text)]:
        parser = serving(CALLS).ResponseParser("")
        ends = [
            event
            for event in events_of(parser, chunks)
            if event["field"] == "tool_calls" and event["type"] not in ("region_open", "region_chunk")
        ]
        assert len(ends) == 1
        if closed:
            assert ends[0]["closed"] is True
        else:
            assert ends[0].get("closed", False) is False
            assert ends[0]["end"] == len(text)
            # What is there of the closer is no part of the body.
            assert "</call>".startswith(text[ends[0]["start"] :])


@pytest.mark.parametrize("closer", [{"close_pattern": r"</a>|\Z"}, {"close_pattern": "$"}, {}])
def test_the_end_of_the_stream_is_no_closer(closer: dict[str, Any]) -> None:
    """A cut-off text looks the same, so nobody may take the region for whole."""
    template = {"start_anchor": "^", "fields": {"a": {"open": "<a>", **closer}}}
    parser = serving(template).ResponseParser("")
    (end,) = [event for event in events_of(parser, ["<a>x"]) if event["type"] == "region_close"]
    assert (end["start"], end["end"], end["closed"]) == (4, 4, False)


def test_a_region_closed_by_the_next_opener_closes_before_it() -> None:
    parser = serving(CALLS).ResponseParser("")
    close, opened = [event for event in parser.feed("ab<think>") if event["type"] != "region_chunk"][1:]
    assert (close["type"], close["start"], close["end"], close["closed"]) == ("region_close", 2, 2, True)
    assert (opened["type"], opened["start"], opened["end"]) == ("region_open", 2, 9)


# What each region of a field is, and what its text cannot be read as.
MALFORMED: dict[str, tuple[dict[str, Any], str, type[Exception]]] = {
    "json": ({"content": "json"}, "{", ValueError),
    "int": ({"content": "int"}, "x", ValueError),
    "placeholder": (
        {"content": "json", "transform": {"a": "{content.a}"}},
        '{"b": 1}',
        ValueError,
    ),
    "group": (
        {"open_pattern": "<a(?: (?P<id>[0-9]))?>", "transform": {"id": "{id}"}},
        "x",
        KeyError,
    ),
    "deep": ({"content": "json"}, "[" * 100_000, RecursionError),
    "join": ({"content": "json", "repeats": True, "join": ", "}, "1", ValueError),
    "each": ({"content": "json", "transform": "{a}", "transform_each": True}, "{}", ValueError),
    "call list": ({"content": "python-call-list"}, "[f(1)]", ValueError),
}


def template_with(field: dict[str, Any], **other: Any) -> dict[str, Any]:
    opener = {} if "open_pattern" in field else {"open": "<a>"}
    return {"start_anchor": "^", "fields": {"a": {**opener, "close": "</a>", **field, **other}, "rest": {}}}


@pytest.mark.parametrize("passes", [None, ()], ids=["all-passes", "no-pass"])
@pytest.mark.parametrize(("field", "body", "kind"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_region_is_an_event_and_parsing_goes_on(
    field: dict[str, Any], body: str, kind: type[Exception], passes: tuple[str, ...] | None
) -> None:
    module = serving(template_with(field, optional=False), passes=passes)
    text = f"<a>{body}</a>after"
    chunkings = [("whole", [text])] if len(text) > 1000 else [("whole", [text]), *single_cuts(text)]
    for _, chunks in chunkings:
        parser = module.ResponseParser("")
        events = events_of(parser, chunks)
        (bad,) = [event for event in events if event["type"] == "region_malformed"]
        place = 3 + len(body)
        assert {key: bad[key] for key in ("field", "start", "end")} == {
            "field": "a",
            "start": place,
            "end": place + 4,
        }
        assert set(bad) == {"type", "field", "start", "end", "error"}
        assert isinstance(bad["error"], kind)
        assert bad["error"].field == "a"
        assert bad["error"].position == 3
        assert isinstance(bad["error"].__cause__, kind)
        assert not [event for event in events if event["type"] == "region_close" and event["field"] == "a"]
        assert "".join(e["text"] for e in events if e["type"] == "region_chunk" and e["field"] == "rest") == (
            "after"
        )
    # The field had a region, so it is not missing; and the value of the other one is there.
    parser = module.ResponseParser("")
    parser.feed(text)
    assert parser.finalize()[0] == {"rest": "after"}
    with pytest.raises(kind) as raised:
        module.parse_response(text, prefix="")
    assert str(raised.value) == str(bad["error"])


def test_type_error_of_a_tool_schema_is_an_event() -> None:
    tools = [{"function": {"name": "f", "parameters": {"properties": {"a": {"anyOf": 1}}}}}]
    parser = serving(CALLS).ResponseParser("", tools=tools)
    events = parser.feed('<call f>{"a": "1"}</call>')
    assert isinstance(events[-1]["error"], TypeError)
    assert parser.feed("on")[-1]["text"] == "on"


def test_other_errors_still_raise_and_end_the_parser() -> None:
    template = template_with({"repeats": True})
    template["defaults"] = {"a": "a string has no append"}
    parser = serving(template).ResponseParser("")
    with pytest.raises(AttributeError):
        parser.feed("<a>x</a>")
    with pytest.raises(ParserStateError):
        parser.feed("more")


def test_values_before_and_after_a_malformed_region_are_kept() -> None:
    parser = serving(template_with({"content": "int", "repeats": True})).ResponseParser("")
    parser.feed("<a>1</a><a>x</a><a>3</a>")
    assert parser.finalize()[0] == {"a": [1, 3]}


def test_a_field_without_any_region_is_missing() -> None:
    module = serving(template_with({"content": "int"}, optional=False))
    parser = module.ResponseParser("")
    parser.feed("text")
    with pytest.raises(MissingFieldError):
        parser.finalize()


def test_malformed_region_of_the_prompt_is_an_initial_event() -> None:
    module = serving(template_with({"content": "int"}, optional=False))
    parser = module.ResponseParser("<a>x</a>")
    assert [event["type"] for event in parser.initial_events] == [
        "region_open",
        "region_chunk",
        "region_malformed",
    ]
    parser.feed("on")
    assert parser.finalize()[0] == {"rest": "on"}
    parser = module.ResponseParser("<a>x</a>")
    with pytest.raises(ValueError, match="'a'"):
        parser.finish("on")
    assert parser.input_text == "<a>x</a>on"


def test_malformed_region_at_the_end_of_the_stream() -> None:
    parser = serving(template_with({"content": "int"})).ResponseParser("")
    parser.feed("<a>x")
    message, events = parser.finalize()
    assert message == {}
    assert [(event["type"], event["start"], event["end"]) for event in events] == [("region_malformed", 4, 4)]


def test_an_error_of_an_event_does_not_keep_the_parser_alive() -> None:
    class Parser(serving(template_with({"content": "int"})).ResponseParser):
        __slots__ = ("__weakref__",)

    parser = Parser("")
    error = parser.feed("<a>x</a>")[-1]["error"]
    alive = weakref.ref(parser)
    del parser
    gc.collect()
    assert alive() is None
    assert str(error)


@pytest.mark.parametrize("passes", [None, ()], ids=["all-passes", "no-pass"])
@pytest.mark.parametrize("held", ["<", "<th", "</thin"])
def test_prompt_text_that_was_held_back_is_not_generated(held: str, passes: tuple[str, ...] | None) -> None:
    module = serving(CALLS, passes=passes)
    for begun, field in (("", "content"), ("<think>so", "thinking"), ("well", "content")):
        parser = module.ResponseParser("<start>" + begun + held)
        prompt = parser.input_text
        assert prompt == begun + held
        generated = "x and y"
        texts = [
            event["text"]
            for chunk in (generated[:1], generated[1:])
            for event in parser.feed(chunk)
            if event["type"] == "region_chunk"
        ]
        assert "".join(texts) == generated
        message, _ = parser.finalize()
        assert message[field] == (begun + held + generated).removeprefix("<think>")
        assert parser.input_text == prompt + generated


def test_a_delimiter_across_the_end_of_the_prompt_is_one() -> None:
    parser = serving(CALLS).ResponseParser("<start><thi")
    assert parser.initial_events == []
    assert parser.feed("nk>a") == [
        {"type": "region_open", "field": "thinking", "start": 0, "end": 7, "captures": {}},
        {"type": "region_chunk", "field": "thinking", "text": "a", "dirty": False},
    ]


@pytest.mark.parametrize(
    ("text", "content", "outside"),
    [
        ("Have fun", "Have fun", []),
        ("Try functools", "Try functools", []),
        ('Heating.\nfunctools[{"na', "Heating.", ['functools[{"na']),
        ("Heating.\n<|tool", "Heating.", ["<|tool"]),
    ],
)
def test_a_word_at_the_end_is_no_opener_that_was_cut_off(text: str, content: str, outside: list[str]) -> None:
    module = serving(
        {
            "start_anchor": "<|assistant|>",
            "fields": {
                "tool_calls": {
                    "open_pattern": r"<\|tool_call\|>|functools(?=\[\{\"name\":)",
                    "close": "<|end|>",
                    "content": "json",
                    "transform": {"type": "function", "function": "{content}"},
                },
                "content": {"close": "<|end|>"},
            },
        }
    )
    parser = module.ResponseParser(prefix="")
    events = events_of(parser, [text])
    assert [event["value"] for event in events if event["type"] == "region_close"] == [content]
    assert [event["text"] for event in events if event["type"] == "text_outside"] == outside


def test_captures_of_an_event_are_its_own() -> None:
    parser = serving(CALLS).ResponseParser("")
    opened, _ = parser.feed("<call f>1")
    opened["captures"]["name"] = "touched"
    parser.feed("</call>")
    assert parser.finalize()[0]["tool_calls"][0]["function"]["name"] == "f"


def test_input_text_is_not_the_work_of_each_feed() -> None:
    """Text is only joined when asked for: a long generation by characters has few pieces to join."""
    parser = serving(CALLS).ResponseParser("")
    text = "word " * 20_000
    for character in text:
        parser.feed(character)
    assert parser.input_text == text
    parser.feed("<end>")
    assert parser.input_text == text + "<end>"


@pytest.mark.parametrize("name", own_names())
def test_form_of_the_default_is_untouched(name: str) -> None:
    template = own_template(name)
    plain = respc.compile_template(template, formatted=False).source
    assert plain == respc.compile_template(template, formatted=False, events="default").source
    assert "region_malformed" not in plain


def test_unknown_form_of_events_is_refused() -> None:
    with pytest.raises(ValueError, match="no_such_form"):
        respc.load(CALLS, events="no_such_form")
