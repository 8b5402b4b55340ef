"""Writes the two expressions of a state, delimiter by delimiter."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from respc.patterns.classes import is_any
from respc.patterns.syntax import Choice, Node, OneOf, Repeat, Sequence, Text
from respc.scan.beginnings import Beginner, Beginnings, ways_into_run
from respc.scan.gates import gate_of, in_words
from respc.scan.handed_over import hands_over
from respc.scan.language import Language, TooManyPlacesError, can_grow
from respc.scan.lazy_runs import around_lazy
from respc.scan.leading_blanks import begun_behind_blanks, has_blanks, takes_blanks_along, without_blanks
from respc.scan.marks import Marks
from respc.scan.nested_runs import SkipPlan, skips_of
from respc.scan.plans import Part, Refused, ScanPlan
from respc.scan.runs import WakePlan, name_runs, run_in, wake_of
from respc.scan.shapes import (
    apart_by_first,
    first_text,
    items_of,
    leading_run,
    past_start,
    starts_message,
    takes_nothing,
)
from respc.scan.shared_runs import shared_run
from respc.scan.spelling import HANDED_OVER, NESTED, SHARED, Spelling
from respc_runtime.beginnings import either
from respc_runtime.searches import ONCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.searches import Lingering


@dataclass
class Composer:
    """Writes the expressions of a state."""

    parts: list[Part]
    stable: bool
    spelling: Spelling = field(default_factory=Spelling)
    groups: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    guards: list[str] = field(default_factory=list[str])
    once: list[Node] = field(default_factory=list["Node"])
    hides: bool = False
    behind_blanks: bool = False

    @property
    def alphabet(self) -> str:
        """Give the characters that stand for all others."""
        return self.parts[0].judged.language.alphabet if self.parts else ""

    def compose(self) -> ScanPlan | Refused:
        """Write them."""
        self.groups = [(group, group) for group in dict.fromkeys(each.watched.group for each in self.parts)]
        for group, _ in self.groups:
            self.spelling.names.take(group)
        hiding = [each for each in self.parts if each.judged.hides and not each.judged.at_end]
        if hiding and not self.stable and len(self.parts) > 1:
            return Refused("can stand whole inside what has begun to be it", hiding[0].watched.group)
        self.hides = len(self.parts) == len(hiding) == 1 and not self.stable
        self.behind_blanks = not self.hides and takes_blanks_along(
            self.parts, self.alphabet, stable=self.stable
        )
        certain = [self._certain(each) for each in self.parts if each.judged.certain]
        eager = [
            self._at_once(_before_rest(each.judged.alternatives), each.watched.group)
            for each in self.parts
            if each.judged.needs_eager and not self.hides
        ]
        skips, slow = skips_of(self.parts, self.spelling)
        self.once = [self._without_blanks(skip.branch) for skip in skips if skip.length is None]
        ends = self._ends()
        if self.hides and any(run_in(each.judged) for each in self.parts):
            slow = slow or self.parts[0].watched.group
        shared = shared_run(self.parts, self._branches(), self.alphabet, hides=self.hides)
        shares = shared.group if shared is not None and shared.is_slow else ""
        reasons = ((slow, NESTED), (shares, SHARED), (self._handing_over(), HANDED_OVER))
        slow, slow_because = next((each for each in reasons if each[0]), ("", ""))
        newline = self._newline()
        beginner = Beginner(self.spelling)
        held, hidden = self._begun(beginner)
        runs = self._runs(beginner)
        in_runs, begun = held.write()
        if certain or eager or newline or not self._ends_alone():
            in_runs, begun = either(in_runs, begun), ""
        branches = [branch for each in self.parts for branch in each.judged.alternatives]
        marks = Marks.of(branches, at_newline=any(each.judged.at_newline for each in self.parts))
        marks = in_words(marks, branches, self.alphabet)
        return ScanPlan(
            ends="|".join(ends) or "(?!)",
            skipped="|".join(map(self._skipped, skips)),
            longer=in_runs,
            begun=begun,
            hidden=either(*hidden.write()),
            certain="|".join(certain),
            eager="|".join(eager),
            hides=self.hides,
            newline=newline,
            behind_blanks=self._behind_blanks(),
            gate=self._gate([in_runs, begun, *certain, *eager, *ends]),
            guards=tuple(dict.fromkeys(self.guards)),
            leading=None if shared is None else shared.leading,
            lingering=self._lingering(),
            skips=tuple(skips),
            runs=runs,
            waits=self._waits(),
            groups=tuple(self.groups),
            captures=tuple(
                (group, tuple(names.items())) for group, names in self.spelling.groups.items() if names
            ),
            needs_regex=self.spelling.needs_regex,
            first=marks.first,
            held=marks.held,
            slow=slow,
            slow_because=slow_because,
            unstable=next((each.judged.unstable for each in self.parts if each.judged.unstable), ""),
        )

    def _handing_over(self) -> str:
        """Give the group of a delimiter of which a run can leave text to a later one; empty if there is none."""
        return next(
            (each.watched.group for each in self.parts if any(map(hands_over, each.judged.alternatives))), ""
        )

    def _ends(self) -> list[str]:
        """Write the delimiters, each with its group behind it; apart where they begin with different characters."""
        ends: list[str] = []
        used: set[str] = set()
        for each in self.parts:
            group = each.watched.group
            for branches in self._apart(each):
                behind = self._variant(group) if group in used else group
                used.add(group)
                ends += self._written(branches, behind)
        return ends

    def _ends_alone(self) -> bool:
        """Tell whether no text that is a delimiter begins a longer one, but for a run at its own end."""
        if self.guards or self.hides or any(each.judged.at_end for each in self.parts):
            return False
        branches = [branch for _, branch in self._branches()]
        if not branches:
            return False
        try:
            return not can_grow(Language(Choice(tuple(map(_without_last_run, branches))), self.alphabet))
        except TooManyPlacesError:
            return False

    def _newline(self) -> str:
        """Give the group of the delimiter that matches nothing before a newline that ends the text."""
        return next((self._variant(each.watched.group) for each in self.parts if each.judged.at_newline), "")

    def _written(self, branches: tuple[Node, ...], group: str) -> list[str]:
        """Write branches that belong together, with a group behind each of those that begin alike."""
        parts: list[tuple[str, list[str]]] = []
        known: dict[str, tuple[str, list[str]]] = {}
        for branch in branches:
            for first, write in self._guarded(branch):
                if first not in known:
                    if not first or "" in known:
                        known.clear()  # the order counts where one may begin with anything
                    known[first] = self._variant(group) if parts else group, []
                    parts.append(known[first])
                name, together = known[first]
                together.append(write(name))
        return [f"{_choice(together)}(?P<{name}>)" for name, together in parts]

    def _begun(self, beginner: Beginner) -> tuple[Beginnings, Beginnings]:
        """Collect what has begun, and what of it the interpreter does not hold back."""
        held, hidden = Beginnings(), Beginnings()
        for each in self.parts:
            tree = beginner.root = hidden if each.judged.at_end else held
            for branch in chain.from_iterable(self._apart(each)):
                beginner.begin(tree, branch)
        return held, hidden

    def _apart(self, part: Part) -> list[tuple[Node, ...]]:
        """Group the branches of a delimiter by what they begin with."""
        return apart_by_first(tuple(map(self._without_blanks, part.judged.alternatives)))

    def _without_blanks(self, branch: Node) -> Node:
        return without_blanks(branch) if self.behind_blanks else branch

    def _branches(self) -> list[tuple[str, Node]]:
        """Give the branches of all delimiters as they are searched, each with the group of its delimiter."""
        return [
            (each.watched.group, self._without_blanks(branch))
            for each in self.parts
            for branch in each.judged.alternatives
        ]

    def _behind_blanks(self) -> tuple[tuple[str, ...], str]:
        """Give the groups that take the blanks before them along, and the expression of what has begun of them."""
        if not self.behind_blanks:
            return (), ""
        taking = [each for each in self.parts if any(map(has_blanks, each.judged.alternatives))]
        named = {each.watched.group for each in taking}
        return tuple(group for group, action in self.groups if action in named), begun_behind_blanks(taking)

    def _variant(self, group: str) -> str:
        variant = self.spelling.names.take(group)
        self.groups.append((variant, group))
        return variant

    def _whole(self, alternatives: tuple[Node, ...], group: str) -> str:
        return _choice([write(group) for branch in alternatives for _, write in self._guarded(branch)])

    def _guarded(self, branch: Node) -> list[tuple[str, Callable[[str], str]]]:
        """Tell how to write a branch; a run in front only from where it begins, and so that `re` sees what comes first.

        With each expression comes the character that it begins with, as far as `re` sees that; it is written for the
        group of a delimiter.
        """
        spelling, run = self.spelling, leading_run(branch)

        once = ONCE if branch in self.once else ""

        def following(before: str, node: Node) -> Callable[[str], str]:
            return lambda group: once + before + spelling.write(node, group)

        if run is None:
            return [(first_text(branch) or "", following("", branch))]
        return [
            (first, following(first + self._guard(guard), Sequence(behind)))
            for first, guard, behind in ways_into_run(branch, run, spelling)
        ]

    def _skipped(self, skip: SkipPlan) -> str:
        """Write what a run that led nowhere takes; a run in front only from where it begins."""
        run = leading_run(skip.branch)
        guard = "" if run is None else self._guard(f"(?<!{self.spelling.write(run.item)})")
        return (ONCE if skip.length is None else "") + guard + skip.written

    def _guard(self, guard: str) -> str:
        self.guards.append(guard)
        return guard

    def _gate(self, expressions: list[str]) -> str:
        """Write what tells a place at which a delimiter can begin, where `re` does not see it by itself."""
        branches = [branch for _, branch in self._branches()]
        if not branches or any(map(starts_message, branches)) or self._lingering():
            # What is held back there, the first characters do not tell.
            return ""
        holds = not any(each.judged.at_end for each in self.parts)
        return gate_of(branches, expressions, self.alphabet, holds=holds)

    def _at_once(self, alternatives: tuple[Node, ...], group: str, *, at_end: str = r"\Z|") -> str:
        """Write a delimiter that ends before the text does, and does not end earlier for that.

        Where it ends the text, it waits for any character, unless ``at_end`` says otherwise.
        """
        variant = self._variant(group)
        whole, kept = self._whole(alternatives, variant), self.spelling.names.take("kept")
        return rf"(?=(?P<{kept}>{whole}))(?P={kept})(?:{at_end}(?P<{variant}>))"

    def _certain(self, part: Part) -> str:
        """Write the branches of a delimiter whose ends no more text moves."""
        judged, group = part.judged, part.watched.group
        if judged.certain_grows:
            before = self._at_once(judged.certain, group, at_end=r"(?!\Z)")
            return "|".join((before, *self._grown(part)))
        variant = self._variant(group)
        if not part.looks_over:
            return f"{self._whole(judged.certain, variant)}(?P<{variant}>)"
        written: list[str] = []
        for branch in judged.certain:
            name = self._variant(group)
            whole = self._whole((branch,), name)
            others = self._others(part) if takes_nothing(branch) else []
            written.append(whole + _choice([*others, f"(?P<{name}>)"]))
        return "|".join(written)

    def _grown(self, part: Part) -> list[str]:
        """Write a delimiter that can go on behind a lazy run: where it has begun to, and where it can no more."""
        branch = part.judged.certain[-1]
        variant, plain = self._variant(part.watched.group), Spelling()
        whole = f"{self._whole((branch,), variant)}(?P<{variant}>)"
        parts = around_lazy(branch)
        if parts is None or (part.judged.at_end and not self.stable):
            return [whole]
        head, run, tail = parts
        begun = Beginnings()
        beginner = Beginner(Spelling(), begun)
        beginner.extend(begun, (tail,))
        gap = plain.write(Repeat(run.item, 0, None, lazy=True))
        return [f"{plain.write(head)}{gap}(?:{begun.write_bare()})", whole]

    def _others(self, part: Part) -> list[str]:
        """Write what else may stand where a delimiter takes nothing: what has begun, and what is whole."""
        begun, beginner = Beginnings(), Beginner(Spelling())
        whole: list[str] = []
        for other in self.parts:
            if other is part:
                continue
            for branch in other.judged.alternatives:
                beginner.begin(begun, branch)
            variant = self._variant(other.watched.group)
            whole.append(f"{self._whole(other.judged.alternatives, variant)}(?P<{variant}>)")
        return [begun.write_bare(), *whole]

    def _runs(self, beginner: Beginner) -> tuple[WakePlan, ...]:
        inside: list[Node] = []
        for judged in (each.judged for each in self.parts):
            if self.hides:
                inside += [branch for branch in judged.alternatives if not starts_message(branch)]
            if len(judged.certain) > 1:  # before a lazy run that is certain, other branches are tried
                inside += map(past_start, judged.alternatives)
        # What has begun is held back whatever comes in a run, unless a whole one is tried before it.
        to_its_end = self.stable and not any(each.judged.certain for each in self.parts)
        plans = [wake_of(run, self.alphabet, inside, to_its_end=to_its_end) for run in beginner.runs]
        return name_runs(beginner.runs, plans, self.spelling)

    def _lingering(self) -> tuple[Lingering, ...]:
        runs = () if self.stable else (each.judged.lingering for each in self.parts)
        return tuple(run.written() for run in runs if run is not None)

    def _waits(self) -> tuple[str, ...]:
        if self.stable:
            return ()
        waiting = {each.watched.group for each in self.parts if each.watched.delimiter.waits}
        return tuple(group for group, action in self.groups if action in waiting)


def _choice(branches: list[str]) -> str:
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _before_rest(branches: tuple[Node, ...]) -> tuple[Node, ...]:
    """Leave out the last branches that take the rest of the text: whatever that is, it is held back for the end."""
    match items_of(branches[-1])[-1]:
        case Repeat(OneOf() as one, _, None, False) if is_any(one) and len(branches) > 1:
            return _before_rest(branches[:-1])
        case _:
            return branches


def _without_last_run(branch: Node) -> Node:
    """Give a branch that takes no more than it has to of a run at its end."""
    items = items_of(branch)
    match items[-1]:
        case Repeat(Text() | OneOf() as item, low, None):
            return Sequence((*items[:-1], Repeat(item, low, low)))
        case _:
            return branch
