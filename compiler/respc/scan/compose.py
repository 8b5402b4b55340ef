"""Writes the two expressions of a state, delimiter by delimiter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from respc.patterns.syntax import Node, OneOf, Repeat, Sequence, Text
from respc.scan.beginnings import Beginner, Beginnings
from respc.scan.plans import Part, Refused, ScanPlan
from respc.scan.runs import skips_of, wake_of
from respc.scan.shapes import apart_by_first, first_characters, first_text, is_start, leading_run, spread
from respc.scan.spelling import CLASS_SPECIAL, Spelling, written_character

if TYPE_CHECKING:
    from respc.scan.certain import Judged
    from respc.scan.runs import WakePlan

_LISTED = 64


@dataclass
class Composer:
    """Writes the expressions of a state."""

    parts: list[Part]
    stable: bool
    spelling: Spelling = field(default_factory=Spelling)
    groups: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    guards: list[str] = field(default_factory=list[str])

    def compose(self) -> ScanPlan | Refused:
        """Write them."""
        self.groups = [(group, group) for group in dict.fromkeys(each.watched.group for each in self.parts)]
        for group, _ in self.groups:
            self.spelling.unique(group)
        used: set[str] = set()
        alone = len(self.parts) == 1
        hides = alone and self.parts[0].judged.hides and not self.parts[0].judged.at_end
        if not self.stable and not alone:
            for each in self.parts:
                if each.judged.hides and not each.judged.at_end:
                    return Refused("can stand whole inside what has begun to be it", each.watched.group)
        certain: list[str] = []
        eager: list[str] = []
        ends: list[str] = []
        held, hidden = Beginnings(), Beginnings()
        beginner = Beginner(self.spelling, held)
        for each in self.parts:
            group, judged = each.watched.group, each.judged
            for branches in apart_by_first(judged.alternatives):
                behind = self._variant(group) if group in used else group
                ends.append(f"{self._whole(branches, behind)}(?P<{behind}>)")
                used.add(group)
            if judged.at_newline:
                ends.append(rf"(?=\n\Z)(?P<{self._variant(group)}>)")
                held.step(r"\n").ends = True
            if judged.certain:
                certain.append(self._certain(judged, group))
            if judged.needs_eager and not hides:
                eager.append(self._at_once(judged.alternatives, group))
            tree = beginner.root = hidden if judged.at_end else held
            for branch in (part for branches in apart_by_first(judged.alternatives) for part in branches):
                self._begin(tree, branch, beginner)
        skips, slow = skips_of([(each.watched.group, each.judged) for each in self.parts], self.spelling)
        ends += [skip.written for skip in skips]
        firsts = [first_characters(branch) for branch in self._past_runs()]
        return ScanPlan(
            ends="|".join(ends) or "(?!)",
            begun=held.write(),
            hidden=hidden.write(),
            certain="|".join(certain),
            eager="|".join(eager),
            hides=hides,
            gate=self._gate(firsts),
            guards=tuple(dict.fromkeys(self.guards)),
            skips=tuple(skips),
            runs=self._runs(beginner, hides),
            waits=self._waits(),
            groups=tuple(self.groups),
            captures=tuple(
                (group, tuple(names.items())) for group, names in self.spelling.groups.items() if names
            ),
            needs_regex=self.spelling.needs_regex,
            first=_listed(firsts),
            held=self._held(),
            slow=slow,
            unstable=next((each.judged.unstable for each in self.parts if each.judged.unstable), ""),
        )

    def _variant(self, group: str) -> str:
        variant = self.spelling.unique(group)
        self.groups.append((variant, group))
        return variant

    def _whole(self, alternatives: tuple[Node, ...], group: str) -> str:
        branches = [written for branch in alternatives for written in self._guarded(branch, group)]
        return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})" if branches else ""

    def _guarded(self, branch: Node, group: str) -> list[str]:
        """Write a branch; a run in front only from where it begins, and so that `re` sees what it begins with."""
        run = leading_run(branch)
        if run is None:
            return [self.spelling.write(branch, group)]
        items = branch.items[1:] if isinstance(branch, Sequence) else ()
        one = self.spelling.write(run.item)
        if not isinstance(run.item, Text) or (run.low == 0 and not (items and isinstance(items[0], Text))):
            return [self._guard(f"(?<!{one})") + self.spelling.write(branch, group)]
        more = Sequence((Repeat(run.item, max(run.low - 1, 0), None), *items))
        written = [one + self._guard(f"(?<!{one}{one})") + self.spelling.write(more, group)]
        if run.low == 0:
            first = self.spelling.write(items[0])
            written.append(
                first + self._guard(f"(?<!{one}{first})") + self.spelling.write(Sequence(items[1:]), group)
            )
        return written

    def _guard(self, guard: str) -> str:
        self.guards.append(guard)
        return guard

    def _gate(self, firsts: list[list[Text | OneOf]]) -> str:
        """Write the class of characters at which a delimiter can begin, where `re` does not see it by itself."""
        branches = [branch for each in self.parts for branch in each.judged.alternatives]
        listed = _listed(firsts)
        if listed is None or self.guards or not listed or any(each.judged.at_newline for each in self.parts):
            return ""
        if all(first_text(part) is not None for branch in branches for part in spread(branch)):
            return ""
        return f"[{''.join(written_character(one, CLASS_SPECIAL) for one in sorted(listed))}]"

    def _at_once(self, alternatives: tuple[Node, ...], group: str) -> str:
        """Write a delimiter that ends before the text does, and does not end earlier for that."""
        variant = self._variant(group)
        whole, kept = self._whole(alternatives, variant), self.spelling.unique("kept")
        return rf"(?=(?P<{kept}>{whole}))(?P={kept})(?!\Z)(?P<{variant}>)"

    def _certain(self, judged: Judged, group: str) -> str:
        """Write the branches of a delimiter whose ends no more text moves."""
        if judged.certain_grows:
            return self._at_once(judged.certain, group)
        variant = self._variant(group)
        return f"{self._whole(judged.certain, variant)}(?P<{variant}>)"

    def _begin(self, tree: Beginnings, branch: Node, beginner: Beginner) -> None:
        run = leading_run(branch)
        if run is not None:
            self._begin_with_run(tree, branch, run, beginner)
        elif isinstance(branch, Sequence) and branch.items and is_start(branch.items[0]):
            tree = tree.step(r"\A")
            beginner.extend(tree, branch.items[1:])
            tree.ends = False
        elif not is_start(branch):
            beginner.extend(tree, (branch,))

    def _begin_with_run(self, tree: Beginnings, branch: Node, run: Repeat, beginner: Beginner) -> None:
        items = branch.items[1:] if isinstance(branch, Sequence) else ()
        one = self.spelling.write(run.item)
        if not isinstance(run.item, Text) or (run.low == 0 and not (items and isinstance(items[0], Text))):
            tree = tree.step(f"(?<!{one})")
            beginner.extend(tree, (branch,))
            tree.ends = False
            return
        more = Repeat(run.item, max(run.low - 1, 0), None)
        beginner.extend(tree.step(one).step(f"(?<!{one}{one})"), (more, *items))
        if run.low == 0:
            first = self.spelling.write(items[0])
            after = tree.step(first).step(f"(?<!{one}{first})")
            beginner.extend(after, items[1:])
            after.ends = True

    def _past_runs(self) -> list[Node]:
        """Give the alternatives, without a run of characters that may stand before them."""
        found: list[Node] = []
        for each in self.parts:
            for branch in each.judged.alternatives:
                run = leading_run(branch)
                if run is not None and run.low == 0 and isinstance(branch, Sequence):
                    branch = Sequence(branch.items[1:])
                found.append(branch)
        return found

    def _held(self) -> frozenset[str] | None:
        """List the characters of which a run can begin a delimiter."""
        held: set[str] = set()
        for each in self.parts:
            if each.judged.at_newline:
                held.add("\n")
            for branch in each.judged.alternatives:
                run = leading_run(branch)
                if run is not None and run.low == 0:
                    listed = _listed([[run.item]] if isinstance(run.item, Text | OneOf) else [])
                    if listed is None:
                        return None
                    held |= listed
        return frozenset(held)

    def _runs(self, beginner: Beginner, hides: bool) -> tuple[WakePlan, ...]:
        also = [
            one
            for each in self.parts
            for branch in each.judged.alternatives
            for one in first_characters(branch)
        ]
        alphabet = self.parts[0].judged.language.alphabet if self.parts else ""
        plans = [wake_of(run, alphabet, also if hides else []) for run in beginner.runs]
        return tuple(plan for plan in plans if plan is not None)

    def _waits(self) -> tuple[str, ...]:
        if self.stable:
            return ()
        waiting = {each.watched.group for each in self.parts if each.watched.delimiter.waits}
        return tuple(group for group, action in self.groups if action in waiting)


def _listed(firsts: list[list[Text | OneOf]]) -> frozenset[str] | None:
    """List the characters of some classes, None if they are too many or not known."""
    found: set[str] = set()
    for one in (one for ones in firsts for one in ones):
        if isinstance(one, Text):
            found.add(one.character)
        elif one.characters is None or one.negated or len(one.characters) > _LISTED:
            return None
        else:
            found |= one.characters
    return None if any(not ones for ones in firsts) else frozenset(found)
