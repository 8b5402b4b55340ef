"""What the requests of three APIs ask for, in the terms of a chat template. What is not served is refused, with why."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from respc_runtime.tools import PreparedTools, prepare_tools

Body: TypeAlias = dict[str, Any]

NOT_SERVED: Final = {
    "response_format": "outputs are not shaped by a grammar here",
    "logprobs": "log probabilities are not known here",
    "top_logprobs": "log probabilities are not known here",
    "n": "one choice is made here",
    "previous_response_id": "responses are not kept here: send the whole conversation",
}
AS_IF_LEFT_OUT: Final[list[Any]] = [None, False, 0, 1, {"type": "text"}]


class RequestError(Exception):
    """A request that is refused, with the key that is to blame."""

    def __init__(self, message: str, key: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.key = key
        self.status = status


@dataclass(frozen=True)
class Asked:
    """What a request asks for, whichever API it came by."""

    body: Body
    model: str
    messages: list[Body]
    tools: list[Body]
    prepared: PreparedTools
    max_tokens: int | None
    stop: list[str]
    parallel: bool
    continues: bool = False

    @property
    def streams(self) -> bool:
        """Whether the client wants events."""
        return bool(self.body.get("stream"))


def read_body(raw: bytes) -> Body:
    """Read the body of a request."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise RequestError("the body is not a JSON object")
    for key, why in NOT_SERVED.items():
        if key in body and body[key] not in AS_IF_LEFT_OUT:
            raise RequestError(f"`{key}` cannot be served: {why}", key)
    if not isinstance(body.get("model"), str):
        raise RequestError("`model` is missing", "model")
    return body


def asked_of_chat(body: Body) -> Asked:
    """Read a request for a chat completion."""
    messages: list[Body] = []
    for place, message in enumerate(objects_of(body, "messages", required=True)):
        read = {**message, "content": text_of(message.get("content"), f"messages[{place}].content")}
        if calls := objects_of(message, "tool_calls"):
            read["tool_calls"] = [call_of(call.get("function"), call.get("id")) for call in calls]
        messages.append(read)
    stop = body.get("stop") or []
    max_tokens = body.get("max_completion_tokens") or body.get("max_tokens")
    parallel = body.get("parallel_tool_calls") is not False
    return asked(body, messages, max_tokens, [stop] if isinstance(stop, str) else stop, parallel)


def asked_of_responses(body: Body) -> Asked:
    """Read a request for a response."""
    if isinstance(body.get("input"), str):
        items = [{"role": "user", "content": body["input"]}]
    else:
        items = objects_of(body, "input", required=True)
    messages = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    for place, item in enumerate(items):
        where, kind = f"input[{place}]", item.get("type", "message")
        if kind == "message" and item.get("role") != "assistant":
            role = "system" if item.get("role") == "developer" else item.get("role")
            messages.append({"role": role, "content": text_of(item.get("content"), f"{where}.content")})
        elif kind == "message":
            add_to_assistant(messages, content=text_of(item.get("content"), f"{where}.content"))
        elif kind == "reasoning":
            parts = [*objects_of(item, "summary"), *objects_of(item, "content")]
            add_to_assistant(messages, reasoning_content=text_of(parts, where))
        elif kind == "function_call":
            add_to_assistant(messages, call=call_of(item, item.get("call_id")))
        elif kind == "function_call_output":
            output = text_of(item.get("output"), f"{where}.output")
            messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": output})
        else:
            raise RequestError(f"`{where}` is {kind!r}, which cannot be served", where)
    if object_of(object_of(body, "text"), "format").get("type", "text") != "text":
        raise RequestError("`text.format` cannot be served: outputs are not shaped by a grammar here", "text")
    parallel = body.get("parallel_tool_calls") is not False
    return asked(body, messages, body.get("max_output_tokens"), [], parallel)


def asked_of_messages(body: Body) -> Asked:
    """Read a request for a message."""
    if body.get("max_tokens") is None:
        raise RequestError("`max_tokens` is missing", "max_tokens")
    messages: list[Body] = []
    if body.get("system"):
        messages.append({"role": "system", "content": text_of(body["system"], "system")})
    for place, message in enumerate(objects_of(body, "messages", required=True)):
        if isinstance(message.get("content"), str):
            message = {**message, "content": [{"type": "text", "text": message["content"]}]}
        for block in objects_of(message, "content"):
            add_block(messages, message.get("role"), block, f"messages[{place}].content")
    parallel = not object_of(body, "tool_choice").get("disable_parallel_tool_use")
    stop = body.get("stop_sequences") or []
    # A message of the assistant at the end is the beginning of the answer.
    continues = bool(messages) and messages[-1]["role"] == "assistant"
    return asked(body, messages, body["max_tokens"], stop, parallel, continues=continues)


