"""The marks around content, which belong to no field: the content is what is left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.inferring.probes import CONTENT, ONE_CALL
from respc.inferring.tokens import common_beginning, lenient

if TYPE_CHECKING:
    from respc.inferring.frame import Frame
    from respc.inferring.probes import Probes, Sight
    from respc.inferring.reasoning import Reasoning


@dataclass(frozen=True, slots=True)
class ContentMarks:
    """What stands around content.

    Attributes:
        open: in front of it.
        close: behind it, where more follows.
        behind: between it and what ends the turn.
        after_result: in front of it, where a tool's result comes before.
        sight: the message that showed it.
    """

    open: str
    close: str
    behind: str
    after_result: str
    sight: Sight


def find_content(probes: Probes, frame: Frame, reasoning: Reasoning | None) -> ContentMarks | None:
    """Find the marks around content; None where the template writes no content.

    Args:
        probes: of the chat template.
        frame: where messages begin and end.
        reasoning: what may stand, empty, in front of content.
    """
    sight = probes.first("content", {"content": CONTENT})
    if sight is None:
        return None
    body = frame.behind_anchor(sight.tail) + sight.text
    at = body.find(CONTENT)
    if at < 0:
        return None
    before, behind = body[:at], body[at + len(CONTENT) :]
    if reasoning is not None and reasoning.close:
        opener = f"(?:{lenient(reasoning.open)})?" if reasoning.open else ""
        before = re.sub(rf"^\s*{opener}\s*{lenient(reasoning.close)}", "", before)
    if reasoning is not None and reasoning.open and before.strip() == reasoning.open:
        before = ""
    both = probes.first("content and a call", {"content": CONTENT, "tool_calls": [ONE_CALL]})
    close = ""
    if both is not None and CONTENT in both.text:
        close = common_beginning(behind, both.text[both.text.index(CONTENT) + len(CONTENT) :])
    later = probes.first("content", {"content": CONTENT}, context="after a result")
    after_result = "" if later is None else later.text[: max(0, later.text.find(CONTENT))]
    return ContentMarks(before.strip(), close.strip(), behind.strip(), after_result.strip(), sight)
