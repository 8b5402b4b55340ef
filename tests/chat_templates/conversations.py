"""Conversations that chat templates write, by what of a format they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final


def tool(name: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """Describe a tool as `apply_chat_template` takes it."""
    described = {key: {"description": f"The {key}.", **schema} for key, schema in properties.items()}
    parameters = {"type": "object", "properties": described, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": f"Does {name}.", "parameters": parameters},
    }


TEXT: Final = {"type": "string"}
LIST: Final = {"type": "array", "items": TEXT}
TOOLS: Final = [
    tool("water_plant", plant=TEXT, cups={"type": "integer"}),
    tool("set_lamp", room=TEXT, on={"type": "boolean"}, level={"type": "number"}),
    tool("ring_bell"),
    tool(
        "plan_route",
        stops=LIST,
        options={
            "type": "object",
            "properties": {"avoid": LIST, "hours": {"type": "integer"}},
            "additionalProperties": TEXT,
        },
    ),
]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Give a call."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


QUESTION: Final = {"role": "user", "content": "The fern on the sill looks dry, doesn't it?"}
WATER: Final = call("water_plant", plant="fern", cups=2)
RESULT: Final = {
    "role": "tool",
    "name": "water_plant",
    "tool_call_id": "calls0000",
    "content": '{"done": true}',
}
ANSWER: Final = "It had been dry for days."
THOUGHT: Final = "They ask about the fern.\nFerns like it damp."


@dataclass(frozen=True)
class Conversation:
    """A conversation whose last message is a model's.

    Attributes:
        name: what of a format it needs.
        needs: what a template can be without, so that it is not for it.
        message: the last message, without its role.
        history: what is before.
    """

    name: str
    needs: tuple[str, ...]
    message: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=lambda: [QUESTION])

    def __str__(self) -> str:
        return self.name


AFTER_CALL: Final = [QUESTION, {"role": "assistant", "tool_calls": [WATER]}, RESULT]
SECOND_TURN: Final = [
    QUESTION,
    {"role": "assistant", "content": "It does."},
    {"role": "user", "content": "And the one beside it?"},
]
CONVERSATIONS: Final = (
    Conversation("plain", (), {"content": ANSWER}),
    Conversation("lines", (), {"content": '- « Äpfel » 梨 🌱\n- "x" {y} [z] <b>\n\n```py\nf(1)\n```'}),
    Conversation("second turn", (), {"content": ANSWER}, SECOND_TURN),
    Conversation("reasoning and text", ("reasoning",), {"reasoning_content": THOUGHT, "content": ANSWER}),
    Conversation(
        "reasoning and text in a second turn",
        ("reasoning",),
        {"reasoning_content": "Höhe 高? {1}", "content": ANSWER},
        SECOND_TURN,
    ),
    Conversation("call", ("calls",), {"tool_calls": [WATER]}),
    Conversation("call in a second turn", ("calls",), {"tool_calls": [WATER]}, SECOND_TURN),
    Conversation("types", ("calls",), {"tool_calls": [call("set_lamp", room="hall", on=True, level=0.5)]}),
    Conversation("no arguments", ("calls", "no arguments"), {"tool_calls": [call("ring_bell")]}),
    Conversation(
        "two calls",
        ("calls", "several calls"),
        {"tool_calls": [WATER, call("set_lamp", room="attic", on=False, level=1)]},
    ),
    Conversation(
        "nested arguments",
        ("calls", "nested arguments"),
        {"tool_calls": [call("plan_route", stops=["mill", "weir"], options={"avoid": ["ford"], "hours": 3})]},
    ),
    Conversation(
        "empty arguments",
        ("calls", "nested arguments"),
        {"tool_calls": [call("plan_route", stops=[], options={})]},
    ),
    Conversation(
        "other letters", ("calls",), {"tool_calls": [call("water_plant", plant="Königsfarn 王蕨 🌿", cups=1)]}
    ),
    Conversation(
        "lines in arguments",
        ("calls", "lines in arguments"),
        {"tool_calls": [call("water_plant", plant="<b>\n  d: {f: [1]},\n\ne & g", cups=1)]},
    ),
    Conversation(
        "quotes in arguments",
        ("calls", "quotes in arguments"),
        {"tool_calls": [call("water_plant", plant='a "b", it\'s \\n', cups=1)]},
    ),
    Conversation(
        "text and call", ("calls", "text and call"), {"content": "Watering.", "tool_calls": [WATER]}
    ),
    Conversation(
        "reasoning and call",
        ("calls", "reasoning", "reasoning and call"),
        {"reasoning_content": THOUGHT, "tool_calls": [WATER]},
    ),
    Conversation(
        "reasoning, text and call",
        ("calls", "reasoning", "reasoning and call", "text and call"),
        {"reasoning_content": THOUGHT, "content": "Watering.", "tool_calls": [WATER]},
    ),
    Conversation("answer after a call", ("calls", "after a call"), {"content": ANSWER}, AFTER_CALL),
    Conversation(
        "call after a call",
        ("calls", "after a call"),
        {"tool_calls": [call("set_lamp", room="hall", on=True, level=2.5)]},
        AFTER_CALL,
    ),
)
MODES: Final[dict[str, dict[str, Any]]] = {
    "by default": {},
    "thinking": {"enable_thinking": True, "thinking": True},
    "not thinking": {"enable_thinking": False, "thinking": False},
}
