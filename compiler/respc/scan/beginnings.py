"""Everything that has begun to be a delimiter: the texts that more text can complete to one, or make longer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.shapes import is_start, items_of, leading_run
from respc.scan.spelling import NotSpelledError, Spelling, counted
from respc_runtime.beginnings import (
    BEGUN,
    ONE_CHARACTER,
    either,
    expression_tokens,
    is_character,
    spelled_beginnings,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_DEPTH = 120
"""So deep may groups be nested: `re` compiles them by recursion."""

_LONGEST_REPEATED = 24
"""So much that several texts begin with is written with each of them."""


@dataclass
class Beginnings:
    """What has begun, as a tree: after each step the text may end, or take another step.

    Attributes:
        ends: whether the text may end here,
        run: or, where it then ends in a run of characters, the group that tells so.
        steps: what may come next, by its expression.
    """

    ends: bool = False
    run: str = ""
    steps: dict[str, Beginnings] = field(default_factory=dict[str, "Beginnings"])
    _is_plain: bool = False
    _has_run: bool = False

    def step(self, written: str) -> Beginnings:
        """Take a step."""
        return self.steps.setdefault(written, Beginnings())

    def write(self) -> tuple[str, str]:
        """Write the expressions of the texts that begin at this place; empty where there is none.

        Returns:
            Those that end in a run, and those that end in none. A run is named also where the text has begun what
            follows it, so the former come first: that, too, only more than the run decides.
        """
        self._look_ahead()
        to_runs = "|".join(written + after._to_runs() for written, after in self._steps_to_runs())
        plain = "|".join(self._from_here(written, after) + r"\Z" for written, after in self._plain_steps())
        if nesting(spelled_beginnings(plain)) > _MOST_DEPTH:
            raise NotSpelledError("is too long")
        return to_runs, plain

    def write_bare(self) -> str:
        """Write all of them, without groups."""
        return re.sub(r"\(\?P<\w+>\)", "", either(*self.write()))

    def _look_ahead(self) -> None:
        """Note at every place whether a text that ends there or further on ends in a run, or in none."""
        places: list[Beginnings] = [self]
        for place in places:
            places.extend(place.steps.values())
        for place in reversed(places):
            after = place.steps.values()
            place._is_plain = place._ends_plainly or any(each._is_plain for each in after)
            place._has_run = bool(place.run) or any(each._has_run for each in after)

    @property
    def _ends_plainly(self) -> bool:
        return self.ends and not self.run

    def _plain_steps(self) -> list[tuple[str, Beginnings]]:
        return [(written, after) for written, after in self.steps.items() if after._is_plain]

    def _steps_to_runs(self) -> list[tuple[str, Beginnings]]:
        return [(written, after) for written, after in self.steps.items() if after._has_run]

    def _from_here(self, written: str, after: Beginnings) -> str:
        """Write a step, and how a text may go on behind it that ends in no run."""
        if not is_character(written):
            return written + after._onward()
        return f"{BEGUN}{'|'.join(self._texts('', [(written, after)]))})"

    def _onward(self) -> str:
        """Write how a text may go on that ends in no run; that it need not if it may end here."""
        steps = self._plain_steps()
        if not steps:
            return ""
        if _has_character(steps):
            written = f"{BEGUN}{'|'.join(self._texts('', steps))})"
        else:
            written = "|".join(step + after._onward() for step, after in steps)
            if len(steps) == 1 and not self._ends_plainly:
                return written
            written = f"(?:{written})"
        return written + ("?" if self._ends_plainly else "")

    def _texts(self, before: str, steps: list[tuple[str, Beginnings]]) -> Iterator[str]:
        """Write the texts of which steps are a beginning, with what stands before them."""
        for written, after in steps:
            text = before + written
            if not is_character(written):
                yield text + after._onward()
                continue
            further = after._plain_steps()
            while after._ends_plainly and len(further) == 1 and is_character(further[0][0]):
                text += further[0][0]
                after = further[0][1]
                further = after._plain_steps()
            if after._ends_plainly and not further:
                yield text + after._last_character()
            elif after._ends_plainly and _has_character(further) and len(text) <= _LONGEST_REPEATED:
                yield from after._texts(text, further)
            else:
                yield text + after._onward()

    def _last_character(self) -> str:
        """Give the character that makes a delimiter whole, or lets a run begin."""
        first = (re.match(ONE_CHARACTER, written, re.DOTALL) for written in self.steps)
        return next((found[0] for found in first if found is not None), ".")

    def _to_runs(self) -> str:
        """Write how a text may go on that ends in a run, with the group that tells so."""
        before, place, steps = "", self, self._steps_to_runs()
        while not place.run and len(steps) == 1:
            before += steps[0][0]
            place = steps[0][1]
            steps = place._steps_to_runs()
        parts = [rf"\Z(?P<{place.run}>)"] if place.run else []
        parts += [written + after._to_runs() for written, after in steps]
        return before + (parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})")


def _has_character(steps: list[tuple[str, Beginnings]]) -> bool:
    return any(is_character(written) for written, _ in steps)


def nesting(expression: str) -> int:
    """Tell how deep the groups of an expression are nested."""
    steps = {"(": 1, ")": -1}
    return max(accumulate(steps.get(token, 0) for token in expression_tokens(expression)), default=0)


@dataclass
class RunPlace:
    """A run of characters in which a beginning can end.

    Attributes:
        begun: the place in the tree behind it; its group still has to be named.
        repeat: the run.
        rest: what comes after it.
    """

    begun: Beginnings
    repeat: Repeat
    rest: tuple[Node, ...]


@dataclass
class Beginner:
    """Collects the beginnings of the delimiters of a state.

    Attributes:
        spelling: writes them.
        root: the place before all of them.
        runs: the runs in which they can end.
    """

    spelling: Spelling
    root: Beginnings | None = None
    runs: list[RunPlace] = field(default_factory=list[RunPlace])
    _depth: int = 0

    def begin(self, tree: Beginnings, branch: Node) -> None:
        """Add the texts that come before a branch of a delimiter is complete; a run in front only from its start on."""
        run = leading_run(branch)
        if run is not None:
            for first, guard, behind in ways_into_run(branch, run, self.spelling):
                after = (tree.step(first) if first else tree).step(guard)
                self.extend(after, behind)
                if not first:
                    after.ends = False
        elif isinstance(branch, Sequence) and branch.items and is_start(branch.items[0]):
            tree = tree.step(r"\A")
            self.extend(tree, branch.items[1:])
            tree.ends = False
        elif not is_start(branch):
            self.extend(tree, (branch,))

    def extend(
        self, tree: Beginnings, items: tuple[Node, ...], name: str = "", behind: tuple[Node, ...] = ()
    ) -> None:
        """Add the texts that come before a sequence of nodes is complete.

        Args:
            tree: the place before the sequence.
            items: the sequence.
            name: the named group that it is in.
            behind: what comes after the sequence, whose texts are added elsewhere.
        """
        while items and isinstance(items[0], Text | OneOf):
            tree.ends = True
            tree = tree.step(self.spelling.one(items[0]))
            items = items[1:]
        if not items:
            return
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise NotSpelledError("is too long")
        head, rest = items[0], items[1:]
        match head:
            case Sequence(parts):
                self.extend(tree, (*parts, *rest), name, behind)
            case Group(item, own):
                self.extend(tree, (item, *rest), own or name, behind)
            case Choice(branches):
                for branch in branches:
                    self.extend(tree, (branch,), name, (*rest, *behind))
                if rest:
                    self.extend(tree.step(self.spelling.write(head)), rest, name, behind)
            case Repeat(Text() | OneOf()):
                self._run(tree, head, rest, name, behind)
            case Repeat(item, 0, 1):
                self.extend(tree, (item,), name, (*rest, *behind))
                if rest and tree is self.root:
                    # Apart, so that each begins with a text.
                    self.extend(tree, rest, name, behind)
                    self.extend(tree.step(self.spelling.closed(item)), rest, name, behind)
                elif rest:
                    self.extend(tree.step(f"{self.spelling.closed(item)}?"), rest, name, behind)
            case LookAhead(item, False):
                self.extend(tree, until_decided((item,)), name, behind)
            case _:
                raise NotSpelledError(type(head).__name__)
        self._depth -= 1

    def _run(
        self, tree: Beginnings, run: Repeat, rest: tuple[Node, ...], name: str, behind: tuple[Node, ...]
    ) -> None:
        assert isinstance(run.item, Text | OneOf)
        one, low, high = self.spelling.one(run.item), run.low, run.high
        decided = low if high is None else high
        tree.ends = tree.ends or decided > 0
        if decided > 1:
            tree.step(one + counted(1, decided - 1)).ends = True
        after = tree.step(one + counted(low, high))
        if high is None and not after.run:
            after.run = f"in_{name or 'run'}"
            self.runs.append(RunPlace(after, run, (*rest, *behind)))
        self.extend(after, rest, name, behind)


def ways_into_run(branch: Node, run: Repeat, spelling: Spelling) -> list[tuple[str, str, tuple[Node, ...]]]:
    """Tell how a branch that begins with a run is searched only from where that begins, and so that `re` sees it.

    Returns:
        For each way what comes first, as far as `re` sees that, then the guard that stands behind it, then the rest.
    """
    items = items_of(branch)[1:]
    one = spelling.write(run.item)
    first = spelling.write(items[0]) if items and isinstance(items[0], Text) else ""
    if not isinstance(run.item, Text) or (run.low == 0 and not first):
        return [("", f"(?<!{one})", (branch,))]
    ways: list[tuple[str, str, tuple[Node, ...]]] = [
        (one, f"(?<!{one}{one})", (Repeat(run.item, max(run.low - 1, 0), None), *items))
    ]
    if run.low == 0:
        ways.append((first, f"(?<!{one}{first})", items[1:]))
    return ways


def until_decided(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """Leave out what comes at the end of a look-ahead and need not be there: it is decided before."""
    if not items:
        return ()
    last = items[-1]
    match last:
        case Sequence(parts):
            return until_decided((*items[:-1], *parts))
        case Group(item):
            return until_decided((*items[:-1], item))
        case Repeat(item, low) if low == 0:
            return until_decided(items[:-1])
        case Repeat(item, low, high) if high != low:
            return until_decided((*items[:-1], Repeat(item, low, low)))
        case Choice(branches):
            return (*items[:-1], Choice(tuple(Sequence(until_decided((branch,))) for branch in branches)))
        case _:
            return items


def begun_of(branches: Iterable[Node]) -> str:
    """Write what has begun to be one of some delimiters, without groups."""
    tree, beginner = Beginnings(), Beginner(Spelling())
    beginner.root = tree
    for branch in branches:
        beginner.begin(tree, branch)
    return tree.write_bare()
