"""How the states of a parser are written: each with its expressions, and what its delimiters lead to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from respc.codegen.classes import plan_feed
from respc.codegen.literals import (
    display_call,
    display_dict,
    display_list,
    display_tuple,
    literal,
    pattern_lines,
)
from respc.contents import parser_of
from respc.scan import watched_of
from respc.scan.naming import group_names
from respc_runtime.states import CLOSE, KNOWN_RUNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.ir import Delimiter, ParserIR, Region, State
    from respc.scan import ScanPlan
    from respc.scan.nested_runs import SkipPlan
    from respc.scan.runs import WakePlan
    from respc_runtime.searches import LeadingRun, Lingering

Value = TypeVar("Value")

OUTSIDE = "_OUTSIDE"
"""The constant for the state outside of all regions."""


@dataclass(frozen=True, slots=True)
class StatesPlan:
    """All states of a parser, as code.

    Attributes:
        outside: the state outside of all regions.
        starting: the same at the start of the message, where it is another.
        shared: states inside of several regions that end alike, by their constants.
        following: what groups lead to.
        options: further arguments.
        has_begun: whether an expression of what has begun is among them.
    """

    outside: str
    starting: str | None
    shared: tuple[tuple[str, str], ...]
    following: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    has_begun: bool


def plan_states(ir: ParserIR, closers: dict[str, str]) -> StatesPlan:
    """Plan how the states are written.

    Args:
        ir: after the passes.
        closers: the names of the functions that close regions, by field.
    """
    outside, *inside = ir.states
    groups = group_names(region.name for region in ir.regions)
    shared = _shared(ir, inside)
    following = {CLOSE: OUTSIDE}
    for state in inside:
        assert state.region is not None
        opened = _opened(ir.region(state.region), closers)
        name = shared.get(_state(ir, state, state.scan, {}))
        following[groups[state.region]] = (
            display_call(f"{name}.changed", opened) if name else _state(ir, state, state.scan, opened)
        )
    starting = None
    if outside.starting != outside.scan:
        starting = _state(ir, outside, outside.starting, {"later": OUTSIDE})
    return StatesPlan(
        outside=_state(ir, outside, outside.scan, {}),
        starting=starting,
        shared=tuple((name, code) for code, name in shared.items()),
        following=tuple((literal(group), code) for group, code in following.items()),
        options=tuple(f"{name}={code}" for name, code in _options(ir, closers).items()),
        has_begun=any(scan.begun or scan.longer for scan in _scans(ir)),
    )


def _shared(ir: ParserIR, inside: list[State]) -> dict[str, str]:
    """Name the states of several regions that end alike, by their code."""
    counts = Counter(_state(ir, state, state.scan, {}) for state in inside)
    several = [code for code, count in counts.items() if count > 1]
    return {code: f"_INSIDE_{number}" if number > 1 else "_INSIDE" for number, code in enumerate(several, 1)}


def _options(ir: ParserIR, closers: dict[str, str]) -> dict[str, str]:
    """Write what is said of all states together."""
    options: dict[str, str] = {}
    if aliases := {group: action for scan in _scans(ir) for group, action in scan.groups if group != action}:
        options["aliases"] = literal(aliases)
    if ir.implicit is not None:
        options["implicit"] = display_call(f"{OUTSIDE}.changed", _opened(ir.region(ir.implicit), closers))
    if (context := _context(ir)) != 0:
        options["context"] = literal(context)
    if not ir.whole_text:
        options["whole"] = "False"
    return options


def _opened(region: Region, closers: dict[str, str]) -> dict[str, str]:
    """Write what a state is told of the region that is open in it."""
    dirty = {} if parser_of(region.content).streams else {"dirty": "True"}
    return {
        "chunk": display_call("region_chunk", dirty, literal(region.name)),
        "close": closers[region.name],
    }


def _scans(ir: ParserIR) -> list[ScanPlan]:
    return [scan for state in ir.states for scan in (state.scan, state.starting) if scan is not None]


def _context(ir: ParserIR) -> int | None:
    """Tell how many characters before a place the delimiters that `regex` searches look at."""
    contexts = [
        delimiter.facts.left_context
        for state in ir.states
        if state.scan is None
        for _, delimiter in ir.delimiters(state)
    ]
    known = [context for context in contexts if context is not None]
    return max(known, default=0) if len(known) == len(contexts) else None


def _state(ir: ParserIR, state: State, scan: ScanPlan | None, options: dict[str, str]) -> str:
    if scan is None or (state.direct is None and plan_feed(ir) is not None):
        options = {**options, "direct": "False"}
    if scan is None:
        return _pattern_state(ir, state, options)
    expressions = [pattern_lines(scan.ends), *([pattern_lines(scan.begun)] if scan.begun else [])]
    return display_call("State", {**_arguments(scan), **options}, *expressions)


def _arguments(scan: ScanPlan) -> dict[str, str]:
    """Write what a state is told beside its two expressions, where there is such."""
    groups, begun = scan.behind_blanks
    arguments = {
        "longer": _written(scan.longer, pattern_lines),
        "runs": _written(
            {run.group: _run(run) for run in scan.runs if run.group not in KNOWN_RUNS}, _display
        ),
        "hidden": _written(scan.hidden, pattern_lines),
        "certain": _written(scan.certain, pattern_lines),
        "eager": _written(scan.eager, pattern_lines),
        "hides": _written(scan.hides, literal),
        "waits": _written([*scan.waits], literal),
        "captures": _written({group: dict(names) for group, names in scan.captures}, literal),
        "newline": _written(scan.newline, literal),
        "behind_blanks": display_tuple((literal([*groups]), pattern_lines(begun))) if groups else "",
        "first": _written(scan.gate, pattern_lines),
        "guards": _written(scan.guards, literal),
        "leading": "" if scan.leading is None else _leading(scan.leading),
        "lingering": _written([*map(_lingering, scan.lingering)], display_tuple),
        "skipped": _written(scan.skipped, pattern_lines),
        "skips": _written({skip.group: _skip(skip) for skip in scan.skips}, _display),
        "make": "words_pattern" if scan.needs_regex else "",
    }
    return {name: code for name, code in arguments.items() if code}


def _written(value: Value, write: Callable[[Value], str]) -> str:
    return write(value) if value else ""


def _display(codes: dict[str, str]) -> str:
    return display_dict((literal(group), code) for group, code in codes.items())


def _leading(run: LeadingRun) -> str:
    return display_call("LeadingRun", {}, *map(pattern_lines, run))


def _lingering(run: Lingering) -> str:
    return display_call("Lingering", {}, pattern_lines(run.run), literal(run.text), literal(run.width))


def _skip(skip: SkipPlan) -> str:
    heads = [pattern_lines(skip.heads), literal(skip.width)] if skip.heads else []
    return display_call("skip_run", {}, literal(skip.length), *heads)


def _run(run: WakePlan) -> str:
    width = [literal(run.width)] if run.width else []
    if not run.needs_regex:
        return display_call("run_until", {}, pattern_lines(run.pattern), *width)
    search = f"{display_call('compile_pattern', {}, pattern_lines(run.pattern))}.search"
    return display_call("Run", {}, search, *width)


def _pattern_state(ir: ParserIR, state: State, options: dict[str, str]) -> str:
    """Write a state whose delimiters `regex` searches one by one."""
    watched = watched_of(ir, state)
    groups = {
        each.group: {name: name for name in each.delimiter.groups}
        for each in watched
        if each.delimiter.groups
    }
    captures = {"captures": literal(groups)} if groups else {}
    patterns = display_list(_pattern(each.group, each.delimiter) for each in watched)
    return display_call("PatternState", {**captures, **options}, patterns)


def _pattern(group: str, delimiter: Delimiter) -> str:
    facts = delimiter.facts
    arguments: dict[str, str] = {}
    if delimiter.declared is not None:
        arguments["declared"] = "True"
        if delimiter.waits:
            arguments["waits"] = "True"
    elif facts.reach is not None:
        arguments["reach"] = literal(facts.reach)
    if facts.takes_rest:
        arguments["takes_rest"] = "True"
    if facts.first is not None and len(facts.first) == 1:
        arguments["first"] = literal(min(facts.first))
    return display_call("Pattern", arguments, literal(group), pattern_lines(delimiter.pattern))