def add_block(messages: list[Body], role: Any, block: Body, where: str) -> None:
    """Add a block of a message of the Messages API to the messages of the template."""
    kind = block.get("type")
    if kind == "tool_result":
        result = text_of(block.get("content"), where)
        messages.append({"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": result})
    elif kind == "tool_use":
        function = {"name": block.get("name"), "arguments": block.get("input")}
        add_to_assistant(messages, call=call_of(function, block.get("id")))
    elif kind == "thinking":
        add_to_assistant(messages, reasoning_content=text_of(block.get("thinking"), where))
    elif kind != "text":
        raise RequestError(f"`{where}` has a block {kind!r}, which cannot be served", where)
    elif role == "assistant":
        add_to_assistant(messages, content=text_of([block], where))
    elif messages and messages[-1]["role"] == role:
        messages[-1]["content"] += "\n" + text_of([block], where)
    else:
        messages.append({"role": role, "content": text_of([block], where)})


def add_to_assistant(
    messages: list[Body], *, content: str = "", reasoning_content: str = "", call: Body | None = None
) -> None:
    """Add to the assistant's turn: a chat template has one message of what these APIs have in pieces."""
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": ""})
    turn = messages[-1]
    turn["content"] += content
    if reasoning_content:
        turn["reasoning_content"] = turn.get("reasoning_content", "") + reasoning_content
    if call is not None:
        turn.setdefault("tool_calls", []).append(call)


def asked(
    body: Body,
    messages: list[Body],
    max_tokens: Any,
    stop: Any,
    parallel: bool,
    *,
    continues: bool = False,
) -> Asked:
    """Check what all APIs have."""
    tools = [tool_schema(tool) for tool in objects_of(body, "tools")]
    choice = body.get("tool_choice") or "auto"
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if kind not in ("auto", "none"):
        raise RequestError("`tool_choice` can be auto and none: more needs a grammar", "tool_choice")
    if not all(isinstance(message.get("role"), str) for message in messages):
        raise RequestError("a message has no `role`", "messages")
    if not isinstance(stop, list) or not all(isinstance(each, str) and each for each in stop):
        raise RequestError("the stop strings are not a list of texts", "stop")
    if max_tokens is not None and (not isinstance(max_tokens, int) or max_tokens < 1):
        raise RequestError("the limit of tokens has to be a whole number above 0", "max_tokens")
    try:
        prepared = prepare_tools(tools)
    except TypeError as error:
        raise RequestError(f"`tools` cannot be read: {error}", "tools") from error
    shown = [] if kind == "none" else tools
    return Asked(body, body["model"], messages, shown, prepared, max_tokens, stop, parallel, continues)


def tool_schema(tool: Body) -> Body:
    """Give the schema of a tool, which each API has in another place."""
    schema = tool.get("function", tool)
    if not isinstance(schema, dict) or not isinstance(schema.get("name"), str):
        raise RequestError("`tools` has one without a name", "tools")
    parameters = schema.get("parameters", schema.get("input_schema"))
    return {"name": schema["name"], "description": schema.get("description"), "parameters": parameters or {}}


def call_of(function: Any, identity: Any) -> Body:
    """Give a call as chat templates have it: with its arguments as an object."""
    if not isinstance(function, dict) or "name" not in function:
        raise RequestError("a call has no name", "tool_calls")
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise RequestError(f"the arguments of a call are not JSON: {error}", "tool_calls") from error
    return {"id": identity, "function": {"name": function["name"], "arguments": arguments}}


def object_of(body: Body, key: str) -> Body:
    """Give an object, an empty one if there is none; what is another thing is for others to refuse."""
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def objects_of(body: Body, key: str, *, required: bool = False) -> list[Body]:
    """Give a list of objects."""
    value = body.get(key) or []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise RequestError(f"`{key}` is not a list of objects", key)
    if required and not value:
        raise RequestError(f"`{key}` is missing or empty", key)
    return value


def text_of(content: Any, where: str) -> str:
    """Give the text of a content that is one, or that has it in parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        raise RequestError(f"`{where}` has something that is no text, which cannot be served", where)
    return "".join(part["text"] for part in content)
