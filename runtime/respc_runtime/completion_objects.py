"""The objects that a server sends for a chat completion, as plain dicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from respc_runtime.call_deltas import Delta

FinishReason: TypeAlias = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True)
class CompletionObjects:
    """Makes the objects that a server sends.

    Attributes:
        completion_id: the id of the completion, the same in all of its chunks.
        model: the name of the model.
        created: when it was made, in seconds since 1970.
        choice: the index of the choice.
    """

    completion_id: str
    model: str
    created: int
    choice: int = 0

    def chunk(self, delta: Delta, finish_reason: FinishReason | None = None) -> dict[str, Any]:
        """Make the `chat.completion.chunk` of a delta."""
        choice = {"index": self.choice, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._object("chat.completion.chunk", [choice])

    def last_chunk(self, finish_reason: FinishReason | None) -> dict[str, Any]:
        """Make the chunk that ends a choice."""
        return self.chunk({}, finish_reason)

    def usage_chunk(self, usage: dict[str, Any]) -> dict[str, Any]:
        """Make the chunk without choices that ends a stream whose request has `include_usage`."""
        return {**self._object("chat.completion.chunk", []), "usage": usage}

    def completion(
        self,
        message: dict[str, Any] | None,
        finish_reason: FinishReason | None,
        usage: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Make the `chat.completion` of a message, for requests that do not stream."""
        choice = {"index": self.choice, "message": message, "logprobs": None, "finish_reason": finish_reason}
        completion = self._object("chat.completion", [choice])
        return completion if usage is None else {**completion, "usage": usage}

    def _object(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self.completion_id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": choices,
        }
