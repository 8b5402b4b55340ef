"""The start anchor: after its last match in the prefix, the current message begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


def cut_after(anchor: str) -> staticmethod[[str], str]:
    """Make what cuts a prefix after the last occurrence of its start anchor, or keeps it whole when it has none."""
    width = len(anchor)

    def after_anchor(prefix: str) -> str:
        start = prefix.rfind(anchor)
        return prefix if start < 0 else prefix[start + width :]

    return staticmethod(after_anchor)


def cut_after_match(anchor: re.Pattern[str]) -> staticmethod[[str], str]:
    """Make what cuts a prefix after the last match of its start anchor, a pattern of `re` or of `regex`."""

    def after_anchor(prefix: str) -> str:
        return after_last_match(prefix, anchor)

    return staticmethod(after_anchor)


def after_last(text: str, anchor: str) -> str:
    """Cut the prefix as `cut_after` says."""
    return cut_after(anchor)(text)


def after_last_match(text: str, anchor: re.Pattern[str]) -> str:
    """Cut the prefix after the last match of its start anchor.

    The matches are those that do not overlap, counted from the left: the last one is not always the rightmost place
    where the anchor would match.
    """
    end = 0
    for match in anchor.finditer(text):
        end = match.end()
    return text[end:]
