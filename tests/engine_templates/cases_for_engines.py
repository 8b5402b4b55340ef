"""A template that both engines take, what each refuses or does wrongly of others, and which families it takes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

CALL: Final[dict[str, Any]] = {"type": "function", "function": "{content}"}
TAKEN: Final[dict[str, Any]] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<bot>",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": CALL,
        },
        "content": {"close": "<end>", "repeats": True},
    },
}


def changed(*removed: str, **fields: dict[str, Any]) -> dict[str, Any]:
    """Return what both take, with fields removed, and keys of others or new fields put in."""
    template = deepcopy(TAKEN)
    for name in removed:
        del template["fields"][name]
    for name, keys in fields.items():
        template["fields"][name] = {**template["fields"].get(name, {}), **keys}
    return template


def closed_by(**closer: Any) -> dict[str, Any]:
    """Return what both take, with another closer of the reasoning."""
    return changed("thinking", thinking={"open": "<think>", **closer})


MARKS: Final = {"open_pattern": "(?=</?answer>)", "close_pattern": r"</?answer>\s*"}
OPENED: Final = {"open": "<answer>", "close": "</answer>"}

Case = tuple[dict[str, Any], dict[str, list[str]]]
"""A template, and what is found in it for each engine: code and pointer."""


def both(*found: str) -> dict[str, list[str]]:
    """Return findings that are the same for both engines."""
    return {"vllm": list(found), "sglang": list(found)}


CASES: Final[dict[str, Case]] = {
    "taken": (TAKEN, both()),
    "without reasoning": (changed("thinking"), both()),
    "without calls and content": (changed("tool_calls", "content"), both()),
    "another name of the reasoning": (
        changed("thinking", reasoning_content={"open": "<think>", "close": "</think>"}),
        both("RT820 /fields/reasoning_content"),
    ),
    "a third name of the reasoning": (
        changed("thinking", reasoning={"open": "<think>", "close": "</think>"}),
        both("RT820 /fields/reasoning"),
    ),
    "two names of the reasoning": (
        changed(reasoning_content={"open": "<again>", "close": "</again>"}),
        both("RT820 /fields/reasoning_content"),
    ),
    "marks in a field of their own": (changed(answer=MARKS), both("RT820 /fields/answer")),
    "another field": (changed(notes={"open": "<n>", "close": "</n>"}), both("RT820 /fields/notes")),
    "a default": (
        {**deepcopy(TAKEN), "defaults": {"role": "assistant", "name": "x/y"}},
        both("RT821 /defaults/name"),
    ),
    "content joined": (changed(content={"join": ""}), both("RT822 /fields/content/join")),
    "reasoning joined": (
        changed(thinking={"repeats": True, "join": "\n"}),
        {
            "vllm": ["RT822 /fields/thinking/join", "RT830 /fields/thinking/repeats"],
            "sglang": ["RT822 /fields/thinking/join"],
        },
    ),
    "joined by null": (changed(content={"join": None}), both()),
    "reasoning of another kind": (
        changed(thinking={"content": "json"}),
        both("RT823 /fields/thinking/content"),
    ),
    "content that is transformed": (
        changed(content={"transform": {"text": "{content}"}}),
        both("RT823 /fields/content/transform"),
    ),
    "calls in Python": (
        changed(tool_calls={"content": "python-call-list"}),
        both("RT824 /fields/tool_calls/content"),
    ),
    "reasoning in Python": (
        changed(thinking={"content": "python-call-list"}),
        both("RT823 /fields/thinking/content"),
    ),
    "calls without an opener": (
        changed(
            "content",
            "tool_calls",
            tool_calls={"close": "</call>", "repeats": True, "content": "json", "transform": CALL},
        ),
        {"vllm": [], "sglang": ["RT825 /fields/tool_calls"]},
    ),
    "reasoning without an opener": (
        changed("thinking", "content", thinking={"close": "</think>"}),
        both(),
    ),
    "reasoning without an opener beside content with one": (
        changed("thinking", "content", thinking={"close": "</think>"}, content=OPENED),
        {"vllm": [], "sglang": ["RT825 /fields/thinking"]},
    ),
    "content with an opener": (changed("content", content=OPENED), both()),
    "reasoning that repeats": (
        changed(thinking={"repeats": True}),
        {"vllm": ["RT830 /fields/thinking/repeats"], "sglang": []},
    ),
    "reasoning closed by a pattern": (
        closed_by(close_pattern=r"</think>\s*|(?=<call>)"),
        both("RT831 /fields/thinking/close_pattern"),
    ),
    "reasoning that nothing closes": (closed_by(), both("RT831 /fields/thinking")),
    "reasoning closed by words": (
        closed_by(close="My answer:"),
        both("RT832 /fields/thinking/close"),
    ),
    "reasoning closed by words after a mark": (
        closed_by(close=["</think>", "My answer:"]),
        {"vllm": ["RT832 /fields/thinking/close"], "sglang": []},
    ),
}

REFUSED: Final = {
    "lfm2": ["tool_calls"],
    "llama3_pythonic": ["tool_calls"],
    "llama4": ["tool_calls"],
    "magistral": ["nameless_call"],
    "mistral_v11": ["nameless_call"],
    "olmo3": ["function_calls"],
}
"""The families that no engine takes, and the fields because of which."""
KEPT_CLOSERS: Final = {"vllm": {"apertus", "apriel", "granite3_2", "hy_v4"}, "sglang": {"apertus", "hy_v4"}}
"""The families whose reasoning is closed by a pattern even so."""
