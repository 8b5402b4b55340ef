"""Delimiters that stay with the `regex` module, matched while the stream is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import regex

from respc_runtime.seeking import NOWHERE

if TYPE_CHECKING:
    from respc_runtime.delimiters import Groups
    from respc_runtime.seeking import Sought


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern of a response template: Unicode, and ``.`` matches a newline too."""
    return regex.compile(pattern, regex.DOTALL)


def seek_pattern(
    text: str, pos: int, at_end: bool, pattern: Any, first: str = "", reach: int | None = None
) -> Sought:
    """Seek a delimiter with `regex`.

    A match counts only if it stays the same when one more character follows the text.

    Args:
        text: all that is known.
        pos: where to search from.
        at_end: whether the text is complete.
        pattern: what `compile_pattern` gives.
        first: the only character at which a match can begin, if there is one.
        reach: how many characters from its start on a match can look at, if that has a bound.
    """
    edge = len(text)
    match = search_from(text, pos, at_end, pattern, first)
    if match is None:
        return NOWHERE, edge, None, edge, None
    start, end = match.span()
    if not at_end:
        if match.partial or end == edge:
            return NOWHERE, edge, None, start, None
        if reach is not None and start + reach < edge:
            return start, end, named_groups(match), edge, None
        # U+0000 is neither a newline nor the end: a match that leans on `$` or on a look-ahead does not survive it.
        probe = pattern.match(text + "\0", start)
        if probe is None or probe.span() != (start, end) or probe.groupdict() != match.groupdict():
            return NOWHERE, edge, None, start, None
    return start, end, named_groups(match), edge, None


def seek_declared(text: str, pos: int, at_end: bool, pattern: Any, extends: bool, first: str = "") -> Sought:
    """Seek literals with `regex`.

    As `seek_pattern`, but a whole literal is a match at once, unless it ends with the text and another literal begins
    with it (``extends``).
    """
    edge = len(text)
    match = search_from(text, pos, at_end, pattern, first)
    if match is None:
        return NOWHERE, edge, None, edge, None
    start, end = match.span()
    if not at_end and (match.partial or (extends and end == edge)):
        return NOWHERE, edge, None, start, None
    return start, end, None, edge, None


def search_from(text: str, pos: int, at_end: bool, pattern: Any, first: str) -> Any:
    """Search from the first character at which a match can begin; for a partial match too while more text may come."""
    if first and (pos := text.find(first, pos)) < 0:
        return None
    return pattern.search(text, pos) if at_end else pattern.search(text, pos, partial=True)


def named_groups(match: Any) -> Groups:
    """Give the named groups that took part in a match."""
    return {name: value for name, value in match.groupdict().items() if value is not None}
