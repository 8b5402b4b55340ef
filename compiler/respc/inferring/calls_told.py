"""Calls that a chat template never writes, though the prompt that names tools tells the model how to write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from respc.inferring.call_formats import CallFormat, call_transform
from respc.inferring.envelope import Envelope
from respc.inferring.probes import CONTENT, FIRST_NAME, Sight
from respc.inferring.sides import closes, resembles
from respc.inferring.tokens import MARK, marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.probes import Probes

_EXAMPLE: Final = re.compile(
    r"\s*(?P<list>\[\s*)?\{\s*\"(?P<name>name)\"\s*:[^{}]{0,80}?,\s*\"(?P<arguments>\w+)\"\s*:"
)
_LIST: Final = re.compile(r"[^.<>\n]{0,40}\bJSON list\b", re.IGNORECASE)
_LONGEST: Final = 240


@dataclass(frozen=True, slots=True)
class _Told:
    """What the prompt tells of calls.

    Attributes:
        opener: the mark in front of a call.
        closer: the mark behind it; "" where none is told of.
        listed: whether the calls are a list.
        arguments: the key of the arguments.
        excerpt: the piece of the prompt.
    """

    opener: str
    closer: str
    listed: bool
    arguments: str
    excerpt: str


def told_calls(probes: Probes) -> Iterator[CallFormat]:
    """Yield the way to read calls that the prompt tells of: JSON behind a mark.

    Nothing that the chat template writes proves it, so that it is for chat templates that write no calls.

    Args:
        probes: of the chat template.
    """
    named = probes.first("answer", {"content": CONTENT}, with_tools=True)
    plain = probes.first("answer", {"content": CONTENT}, with_tools=False)
    if named is None or plain is None:
        return
    for told in _told(named.prompt, plain.prompt):
        root = "" if told.listed else "content."
        function = {"name": f"{{{root}name}}", "arguments": f"{{{root}{told.arguments}}}"}
        begins = r"\[\s*\{" if told.listed else r"\{"
        yield CallFormat(
            "the prompt tells the model to: JSON behind a mark",
            Sight("", 0, told.excerpt, "", "prompt", "with tools"),
            Envelope("", told.opener, told.closer, "", "", several=not told.listed),
            "",
            begins,
            begins,
            "",
            "json",
            call_transform(function),
            each=told.listed,
        )
        return


def _told(named: str, plain: str) -> Iterator[_Told]:
    """Find the marks that only the prompt with tools has, and that an example or the words for one follow."""
    for match in MARK.finditer(named):
        mark, behind = match[0], named[match.end() :]
        if mark in plain or closes(mark):
            continue
        example = _EXAMPLE.match(behind)
        is_list = _LIST.match(behind) is not None
        if example is None and not is_list:
            continue
        # What holds the name of a tool is what tells of tools.
        if example is not None and FIRST_NAME in example[0]:
            continue
        closer = next((each for each in marks(behind[:_LONGEST]) if resembles(mark, each)), "")
        excerpt = named[match.start() :][:_LONGEST]
        listed = is_list if example is None else example["list"] is not None
        arguments = "arguments" if example is None else example["arguments"]
        yield _Told(mark, closer, listed, arguments, excerpt)
