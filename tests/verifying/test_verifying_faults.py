"""Faults of templates are seen, each with its kind and as one cause; those of chat templates are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from respc.verifying import Kind, Outcome
from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE, changed, proved, written_by

if TYPE_CHECKING:
    from respc.verifying import Cause, Verification, Writings


@pytest.fixture(scope="module")
def written() -> Writings:
    return written_by()


def faults(verification: Verification) -> list[Cause]:
    return [cause for cause in verification.causes if cause.counts]


def test_a_good_pair_is_clean(written: Writings) -> None:
    verification = proved(written, TEMPLATE, streamed=True)
    assert verification.clean
    assert verification.causes == []
    outcomes = {row.outcome for row in verification.rows}
    assert outcomes == {Outcome.OK}
    assert {row.context for row in verification.rows} == {
        "first",
        "without tools",
        "second turn",
        "after a result",
        "after two results",
        "system",
        "image",
    }
    assert {row.mode for row in verification.rows} == {"default", "not thinking"}
    assert {row.ending for row in verification.rows} >= {
        "whole",
        "without blanks at the end",
        "without the end of the turn",
        "whole, in chunks of 1",
    }


FAULTS: dict[str, tuple[dict[str, Any], Kind, str]] = {
    "the anchor of another family": (
        changed("start_anchor", "<|model|>"),
        Kind.ANCHOR,
        'the start anchor "<|model|>"',
    ),
    "an anchor with a blank more": (
        changed("start_anchor", "<|assistant|>\n\n"),
        Kind.ANCHOR,
        'the start anchor "<|assistant|>\\n\\n"',
    ),
    "an anchor of the user's turn": (
        changed("start_anchor", "<|user|>\n"),
        Kind.ANCHOR,
        'the start anchor "<|user|>\\n"',
    ),
    "a closer that is misspelled": (
        changed("fields/tool_calls/close", "</calls>"),
        Kind.UNCLOSED,
        '`tool_calls`, whose closer is "</calls>"',
    ),
    "an opener with a blank": (
        changed("fields/tool_calls/open", "<call> "),
        Kind.NOT_FOUND,
        '`tool_calls`, whose opener is "<call> "',
    ),
    "an end of turn that is dropped": (
        changed("fields/content/close", None),
        Kind.MARK,
        '"<|end|>" in `content`',
    ),
    "arguments under another key": (
        changed(
            "fields/tool_calls/transform/function",
            {"name": "{content.name}", "arguments": "{content.parameters}"},
        ),
        Kind.UNREADABLE,
        "`tool_calls`",
    ),
    "calls that are not repeated": (
        changed("fields/tool_calls/repeats", None),
        Kind.CALL,
        "the number of calls",
    ),
    "the name and the arguments of a call exchanged": (
        changed(
            "fields/tool_calls/transform/function",
            {"name": "{content.arguments}", "arguments": "{content.name}"},
        ),
        Kind.CALL,
        "the name of a call",
    ),
    "calls as text": (changed("fields/tool_calls/content", "text"), Kind.CALL, "the name of a call"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_cause(name: str, written: Writings) -> None:
    template, kind, subject = FAULTS[name]
    verification = proved(written, template)
    assert not verification.clean
    found = [(cause.kind, cause.subject) for cause in faults(verification)]
    assert (kind, subject) in found
    worst = faults(verification)[0]
    assert worst.rows > 1
    assert worst.features
    assert worst.contexts


def test_reasoning_that_no_field_takes_is_left_in_the_content(written: Writings) -> None:
    verification = proved(written, changed("fields/reasoning_content", None))
    kinds = {cause.kind for cause in faults(verification)}
    assert kinds <= {Kind.MARK, Kind.NOT_FOUND}
    assert Kind.NOT_FOUND in kinds


def test_an_argument_of_another_type_is_said_to_be_that(written: Writings) -> None:
    tags = CHAT_TEMPLATE.replace(
        "{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}",
        "{{ call.function.name }}{% for key, value in call.function.arguments.items() %}"
        "<arg={{ key }}>{{ value | tojson }}</arg>{% endfor %}",
    )
    template = changed("fields/tool_calls/content", "xml-inline")
    template["fields"]["tool_calls"] |= {
        "open_pattern": r"<call>(?P<name>\w+)",
        "content_args": {"tag_pattern": r"<arg=(?P<key>\w+)>(?P<value>.*?)</arg>"},
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    }
    del template["fields"]["tool_calls"]["open"]
    untyped = [{"type": "function", "function": {"name": "plan_trip", "description": "Plans."}}]
    found = {cause.subject: cause for cause in faults(proved(written_by(tags, untyped), template))}
    cause = found["null became string"]
    assert cause.kind is Kind.TYPE
    assert cause.caret is not None
    assert cause.text[cause.caret :].startswith("note")
    assert found["a value of type string"].kind is Kind.ARGUMENT


def test_a_cause_shows_the_prompt_and_the_place_in_the_text(written: Writings) -> None:
    (cause,) = faults(proved(written, changed("fields/content/close", None)))
    assert cause.prefix.endswith("<|assistant|>\n")
    assert cause.caret is not None
    assert cause.text[cause.caret : cause.caret + cause.caret_length] == "<|end|>"


def test_what_depends_on_the_cuts_of_a_stream_is_seen_only_in_streams(written: Writings) -> None:
    template = changed("fields/content", {"close_pattern": r"<\|end\|>\s*|$", "repeats": True, "join": ""})
    assert proved(written, template).clean
    streamed = proved(written, template, streamed=True)
    assert {cause.kind for cause in faults(streamed)} == {Kind.CUTS}


LOSSES = {
    "null as Python writes it": (
        "{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}",
        '{"name": "{{ call.function.name }}", "arguments": { '
        '{% for key, value in call.function.arguments.items() %}"{{ key }}": '
        "{{ value | tojson if value is not none else value }}{{ ', ' if not loop.last }}{% endfor %}}}",
        "null, written as Python writes it",
    ),
    "strings without escapes": (
        "{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}",
        '{"name": "{{ call.function.name }}", "arguments": { '
        '{% for key, value in call.function.arguments.items() %}"{{ key }}": '
        '{% if value is string %}"{{ value }}"{% else %}{{ value | tojson }}{% endif %}'
        "{{ ', ' if not loop.last }}{% endfor %}}}",
        "quotes in strings, written without escapes",
    ),
    "all calls but the first": (
        "{%- for call in message.tool_calls or [] %}",
        "{%- for call in (message.tool_calls or [])[:1] %}",
        "`tool_calls`",
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_a_chat_template_loses_is_its_own_fault(name: str) -> None:
    old, new, subject = LOSSES[name]
    assert old in CHAT_TEMPLATE
    verification = proved(written_by(CHAT_TEMPLATE.replace(old, new)), TEMPLATE)
    assert verification.clean
    assert subject in [cause.subject for cause in verification.causes if cause.kind is Kind.LOST]
    assert verification.counts()[Outcome.AMBIGUOUS] > 0


def test_what_a_chat_template_refuses_is_absent() -> None:
    refusing = "{% if tools %}{{ raise_exception('no tools here') }}{% endif %}" + CHAT_TEMPLATE
    verification = proved(written_by(refusing), TEMPLATE)
    assert verification.clean
    (refusal,) = verification.causes
    assert refusal.kind is Kind.REFUSED
    assert "no tools here" in refusal.subject


def test_a_chat_template_that_writes_nothing_proves_nothing() -> None:
    verification = proved(written_by("{{ raise_exception('never') }}"), TEMPLATE)
    assert not verification.clean
    assert {row.outcome for row in verification.rows} == {Outcome.ABSENT}


def test_text_that_has_swallowed_a_call_is_no_other_message(written: Writings) -> None:
    """Every chat template writes a text as it is, so that the same conversation would be written."""
    verification = proved(written, changed("fields/tool_calls", None))
    assert not verification.clean
    assert verification.counts()[Outcome.AMBIGUOUS] == 0


def test_a_prompt_that_opens_the_reasoning_which_nothing_closes_is_the_chat_templates_fault() -> None:
    opening = CHAT_TEMPLATE.replace(
        "{%- if add_generation_prompt %}<|assistant|>\n",
        "{%- if add_generation_prompt %}<|assistant|>\n<think>\n",
    ).replace(
        "<|{{ message.role }}|>\n", "<|{{ message.role }}|>\n{{ '<think>\n' if message.role == 'assistant' }}"
    )
    silent = opening.replace("message.reasoning_content %}<think>", "false %}<think>")
    verification = proved(written_by(silent), TEMPLATE)
    assert "the end of the reasoning" in [cause.subject for cause in verification.causes]
    answers = [row for row in verification.rows if (row.feature, row.mode) == ("answer", "default")]
    assert {row.outcome for row in answers} == {Outcome.AMBIGUOUS}
