"""Conversations and tools of the user's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

import respc
from respc.verifying import OwnConversationError
from respc.verifying.own_conversations import calls_of_tools, conversations_of_text, tools_of_text
from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE, changed

USER = {"role": "user", "content": "Hi"}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": [1, "y"]}'}}
CONVERSATION = [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {
                "seat": {"enum": ["aisle", "window"]},
                "days": {"type": "array", "items": {"type": "integer"}},
                "at": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "by": {"type": ["boolean", "null"]},
                "to": {"properties": {"city": {"type": "string"}}},
            },
        },
    },
}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(CONVERSATION),
        json.dumps([CONVERSATION]),
        json.dumps({"messages": CONVERSATION}),
        json.dumps([{"messages": CONVERSATION}]),
        json.dumps(CONVERSATION) + "\n" + json.dumps({"messages": CONVERSATION}) + "\n",
    ],
)
def test_conversations_are_read_in_any_form(text: str) -> None:
    for messages in conversations_of_text(text):
        assert messages[1]["tool_calls"][0]["function"]["arguments"] == {"x": [1, "y"]}
        found = respc.verify(TEMPLATE, CHAT_TEMPLATE, messages=[messages])
        assert found.clean
        assert {(row.feature, row.context) for row in found.rows} == {("conversation 1", "own")}


def test_a_fault_of_an_own_conversation_is_seen() -> None:
    messages = conversations_of_text(json.dumps(CONVERSATION))
    assert not respc.verify(
        changed("fields/tool_calls/close", "</c>"), CHAT_TEMPLATE, messages=messages
    ).clean


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "no JSON"),
        ("[]", "a list that is not empty"),
        ("[[]]", "conversation 1: it has to be a list of messages"),
        ('[{"role": "robot"}]', "conversation 1: each message needs a `role`, one of assistant"),
        ('[{"role": "assistant", "content": 3}]', "the `content` of the assistant has to be a text"),
        ('[{"role": "assistant", "tool_calls": [{}]}]', "each call needs a `function` with a `name`"),
        ('[{"role": "assistant", "tool_calls": 3}]', "`tool_calls` has to be a list"),
        (
            '[{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "x"}]}]',
            "arguments of a call are no",
        ),
    ],
)
def test_what_is_no_conversation_is_said(text: str, reason: str) -> None:
    with pytest.raises(OwnConversationError, match=reason):
        conversations_of_text(text)


@pytest.mark.parametrize("messages", [[USER], [{"role": "assistant", "content": "Hi"}]])
def test_the_last_message_has_to_be_the_assistants(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(
        OwnConversationError, match="conversation 1: the last message has to be the assistant's"
    ):
        respc.verify(TEMPLATE, CHAT_TEMPLATE, messages=[messages])


def test_a_call_of_each_tool_is_made() -> None:
    (feature,) = calls_of_tools(tools_of_text(json.dumps([TOOL])))
    (call,) = feature.message["tool_calls"]
    assert call["function"]["arguments"] == {
        "seat": "aisle",
        "days": [3],
        "at": 2.5,
        "by": True,
        "to": {"city": "a text"},
    }
    found = respc.verify(TEMPLATE, CHAT_TEMPLATE, tools=[TOOL])
    assert found.clean
    assert {row.feature for row in found.rows} == {"book"}


@pytest.mark.parametrize("text", ["x", "[]", "{}", "[3]", '[{"function": {}}]'])
def test_what_is_no_tool_is_said(text: str) -> None:
    with pytest.raises(OwnConversationError, match=r"no JSON|a list of objects, each with a `function`"):
        tools_of_text(text)
