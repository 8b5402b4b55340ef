"""The texts that a chat template has: what stands in quotes and between its tags.

They are only tried, as parts of messages, and it is seen what becomes of them. No decision is made by what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jinja2 import nodes

from respc.chat_templates.environment import usual_environment
from respc.inferring.tokens import marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST: Final = 12
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Pair:
    """What may be an opener and its closer."""

    open: str
    close: str


def pairs_of(sources: Mapping[str, str]) -> list[Pair]:
    """Give the pairs of marks of chat templates that differ as an opener and its closer do.

    Args:
        sources: the texts of the templates.
    """
    found = list(dict.fromkeys(mark for source in sources.values() for mark in _marks_of(source)))
    pairs: list[Pair] = []
    for closer in found:
        opener = _opener_of(closer, found)
        if opener is not None:
            pairs.append(Pair(opener, closer))
    return pairs[:_MOST]


def _opener_of(closer: str, found: list[str]) -> str | None:
    if closer.startswith(("</", "[/")):
        return closer[0] + closer[2:]
    for end, begin in (("end", "begin"), ("END", "START"), ("end", "start"), ("close", "open")):
        opener = closer.replace(end, begin)
        if opener != closer and opener in found:
            return opener
    return None


def _marks_of(source: str) -> Iterator[str]:
    tree = usual_environment().parse(source)
    for each in tree.find_all((nodes.Const, nodes.TemplateData)):
        value = each.data if isinstance(each, nodes.TemplateData) else getattr(each, "value", None)
        if isinstance(value, str):
            yield from (mark for mark in marks(value) if len(mark) <= _LONGEST)
