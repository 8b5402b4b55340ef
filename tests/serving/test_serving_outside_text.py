"""Text outside of all regions: told by events, reported in the OpenAI form and by `errors="collect"`, never lost."""

from __future__ import annotations

from typing import Any

import pytest

import respc
from respc_runtime.errors import MissingAnchorError
from respc_runtime.openai import ChatCompletionParser
from support.accounting import account, all_events
from support.chunking import single_cuts

SUNK: dict[str, Any] = {
    "start_anchor": "<bot>",
    "fields": {
        "reasoning_content": {"open": "<think>", "close_pattern": r"</think>\s*|(?:<end>|<stop>)[\s\S]*"},
        "tool_calls": {
            "open_pattern": r"<call>\s*<f=(?P<name>[^<>\s]+)>",
            "close_pattern": r"</call>|(?:<end>|<stop>)[\s\S]*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {"close_pattern": r"(?:<end>|<stop>)[\s\S]*", "repeats": True, "join": "\n"},
    },
}
CALL = '<call><f=ring>{"bell": 1}</call>'


def without_sink() -> dict[str, Any]:
    content = {"open": "<say>", "close": "</say>", "repeats": True, "join": "\n"}
    return {**SUNK, "fields": {**SUNK["fields"], "content": content}}


def outside(template: dict[str, Any], text: str, prefix: str = "") -> list[tuple[str, str, str | None]]:
    """Give reason, text and field of what is outside, the same for all cuts, and account for all other text."""
    module = respc.load(template)
    found: list[list[tuple[str, str, str | None]]] = []
    for _, chunks in [("whole", [text]), *single_cuts(text), ("each", list(text))]:
        parser = module.ServingParser(prefix)
        prompt = len(parser.input_text)
        events = all_events(parser, chunks)
        joined = account(template, parser.input_text, events, prompt, parser.marks)
        found.append(
            [
                (event["reason"], event["text"], event["field"])
                for event in joined
                if event["type"] == "text_outside"
            ]
        )
    assert all(each == found[0] for each in found)
    return found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello.", []),
        ("Hello.<end>", []),
        ("Hello.<end>\n<user>And?", [("after_turn", "\n<user>And?", None)]),
        (f"{CALL}<stop>more", [("after_turn", "more", None)]),
        ("<think>Hm<end>more", [("after_turn", "more", None)]),
        ("Hello <call>\n<f=ri", [("begun", "<call>\n<f=ri", "tool_calls")]),
        ("<think>Hm <thi", []),
        ("<think>Hm</thi", [("begun", "</thi", None)]),
        ("Hello <e", [("begun", "<e", None)]),
        ("a <", []),
        ("Hello.<en", [("begun", "<en", None)]),
    ],
)
def test_text_outside_of_regions(text: str, expected: list[Any]) -> None:
    assert outside(SUNK, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello.", [("no_field", "Hello.", None)]),
        ("<say>Hi</say> there <say>you</say>", [("no_field", " there ", None)]),
        (f" {CALL}\n", [("no_field", " ", None), ("no_field", "\n", None)]),
        ("x <call", [("no_field", "x ", None), ("begun", "<call", "tool_calls")]),
    ],
)
def test_text_that_no_field_takes(text: str, expected: list[Any]) -> None:
    assert outside(without_sink(), text) == expected


def test_a_closer_that_the_end_cut_off_is_no_part_of_a_call() -> None:
    assert outside(SUNK, '<call><f=ring>{"bell": 1}</ca') == []
    module = respc.load(SUNK)
    completion = ChatCompletionParser(module.ServingParser, "")
    completion.feed('<call><f=ring>{"bell": 1}</ca')
    completion.finalize(stopped=True)
    assert completion.message is not None
    assert [call["function"]["name"] for call in completion.message["tool_calls"]] == ["ring"]


@pytest.mark.parametrize("length", [False, True])
def test_the_openai_form_reports_it(length: bool) -> None:
    module = respc.load(SUNK)
    completion = ChatCompletionParser(module.ServingParser, "")
    deltas = [
        *completion.feed("Hello <call>\n"),
        *completion.feed("<f=ri"),
        *completion.finalize(length=length),
    ]
    assert completion.message is not None
    assert completion.message["content"] == "Hello"
    assert "".join(delta.get("content", "") for delta in deltas) == "Hello"
    (region,) = completion.unread
    assert (region.text, region.field, region.is_call) == ("<call>\n<f=ri", "tool_calls", True)


@pytest.mark.parametrize(("text", "reported"), [("", []), ("l", ["<cal"])])
def test_what_a_prompt_has_begun_is_reported_if_the_model_goes_on_with_it(
    text: str, reported: list[str]
) -> None:
    completion = ChatCompletionParser(respc.load(SUNK).ServingParser, "<bot>Hello <ca")
    completion.feed(text)
    completion.finalize(stopped=True)
    assert [region.text for region in completion.unread] == reported


