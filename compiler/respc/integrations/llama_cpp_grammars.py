"""What of a request a grammar of llama.cpp holds the model to, and how its text is read then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from respc_runtime.argument_text import compact_json
from respc_runtime.openai import make_call_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc_runtime.call_deltas import Delta
    from respc_runtime.openai import FinishReason


@dataclass(frozen=True)
class ShapedAnswer:
    """An answer that a grammar shapes.

    Attributes:
        grammar: of llama-cpp-python.
        is_call: whether it is a call, as a JSON object with `name` and `arguments`; else it is content.
    """

    grammar: Any
    is_call: bool


def shaped_answer(
    tools: Sequence[dict[str, Any]], tool_choice: Any, response_format: dict[str, Any] | None, verbose: bool
) -> ShapedAnswer | None:
    """Make the grammar that a request needs; None if it needs none.

    Raises:
        ValueError: the tool that has to be called is none of the request.
    """
    if tools and (tool_choice == "required" or isinstance(tool_choice, dict)):
        name = _forced_tool(tool_choice)
        functions = [tool.get("function", tool) for tool in tools]
        chosen = [function for function in functions if name in (None, function["name"])]
        if not chosen:
            raise ValueError(f"the tool {name!r} has to be called, but the request has no such tool")
        return ShapedAnswer(
            _grammar({"oneOf": [_call_schema(each) for each in chosen]}, verbose), is_call=True
        )
    kind = None if response_format is None else response_format["type"]
    if response_format is None or kind == "text":
        return None
    # llama-cpp-python has the schema beside the type, OpenAI within.
    schema = response_format.get("schema") or response_format.get("json_schema", {}).get("schema")
    return ShapedAnswer(_grammar(schema or {"type": "object"}, verbose), is_call=False)


def _forced_tool(choice: Any) -> str | None:
    """Give the name of the tool that has to be called; None for any."""
    return None if isinstance(choice, str) else choice["function"]["name"]


def _call_schema(function: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "name": {"const": function["name"]},
            "arguments": function.get("parameters") or {"type": "object"},
        },
        "required": ["name", "arguments"],
    }


def _grammar(schema: dict[str, Any], verbose: bool) -> Any:
    grammars: Any = import_module("llama_cpp.llama_grammar")
    return grammars.LlamaGrammar.from_json_schema(json.dumps(schema), verbose=verbose)


class ShapedText:
    """Reads an answer that a grammar shapes: nothing in it is a delimiter of the format.

    It has of a `ChatCompletionParser` what a server needs.

    Args:
        is_call: whether the answer is a call.

    Attributes:
        initial_deltas: the role.
        message: the message, after `finalize`.
        finish_reason: why it ended.
    """

    def __init__(self, *, is_call: bool) -> None:
        self.initial_deltas: list[Delta] = [{"role": "assistant"}]
        self.message: dict[str, Any] | None = None
        self.finish_reason: FinishReason | None = None
        self._is_call = is_call
        self._parts: list[str] = []

    def feed(self, text: str) -> list[Delta]:
        """Take the next chunk and give its deltas."""
        self._parts.append(text)
        return [] if self._is_call else [{"content": text}]

    def finalize(self, *, length: bool = False, stopped: bool = False) -> list[Delta]:
        """End the generation and give the last deltas; it is whole when the model itself `stopped`."""
        text = "".join(self._parts)
        call = _call_of(text) if self._is_call else None
        ending: Literal["stop", "tool_calls"] = "stop" if call is None else "tool_calls"
        self.finish_reason = "length" if length else ending
        self.message = {"role": "assistant", "content": None if self._is_call else text or None}
        if call is None:
            return []
        self.message["tool_calls"] = [call]
        return [{"tool_calls": [{"index": 0, **call}]}]


def _call_of(text: str) -> dict[str, Any] | None:
    """Read a call; None if it was cut off."""
    try:
        call: Any = json.loads(text)
    except ValueError:
        return None
    function = {"name": call["name"], "arguments": compact_json(call["arguments"])}
    return {"id": make_call_id(), "type": "function", "function": function}
