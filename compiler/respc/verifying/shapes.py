"""The shapes that messages are given to chat templates in: what these agree on is not much."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, Literal

Blocks = Literal["list", "mapping"]
"""How content is given that has reasoning in it: as a list of blocks, or as a mapping that has one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the messages of a conversation are given to a template.

    Attributes:
        arguments: as JSON values or as text.
        content: of a message with calls and no text: an empty text, None, or no such key.
        ids: of calls, by their number in the conversation and the name of the tool.
        blocks: how content is given that has reasoning in it; None where the reasoning is beside the content.
    """

    arguments: Literal["values", "text"] = "values"
    content: Literal["empty", "none", "missing"] = "empty"
    ids: str = "calls{number:04}"
    blocks: Blocks | None = None

    def conversation(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Give messages this shape, and their calls ids."""
        shaped: list[dict[str, Any]] = []
        ids: list[str] = []
        answered = 0
        for message in messages:
            if message["role"] == "assistant":
                shaped.append(self._message(message, len(ids)))
                ids += [call.get("id", "") for call in shaped[-1].get("tool_calls", ())]
            elif message["role"] == "tool" and "tool_call_id" not in message and answered < len(ids):
                shaped.append({**message, "tool_call_id": ids[answered]})
                answered += 1
            else:
                shaped.append(message)
        return shaped

    def _message(self, message: dict[str, Any], first_id: int) -> dict[str, Any]:
        shaped = self._in_blocks(message)
        if calls := message.get("tool_calls"):
            shaped["tool_calls"] = [self._call(call, first_id + number) for number, call in enumerate(calls)]
            if not shaped.get("content"):
                shaped.pop("content", None)
                if self.content != "missing":
                    shaped["content"] = "" if self.content == "empty" else None
        return shaped

    def _call(self, call: dict[str, Any], number: int) -> dict[str, Any]:
        function = call["function"]
        name, arguments = function["name"], function.get("arguments")
        if self.arguments == "text" and not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        made = self.ids.format(name=name, number=number)
        return {
            "id": call.get("id", made),
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }

    def _in_blocks(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.blocks is None:
            reasoning = message.get("reasoning_content")
            # Some read another name, which transformers does not fill in by itself.
            return dict(message) if reasoning is None else {"reasoning": reasoning, **message}
        kinds = {"list": ("thinking", "thinking", "text"), "mapping": ("thoughts", "text", "response")}
        thought, key, text = kinds[self.blocks]
        blocks: list[dict[str, Any]] = []
        if message.get("reasoning_content"):
            blocks.append({"type": thought, key: message["reasoning_content"]})
        if message.get("content"):
            blocks.append({"type": text, "text": message["content"]})
        rest = {
            name: value for name, value in message.items() if name not in ("reasoning_content", "content")
        }
        return {**rest, "content": blocks if self.blocks == "list" else {"blocks": blocks}}

    def with_blocks(self, blocks: Blocks | None) -> Shape:
        """Give the same shape, but for where reasoning is."""
        return replace(self, blocks=blocks)


_ARGUMENTS: Final[tuple[Literal["values", "text"], ...]] = ("values", "text")
_CONTENTS: Final[tuple[Literal["empty", "none", "missing"], ...]] = ("empty", "none", "missing")
SHAPES: Final = tuple(
    Shape(arguments, content, ids)
    for ids, arguments, content in product(
        ("calls{number:04}", "functions.{name}:{number}"), _ARGUMENTS, _CONTENTS
    )
)
"""Those that are tried, the usual first: nine characters are what Mistral's templates demand of an id."""
