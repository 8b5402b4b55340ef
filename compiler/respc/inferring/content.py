"""The marks around content, which belong to no field: the content is what is left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.inferring.probes import CONTENT, FIRST_NAME, ONE_CALL
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
        leads: all that may be in front of it, as where tools are named or a result comes before.
        close: behind it, where more follows.
        behind: between it and what ends the turn.
        sight: the message that showed it.
    """

    open: str
    leads: tuple[str, ...]
    close: str
    behind: str
    sight: Sight


def find_content(probes: Probes, frame: Frame, reasoning: Reasoning | None) -> ContentMarks | None:
    """Find the marks around content; None where the template writes no content.

    Args:
        probes: of the chat template.
        frame: where messages begin and end.
        reasoning: what may stand, empty, in front of content.
    """
    sight = probes.first("answer", {"content": CONTENT})
    if sight is None:
        return None
    lead = _lead(sight, frame, reasoning)
    others = [
        probes.first("answer", {"content": CONTENT}, with_tools=True),
        probes.first("answer", {"content": CONTENT}, context="after a result"),
    ]
    leads = [lead, *(_lead(each, frame, reasoning) for each in others if each is not None)]
    behind = sight.text.partition(CONTENT)[2]
    both = probes.first("text and call", {"content": CONTENT, "tool_calls": [ONE_CALL]})
    close = "" if both is None else common_beginning(behind, both.text.partition(CONTENT)[2])
    if both is not None and FIRST_NAME not in both.text.partition(CONTENT)[0]:
        leads.append(_lead(both, frame, reasoning))
    kept = tuple(dict.fromkeys(each for each in leads if each))
    return ContentMarks(lead, kept, close.strip(), behind.strip(), sight)


def _lead(sight: Sight, frame: Frame, reasoning: Reasoning | None) -> str:
    """Give what stands in front of content, but for an empty reasoning."""
    before = (frame.behind_anchor(sight.prompt) + sight.text).partition(CONTENT)[0]
    if reasoning is None or not reasoning.close:
        return before.strip()
    opener = f"(?:{lenient(reasoning.open)})?" if reasoning.open else ""
    before = re.sub(rf"^\s*{opener}\s*{lenient(reasoning.close)}", "", before).strip()
    return "" if before == reasoning.open else before
