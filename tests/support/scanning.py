"""The states of small templates as a module has them, and what the interpreter's rule decides in the same place.

The rule is written down here once more, as plainly as it can be said, by `regex` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import regex

from respc.codegen.scans import OUTSIDE, plan_states
from respc.frontend import lower_template
from respc.passes import run_passes
from respc.scan import ScanPlan, watched_of
from respc.source import template_from_dict
from respc_runtime import patterns, searches, states
from respc_runtime.stream import named_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.ir import Delimiter, ParserIR
    from respc.scan.plans import Watched
    from respc_runtime.searches import Search
    from respc_runtime.states import State, States

Spec: TypeAlias = str | tuple[str, ...]
"""A delimiter as tests write it: literals in a tuple, or a pattern."""

_RUNTIME = {**vars(patterns), **vars(searches), **vars(states)}


def template_of(openers: tuple[Spec, ...], closer: Spec | None = None) -> dict[str, Any]:
    """Write a template of fields `a`, `b`, ... with these openers, and an implicit field with this closer."""
    fields = {chr(ord("a") + number): _declared(spec, "open") for number, spec in enumerate(openers)}
    fields["rest"] = {} if closer is None else _declared(closer, "close")
    return {"start_anchor": "@", "fields": fields}


def _declared(spec: Spec, key: str) -> dict[str, Any]:
    return {f"{key}_pattern": spec} if isinstance(spec, str) else {key: list(spec)}


@dataclass(frozen=True)
class Decided:
    """What is decided of a text: a delimiter; or that nothing is from a place on, the end where no text is held.

    Attributes:
        place: where it begins.
        end: where it ends.
        group: what it does; empty where none is decided.
        captures: what its named groups took.
    """

    place: int
    end: int = -1
    group: str = ""
    captures: tuple[tuple[str, str], ...] = ()

    def moved(self, by: int) -> Decided:
        """Give the same in a text with more before it."""
        return Decided(self.place + by, self.end + by if self.group else -1, self.group, self.captures)


class Found:
    """The state outside of all regions, of a template of `template_of`, as a module has it."""

    def __init__(
        self, openers: tuple[Spec, ...], closer: Spec | None = None, *, stable: bool = False
    ) -> None:
        lowered = lower_template(template_from_dict(template_of(openers, closer)))
        self.ir = run_passes(lowered, ["expressions", "direct-chunks", "whole-text"], stable=stable)
        self.is_stable = stable
        outside = self.ir.states[0]
        self.later = outside.scan
        self.starting = outside.starting
        self.watched: tuple[Watched, ...] = watched_of(self.ir, outside)

    @property
    def plans(self) -> list[ScanPlan]:
        """Give the expressions of the state, where it has them: at the start of the message, and later."""
        return [plan for plan in (self.starting, self.later) if plan is not None]

    @cached_property
    def actions(self) -> dict[str, str]:
        """What the groups of the state's expressions do, by their names."""
        own = {each.group: each.group for each in self.watched}
        return own | {group: action for plan in self.plans for group, action in plan.groups}

    @cached_property
    def states(self) -> States:
        """The states of the module."""
        return _states(self.ir)

    def decide(self, text: str, pos: int, *, at_end: bool, at_start: bool) -> Decided:
        """Tell what the state decides of a text from a place on, as a parser reads what is found.

        Args:
            text: the text.
            pos: the place.
            at_end: whether it is complete.
            at_start: whether the state is that at the start of the message.
        """
        state = self.states.start if at_start else self.states.start.later
        match = self._search(state, at_end=at_end)(text, pos)
        edge = len(text)
        if match is None and state.later is not state and pos < edge:
            # Nothing stands at the start of the message.
            state = state.later
            match = self._search(state, at_end=at_end)(text, pos)
        if match is None or match.start() == edge:
            return Decided(edge)
        group, start, end = match.lastgroup or "", match.start(), match.end()
        waits = end == edge and not at_end and not self.is_stable and group in state.waits
        if group not in self.actions or waits:
            assert not at_end, f"text is held at the end: {text!r}"
            return Decided(start)
        taken = named_groups(match, state.captures[group]) if group in state.captures else {}
        return Decided(start, end, self.actions[group], tuple(sorted(taken.items())))

    def _search(self, state: State, *, at_end: bool) -> Search:
        return state.last if at_end else state.searches.stable if self.is_stable else state.scan


def _states(ir: ParserIR) -> States:
    """Evaluate what a module says of its states."""
    plan = plan_states(ir, {region.name: "None" for region in ir.regions})
    names = {**_RUNTIME}
    for name, code in ((OUTSIDE, plan.outside), ("_START", plan.starting), *plan.shared):
        names[name] = None if code is None else eval(code, names)
    following = ", ".join(f"{group}: {code}" for group, code in plan.following)
    start = OUTSIDE if plan.starting is None else "_START"
    arguments = [start, f"{{{following}}}", *plan.options]
    made: States = eval(f"States({', '.join(arguments)})", names)
    made.make_ready()
    return made


