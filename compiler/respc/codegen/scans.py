"""How the states of a parser are written: each with its expressions, and what its delimiters lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.codegen.classes import plan_feed
from respc.codegen.literals import display_dict, display_list, display_tuple, literal, pattern_lines
from respc.contents import CONTENT_PARSERS
from respc.scan.naming import group_names
from respc.scan.refusals import unstable_delimiters
from respc_runtime.states import CLOSE, KNOWN_RUNS

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import Delimiter, ParserIR, State
    from respc.scan import ScanPlan
    from respc.scan.nested_runs import SkipPlan
    from respc.scan.runs import WakePlan


@dataclass(frozen=True, slots=True)
class StateCode:
    """A state as it is written: what makes it, and its arguments one by one."""

    make: str
    arguments: tuple[str, ...]

    @property
    def code(self) -> str:
        """Give the whole call."""
        return f"{self.make}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The event for text of a field."""

    name: str
    key_code: str
    dirty: bool


@dataclass(frozen=True, slots=True)
class StatesPlan:
    """All states of a parser.

    Attributes:
        name: the constant for all of them.
        outside: the state outside of all regions, and its name.
        starting: the same at the start of the message, where it is another.
        following: what the other groups lead to, as code.
        options: further arguments, as code.
        has_begun: whether an expression of what has begun is among them.
        can_be_stable: whether they can be turned into states that do not depend on chunks.
    """

    name: str
    outside_name: str
    outside: StateCode
    starting_name: str
    starting: StateCode | None
    following: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    has_begun: bool
    can_be_stable: bool


def plan_chunks(ir: ParserIR, parts: dict[str, str], writer: ModuleWriter) -> dict[str, ChunkPlan]:
    """Name the events for text, by field."""
    return {
        region.name: ChunkPlan(
            name=writer.names.take(f"_{parts[region.name].upper()}"),
            key_code=literal(region.name),
            dirty=not CONTENT_PARSERS[region.content.parser].streams,
        )
        for region in ir.regions
    }


def plan_states(
    ir: ParserIR, chunks: dict[str, ChunkPlan], closers: dict[str, str], writer: ModuleWriter
) -> StatesPlan:
    """Plan how the states are written.

    Args:
        ir: after the passes.
        chunks: the events for text, by field.
        closers: the names of the functions that close regions, by field.
        writer: where imports and names go.
    """
    writer.runtime("States")
    outside, *inside = ir.states
    outside_name = writer.names.take("_OUTSIDE")
    starting_name = writer.names.take("_START") if outside.starts_apart else outside_name
    fields = {group: field for field, group in group_names(region.name for region in ir.regions).items()}
    following: dict[str, str] = {CLOSE: outside_name}
    for state in inside:
        assert state.region is not None
        region = ir.region(state.region)
        own = [f"chunk={chunks[region.name].name}", f"close={closers[region.name]}"]
        code = _state(ir, state, state.scan, own, writer)
        group = next(group for group, field in fields.items() if field == region.name)
        following[group] = code.code
    options: list[str] = []
    if aliases := _aliases(ir):
        options.append(f"aliases={literal(aliases)}")
    if ir.implicit is not None:
        implicit = [f"chunk={chunks[ir.implicit].name}", f"close={closers[ir.implicit]}"]
        options.append(f"implicit={outside_name}.changed({', '.join(implicit)})")
    context = _context(ir)
    if context != 0:
        options.append(f"context={context}")
    if not ir.whole_text:
        options.append("whole=False")
    starting = None
    if outside.starts_apart:
        starting = _state(ir, outside, outside.starting, [f"later={outside_name}"], writer)
    return StatesPlan(
        name=writer.names.take("_STATES"),
        outside_name=outside_name,
        outside=_state(ir, outside, outside.scan, [], writer),
        starting_name=starting_name,
        starting=starting,
        following=tuple((literal(group), code) for group, code in following.items()),
        options=tuple(options),
        has_begun=any(scan.begun or scan.longer for scan in _scans(ir)),
        can_be_stable=not any(unstable_delimiters(ir)),
    )


def _scans(ir: ParserIR) -> list[ScanPlan]:
    return [scan for state in ir.states for scan in (state.scan, state.starting) if scan is not None]


def _aliases(ir: ParserIR) -> dict[str, str]:
    """List the groups that mean the same as others."""
    return {group: action for scan in _scans(ir) for group, action in scan.groups if group != action}


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


