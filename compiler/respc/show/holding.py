"""How much text a delimiter can hold back while it is not decided whether it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.patterns import parse_pattern, pattern_facts
from respc.patterns.samples import endless_beginning
from respc.patterns.syntax import Assertion, Atomic, Choice, Group, Node, Sequence

if TYPE_CHECKING:
    from respc.ir import Delimiter


@dataclass(frozen=True, slots=True)
class Held:
    """The longest text that can be held back.

    Attributes:
        most: its length; None without bound.
        after: what leads to where there is no bound, if that is known.
        first: the characters it can begin with; None when not known or too many.
    """

    most: int | None
    after: str = ""
    first: frozenset[str] | None = None


def held_by(delimiter: Delimiter) -> Held:
    """Tell how much a delimiter can hold back."""
    first = delimiter.facts.first
    literals = delimiter.facts.literals
    if literals is not None:
        # A delimiter that waits does so for one more character even where it has all of its text.
        longest = max(map(len, literals))
        return Held(longest if delimiter.waits else longest - 1, first=first)
    tree = parse_pattern(delimiter.pattern)
    most = _most(tree)
    return Held(most, "" if most is not None else endless_beginning(tree) or "", first)


def _most(node: Node) -> int | None:
    """Bound the text that is looked at from the start of a match on, alternative by alternative."""
    match node:
        case Choice(parts) | Sequence(parts):
            lengths = [_most(part) for part in parts]
            known = [length for length in lengths if length is not None]
            if len(known) < len(lengths):
                return None
            return max(known, default=0) if isinstance(node, Choice) else sum(known)
        case Group(item) | Atomic(item):
            return _most(item)
        case Assertion(kind=kind):
            # The next character decides, but for a newline, which may be the last.
            return 1 if kind == "last line end" else 0
        case _:
            return pattern_facts(node).reach
