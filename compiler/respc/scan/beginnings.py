"""Everything that has begun to be a delimiter: the texts that more text can complete to one, or make longer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.spelling import NotSpelledError, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.scan.spelling import Spelling

_MOST_DEPTH = 120
"""So deep may groups be nested: `re` compiles them by recursion."""


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

    def step(self, written: str) -> Beginnings:
        """Take a step."""
        return self.steps.setdefault(written, Beginnings())

    def write(self) -> str:
        """Write the expression of the texts that begin at this place; empty where there is none."""
        plain = [
            written + after._optional() + r"\Z" for written, after in self._steps_to(Beginnings._is_plain)
        ]
        marked = [written + after._to_runs() for written, after in self._steps_to(Beginnings._has_run)]
        # A run is named also where the text has begun what follows it: that, too, only more than the run decides.
        return "|".join((*marked, *plain))

    def write_bare(self) -> str:
        """Write the same without groups."""
        return re.sub(r"\(\?P<\w+>\)", "", self.write())

    def _is_plain(self) -> bool:
        return (self.ends and not self.run) or any(after._is_plain() for after in self.steps.values())

    def _has_run(self) -> bool:
        return bool(self.run) or any(after._has_run() for after in self.steps.values())

    def _steps_to(self, wanted: Callable[[Beginnings], bool]) -> list[tuple[str, Beginnings]]:
        return [(written, after) for written, after in self.steps.items() if wanted(after)]

    def _optional(self) -> str:
        """Write how a text may go on that ends in no run."""
        steps = self._steps_to(Beginnings._is_plain)
        may_end = self.ends and not self.run
        if not steps:
            return ""
        if len(steps) == 1:
            written, after = steps[0]
            rest = written + after._optional()
            if not may_end:
                return rest
            return f"{rest}?" if rest == written and _is_one(rest) else f"(?:{rest})?"
        parts = "|".join(written + after._optional() for written, after in steps)
        return f"(?:{parts})" + ("?" if may_end else "")

    def _to_runs(self) -> str:
        """Write how a text may go on that ends in a run, with the group that tells so."""
        parts = [rf"\Z(?P<{self.run}>)"] if self.run else []
        parts += [written + after._to_runs() for written, after in self._steps_to(Beginnings._has_run)]
        return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


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
            case Text() | OneOf():
                tree.ends = True
                self.extend(tree.step(self.spelling.one(head)), rest, name, behind)
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
