"""Puts together how the delimiters of a state are found: by two expressions, or by a search each with `regex`."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from respc.patterns import parse_pattern
from respc.patterns.syntax import Choice, Node, OneOf, Sequence, Text
from respc.scan.beginnings import Beginner, Beginnings
from respc.scan.certain import (
    Judged,
    alternatives_of,
    check_spelled,
    first_characters,
    judge,
    leading_run,
    looks_ahead,
    resolved,
)
from respc.scan.language import Language, TooManyPlacesError, alphabet_of, both_whole, can_grow, one_while_other
from respc.scan.naming import CLOSE, group_names
from respc.scan.runs import SkipPlan, WakePlan, skips_of, wake_of
from respc.scan.spelling import NotSpelledError, Spelling

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from respc.ir import Delimiter, ParserIR, State

_LISTED = 64


@dataclass(frozen=True, slots=True)
class Watched:
    """A delimiter that a state looks for; ``group`` is what its group in the expressions is called."""

    group: str
    delimiter: Delimiter


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """Two expressions. Attributes as of `respc_runtime.states.State`, and:

    Attributes:
        hidden: what has begun, though the interpreter does not hold it back: for stable parsers alone.
        needs_regex: whether `regex` has to compile the expressions, for the classes of characters in them.
        first: the characters at which a delimiter can begin; None if they cannot be listed.
        held: the characters of runs before a delimiter, which are held back at the end of a text; None likewise.
        slow: the delimiter for which time can grow faster than the text; empty if there is none.
        unstable: why a stable parser cannot have it; empty if it can.
    """

    ends: str
    begun: str
    hidden: str
    certain: str
    eager: str
    hides: bool
    guards: tuple[str, ...]
    skips: tuple[SkipPlan, ...]
    runs: tuple[WakePlan, ...]
    waits: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]
    captures: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    needs_regex: bool
    first: frozenset[str] | None
    held: frozenset[str] | None
    slow: str
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
class _Parts:
    """What a delimiter adds to the expressions."""

    watched: Watched
    judged: Judged
    name: str


def plan_scan(watched: SequenceOf[Watched], *, at_start: bool, stable: bool) -> ScanPlan | Refused:
    """Plan how the delimiters of a state are found.

    Args:
        watched: the delimiters, in the order that decides a tie.
        at_start: whether the state is that at the start of the message.
        stable: whether the outcome may not depend on how the text is cut.
    """
    trees = {each.group: tree_of(each.delimiter) for each in watched}
    try:
        alphabet = alphabet_of(trees.values())
        judged: list[_Parts] = []
        for each in watched:
            tree, at_end, at_newline = resolved(trees[each.group], at_start=at_start)
            if tree is not None or at_newline:
                found = judge(tree or Choice(()), alphabet, at_end=at_end, at_newline=at_newline)
                judged.append(_Parts(each, found, each.group))
    except NotSpelledError as error:
        return Refused(str(error), each.group)
    if not stable:
        for parts in judged:
            if parts.judged.unequal and not parts.judged.at_end:
                return Refused(parts.judged.unequal, parts.watched.group)
            if parts.judged.probed and parts.watched.delimiter.declared is None:
                return Refused("can end elsewhere with one more character", parts.watched.group)
    try:
        ordered = _ordered(judged, stable)
        if isinstance(ordered, Refused) and stable:
            ordered = _ordered([part for parts in judged for part in _by_literal(parts, alphabet)], stable)
        return ordered if isinstance(ordered, Refused) else _Composer(ordered, stable).compose()
    except TooManyPlacesError as error:
        return Refused(str(error), "")
    except NotSpelledError as error:
        return Refused(str(error), judged[0].watched.group)


def watched_of(ir: ParserIR, state: State) -> list[Watched]:
    """Name the delimiters of a state by what they do."""
    names = group_names(region.name for region in ir.regions)
    return [
        Watched(names[watch.field] if watch.opens else CLOSE, delimiter)
        for watch, delimiter in ir.delimiters(state)
    ]


def tree_of(delimiter: Delimiter) -> Node:
    """Give the syntax tree of a delimiter; literals as a choice, the longest first."""
    if delimiter.declared is None:
        return parse_pattern(delimiter.pattern)
    literals = sorted(delimiter.declared, key=len, reverse=True)
    texts = [Sequence(tuple(map(Text, literal))) for literal in literals]
    return texts[0] if len(texts) == 1 else Choice(tuple(texts))


def _ordered(parts: list[_Parts], stable: bool) -> list[_Parts] | Refused:
    """Order delimiters so that of two that stand at one place the longer one comes first."""
    before: dict[str, set[str]] = {each.name: set() for each in parts}
    for one, other in combinations(parts, 2):
        if _may_meet(one.judged, other.judged) and both_whole(one.judged.language, other.judged.language):
            before[other.name].add(one.name)
    for one, other in permutations(parts, 2):
        if not _may_meet(one.judged, other.judged):
            continue
        if one_while_other(one.judged.language, other.judged.language):
            before[one.name].add(other.name)
        if not stable and one.watched.delimiter.waits > other.watched.delimiter.waits:
            # At the end of the text, the one that counts at once has to wait with the other.
            if both_whole(one.judged.language, other.judged.language):
                return Refused("can be the same text as one that does not wait", one.watched.group, other.watched.group)
    for one, other in permutations(parts, 2):
        if other.name in before[one.name]:
            if one.name in before[other.name]:
                return Refused("can stand whole at one place with another", one.watched.group, other.watched.group)
            if any(map(looks_ahead, (one.judged.tree, other.judged.tree))):
                return Refused("looks ahead where another can stand", one.watched.group, other.watched.group)
            if one.judged.certain or (one.judged.needs_eager and not stable):
                return Refused("can stand whole where another has begun", one.watched.group, other.watched.group)
    ordered: list[_Parts] = []
    waiting = list(parts)
    while waiting:
        known = {each.name for each in ordered}
        ready = next((each for each in waiting if before[each.name] <= known), None)
        if ready is None:
            return Refused("can stand whole at one place with others", waiting[0].watched.group)
        ordered.append(ready)
        waiting.remove(ready)
    return ordered


def _by_literal(parts: _Parts, alphabet: str) -> list[_Parts]:
    """Take literals apart, so that those of several delimiters can be ordered by their lengths."""
    declared = parts.watched.delimiter.declared
    if declared is None:
        return [parts]
    trees = [Sequence(tuple(map(Text, literal))) for literal in declared]
    return [
        _Parts(parts.watched, judge(tree, alphabet, at_end=False, at_newline=False), f"{parts.watched.group}/{number}")
        for number, tree in enumerate(trees)
    ]


def _may_meet(one: Judged, other: Judged) -> bool:
    if one.language.accepts(one.language.start) or other.language.accepts(other.language.start):
        return True
    return bool(one.language.after(one.language.start).keys() & other.language.after(other.language.start).keys())


@dataclass
class _Composer:
    """Writes the expressions of a state."""

    parts: list[_Parts]
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
            whole = self._whole(judged.alternatives, group)
            if whole:
                ends.append(f"{whole}(?P<{self._variant(group) if group in used else group}>)")
                used.add(group)
            if judged.at_newline:
                ends.append(rf"(?=\n\Z)(?P<{self._variant(group)}>)")
                held.step(r"\n").ends = True
            if judged.certain:
                certain.append(self._certain(judged, group))
            if judged.needs_eager and not hides:
                eager.append(self._at_once(judged.alternatives, group))
            tree = beginner.root = hidden if judged.at_end else held
            for branch in judged.alternatives:
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
        branches = [self._guarded(branch, self.spelling.write(branch, group)) for branch in alternatives]
        return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})" if branches else ""

    def _guarded(self, branch: Node, written: str) -> str:
        run = leading_run(branch)
        if run is None:
            return written
        guard = f"(?<!{self.spelling.write(run.item)})"
        self.guards.append(guard)
        return guard + written

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
            tree = tree.step(f"(?<!{self.spelling.write(run.item)})")
            beginner.extend(tree, (branch,))
            tree.ends = False
        elif isinstance(branch, Sequence) and branch.items and _is_start(branch.items[0]):
            tree = tree.step(r"\A")
            beginner.extend(tree, branch.items[1:])
            tree.ends = False
        elif not _is_start(branch):
            beginner.extend(tree, (branch,))

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
        also = [one for each in self.parts for branch in each.judged.alternatives for one in first_characters(branch)]
        alphabet = self.parts[0].judged.language.alphabet if self.parts else ""
        plans = [wake_of(run, alphabet, also if hides else []) for run in beginner.runs]
        return tuple(plan for plan in plans if plan is not None)

    def _waits(self) -> tuple[str, ...]:
        if self.stable:
            return ()
        waiting = {each.watched.group for each in self.parts if each.watched.delimiter.waits}
        return tuple(group for group, action in self.groups if action in waiting)


def _is_start(node: Node) -> bool:
    return getattr(node, "kind", "") == "start"


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


def spelled_alone(tree: Node) -> str | None:
    """Write a pattern for a text of which no more can come, searched by itself; None if only `regex` can search it."""
    spelling = Spelling()
    try:
        check_spelled(tree)
        written = spelling.write(tree)
    except NotSpelledError:
        return None
    return None if spelling.needs_regex or any(leading_run(branch) for branch in alternatives_of(tree)) else written


def can_meet(one: Node, other: Node) -> bool:
    """Tell whether two patterns can both match at one place, as far as the first character tells."""
    try:
        alphabet = alphabet_of((one, other))
        languages = [Language(tree, alphabet) for tree in (one, other)]
    except NotSpelledError:
        return True
    first = [language.after(language.start).keys() for language in languages]
    return any(language.accepts(language.start) for language in languages) or bool(first[0] & first[1])
