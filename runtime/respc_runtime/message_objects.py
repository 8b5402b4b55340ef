"""The objects that a server sends for a message of the Messages API, as plain dicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from respc_runtime.token_counts import TokenCounts

StopReason: TypeAlias = Literal["end_turn", "max_tokens", "stop_sequence", "tool_use"]


@dataclass(frozen=True)
class MessageObjects:
    """Makes the objects that a server sends.

    Attributes:
        message_id: the id of the message.
        model: the name of the model.
    """

    message_id: str
    model: str

    def message(
        self,
        content: list[dict[str, Any]],
        usage: TokenCounts,
        stop_reason: StopReason | None = None,
        stop_sequence: str | None = None,
    ) -> dict[str, Any]:
        """Make a `message`."""
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": stop_sequence,
            "usage": usage.message_usage(),
        }

    @staticmethod
    def ping() -> dict[str, Any]:
        """Make the event that keeps a connection open while nothing is written."""
        return {"type": "ping"}

    @staticmethod
    def error(kind: str, message: str) -> dict[str, Any]:
        """Make an error: the body of a response that is none, or an event of a stream.

        Args:
            kind: such as `invalid_request_error` (status 400), `not_found_error` (404), `rate_limit_error` (429),
                `api_error` (500) and `overloaded_error` (529).
            message: what is wrong.
        """
        return {"type": "error", "error": {"type": kind, "message": message}}
