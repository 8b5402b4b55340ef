"""What the tests of the forms share: generations as events of both APIs, and clients that add them up by the rules."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Final, Literal

from openai_form.completions_of_tests import numbered_ids, serving_parser
from respc_runtime.messages import MessageObjects, MessageStream, TokenCounts
from respc_runtime.openai import ChatCompletionParser
from respc_runtime.responses import ResponseObjects, ResponseStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Event = dict[str, Any]

USAGE: Final = TokenCounts(prompt=17, generated=9, reasoning=4, cached=5)
RESPONSE_OBJECTS: Final = ResponseObjects("resp_1", "a-model", 1_700_000_000)
MESSAGE_OBJECTS: Final = MessageObjects("msg_1", "a-model")
FRAME: Final = {"response.created", "response.in_progress", "response.completed", "response.incomplete"}


def numbered_item_ids() -> Callable[[str], str]:
    numbers = itertools.count()
    return lambda prefix: f"{prefix}_{next(numbers)}"


def chat_parser(template: dict[str, Any], prefix: str = "", **options: Any) -> ChatCompletionParser:
    return ChatCompletionParser(serving_parser(template), prefix, **{"make_id": numbered_ids(), **options})


def as_response(
    template: dict[str, Any],
    chunks: Iterable[str],
    prefix: str = "",
    *,
    reasoning: Literal["summary", "text"] = "summary",
    length: bool = False,
    stopped: bool = False,
    **options: Any,
) -> tuple[ResponseStream[str], list[Event]]:
    """Give the events of a generation as a response, which add up to it."""
    chat = chat_parser(template, prefix, **options)
    stream = ResponseStream(chat, RESPONSE_OBJECTS, reasoning=reasoning, make_id=numbered_item_ids())
    events = list(stream.initial_events)
    for chunk in chunks:
        events += stream.feed(chunk)
    events += stream.finalize(length=length, stopped=stopped, usage=USAGE)
    check_response(stream, events, chat)
    return stream, events


def as_message(
    template: dict[str, Any],
    chunks: Iterable[str],
    prefix: str = "",
    *,
    length: bool = False,
    stopped: bool = False,
    stop_sequence: str | None = None,
    **options: Any,
) -> tuple[MessageStream[str], list[Event]]:
    """Give the events of a generation as a message, which add up to it."""
    chat = chat_parser(template, prefix, **options)
    stream = MessageStream(chat, MESSAGE_OBJECTS, usage=TokenCounts(prompt=17, cached=5))
    events = list(stream.initial_events)
    for chunk in chunks:
        events += stream.feed(chunk)
    events += stream.finalize(length=length, stopped=stopped, stop_sequence=stop_sequence, usage=USAGE)
    check_message(stream, events, chat)
    return stream, events


def check_response(stream: ResponseStream[str], events: list[Event], chat: ChatCompletionParser) -> None:
    """Check that the events keep the rules, and add up to the response and to the message of the chat form."""
    response = stream.response
    assert response is not None
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
    assert events[-1] == {
        "type": f"response.{response['status']}",
        "sequence_number": len(events) - 1,
        "response": response,
    }
    items = items_of(events)
    left_out = {item["id"] for item in items} - {item["id"] for item in response["output"]}
    assert all(item["type"] == "function_call" for item in items if item["id"] in left_out)
    assert [item for item in items if item["id"] not in left_out] == response["output"]
    assert len(left_out) == len({index for region in chat.unread for index in region.indexes})
    whole = chat.message
    assert whole is not None
    texts = {"message": "", "reasoning": ""}
    for item in response["output"]:
        if item["type"] != "function_call":
            parts = [*item.get("content", ()), *item.get("summary", ())]
            texts[item["type"]] += "".join(part["text"] for part in parts)
    assert texts["message"] == (whole["content"] or "")
    assert texts["reasoning"] == whole.get("reasoning_content", "")
    assert [
        (item["name"], item["arguments"], item["status"])
        for item in response["output"]
        if item["type"] == "function_call"
    ] == [
        (call["function"]["name"], call["function"]["arguments"], "completed")
        for call in whole.get("tool_calls", ())
    ]


def items_of(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Add the events of a response up to its items, as a client does that trusts nothing but the rules."""
    items: list[dict[str, Any]] = []
    text: str | None = None
    is_open = False
    for event in events:
        kind = event["type"].removeprefix("response.")
        if event["type"] in FRAME:
            assert event is not None
            assert not is_open
        elif kind == "output_item.added":
            assert not is_open
            assert event["output_index"] == len(items)
            assert event["item"]["status"] == "in_progress"
            items.append(json.loads(json.dumps(event["item"])))
            is_open = True
            text = "" if event["item"]["type"] == "function_call" else None
        elif kind == "output_item.done":
            assert is_open
            assert event["output_index"] == len(items) - 1
            is_open = False
            check_done(items[-1], event["item"], text)
            items[-1] = event["item"]
        else:
            assert is_open
            assert (event["output_index"], event["item_id"]) == (len(items) - 1, items[-1]["id"])
            text = text_after(event, kind, text)
    assert not is_open
    return items


