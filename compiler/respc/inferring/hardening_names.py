"""Names of tools that must not be taken for a word of the format: content that begins as a call of a tool does."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from respc.inferring.call_formats import CallFormat
    from respc.inferring.content import ContentMarks

_NAME: Final = re.compile(r"\(\?P<name>\[\^(?P<stops>(?:\\.|[^\]\\])*)\]\+\)")


def without_words_of_content(written: CallFormat, content: ContentMarks | None) -> CallFormat:
    """Exclude from the names of tools what stands, in front of content, where names stand.

    Args:
        written: how calls are written.
        content: what stands around content.
    """
    opener = written.envelope.open.strip()
    leads = () if content is None or not opener else content.leads
    for lead in leads:
        word = lead.removeprefix(opener)
        if lead.startswith(opener) and word.isalnum():
            name = _NAME.match(written.head)
            if name is not None:
                # Content is told from a call by its word now, and not by what follows the name.
                behind = written.head[name.end() :].removesuffix(rf"(?={written.begins})")
                return replace(written, head=_other_than(word, name["stops"]) + behind)
    return written


def _other_than(word: str, stops: str) -> str:
    """Write the group of a name that is not a word, without looking ahead.

    Args:
        word: the word.
        stops: the signs that no name has, as in a class of signs.
    """
    parted = "|".join(rf"{word[:at]}[^{stops}{sign}]" for at, sign in enumerate(word))
    shorter = "|".join(word[:at] for at in range(len(word) - 1, 0, -1))
    longer = rf"(?:{parted}|{word}[^{stops}])[^{stops}]*"
    return rf"(?P<name>{longer}|{shorter})" if shorter else rf"(?P<name>{longer})"
