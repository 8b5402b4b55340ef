"""Everything that has begun to be a delimiter: the texts that more text can complete to one, or make longer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.shapes import is_start, leading_run
from respc.scan.spelling import NotSpelledError, counted

if TYPE_CHECKING:
    from respc.scan.spelling import Spelling

_MOST_DEPTH = 120
"""So deep may groups be nested: `re` compiles them by recursion."""

_LONG_CHAIN = 16
"""A literal that is longer is halved where its beginnings are written: so `re` compares half of it at once."""


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
        to_runs = [written + after._to_runs() for written, after in self._steps_to_runs()]
        plain = [written + after._optional() + r"\Z" for written, after in self._plain_steps()]
        return "|".join(to_runs), "|".join(plain)

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

    def _optional(self, depth: int = 0) -> str:
        """Write how a text may go on that ends in no run."""
        if depth > _MOST_DEPTH:
            raise NotSpelledError("is too long")
        chain: list[str] = []
        place, steps = self, self._plain_steps()
        while place._ends_plainly and len(steps) == 1:
            chain.append(steps[0][0])
            place = steps[0][1]
            steps = place._plain_steps()
        if chain:
            return _or_nothing(_some_of(chain, place._optional(depth + min(len(chain), _LONG_CHAIN))))
        if len(steps) < 2:
            return "".join(written + after._optional(depth) for written, after in steps)
        parts = "|".join(written + after._optional(depth + 1) for written, after in steps)
        return f"(?:{parts})" + ("?" if self._ends_plainly else "")

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


def either(*expressions: str) -> str:
    """Join expressions, less the empty ones, which stand for nothing."""
    return "|".join(expression for expression in expressions if expression)


def _some_of(chain: list[str], rest: str) -> str:
    """Write that of a chain of steps at least the first is taken, and after the last one a rest.

    Of a long chain each half is written by itself, or the groups would be nested as deep as it is long.
    """
    if len(chain) > _LONG_CHAIN:
        half = len(chain) // 2
        first, second = chain[:half], chain[half:]
        after = _some_of(second, rest)
        after = f"(?:{after})" if len(second) > _LONG_CHAIN else after
        return f"{''.join(first)}{after}|{_some_of(first, '')}"
    written = chain[-1] + rest
    for step in reversed(chain[:-1]):
        written = step + _or_nothing(written)
    return written


def _or_nothing(written: str) -> str:
    return f"{written}?" if _is_one(written) else f"(?:{written})?"


@dataclass
class RunPlace:
    """A run of characters in which a beginning can end.

    Attributes:
        group: the group that tells so.
        repeat: the run.
        rest: what comes after it.
    """

    group: str
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
            self._begin_with_run(tree, branch, run)
        elif isinstance(branch, Sequence) and branch.items and is_start(branch.items[0]):
            tree = tree.step(r"\A")
            self.extend(tree, branch.items[1:])
            tree.ends = False
        elif not is_start(branch):
            self.extend(tree, (branch,))

    def _begin_with_run(self, tree: Beginnings, branch: Node, run: Repeat) -> None:
        items = branch.items[1:] if isinstance(branch, Sequence) else ()
        one = self.spelling.write(run.item)
        first = self.spelling.write(items[0]) if items and isinstance(items[0], Text) else ""
        if not isinstance(run.item, Text) or (run.low == 0 and not first):
            tree = tree.step(f"(?<!{one})")
            self.extend(tree, (branch,))
            tree.ends = False
            return
        more = Repeat(run.item, max(run.low - 1, 0), None)
        self.extend(tree.step(one).step(f"(?<!{one}{one})"), (more, *items))
        if run.low == 0:
            after = tree.step(first).step(f"(?<!{one}{first})")
            self.extend(after, items[1:])

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
                    self.extend(tree.step(self._grouped(item)), rest, name, behind)
                elif rest:
                    self.extend(tree.step(f"{self._grouped(item)}?"), rest, name, behind)
            case LookAhead(item, False):
                self.extend(tree, until_decided((item,)), name, behind)
            case _:
                raise NotSpelledError(type(head).__name__)
        self._depth -= 1

    def _grouped(self, node: Node) -> str:
        written = self.spelling.write(node)
        return written if isinstance(node, Text | OneOf | Choice) else f"(?:{written})"

    def _run(
        self, tree: Beginnings, run: Repeat, rest: tuple[Node, ...], name: str, behind: tuple[Node, ...]
    ) -> None:
        assert isinstance(run.item, Text | OneOf)
        one, low, high = self.spelling.one(run.item), run.low, run.high
        if high is None:
            tree.ends = tree.ends or low > 0
            if low > 1:
                tree.step(one + counted(1, low - 1)).ends = True
            after = tree.step(one + counted(low, None))
            if not after.run:
                wanted = name or ("blanks" if isinstance(run.item, OneOf) and run.item.is_blanks else "run")
                after.run = self.spelling.unique(f"in_{wanted}")
                self.runs.append(RunPlace(after.run, run, (*rest, *behind)))
            self.extend(after, rest, name, behind)
            return
        tree.ends = tree.ends or high > 0
        if high > 1:
            tree.step(one + counted(1, high - 1)).ends = True
        if rest:
            self.extend(tree.step(one + counted(low, high)), rest, name, behind)


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


def _is_one(written: str) -> bool:
    """Tell whether an expression is one character or class, to which a count can be added."""
    return (
        len(written) == 1
        or (len(written) == 2 and written[0] == "\\")
        or (written[0] == "[" and written.find("]", 2) == len(written) - 1)
    )
