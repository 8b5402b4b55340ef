"""The objects that a server sends for a response, as plain dicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc_runtime.token_counts import TokenCounts

ResponseStatus: TypeAlias = Literal["in_progress", "completed", "incomplete", "failed"]

REPEATED_KEYS: Final = (
    "background",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "user",
)
"""The keys of a request that its response repeats."""


@dataclass(frozen=True)
class ResponseObjects:
    """Makes the objects that a server sends.

    Attributes:
        response_id: the id of the response.
        model: the name of the model.
        created: when it was made, in seconds since 1970.
        request: the body of the request, as far as the response is to repeat it.
    """

    response_id: str
    model: str
    created: int
    request: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def response(
        self,
        status: ResponseStatus,
        output: list[dict[str, Any]],
        *,
        usage: TokenCounts | None = None,
        error: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Make a `response`; one that is incomplete has reached the limit of its tokens."""
        repeated = {key: self.request[key] for key in REPEATED_KEYS if self.request.get(key) is not None}
        return {
            "id": self.response_id,
            "object": "response",
            "created_at": self.created,
            "model": self.model,
            # Clients need these, also of a request without them.
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            **repeated,
            "status": status,
            "error": error,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "output": output,
            "usage": None if usage is None else usage.response_usage(),
        }
