"""The templates that are measured, and a generation of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.workload import in_tokens, prose


@dataclass(frozen=True, slots=True)
class Family:
    """A template, what opens and closes its answer, and a call in its format."""

    name: str
    template: dict[str, Any]
    opening: str
    closing: str
    call: str

    def generation(self, tokens: int) -> list[str]:
        """Write about so many chunks: an answer of prose, then two calls."""
        return [*in_tokens(self.opening), *prose(tokens), *in_tokens(self.closing + self.call * 2)]


_CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
_CHATML = {"defaults": {"role": "assistant"}, "start_anchor": "<|im_start|>assistant\n"}
_JSON_CALL = '<tool_call>\n{"name": "look", "arguments": {"city": "Bergen", "days": [1, 2, 3]}}\n</tool_call>'
_XML_CALL = (
    "<tool_call>\n<function=look>\n<parameter=city>\nBergen\n</parameter>\n"
    "<parameter=days>\n[1, 2, 3]\n</parameter>\n</function>\n</tool_call>"
)

FAMILIES = (
    Family(
        "literals (SmolLM3)",
        {
            **_CHATML,
            "fields": {
                "reasoning_content": {"open": "<think>", "close": "</think>"},
                "tool_calls": {
                    "open": "<tool_call>",
                    "close": "</tool_call>",
                    "repeats": True,
                    "content": "json",
                    "transform": {"type": "function", "function": "{content}"},
                },
                "content": {"close": "<|im_end|>"},
            },
        },
        "<think>\nshort\n</think>\n",
        "",
        _JSON_CALL,
    ),
    Family(
        "headers (gpt-oss)",
        {
            "defaults": {"role": "assistant"},
            "start_anchor": "<|start|>assistant",
            "fields": {
                "reasoning_content": {"open": "<|channel|>analysis<|message|>", "close": "<|end|>"},
                "content": {"open": "<|channel|>final<|message|>", "close": ["<|return|>", "<|end|>"]},
                "tool_calls": {
                    "open_pattern": r"<\|channel\|>commentary to=functions\.(?P<name>[\w.-]+).*?<\|message\|>",
                    "close": "<|call|>",
                    "repeats": True,
                    "content": "json",
                    "transform": _CALL,
                },
            },
        },
        "<|channel|>final<|message|>",
        "<|end|>",
        '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"city": "Bergen"}<|call|>',
    ),
    Family(
        "blanks in front (Qwen3.5)",
        {
            **_CHATML,
            "fields": {
                "reasoning_content": {"open": "<think>", "close": "</think>"},
                "tool_calls": {
                    "open_pattern": r"\s*<tool_call>\s*<function=(?P<name>[^>\n]+)>",
                    "close_pattern": r"</function>\s*</tool_call>",
                    "repeats": True,
                    "content": "xml-inline",
                    "content_args": {
                        "tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>",
                    },
                    "transform": _CALL,
                },
                "content": {"close_pattern": r"\s*(?:<\|im_end\|>|<\|endoftext\|>)"},
            },
        },
        "",
        "",
        _XML_CALL,
    ),
    Family(
        "closers that end with the text (GLM)",
        {
            "defaults": {"role": "assistant"},
            "start_anchor": "<|assistant|>",
            "fields": {
                "reasoning_content": {"open": "<think>", "close_pattern": r"</think>\s*"},
                "tool_calls": {
                    "open_pattern": r"<tool_call>(?P<name>\S+)\n?",
                    "close_pattern": r"</tool_call>\s*",
                    "repeats": True,
                    "content": "xml-inline",
                    "content_args": {
                        "tag_pattern": r"<arg_key>(?P<key>[^<]+)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
                    },
                    "transform": _CALL,
                },
                "content": {"close_pattern": r"<\|user\|>\s*|$"},
            },
        },
        "",
        "",
        "<tool_call>look\n<arg_key>city</arg_key>\n<arg_value>Bergen</arg_value>\n</tool_call>",
    ),
)
