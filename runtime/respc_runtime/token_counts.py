"""The tokens of a request, as each API tells its usage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TokenCounts:
    """The tokens that a request took, as the server counts them.

    Attributes:
        prompt: the tokens of the prompt, with those that were cached.
        generated: the tokens that the model wrote.
        reasoning: how many of these were reasoning.
        cached: how many tokens of the prompt were cached.
    """

    prompt: int
    generated: int = 0
    reasoning: int = 0
    cached: int = 0

    def completion_usage(self) -> dict[str, Any]:
        """Give the `usage` of a chat completion."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.generated,
            "total_tokens": self.prompt + self.generated,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning},
        }

    def response_usage(self) -> dict[str, Any]:
        """Give the `usage` of a response."""
        return {
            "input_tokens": self.prompt,
            "input_tokens_details": {"cached_tokens": self.cached, "cache_write_tokens": 0},
            "output_tokens": self.generated,
            "output_tokens_details": {"reasoning_tokens": self.reasoning},
            "total_tokens": self.prompt + self.generated,
        }

    def message_usage(self) -> dict[str, Any]:
        """Give the `usage` of a message. Its input tokens are those that were not cached."""
        return {
            "input_tokens": self.prompt - self.cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.cached,
            "output_tokens": self.generated,
            "output_tokens_details": {"thinking_tokens": self.reasoning},
        }
