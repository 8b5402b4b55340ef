"""A template, and outputs whose traces have everything in them that a trace can have."""

from __future__ import annotations

from typing import Any, Final

from respc.trace import Trace, trace_response

TEMPLATE: Final[dict[str, Any]] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {
            "open": "<think>",
            "close_pattern": "</think>\\s*",
            "repeats": True,
            "join": "\n",
        },
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {
                "type": "function",
                "function": {"name": "{content.name}", "arguments": "{content.arguments}"},
            },
        },
        "content": {"close": "<|im_end|>", "repeats": True, "join": ""},
    },
}
PROMPT: Final = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
CALL: Final = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
OUTPUT: Final = f"<think>Hm.</think>\n\nLet me see.{CALL}<|im_end|>"
BROKEN: Final = "One.<tool_call>oops</tool_call>Two."


def traced(text: str = OUTPUT, template: object = TEMPLATE, **asked: Any) -> Trace:
    """Return the trace of a text behind the prompt, unless another prefix is asked for."""
    return trace_response(text, template, **{"prefix": PROMPT, **asked})
