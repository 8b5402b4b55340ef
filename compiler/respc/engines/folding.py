"""Fields that only take marks out of the text: the closer of the content can do that too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import regex

from respc.diagnostics.fixes import AddMember, Remove, RenameKey, SetValue
from respc.engines.facts import CONTENT
from respc.engines.literal_closers import alternatives_as_written, sets_flags, texts_of
from respc.patterns import parse_pattern
from respc.patterns.samples import samples
from respc.patterns.syntax import Opaque, Reference, children
from respc.patterns.tokens import group_end, tokens_of
from respc.patterns.trials import match_at
from respc.source import child_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.fixes import Step
    from respc.patterns.syntax import Node

_CONTENT_POINTER: Final = child_pointer("/fields", CONTENT)
_MOST: Final = 64
"""Pairs of an opener and a closer that are looked at."""


def folding_steps(name: str, fields: dict[str, Any]) -> tuple[Step, ...]:
    """Give the steps that let the content take the marks of a field; none where the field does more than that.

    It does not if its closer stands right where its opener ends, so that its value is always empty.
    """
    field, content = fields[name], fields.get(CONTENT)
    opener, closer = delimiter_pattern(field, "open"), delimiter_pattern(field, "close")
    if opener is None or closer is None or content is None or delimiter_pattern(content, "open") is not None:
        return ()
    if field.get("content", "text") != "text" or field.get("transform") is not None:
        return ()
    marks = _marks(opener, closer)
    if marks is None:
        return ()
    steps: tuple[Step, ...] = (Remove(child_pointer("/fields", name)),)
    before = delimiter_pattern(content, "close")
    if before is None:
        return (*steps, AddMember(_CONTENT_POINTER, "close_pattern", "|".join(marks)))
    # Where both match, the closer was the longer one, for the opener that it competed with is empty there. What is
    # for the start of the message alone comes before it all the same: so the compiler can tell.
    at_start = [mark for mark in marks if mark.startswith("^")]
    pattern = "|".join([*at_start, before, *(mark for mark in marks if mark not in at_start)])
    if "close_pattern" in content:
        return (*steps, SetValue(f"{_CONTENT_POINTER}/close_pattern", pattern))
    place = f"{_CONTENT_POINTER}/close"
    return (*steps, SetValue(place, pattern), RenameKey(place, "close_pattern"))


def delimiter_pattern(field: dict[str, Any], key: str) -> str | None:
    """Give the opener (`open`) or closer (`close`) of a field as a pattern; None where it has none."""
    if f"{key}_pattern" in field:
        return str(field[f"{key}_pattern"])
    if key not in field:
        return None
    return as_pattern([field[key]] if isinstance(field[key], str) else field[key])


def as_pattern(literals: list[str]) -> str:
    """Write literals as a pattern, the longest first, as the interpreter does."""
    longest_first = sorted(literals, key=len, reverse=True)
    escaped = (regex.escape(literal, special_only=True, literal_spaces=True) for literal in longest_first)
    return "|".join(escaped)


def _marks(opener: str, closer: str) -> list[str] | None:
    """Give patterns for an opener with its closer right behind it; None unless that was seen of all its samples."""
    trees = parse_pattern(opener), parse_pattern(closer)
    # A number would mean another group in a longer pattern, and a flag would be for all of it.
    if any(map(_refers, trees)) or sets_flags(opener + closer):
        return None
    openers, closers = alternatives_as_written(opener), alternatives_as_written(closer)
    if len(openers) * len(closers) > _MOST:
        return None
    marks = [mark for each in openers for mark in _followed(each, closers)]
    pattern = "|".join(marks)
    tried = 0
    for text in samples(trees[0]):
        end = match_at(opener, text, 0)
        if end is None:
            continue
        closed = match_at(closer, text, end)
        if closed is None or not marks or match_at(pattern, text, 0) != closed:
            return None
        tried += 1
    return marks if tried else None


def _followed(opener: str, closers: list[str]) -> Iterator[str]:
    """Put each closer that can follow behind an opener, which need not look ahead for it then."""
    before, ahead = _without_look_ahead(opener)
    for closer in closers:
        looked_at = [match_at(ahead, text, 0) is not None for text in texts_of(closer)]
        if not looked_at or (any(looked_at) and not all(looked_at)):
            yield opener + closer
        elif all(looked_at):
            yield before + closer


def _without_look_ahead(opener: str) -> tuple[str, str]:
    """Split an opener into what it takes, and what it looks ahead for behind that."""
    tokens = tokens_of(opener)
    for number, token in enumerate(tokens):
        if token.text == "(?=" and token.depth == 0 and group_end(tokens, number) == len(tokens) - 1:
            return opener[: token.start], opener[token.end : -1]
    return opener, ""


def _refers(node: Node) -> bool:
    return isinstance(node, Reference | Opaque) or any(map(_refers, children(node)))
