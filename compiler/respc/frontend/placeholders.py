"""Placeholders: strings of a transform that stand for a value."""

from __future__ import annotations

import regex

# The interpreter's idea of a name: \w of the regex module, which is not quite that of the standard library.
_PLACEHOLDER = regex.compile(r"\{(?P<path>\w+(?:\.\w+)*)\}")


def placeholder_path(text: str) -> str | None:
    """Give what a string that is wholly a placeholder names, with its dots; None for any other string."""
    match = _PLACEHOLDER.fullmatch(text)
    return None if match is None else str(match["path"])


def mixes_text(text: str) -> tuple[int, int] | None:
    """Give the place of a placeholder in a string that is not wholly one."""
    match = _PLACEHOLDER.search(text)
    return None if match is None or _PLACEHOLDER.fullmatch(text) else (match.start(), match.end())
