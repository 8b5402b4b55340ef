"""What a run measures, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.families import FAMILIES

if TYPE_CHECKING:
    from benchmarks.families import Family
    from benchmarks.modules import Builder

_LONG = 10_000


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run.

    Attributes:
        families: what is measured.
        parsers: the ready-made parsers that are measured; none for all of them.
        builder: makes modules of the families in another way; None where only pure ones are measured.
        rounds: how often short work is measured; long work less often.
        quick: whether long texts and slow parts are left out.
    """

    families: tuple[Family, ...] = FAMILIES
    parsers: tuple[str, ...] = ()
    builder: Builder | None = None
    rounds: int = 9
    quick: bool = False

    def rounds_for(self, tokens: int) -> int:
        """Give the rounds for a text of a length: half of them, three at least, where each takes long."""
        return self.rounds if tokens < _LONG else max(min(3, self.rounds), self.rounds // 2)

    def measures(self, parser: str) -> bool:
        """Tell whether a ready-made parser is among those that are measured."""
        return not self.parsers or parser in self.parsers
