"""A way in which calls are written, as a part of a response template."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from respc.inferring.call_sights import ID, INDEX, NAME
from respc.inferring.tokens import lenient

if TYPE_CHECKING:
    from respc.inferring.envelope import Envelope
    from respc.inferring.frame import Frame
    from respc.inferring.probes import Sight

FUNCTION: Final[dict[str, Any]] = {"name": "{name}", "arguments": "{content}"}


@dataclass(frozen=True, slots=True)
class CallFormat:
    """A way in which calls are written.

    Attributes:
        kind: what it is called in reports.
        sight: a message that showed it.
        envelope: what stands around calls.
        head: the pattern of what the opener has behind that, as the name; "" where the body is next.
        begins: a pattern of how the body begins; "" where it can begin in any way.
        signature: a pattern of how the body begins that nothing else has, if there is one; else as `begins`.
        ends: a pattern of how the body ends, to be looked behind for; "" where it can end in any way.
        content: the content parser.
        transform: what its value becomes.
        content_args: what the content parser is given.
        each: whether the value is a list of calls.
        lead: a pattern of what the opener has in front of the head; "" for what the envelope opens with.
    """

    kind: str
    sight: Sight
    envelope: Envelope
    head: str
    begins: str
    signature: str
    ends: str
    content: str
    transform: dict[str, Any]
    content_args: dict[str, Any] = field(default_factory=dict[str, Any])
    each: bool = False
    lead: str = ""


def opened_by_separator(
    frame: Frame, formats: tuple[CallFormat, ...]
) -> tuple[Frame, tuple[CallFormat, ...]]:
    """Take what separates calls for what opens each, where prompts end with it.

    Args:
        frame: where messages begin.
        formats: the ways in which calls may be written.
    """
    separators = {
        each.envelope.separator.strip() for each in formats if each.head and not each.envelope.open.strip()
    }
    mark = next((each for each in separators if each and frame.anchors[0].rstrip().endswith(each)), None)
    if mark is None:
        return frame, formats
    first = frame.anchors[0].rstrip()[: -len(mark)]
    changed = tuple(
        replace(each, envelope=replace(each.envelope, open=mark, separator=""))
        if each.envelope.separator.strip() == mark
        else each
        for each in formats
    )
    return replace(frame, anchors=(first, *frame.anchors[1:])), changed


def call_transform(function: dict[str, Any], call_id: str | None = None) -> dict[str, Any]:
    """Make what a call becomes.

    Args:
        function: the function, with placeholders.
        call_id: the placeholder of its id; None where none is written.
    """
    made: dict[str, Any] = {"type": "function"}
    if call_id is not None:
        made["id"] = call_id
    return {**made, "function": function}


def pattern_with_ids(text: str) -> str:
    """Write a text as a lenient pattern, with patterns for what stands in it for ids, indexes and names."""
    # Ids and names are long runs: each blank that may stand behind one is a place where the pattern can begin again.
    pattern = lenient(text, blanks_between_marks=not set(text) & {ID, NAME})
    for sign, meant in ((ID, r"(?P<id>[^\s<>\[\]{},\"']+)"), (INDEX, r"\d+"), (NAME, r"[^\s<>\"]+")):
        pattern = pattern.replace(sign, meant)
    first, found, rest = pattern.partition("(?P<id>")
    return first + found + rest.replace("(?P<id>", "(?:") if found else pattern


def name_pattern(after: str, before: str = "") -> str:
    """Write the pattern of a tool's name.

    Args:
        after: what is written behind it.
        before: what is written in front of it.
    """
    behind = after.strip()[:1]
    # Brackets begin marks: a run that takes them would go on over the end of a turn.
    stops = {"<", ">", "{", "[", "]"}
    if not behind.isalnum():
        stops |= {*behind}
    stops |= {sign for sign in before.strip()[-1:] if not sign.isalnum() and sign != "."}
    listed = "".join(rf"\{sign}" if sign in "[]^-" else sign for sign in sorted(stops))
    return rf"(?P<name>[^\s{listed}]+)"


def has_id(*texts: str) -> bool:
    """Tell whether the id of a call is written in one of some texts."""
    return any(ID in text for text in texts)


def ahead_of(pattern: str) -> str:
    """Write a pattern so that it can be looked ahead for: without groups, and without looking ahead itself."""
    return re.sub(r"\(\?=([^()]*)\)$", r"\1", re.sub(r"\(\?P<\w+>", "(?:", pattern))
