"""Lazy runs of some class that the interpreter holds back though they have ended.

Behind a lazy run `regex` looks first for the text that has to come there, and only where that stands it looks at what
the run would take. Of a text of which more can come it therefore says, as long as that text does not stand behind the
end of the run, that the delimiter has begun. If that text is one character, it only does not look at the last one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.patterns.classes import is_any
from respc.patterns.facts import longest
from respc.patterns.syntax import Group, LookAhead, Node, OneOf, Repeat, Sequence
from respc.scan.language import Language, can_grow
from respc.scan.shapes import is_optional, items_of, leading_text
from respc.scan.spelling import Spelling, bare, is_lazy_run
from respc.scan.two_languages import holds_one_inside, pairs_of
from respc_runtime.searches import Lingering

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class LingeringRun:
    """What is held back, and until when.

    Attributes:
        begun: what comes before the run, and all of the run.
        text: what has to come behind it.
        width: the length of what comes before the run, with what the run takes at least.
    """

    begun: Node
    text: str
    width: int

    def written(self) -> Lingering:
        """Write it as a state has it."""
        return Lingering(Spelling().write(self.begun), self.text, self.width)


def lingering_run(branch: Node, language: Language) -> LingeringRun | None:
    """Find the lazy run of a delimiter, if all that is known here is true of it.

    Args:
        branch: the delimiter.
        language: its texts.
    """
    items = items_of(branch)
    place, run = next(
        ((place, run) for place, run in enumerate(map(bare, items)) if is_lazy_run(run)), (0, None)
    )
    if run is None:
        return None
    head, text = Sequence(items[:place]), leading_text(items[place + 1 :])
    before = longest(head)
    if before is None or not text or not _ends_text(items[place + 1 + len(text) :]) or is_optional(head):
        return None
    if not isinstance(run.item, OneOf) or is_any(run.item):
        return None
    heads = Language(head, language.alphabet)
    if can_grow(heads) or holds_one_inside(heads, heads):
        return None
    begun = Sequence((*head.items, Repeat(run.item, run.low, None)))
    return LingeringRun(begun, text, before + run.low)


def _ends_text(rest: tuple[Node, ...]) -> bool:
    """Tell whether `regex` does not take more for the text that comes behind a run."""
    match rest:
        case () | (Group() | LookAhead(), *_):
            return True
        case (Repeat(_, low, high), *_):
            return low != high
        case (OneOf(characters, negated), *_):
            return negated or characters is None or len(characters) > 1
        case _:
            return False


def can_stand_in(run: LingeringRun, others: Iterable[Language]) -> bool:
    """Tell whether another delimiter can stand where a run is held back."""
    return any(
        other.accepts(there) or (begun.accepts(here) and other.after(there))
        for other in others
        for begun in (Language(run.begun, other.alphabet),)
        for here, there in pairs_of(begun, other)
    )
