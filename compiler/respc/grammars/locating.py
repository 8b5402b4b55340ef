"""Finding calls in a text whose message is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.spelling import ID, KEY, NAME, ObjectArguments, style_of
from respc.grammars.writing import kind_of, write_object, write_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.grammars.learning import Example
    from respc.grammars.spelling import Arguments

ID_OF_EXAMPLES: Final = re.compile(r"calls\d{4}")
"""What the ids of calls look like that chat templates are given."""


@dataclass(frozen=True, slots=True)
class Located:
    """Calls in a text: what is between their arguments, with holes, one more than there are calls."""

    gaps: tuple[str, ...]
    tags: tuple[LocatedTags, ...] = ()


@dataclass(frozen=True, slots=True)
class LocatedTags:
    """The arguments of one call in tags: of each its kind, and what is around the values."""

    kinds: tuple[str, ...]
    before_values: tuple[str, ...]
    between: tuple[str, ...]


def locate(example: Example, arguments: Arguments, after_value: str = "") -> Located | None:
    """Find the calls of a text.

    What stands behind a value in a tag, if it is known, tells the value from the same word before it.
    """
    gaps: list[str] = []
    tags: list[LocatedTags] = []
    at = 0
    names: list[str] = []
    for name, given in example.calls:
        names.append(name)
        if isinstance(arguments, ObjectArguments):
            written = write_object(given, arguments)
            start = example.text.find(written, at)
            end = start + len(written)
        else:
            # The name of an argument may be a part of the name of the tool.
            behind_name = example.text.find(name, at) + len(name)
            found = _locate_tags(example.text, given, behind_name, arguments, after_value)
            if found is None:
                return None
            start, end, tag = found
            tags.append(tag)
        if start < 0:
            return None
        gaps.append(_with_holes(example.text[at:start], names[-2:]))
        at = end
    gaps.append(_with_holes(example.text[at:], names[-1:]))
    if tags:
        keys = [list(given)[-1:] for _, given in example.calls]
        gaps[1:] = [_with_keys(gap, key) for gap, key in zip(gaps[1:], keys, strict=True)]
    if sum(gap.count(NAME) for gap in gaps) < len(names):
        return None
    return Located(tuple(gaps), tuple(tags))


def _locate_tags(
    text: str, given: dict[str, Any], at: int, arguments: Arguments, after_value: str
) -> tuple[int, int, LocatedTags] | None:
    """Find the arguments of a call in tags: where they begin and end, and what is between."""
    start = end = -1
    kinds: list[str] = []
    before: list[str] = []
    between: list[str] = []
    last = ""
    for key, value in given.items():
        kind = kind_of(value)
        written = value if isinstance(value, str) else write_value(value, style_of(arguments, kind))
        key_at = text.find(key, at)
        value_at = text.find(written + after_value.replace(KEY, key), key_at + len(key))
        if min(key_at, value_at) < 0:
            return None
        if start < 0:
            start = key_at
        else:
            between.append(text[end:key_at].replace(f"/{last}", f"/{KEY}"))
        last = key
        kinds.append(kind)
        before.append(text[key_at + len(key) : value_at])
        at = end = value_at + len(written)
    return start, end, LocatedTags(tuple(kinds), tuple(before), tuple(between))


def _with_holes(gap: str, names: Iterable[str]) -> str:
    for name in names:
        gap = gap.replace(name, NAME)
    return ID_OF_EXAMPLES.sub(ID, gap)


def _with_keys(gap: str, keys: Iterable[str]) -> str:
    """Make holes of what closes the tag of an argument by its name."""
    for key in keys:
        gap = gap.replace(f"/{key}", f"/{KEY}")
    return gap
