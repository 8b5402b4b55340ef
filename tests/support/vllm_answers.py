"""What models of some formats write, and what is to come of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "write",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    },
]
BIG = "Line by line, the rain in Bergen falls. " * 20
TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<bot>",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "repeats": True, "join": "\n"},
        "tool_calls": {
            "open_pattern": r"<call (?P<name>[^<>\s]+)>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {"repeats": True, "join": "\n"},
    },
}
"""With what vLLM's own adapter refuses: the name of the reasoning, and `join`."""


CHAT_TEMPLATE = (
    "{% for message in messages %}{% if message.role == 'assistant' %}<bot>"
    "{% if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}"
    "{{ message.content or '' }}{% for call in message.tool_calls or () %}"
    "<call {{ call.function.name }}>{{ call.function.arguments | tojson }}</call>{% endfor %}{{ eos_token }}"
    "{% else %}[{{ message.role }}]{{ message.content }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<bot>{{ opened or '' }}{% endif %}"
)
"""Of a model that writes so."""


@dataclass(frozen=True)
class Format:
    """How models of a format write."""

    parser: str
    anchor: str
    marks: tuple[str, ...]
    call: Callable[[str, dict[str, Any]], str]
    block: tuple[str, str] = ("", "")
    template: dict[str, Any] | None = None
    chat_template: str | None = None

    def calls(self, *calls: tuple[str, dict[str, Any]]) -> str:
        """Write calls."""
        return self.block[0] + "".join(self.call(*call) for call in calls) + self.block[1]


def _qwen3(name: str, arguments: dict[str, Any]) -> str:
    call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{call}\n</tool_call>\n"


def _glm(name: str, arguments: dict[str, Any]) -> str:
    pairs = "".join(
        f"\n<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>" for key, value in arguments.items()
    )
    return f"<tool_call>{name}{pairs}\n</tool_call>"


def _deepseek(name: str, arguments: dict[str, Any]) -> str:
    written = json.dumps(arguments, ensure_ascii=False)
    return f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{written}<｜tool▁call▁end｜>"


def _own(name: str, arguments: dict[str, Any]) -> str:
    return f"<call {name}>{json.dumps(arguments, ensure_ascii=False)}</call>"


INFERRED = "inferred"
"""The format of a tokenizer that has a chat template, and no response template."""
FORMATS = {
    "qwen3": Format("respc_qwen3", "<|im_start|>assistant\n", ("<|im_start|>",), _qwen3),
    "glm4_7": Format(
        "respc_glm4_7",
        "<|assistant|>",
        ("<|assistant|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
        _glm,
    ),
    "deepseek_v3_1": Format(
        "respc_deepseek_v3_1",
        "<｜Assistant｜>",
        (
            *("<｜Assistant｜>", "<think>", "</think>", "<｜tool▁sep｜>", "<｜tool▁calls▁begin｜>"),
            *("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"),
        ),
        _deepseek,
        ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ),
    "template": Format("respc", "<bot>", ("<bot>",), _own, template=TEMPLATE, chat_template=CHAT_TEMPLATE),
    INFERRED: Format("respc", "<bot>", ("<bot>",), _own, chat_template=CHAT_TEMPLATE),
}
BERGEN = ("get_weather", {"city": "Bergen", "days": 2})
ODESA = ("get_weather", {"city": "Одеса 🌦", "days": 1})


def answers_of(written: Format) -> dict[str, Any]:
    """Write one answer of each kind."""
    thought = "<think>\nWhy — because 🦊.\n</think>\n\n"
    return {
        "plain": "Hello, wörld. It is 2 < 3.",
        "thought": f"{thought}The answer is 4.",
        "opened": "so it is open.\n</think>\n\nThe answer is 4.",
        "call": f"{thought}Let me look.\n{written.calls(BERGEN)}",
        "two": written.calls(BERGEN, ODESA),
        "big": written.calls(("write", {"text": BIG})),
        "again": f"{thought}First.<think>once more</think>Then.\n{written.calls(BERGEN)}<think>at last</think>",
        "tail": f"{written.calls(BERGEN)}\nDone.",
        "broken": f"{written.calls(BERGEN)}".replace('"city": ', '"city" ').replace("</arg_key>", "", 1)
        + "Sorry.",
        "cut": f"{thought}It goes o<cut>",
        "cut_call": written.calls(("write", {"text": BIG}))[:60] + "<cut>",
        "thinks_on": "<think>and on and on<cut>",
        "blank": " and so on.",
        "empty": "",
        "several": [f"{thought}One.", f"Two.{written.calls(BERGEN)}"],
        "json": f'{thought}{{"a": 1}}',
        "arguments": f'{thought}{{"city": "Bergen", "days": 2}}',
        "list": f'{thought}[{{"name": "get_weather", "parameters": {{"city": "Bergen", "days": 2}}}}]',
    }
