"""What tells that a text has a delimiter or has begun one: without that, it needs no search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from respc.patterns.classes import listed
from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.shapes import first_characters, is_optional, leading_run

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTED = 64


@dataclass
class Marks:
    """The parts of delimiters that text is looked at for.

    Where a delimiter begins with blanks, as every other word does, it is told by what comes behind them; and where
    with what text is full of, by more than one character.

    Attributes:
        first: each delimiter has one of them, and so has what has begun to be one and does not end the text so far;
            None if they cannot be listed.
        held: what has begun and has none of them ends with one of these; None likewise.
    """

    first: frozenset[str] | None = frozenset()
    held: frozenset[str] | None = frozenset()
    _held: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, branches: Iterable[Node], *, at_newline: bool) -> Marks:
        """Find those of some delimiters, of which one may stand before a newline that ends the text."""
        marks = cls()
        if at_newline:
            marks._held.add("\n")
        firsts: list[list[Text | OneOf]] = []
        for branch in branches:
            run = leading_run(branch)
            if run is not None and run.low == 0:
                blanks = listed_few([[run.item]] if isinstance(run.item, Text | OneOf) else [])
                if blanks is None or not isinstance(branch, Sequence):
                    return cls(None, None)
                marks._held |= blanks
                branch = Sequence(branch.items[1:])
            firsts += marks._firsts((branch,))
        marks.first, marks.held = listed_few(firsts), frozenset(marks._held)
        return marks

    def _firsts(self, items: tuple[Node, ...]) -> list[list[Text | OneOf]]:
        """List what the texts of a sequence can begin with, behind blanks where that is told by other characters."""
        match items:
            case (Sequence(parts), *rest):
                return self._firsts((*parts, *rest))
            case (Group(item), *rest):
                return self._firsts((item, *rest))
            case (Choice(branches), *rest):
                return [one for branch in branches for one in self._firsts((branch, *rest))]
            case (LookAhead(item, False), *rest):
                return self._firsts(tuple(rest) if is_optional(item) and rest else (item,))
            case (Text() | OneOf() as blank, *rest) | (Repeat(Text() | OneOf() as blank), *rest):
                behind = self._behind(blank, tuple(rest))
                return [first_characters(Sequence(items))] if behind is None else behind
            case (Repeat(item, 0, 1), *rest) if rest:
                return [*self._firsts((item, *rest)), *self._firsts(tuple(rest))]
            case _:
                return [first_characters(Sequence(items))]

    def _behind(self, blank: Text | OneOf, rest: tuple[Node, ...]) -> list[list[Text | OneOf]] | None:
        """List what comes behind blanks; None where that tells no more than the blanks do."""
        blanks = listed_few([[blank]])
        if blanks is None or not all(map(str.isspace, blanks)) or all(map(is_optional, rest)):
            return None
        found = self._firsts(rest)
        first = listed_few(found)
        if first is None or any(character.isalnum() or character.isspace() for character in first):
            return None
        self._held |= blanks
        return found


def is_everywhere(first: Iterable[str]) -> bool:
    """Tell whether every text is full of some marks: of what parts words and lines, or of several small letters."""
    return any(each in {" ", "\n"} for each in first) or sum(map(is_common, first)) > 1


def is_common(mark: str) -> bool:
    """Tell whether a mark is a small letter, or blank."""
    return len(mark) == 1 and (mark.islower() or mark.isspace())


def listed_few(firsts: list[list[Text | OneOf]]) -> frozenset[str] | None:
    """List what each of some delimiters can begin with; None if that is too much, or not known."""
    classes = [one for ones in firsts for one in ones]
    if not all(firsts) or any(
        isinstance(one, OneOf) and len(one.characters or ()) > _LISTED for one in classes
    ):
        return None
    return listed(classes)