def _state(
    ir: ParserIR, state: State, scan: ScanPlan | None, options: list[str], writer: ModuleWriter
) -> StateCode:
    if scan is None or (state.direct is None and plan_feed(ir) is not None):
        options = [*options, "direct=False"]
    if scan is None:
        return _pattern_state(ir, state, options, writer)
    arguments = [pattern_lines(scan.ends)]
    if scan.begun:
        arguments.append(pattern_lines(scan.begun))
    if scan.longer:
        arguments.append(f"longer={pattern_lines(scan.longer)}")
    runs = [(literal(run.group), _run(run, writer)) for run in scan.runs if run.group not in KNOWN_RUNS]
    if runs:
        arguments.append(f"runs={display_dict(runs)}")
    further = {"hidden": scan.hidden, "certain": scan.certain, "eager": scan.eager}
    arguments += [f"{name}={pattern_lines(pattern)}" for name, pattern in further.items() if pattern]
    if scan.hides:
        arguments.append("hides=True")
    if scan.waits:
        arguments.append(f"waits={display_list(map(literal, scan.waits))}")
    if scan.captures:
        arguments.append(f"captures={literal({group: dict(names) for group, names in scan.captures})}")
    if scan.newline:
        arguments.append(f"newline={literal(scan.newline)}")
    if scan.behind_blanks[0]:
        groups, begun = scan.behind_blanks
        arguments.append(f"behind_blanks=({display_list(map(literal, groups))}, {pattern_lines(begun)})")
    if scan.gate:
        arguments.append(f"first={pattern_lines(scan.gate)}")
    if scan.guards:
        arguments.append(f"guards={literal(scan.guards)}")
    if scan.leading is not None:
        leading = ", ".join(map(pattern_lines, scan.leading))
        arguments.append(f"leading={writer.runtime('LeadingRun')}({leading})")
    if scan.lingering:
        name = writer.runtime("Lingering")
        runs_held = (
            f"{name}({pattern_lines(run)}, {literal(text)}, {width})" for run, text, width in scan.lingering
        )
        arguments.append(f"lingering={display_tuple(runs_held)}")
    if scan.skips:
        writer.runtime("skip_run")
        arguments.append(f"skipped={pattern_lines(scan.skipped)}")
        skips = ((literal(skip.group), _skip(skip)) for skip in scan.skips)
        arguments.append(f"skips={display_dict(skips)}")
    if scan.needs_regex:
        arguments.append(f"make={writer.runtime('words_pattern')}")
    return StateCode(writer.runtime("State"), (*arguments, *options))


def _skip(skip: SkipPlan) -> str:
    if skip.length is None:
        return "skip_run(None)"
    if not skip.heads:
        return f"skip_run({skip.length})"
    return f"skip_run({skip.length}, {pattern_lines(skip.heads)}, {skip.width})"


def _run(run: WakePlan, writer: ModuleWriter) -> str:
    if run.needs_regex:
        code = f"{writer.runtime('Run')}({writer.runtime('compile_pattern')}({pattern_lines(run.pattern)}).search"
    else:
        code = f"{writer.runtime('run_until')}({pattern_lines(run.pattern)}"
    return f"{code}, {run.width})" if run.width else f"{code})"


def _pattern_state(ir: ParserIR, state: State, options: list[str], writer: ModuleWriter) -> StateCode:
    """Write a state whose delimiters `regex` searches one by one."""
    names = group_names(region.name for region in ir.regions)
    writer.runtime("Pattern")
    patterns = [
        _pattern(names[watch.field] if watch.opens else CLOSE, delimiter)
        for watch, delimiter in ir.delimiters(state)
    ]
    captures = {
        names[watch.field] if watch.opens else CLOSE: {name: name for name in delimiter.groups}
        for watch, delimiter in ir.delimiters(state)
        if delimiter.groups
    }
    arguments = [display_list(patterns)]
    if captures:
        arguments.append(f"captures={literal(captures)}")
    return StateCode(writer.runtime("PatternState"), (*arguments, *options))


def _pattern(group: str, delimiter: Delimiter) -> str:
    arguments = [literal(group), pattern_lines(delimiter.pattern)]
    if delimiter.declared is not None:
        arguments.append("declared=True")
        if delimiter.waits:
            arguments.append("waits=True")
    elif delimiter.facts.reach is not None:
        arguments.append(f"reach={delimiter.facts.reach}")
    if delimiter.facts.takes_rest:
        arguments.append("takes_rest=True")
    if delimiter.facts.first is not None and len(delimiter.facts.first) == 1:
        arguments.append(f"first={literal(min(delimiter.facts.first))}")
    return f"Pattern({', '.join(arguments)})"