def test_blanks_outside_of_regions_are_not_reported() -> None:
    completion = ChatCompletionParser(respc.load(without_sink()).ServingParser, "")
    completion.feed(f"\n{CALL}\n{CALL}\n")
    completion.finalize()
    assert completion.unread == []
    assert completion.finish_reason == "tool_calls"


def test_collecting_reports_it() -> None:
    module = respc.load(SUNK)
    text = f"A<call><f=ring>{{bell}}</call>B{CALL}C<end>\nuser: D"
    parsed = module.parse_response(text, prefix="", errors="collect")
    assert parsed.message["content"] == "A\nB\nC"
    assert [call["function"]["arguments"] for call in parsed.message["tool_calls"]] == [{"bell": 1}]
    bad, after = parsed.unread
    assert (bad.error, bad.field, bad.text) == (
        "ResponseValueError",
        "tool_calls",
        "<call><f=ring>{bell}</call>",
    )
    assert text[bad.start : bad.end] == bad.text
    assert (after.field, after.text) == (None, "\nuser: D")
    batch = module.parse_response([text, "E"], prefix="", errors="collect")
    assert [each.message["content"] for each in batch] == ["A\nB\nC", "E"]
    with pytest.raises(ValueError, match="'raise' nor 'collect'"):
        module.parse_response(text, prefix="", errors="ignore")


def test_a_missing_field_is_collected() -> None:
    fields = {**SUNK["fields"], "content": {**SUNK["fields"]["content"], "optional": False}}
    module = respc.load({**SUNK, "fields": fields})
    parsed = module.parse_response(CALL, prefix="", errors="collect")
    assert [(each.error, each.field) for each in parsed.unread] == [("MissingFieldError", "content")]
    assert len(parsed.message["tool_calls"]) == 1


OLD = f"<bot>Before.{CALL}<end>"


def test_a_turn_that_was_over_is_no_part_of_the_message() -> None:
    module = respc.load(SUNK)
    parser = module.ServingParser(f"{OLD}\n<user>x<end>\n")
    parser.feed("Hello.")
    message, _ = parser.finalize()
    assert message == {"content": "Hello."}
    assert parser.anchor_found is True


def test_whether_a_prompt_has_an_anchor_is_told() -> None:
    module = respc.load(SUNK)
    for parser in (module.ResponseParser, module.ServingParser):
        assert parser("").anchor_found is None
        assert parser("<user>x<bot>").anchor_found is True
        assert parser("<user>x").anchor_found is False


def test_an_anchor_that_may_be_empty_is_in_every_prompt() -> None:
    template = {key: value for key, value in SUNK.items() if key != "start_anchor"}
    parser = respc.load({**template, "start_anchor_pattern": "<bot>|^"}).ServingParser("<user>x")
    assert parser.anchor_found is True


def test_the_openai_form_refuses_a_prompt_without_an_anchor() -> None:
    module = respc.load(SUNK)
    with pytest.raises(MissingAnchorError, match="start anchor"):
        ChatCompletionParser(module.ServingParser, "<user>x")
    with pytest.raises(MissingAnchorError):
        ChatCompletionParser(module.ServingParser("<user>x"))
    completion = ChatCompletionParser(module.ServingParser, "<user>x", require_anchor=False)
    completion.feed("y")
    completion.finalize()
    assert completion.message is not None
    assert completion.message["content"] == "<user>xy"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"Here: {CALL}done", "Here: done"),
        (f"Here:{CALL} done", "Here: done"),
        (f"Here:\n{CALL}\ndone", "Here:\n\ndone"),
        (f"Here{CALL}{CALL}done", "Heredone"),
        (f"Here{CALL}\n{CALL}done", "Here\ndone"),
        (f"{CALL}\ndone ", "done"),
    ],
)
def test_texts_around_calls_keep_the_model_s_own_blanks(text: str, content: str) -> None:
    for _, chunks in [("whole", [text]), *single_cuts(text)]:
        completion = ChatCompletionParser(respc.load(SUNK).ServingParser, "")
        for chunk in chunks:
            completion.feed(chunk)
        completion.finalize()
        assert completion.message is not None
        assert completion.message["content"] == content


@pytest.mark.parametrize(
    ("text", "expected"), [("<", []), ("a<", []), ("<ca", [("begun", "<ca", "tool_calls")]), ("<b", [])]
)
def test_one_character_of_a_mark_hides_no_opener_that_is_empty(
    text: str, expected: list[tuple[str, str, str | None]]
) -> None:
    content = {"open_pattern": "^|<say>", "close": "</say>", "repeats": True, "join": "\n"}
    assert outside({**SUNK, "fields": {**SUNK["fields"], "content": content}}, text) == expected
