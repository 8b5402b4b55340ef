"""What the calls of all tools of a format have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from respc.grammars.nodes import Literal, Node, sequence
from respc.grammars.schemas import Allowed
from respc.grammars.shapes import values_of_shapes
from respc.grammars.spelling import HOLES, KEY, ObjectArguments, style_of
from respc.grammars.strings import raw_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.grammars.building import Exclusions
    from respc.grammars.spelling import Calls, TagArguments

_CACHED: Final = 1_024
_HOLE: Final = re.compile(f"([{''.join(HOLES)}])")


class CallParts:
    """What the calls of all tools have in common, made once.

    Args:
        calls: how calls are spelled.
        exclusions: what may not be in free texts.
        apart: whether constants stay apart from what is around them.
    """

    def __init__(self, calls: Calls, exclusions: Exclusions, *, apart: bool) -> None:
        writing = calls.arguments
        self.calls = calls
        self.exclusions = exclusions
        self.allowed = Allowed(exclusions.arguments, exclusions.any_values, apart)
        self.before = _around(calls.before.removeprefix(lead_of(calls)))
        self.after = _around(calls.after)
        self.plain_tags = (
            {} if isinstance(writing, ObjectArguments) else dict(_plain_tags(writing, exclusions))
        )


def _around(text: str) -> tuple[str | Literal, ...]:
    """Split what stands around arguments into texts, as they are written, and holes."""
    return tuple(part if part in HOLES else Literal(part) for part in _parts(text))


@dataclass(frozen=True, slots=True)
class _PlainTag:
    """A tag with a value of which a schema says no more than its kind.

    Attributes:
        before_value: what stands behind the name of the argument.
        rest: the value, and what closes the tag.
    """

    before_value: str
    rest: Node


def _plain_tags(writing: TagArguments, exclusions: Exclusions) -> Iterator[tuple[str, _PlainTag]]:
    """Write the tags of values of which nothing is said but their kind, by that; but for those that have it again."""
    for kind, around in writing.tags.items():
        after = around.after_value
        values = values_of_shapes(style_of(writing, kind), exclusions.arguments)
        if kind not in writing.kinds or kind not in values or KEY in after:
            continue
        if kind == "string":
            rest = raw_string({}, "", after, exclusions.arguments, exclusions.not_first)
        else:
            rest = sequence(values[kind], Literal(after))
        yield kind, _PlainTag(around.before_value, rest)


def lead_of(calls: Calls) -> str:
    """Give what all calls begin with: it stands in front of them once."""
    return _parts(calls.before)[0]


@lru_cache(maxsize=_CACHED)
def _parts(text: str) -> tuple[str, ...]:
    """Split a text of a spelling at its holes, which are parts of their own."""
    return tuple(_HOLE.split(text))
