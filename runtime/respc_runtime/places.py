"""What stands for the match of a delimiter where no expression matched it."""

from __future__ import annotations

from typing import Any


class Place:
    """A delimiter, or the beginning of one, at a place that was made out without an expression for it; as `Found`.

    Args:
        lastgroup: what it does.
        first: where it begins,
        after: and the place after it.
        found: what has its groups, if it has any.
    """

    __slots__ = ("after", "first", "found", "lastgroup")

    def __init__(self, lastgroup: str | None, first: int, after: int, found: Any = None) -> None:
        self.lastgroup = lastgroup
        self.first = first
        self.after = after
        self.found = found

    def start(self) -> int:
        """Give the place where it begins."""
        return self.first

    def end(self) -> int:
        """Give the place after it."""
        return self.after

    def __getitem__(self, group: Any, /) -> Any:
        """Give what a named group took; None if it took no part, or there is none."""
        return None if self.found is None else self.found[group]


def held_back(start: int) -> Place:
    """Make what stands for a delimiter that is not decided yet: the text from its start on is held back."""
    return Place(None, start, start)
