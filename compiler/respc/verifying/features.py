"""What a model can write: the features of a message, and the conversations and modes that it is written in.

The messages are made so that what goes wrong shows: texts with marks and blanks in them, strings that look like other
types, arguments of every type, and names that no format has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


def tool(name: str, **properties: Any) -> dict[str, Any]:
    """Describe a tool; a property is a type, or a schema."""
    schemas = {
        key: {"description": f"The {key}.", **({"type": schema} if isinstance(schema, str) else schema)}
        for key, schema in properties.items()
    }
    parameters = {"type": "object", "properties": schemas, "required": list(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": f"Does {name}.", "parameters": parameters},
    }


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Give a call."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


@dataclass(frozen=True, slots=True)
class Feature:
    """A message that a model writes, by what of a format it needs.

    Attributes:
        name: what it needs; several messages have one name.
        message: without its role.
        prefill: whether the prompt already has the beginning of it.
    """

    name: str
    message: dict[str, Any]
    prefill: bool = False

    @property
    def has_calls(self) -> bool:
        """Whether the message calls tools."""
        return bool(self.message.get("tool_calls"))


@dataclass(frozen=True, slots=True)
class Context:
    """What comes before the message.

    Attributes:
        name: what the table calls it.
        history: the messages.
        with_tools: whether the prompt names tools.
    """

    name: str
    history: list[dict[str, Any]]
    with_tools: bool = True


@dataclass(frozen=True, slots=True)
class Conversation:
    """A message, and what comes before it."""

    feature: Feature
    context: Context


@dataclass(frozen=True, slots=True)
class Mode:
    """What a chat template is asked for.

    Attributes:
        name: what messages call it.
        options: what the chat template is given.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict[str, Any])


_STRING: Final = {"type": "string"}
_STRINGS: Final = {"type": "array", "items": _STRING}
TOOLS: Final = [
    tool("read_gauge", station="string", days="integer"),
    tool("set_valve", label="string", open="boolean", level="number"),
    tool("sound_horn"),
    tool(
        "plan_trip",
        route="string",
        options={
            "type": "object",
            "properties": {"avoid": _STRINGS, "year": {"type": "integer"}},
        },
        stops=_STRINGS,
    ),
    # The last: some chat templates cannot write a type that is a list, and get the other tools only.
    tool("leave_note", note={"type": ["string", "null"]}),
]

_GAUGE: Final = call("read_gauge", station="Bergsjø", days=2)
_ANSWER: Final = "The water stands low today."
_THOUGHT: Final = "They ask about the river.\nI could look it up."
_QUESTION: Final = {"role": "user", "content": "How high is the river at the mill?"}
_ODD_ANSWER: Final = (
    'Two lines:\n- naïve 水位 🌊 "quoted" {braces} [x] <b>bold</b>\n\n```py\nprint(f"{1}")\n```'
)
_LONG_STRING: Final = "line one\n  line two\n\nline & four"
_QUOTES: Final = 'say "high", it\'s <b>\\n</b> {a: [1]}'

FEATURES: Final = (
    Feature("answer", {"content": _ANSWER}),
    Feature("answer", {"content": _ODD_ANSWER}),
    Feature("prefill", {"content": _ANSWER}, prefill=True),
    Feature("reasoning", {"reasoning_content": _THOUGHT, "content": _ANSWER}),
    Feature("reasoning", {"reasoning_content": '水位 🌊 {"a": 1} <b>', "content": "- a\n- b"}),
    Feature("call", {"tool_calls": [_GAUGE]}),
    Feature("call", {"tool_calls": [call("read_gauge", station="São Paulo, 水位 🌊", days=-3)]}),
    Feature("text and call", {"content": "Let me look.", "tool_calls": [_GAUGE]}),
    Feature("reasoning and call", {"reasoning_content": _THOUGHT, "tool_calls": [_GAUGE]}),
    Feature(
        "reasoning, text and call",
        {"reasoning_content": _THOUGHT, "content": "Let me look.", "tool_calls": [_GAUGE]},
    ),
    Feature("several calls", {"tool_calls": [_GAUGE, call("read_gauge", station="Ulvik", days=1)]}),
    Feature(
        "several calls",
        {
            "tool_calls": [
                _GAUGE,
                call("plan_trip", route="x", options={}, stops=["a"]),
                call("read_gauge", station="Voss", days=1),
            ]
        },
    ),
    Feature("no arguments", {"tool_calls": [call("sound_horn")]}),
    Feature("types", {"tool_calls": [call("set_valve", label="the east one", open=True, level=6.5)]}),
    Feature("types", {"tool_calls": [call("set_valve", label="x", open=False, level=7)]}),
    Feature(
        "nested",
        {
            "tool_calls": [
                call(
                    "plan_trip",
                    route="coast",
                    options={"avoid": ["a ferry", "b"], "year": 2020},
                    stops=["x", "y"],
                )
            ]
        },
    ),
    Feature("nested", {"tool_calls": [call("plan_trip", route="", options={}, stops=[])]}),
    Feature("null", {"tool_calls": [call("leave_note", note=None)]}),
    Feature("strings", {"tool_calls": [call("read_gauge", station="007", days=0)]}),
    Feature("strings", {"tool_calls": [call("read_gauge", station=_QUOTES, days=1)]}),
    Feature("strings", {"tool_calls": [call("read_gauge", station=_LONG_STRING, days=1)]}),
)

_CALLED: Final = {"role": "assistant", "tool_calls": [_GAUGE]}
_RESULT: Final = {"role": "tool", "name": "read_gauge", "content": '{"height": 1.5}'}
_TWO_CALLED: Final = {
    "role": "assistant",
    "tool_calls": [_GAUGE, call("read_gauge", station="Ulvik", days=1)],
}
_PICTURE: Final = {
    "role": "user",
    "content": [{"type": "image"}, {"type": "text", "text": "How high is the river in this picture?"}],
}

CONTEXTS: Final = (
    Context("first", [_QUESTION]),
    Context("without tools", [_QUESTION], with_tools=False),
    Context(
        "second turn",
        [
            _QUESTION,
            {"role": "assistant", "content": "Low."},
            {"role": "user", "content": "And tomorrow?"},
        ],
    ),
    Context("after a result", [_QUESTION, _CALLED, _RESULT]),
    Context(
        "after two results",
        [_QUESTION, _TWO_CALLED, _RESULT, {**_RESULT, "content": '{"height": 2.25}'}],
    ),
    Context("system", [{"role": "system", "content": "Be terse."}, _QUESTION]),
    Context("image", [_PICTURE]),
)

MODES: Final = (
    Mode("default"),
    Mode("thinking", {"enable_thinking": True, "thinking": True}),
    Mode("not thinking", {"enable_thinking": False, "thinking": False}),
)


def conversations(features: Sequence[Feature] = FEATURES) -> list[Conversation]:
    """Put messages in all contexts that they can be in."""
    return [
        Conversation(feature, context)
        for feature in features
        for context in CONTEXTS
        if context.with_tools or not feature.has_calls
    ]
