"""What is known of a state's delimiters, and what its expressions are: decided in `states`, written by the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.ir import Delimiter
    from respc.scan.certain import Judged
    from respc.scan.nested_runs import SkipPlan
    from respc.scan.runs import WakePlan
    from respc_runtime.searches import LeadingRun, Lingering


@dataclass(frozen=True, slots=True)
class Watched:
    """A delimiter that a state looks for; ``group`` is what its group in the expressions is called."""

    group: str
    delimiter: Delimiter


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """Two expressions. Attributes as of `respc_runtime.states.State`, and:

    Attributes:
        newline: the group of a delimiter that matches nothing before a newline that ends the text; empty for none.
        behind_blanks: the groups of the delimiters that take the blanks before them along, and what has begun of them.
        gate: what stands at each place where a delimiter can begin, where `re` does not see it by itself.
        leading: the run that delimiters begin with and in which others can stand; None for none.
        needs_regex: whether `regex` has to compile the expressions, for the classes of characters in them.
        first: the marks of which each delimiter has one; None if they cannot be listed.
        held: those with which a text ends that has begun a delimiter and has none of them; None likewise.
        slow: the delimiter for which time can grow faster than the text; empty if there is none,
        slow_because: and why.
        unstable: why a stable parser cannot have it; empty if it can.
    """

    ends: str
    longer: str
    begun: str
    hidden: str
    certain: str
    eager: str
    hides: bool
    newline: str
    behind_blanks: tuple[tuple[str, ...], str]
    gate: str
    guards: tuple[str, ...]
    leading: LeadingRun | None
    lingering: tuple[Lingering, ...]
    skipped: str
    skips: tuple[SkipPlan, ...]
    runs: tuple[WakePlan, ...]
    waits: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]
    captures: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    needs_regex: bool
    first: frozenset[str] | None
    held: frozenset[str] | None
    slow: str
    slow_because: str
    unstable: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The delimiters of a state stay with `regex`.

    Attributes:
        because: what keeps them there.
        group: the delimiter that does.
        rival: another one that it is about.
    """

    because: str
    group: str
    rival: str = ""


@dataclass
class Part:
    """A delimiter on its way into the expressions.

    Attributes:
        name: unlike those of all others.
        looks_over: whether it takes nothing where others, which then are longer, may stand.
    """

    watched: Watched
    judged: Judged
    name: str
    looks_over: bool = False
