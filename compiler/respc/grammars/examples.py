"""Texts whose messages are known: what a chat template writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.grammars.learning import Example, NotLearnedError
from respc.verifying.features import Context, Conversation, Feature, call, tool
from respc.verifying.generations import WHOLE, Absence, Generation, writings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.chat_templates import ChatTemplate

TOOLS_OF_EXAMPLES: Final = [
    tool("read_gauge", days="integer", station="string"),
    tool("set_valve", ajar="boolean", label="string", width="number"),
    tool("sound_horn"),
    tool(
        "plan_trip",
        halts={"type": "array", "items": {"type": "string"}},
        route="string",
        wishes={
            "type": "object",
            "properties": {
                "avoid": {"type": "array", "items": {"type": "string"}},
                "year": {"type": "integer"},
            },
        },
    ),
    tool("leave_note", remark={"type": ["string", "null"]}),
]
"""Tools whose names and arguments are no words of a format. Arguments are sorted, as some formats sort them."""
_RENDERED_TOOLS: Final = [*TOOLS_OF_EXAMPLES[:-1], tool("leave_note", remark="string")]
"""The same without a type that is a list, which some chat templates cannot write."""

_THOUGHT: Final = "They ask about the river."
_ANSWER: Final = "The water stands low today."
_ULVIK: Final = call("read_gauge", days=2, station="Ulvik")
_VOSS: Final = call("read_gauge", days=1, station="Voss")
_BODO: Final = call("read_gauge", days=3, station="Bod")
_LIST: Final = ["a ferry", "the mill's", 20, 6.5, True, None, ["b"], {"year": 2020}]
_OBJECT: Final = {"avoid": ["the mill's", "b"], "cost": 6.5, "fast": False, "stay": None, "year": 2020}
_OF_KINDS: Final = (
    call("set_valve", label="north"),
    call("set_valve", label="east", width=6.5),
    call("set_valve", ajar=True, label="east"),
    call("set_valve", ajar=False, label="west"),
    call("plan_trip", halts=["x", "y"], route="coast"),
    call("plan_trip", halts=_LIST, route="coast"),
    call("plan_trip", route="coast", wishes=_OBJECT),
    call("leave_note", remark=None),
)
"""Arguments of one kind beside strings: lists and objects have values of each kind in them."""

MESSAGES: Final[tuple[dict[str, Any], ...]] = (
    {"content": _ANSWER},
    {"tool_calls": [_ULVIK]},
    {"tool_calls": [_ULVIK, _VOSS]},
    {"tool_calls": [_ULVIK, _VOSS, _BODO]},
    {"tool_calls": [call("sound_horn")]},
    *({"tool_calls": [each]} for each in _OF_KINDS),
    {"content": _ANSWER, "tool_calls": [_ULVIK]},
    {"reasoning_content": _THOUGHT, "tool_calls": [_ULVIK]},
    {"reasoning_content": _THOUGHT, "content": _ANSWER},
)
"""What shows how a format is spelled: values of each type, one call and several, and what can stand before them."""

_QUESTION: Final = {"role": "user", "content": "How high is the river at the mill?"}
_CONTEXT: Final = Context("first", [_QUESTION])


def examples_of_chat_template(template: ChatTemplate, ends: Sequence[str]) -> list[Example]:
    """Write the messages by a chat template.

    Args:
        template: the chat template.
        ends: the tokens that end a generation.

    Raises:
        NotLearnedError: the chat template writes no call.
    """
    spoken = [Conversation(Feature("example", message), _CONTEXT) for message in MESSAGES]
    made = writings(template, ends, spoken=spoken, tools=_RENDERED_TOOLS)
    written = [each for each in made.found if isinstance(each, Generation)]
    if not any("tool_calls" in each.case.feature.message for each in written):
        reasons = [
            each.reason
            for each in made.found
            if isinstance(each, Absence) and "tool_calls" in each.case.feature.message
        ]
        raise NotLearnedError(f"the chat template writes no call of the model: {reasons[0].rstrip('.')}")
    return [
        Example(each.cut.text[: each.cut.end], each.cut.prefix, each.case.feature.message)
        for each in written
        if each.ending == WHOLE
    ]
