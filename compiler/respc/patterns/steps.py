"""The steps that a lowered pattern takes, one after another, without ever going back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from respc.patterns.syntax import OneOf


@dataclass(frozen=True, slots=True)
class Here:
    """This text stands here."""

    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """As many characters of a class as there are, from ``low`` to ``high`` (None: without bound).

    ``lazy``: as few as what follows needs. Lowered steps have no such run: they are those of which it is the same.
    """

    members: OneOf
    low: int
    high: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Behind:
    """This text stands before the place: a run took it that cannot end anywhere else."""

    text: str


@dataclass(frozen=True, slots=True)
class Last:
    """At least ``low`` characters of a class, up to the last ``text`` in their run, and that text."""

    members: OneOf
    low: int
    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """At least ``low`` characters of any kind, up to the first place where ``text`` stands, and that text."""

    low: int
    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """A named group of any text, up to the first place where ``text`` stands, and that text.

    ``trims``: what of such a run stands before the text is no part of the group.
    """

    name: str
    text: str
    trims: Run | None


@dataclass(frozen=True, slots=True)
class Echo:
    """What a named group took stands here again."""

    name: str


@dataclass(frozen=True, slots=True)
class Echoed:
    """As `Value`, but ended by what another named group took, a run of ``members``, between two texts."""

    name: str
    start: str
    key: str
    members: OneOf
    end: str
    trims: Run | None


@dataclass(frozen=True, slots=True)
class GroupStart:
    """A named group begins."""

    name: str


@dataclass(frozen=True, slots=True)
class GroupEnd:
    """A named group ends, ``back`` characters before the place."""

    name: str
    back: int = 0


@dataclass(frozen=True, slots=True)
class Ahead:
    """The match ends here; what follows is only looked at."""


@dataclass(frozen=True, slots=True)
class AheadEnd:
    """The end of what is only looked at; nothing of a lowered pattern comes after it."""


@dataclass(frozen=True, slots=True)
class AtStart:
    """The start of the whole text."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """The end of the whole text, or (``before_newline``) the place before a newline that ends it."""

    before_newline: bool


Step: TypeAlias = (
    Here | Run | Behind | Last | Gap | Value | Echo | Echoed | GroupStart | GroupEnd | Ahead | AtStart | AtEnd
)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to match.

    Attributes:
        anchored: whether it matches at the start of the whole text only.
        before: a class of characters of which all that stand before the rest belong to the match.
        steps: the rest. It begins with `Here`, unless the alternative is anchored, or `Ahead`.
    """

    anchored: bool
    before: OneOf | None
    steps: tuple[Step, ...]

    @property
    def head(self) -> str | None:
        """Give the text that it begins with, if it can begin at more than one place."""
        if self.anchored:
            return None
        first = self.steps[1] if isinstance(self.steps[0], Ahead) else self.steps[0]
        return first.text if isinstance(first, Here) else None


@dataclass(frozen=True, slots=True)
class Steps:
    """A lowered pattern.

    Attributes:
        alternatives: in order of preference at one place.
        end: whether it also matches, empty, at the end of the text; that hides a partial match of the others.
    """

    alternatives: tuple[Alternative, ...]
    end: AtEnd | None