class Rule:
    """The interpreter's rule for the delimiters of a state."""

    def __init__(self, watched: tuple[Watched, ...]) -> None:
        self.delimiters = [
            (number, each.group, each.delimiter, regex.compile(each.delimiter.pattern, regex.DOTALL))
            for number, each in enumerate(watched)
        ]

    def decide(self, text: str, pos: int, *, at_end: bool) -> Decided:
        """Tell what the interpreter decides of a text from a place on."""
        edge = len(text)
        pending = [edge]
        whole: list[tuple[tuple[int, int, int], Decided]] = []
        for number, group, delimiter, pattern in self.delimiters:
            match = pattern.search(text, pos) if at_end else pattern.search(text, pos, partial=True)
            if match is None:
                continue
            start, end = match.span()
            if match.partial or (not at_end and not _stays(delimiter, pattern, text, match)):
                pending.append(start)
                continue
            taken = {name: part for name, part in match.groupdict().items() if part is not None}
            decided = Decided(start, end, group, tuple(sorted(taken.items())))
            whole.append(((start, -end, number), decided))
        if whole and (best := min(whole, key=_order))[0][0] < min(pending):
            return best[1]
        return Decided(edge if at_end else min(pending))


def _order(candidate: tuple[tuple[int, int, int], Decided]) -> tuple[int, int, int]:
    return candidate[0]


def _stays(delimiter: Delimiter, pattern: Any, text: str, match: Any) -> bool:
    """Tell whether a whole match counts while more text may come."""
    start, end = match.span()
    literals = delimiter.declared
    if end == len(text):
        return literals is not None and start < end and not _one_extends_another(literals)
    if literals is not None:
        return True
    again = pattern.match(text + "\0", start)
    return again is not None and (again.span(), again.groupdict()) == (match.span(), match.groupdict())


@lru_cache(maxsize=256)
def _one_extends_another(literals: tuple[str, ...]) -> bool:
    return any(one != other and other.startswith(one) for one in literals for other in literals)


def texts_of(alphabet: str, longest: int) -> Iterator[str]:
    """Enumerate all texts of an alphabet, the shorter ones first."""
    for length in range(longest + 1):
        for characters in product(alphabet, repeat=length):
            yield "".join(characters)


@dataclass(frozen=True)
class Difference:
    """A text of which a state decides something else than the rule."""

    text: str
    pos: int
    at_end: bool
    rule: Decided
    found: Decided


def differences(found: Found, texts: Iterator[str]) -> Iterator[Difference]:
    """Compare a state with the rule: from the start of the message on, and later, with text before it or cut off."""
    rule = Rule(found.watched)
    for text in texts:
        for at_end in (False, True):
            expected = rule.decide(text, 0, at_end=at_end)
            got = found.decide(text, 0, at_end=at_end, at_start=True)
            if got != expected:
                yield Difference(text, 0, at_end, expected, got)
            if not text:
                continue
            expected = rule.decide(text, 1, at_end=at_end)
            got = found.decide(text, 1, at_end=at_end, at_start=False)
            cut = found.decide(text[1:], 0, at_end=at_end, at_start=False).moved(1)
            if got != expected:
                yield Difference(text, 1, at_end, expected, got)
            elif cut != expected and found.states.context == 0:
                yield Difference(text, 1, at_end, expected, cut)


def first_difference(found: Found, texts: Iterator[str]) -> Difference | None:
    """Give the first text of which a state decides something else than the rule."""
    return next(differences(found, texts), None)


Span: TypeAlias = tuple[int, int, str, tuple[tuple[str, str], ...]]
"""A delimiter that counted: its place, the place after it, what it does and what its groups took."""


def spans(found: Found, pieces: Iterable[str]) -> list[Span] | None:
    """Feed pieces of a text to a parser whose delimiters all lead outside of all regions, and end it there.

    None where a delimiter that matches nothing counts past the start: what becomes of those is up to the stream.
    """
    text, gone, at_start = "", 0, True
    counted: list[Span] = []
    for piece in (*pieces, None):
        text += piece or ""
        pos = 0
        while (decided := found.decide(text, pos, at_end=piece is None, at_start=at_start)).group:
            if decided.place == decided.end and not at_start:
                return None
            counted.append((gone + decided.place, gone + decided.end, decided.group, decided.captures))
            pos, at_start = decided.end, False
        at_start = at_start and not decided.place
        text, gone = text[decided.place :], gone + decided.place
    return counted


def whole_spans(found: Found, text: str) -> list[Span] | None:
    """Take a whole text to its end without holding any back, as `Stream.finish`; None as of `spans`."""
    counted: list[Span] = []
    pos, at_start = 0, True
    while (decided := found.decide(text, pos, at_end=True, at_start=at_start)).group:
        if decided.place == decided.end and not at_start:
            return None
        counted.append((decided.place, decided.end, decided.group, decided.captures))
        pos, at_start = decided.end, False
    return counted


def cuts(text: str) -> Iterator[tuple[str, ...]]:
    """Cut a text into two or three pieces in every way."""
    for one in range(1, len(text)):
        yield text[:one], text[one:]
        for two in range(one + 1, len(text)):
            yield text[:one], text[one:two], text[two:]
