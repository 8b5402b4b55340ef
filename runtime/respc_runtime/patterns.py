"""Delimiters that stay with the `regex` module, matched while the stream is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import regex

if TYPE_CHECKING:
    from respc_runtime.delimiters import Match


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern of a response template: Unicode, and ``.`` matches a newline too."""
    return regex.compile(pattern, regex.DOTALL)


def search_pattern(pattern: Any, text: str, pos: int, at_end: bool) -> tuple[Match | None, int]:
    """Search a delimiter in text that may go on.

    Args:
        pattern: what `compile_pattern` gives.
        text: all that is known.
        pos: where to search from.
        at_end: whether the text is complete.

    Returns:
        The match, if no more text could change it, and the place from which text must be held back (the length of the
        text when there is none). The rules are the interpreter's: a whole match anywhere hides a partial one before it,
        and a match counts only if it stays the same when one more character follows the text.
    """
    edge = len(text)
    if at_end:
        return pattern.search(text, pos), edge
    match = pattern.search(text, pos, partial=True)
    if match is None:
        return None, edge
    start = match.start()
    if match.partial or match.end() == edge:
        return None, start
    # U+0000 is neither a newline nor the end: a match that leans on `$` or on a look-ahead does not survive it.
    probe = pattern.match(text + "\0", start)
    if probe is None or probe.span() != match.span() or probe.groupdict() != match.groupdict():
        return None, start
    return match, edge


def search_literals(
    pattern: Any, text: str, pos: int, at_end: bool, extends: bool
) -> tuple[Match | None, int]:
    """Search literals in text that may go on, where they are searched as a pattern.

    As `search_pattern`, but a whole literal is a match at once, unless it ends with the text and another literal
    begins with it (``extends``).
    """
    edge = len(text)
    if at_end:
        return pattern.search(text, pos), edge
    match = pattern.search(text, pos, partial=True)
    if match is None:
        return None, edge
    if match.partial or (extends and match.end() == edge):
        return None, match.start()
    return match, edge