def text_after(event: Event, kind: str, text: str | None) -> str | None:
    """Give the text of an item after an event of it."""
    if kind.endswith("part.added"):
        assert text is None
        assert event["part"]["text"] == ""
        return ""
    assert text is not None
    if kind.endswith(".delta"):
        assert event["delta"]
        return text + event["delta"]
    done = event["part"] if kind.endswith("part.done") else event
    assert done["arguments" if kind.startswith("function_call") else "text"] == text
    return text


def check_done(added: dict[str, Any], done: dict[str, Any], text: str | None) -> None:
    """Check that an item that is done is the one that was added, with the text of its deltas."""
    assert added.keys() == done.keys()
    assert all(done[key] == value for key, value in added.items() if value and key != "status")
    if done["type"] == "function_call":
        assert done["arguments"] == text
    else:
        [part] = [*done.get("content", ()), *done.get("summary", ())]
        assert part["text"] == text
        assert text


def check_message(stream: MessageStream[str], events: list[Event], chat: ChatCompletionParser) -> None:
    """Check that the events keep the rules, and add up to the message and to that of the chat form."""
    message = stream.message
    assert message is not None
    start, end, stop = events[0], events[-2], events[-1]
    assert (start["type"], end["type"], stop) == ("message_start", "message_delta", {"type": "message_stop"})
    assert {
        **start["message"],
        **end["delta"],
        "usage": end["usage"],
        "content": message["content"],
    } == message
    blocks = blocks_of(events[1:-2])
    whole = [block for block in blocks if block in message["content"]]
    assert whole == message["content"]
    others = [block for block in blocks if block not in message["content"]]
    assert all(block["type"] == "tool_use" for block in others)
    form = chat.message
    assert form is not None
    texts = {"text": "", "thinking": ""}
    for block in blocks:
        if block["type"] != "tool_use":
            texts[block["type"]] += block[block["type"]]
    assert texts == {"text": form["content"] or "", "thinking": form.get("reasoning_content", "")}
    calls = [(block["name"], block["input"]) for block in message["content"] if block["type"] == "tool_use"]
    without_input = [call["function"] for call in stream.without_input]
    assert calls == [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in form.get("tool_calls", ())
        if call["function"] not in without_input
    ]
    assert (message["stop_reason"] == "tool_use") <= bool(calls)
    assert not others or message["stop_reason"] != "tool_use"


def blocks_of(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Add the events of the blocks of a message up."""
    blocks: list[dict[str, Any]] = []
    written = ""
    is_open = False
    for event in events:
        assert event["type"].startswith("content_block_")
        if event["type"] == "content_block_start":
            assert not is_open
            is_open, written = True, ""
            blocks.append(dict(event["content_block"]))
        assert is_open
        assert event["index"] == len(blocks) - 1
        block = blocks[-1]
        if event["type"] == "content_block_delta":
            written = take_block_delta(block, event["delta"], written)
        elif event["type"] == "content_block_stop":
            is_open = False
            finish_block(block, written)
    assert not is_open
    return blocks


def take_block_delta(block: dict[str, Any], delta: dict[str, Any], written: str) -> str:
    """Add a delta to a block, and give the text of it so far."""
    kind = delta["type"].removesuffix("_delta")
    if kind == "signature":
        block["signature"] = delta["signature"]
        return written
    assert {"thinking": "thinking", "text": "text", "tool_use": "input_json"}[block["type"]] == kind
    return written + delta["partial_json" if kind == "input_json" else kind]


def finish_block(block: dict[str, Any], written: str) -> None:
    if block["type"] != "tool_use":
        assert written
        block[block["type"]] = written
        return
    try:
        block["input"] = json.loads(written)
    except ValueError:
        block["input"] = {"what was begun": written}


def kinds(events: Iterable[Event]) -> list[str]:
    """Give the types of events, those of equal neighbours once."""
    return [
        kind for kind, _ in itertools.groupby(event["type"].removeprefix("response.") for event in events)
    ]
