"""How each state looks for what ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.closers import used_captures
from respc.codegen.holds import plan_hold_of_heads, plan_hold_of_literals
from respc.codegen.literals import display_dict, display_set, display_tuple, literal
from respc.codegen.plan import FinderPlan, MatcherPlan, SeekerPlan
from respc.codegen.seekers import write_steps
from respc.ir import Delimiter, Edge, Head, LiteralSearch, ParserIR, PatternSearch, State, StepSearch, Watch

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter

_LONGEST_COMMENT = 60


def plan_finder(
    ir: ParserIR,
    state: State,
    names: dict[str, str],
    state_names: dict[str | None, str],
    writer: ModuleWriter,
) -> FinderPlan:
    """Plan the function that finds the next delimiter of a state.

    Args:
        ir: the whole template.
        state: the state.
        names: a part of an identifier for each field.
        state_names: the constant of each state.
        writer: where constants go.
    """
    own = "outside" if state.region is None else names[state.region]
    function = writer.names.take(f"_find_{own}" if state.region is None else f"_find_end_of_{own}")
    writer.runtime("Found")
    writer.runtime("Seen")
    watched = ir.delimiters(state)
    # Where consumed text is kept, there is no short look at chunks.
    forgets = ir.left_context == 0
    if not watched:
        return FinderPlan(function, "nothing")
    if state.one_search:
        return _plan_one_search(function, own, watched, state_names, forgets, writer)
    writer.runtime("Sought")
    seekers = tuple(
        _plan_seeker(watch, delimiter, ir, names, state_names, writer) for watch, delimiter in watched
    )
    seekers_name = writer.names.take(f"_{own.upper()}_SEEKERS")
    if not state.heads:
        writer.runtime("earliest")
        return FinderPlan(function, "each", seekers, seekers_name)
    writer.runtime("Heads")
    find = writer.runtime("find_by_head_stably" if ir.stable else "find_by_head")
    heads_name = writer.names.take(f"_{own.upper()}_HEADS")
    ends = [
        delimiter.search.steps.end
        for _, delimiter in watched
        if isinstance(delimiter.search, StepSearch) and delimiter.search.steps.end is not None
    ]
    before_newline = any(end.before_newline for end in ends)
    return FinderPlan(
        function,
        "by_head",
        seekers,
        seekers_name,
        search_code=find,
        heads_name=heads_name,
        heads_code=_heads(state.heads, watched, seekers, bool(ends), before_newline),
        hold=plan_hold_of_heads(own, state.heads, heads_name, before_newline, writer) if forgets else None,
    )


def _captures(ir: ParserIR, watch: Watch, delimiter: Delimiter) -> frozenset[str]:
    """List the groups of a delimiter that are used: serving events show all of an opener."""
    if ir.serving and watch.opens:
        return frozenset(delimiter.groups)
    return used_captures(ir.region(watch.field))


def _heads(
    heads: tuple[Head, ...],
    watched: list[tuple[Watch, Delimiter]],
    seekers: tuple[SeekerPlan, ...],
    matches_end: bool,
    before_newline: bool,
) -> str:
    """Write what `find_by_head` knows of the delimiters of a state."""
    table: list[tuple[str, str]] = []
    for head in heads:
        seeker = seekers[head.watch]
        matchers = display_tuple(seeker.matchers[number].name for number in head.alternatives)
        waits = bool(head.alternatives) or watched[head.watch][1].edge is Edge.WAITS
        table.append(
            (literal(head.text), f"({seeker.action_code}, {matchers}, {head.after_blanks}, {waits})")
        )
    arguments = [display_dict(table)]
    if hidden := [head.text for head in heads if head.hidden]:
        arguments.append(display_set(hidden))
    if matches_end:
        arguments.append("matches_end=True")
    if before_newline:
        arguments.append("before_newline=True")
    return f"Heads({', '.join(arguments)})"


def _plan_one_search(
    function: str,
    own: str,
    watched: list[tuple[Watch, Delimiter]],
    state_names: dict[str | None, str],
    forgets: bool,
    writer: ModuleWriter,
) -> FinderPlan:
    """Plan one search for all delimiters of a state, which are literals."""
    literals = {
        text: (_action(watch, state_names, writer), delimiter.edge)
        for watch, delimiter in watched
        for text in _searched(delimiter)
    }
    ordered = tuple(sorted(literals, key=lambda text: (-len(text), text)))
    waiting = [text for text, (_, edge) in literals.items() if edge is Edge.WAITS]
    if len(ordered) == 1:
        text = ordered[0]
        writer.runtime("held_from")
        return FinderPlan(
            name=function,
            kind="one_literal",
            search_code=literal(text),
            length=len(text),
            action_code=literals[text][0],
            waits_code="" if waiting else None,
            hold=plan_hold_of_literals(own, ordered, "", writer) if forgets else None,
        )
    writer.runtime("held_from_any")
    search = writer.alternation(f"{own}_delimiters", ordered)
    waits: str | None = None
    if waiting:
        everything = len(waiting) == len(literals)
        waits = "" if everything else f"match[0] in {writer.constant(f'{own}_waiting', display_set(waiting))}"
    return FinderPlan(
        name=function,
        kind="one_search",
        search_code=search,
        action_code=writer.constant(
            f"{own}_actions", display_dict((literal(text), literals[text][0]) for text in sorted(literals))
        ),
        literals_name=writer.constant(f"{own}_literals", literal(ordered)),
        waits_code=waits,
        hold=plan_hold_of_literals(own, ordered, f"{search}.search", writer) if forgets else None,
    )


def _plan_seeker(
    watch: Watch,
    delimiter: Delimiter,
    ir: ParserIR,
    names: dict[str, str],
    state_names: dict[str | None, str],
    writer: ModuleWriter,
) -> SeekerPlan:
    """Plan the function that looks for one delimiter."""
    own = f"{names[watch.field]}_{'open' if watch.opens else 'close'}"
    function = writer.names.take(f"_seek_{own}")
    matchers: tuple[MatcherPlan, ...] = ()
    match delimiter.search:
        case LiteralSearch(literals):
            code = _seek_literals(own, literals, delimiter.edge is Edge.WAITS, ir.stable, writer)
        case StepSearch(steps):
            captures = _captures(ir, watch, delimiter)
            code, matchers = write_steps(own, steps, captures, writer, stable=ir.stable)
        case _:
            code = _seek_pattern(own, delimiter, writer)
    return SeekerPlan(
        name=function,
        comment=_comment(watch, delimiter),
        code=code,
        action_code=_action(watch, state_names, writer),
        steady=_steady(delimiter),
        matchers=matchers,
    )


def _steady(delimiter: Delimiter) -> bool:
    """Tell whether what a seeker found holds good for later places of the text.

    `regex` can report another partial match of a pattern that looks ahead when it searches from a later place.
    """
    facts = delimiter.facts
    return not isinstance(delimiter.search, PatternSearch) or (
        facts.left_context is not None and not facts.looks_ahead
    )


def _seek_literals(
    own: str, literals: tuple[str, ...], waits: bool, stable: bool, writer: ModuleWriter
) -> str:
    if stable and waits:
        function, arguments = "seek_any_stably", [writer.alternation(own, literals), literal(literals)]
    elif len(literals) == 1:
        function, arguments = "seek_literal", [literal(literals[0]), str(waits)]
    else:
        function, arguments = "seek_any", [writer.alternation(own, literals), literal(literals), str(waits)]
    return f"{writer.runtime(function)}(text, pos, at_end, {', '.join(arguments)})"


def _seek_pattern(own: str, delimiter: Delimiter, writer: ModuleWriter) -> str:
    arguments = [writer.pattern(own, delimiter.pattern)]
    function = "seek_pattern"
    if delimiter.declared is not None:
        function = "seek_declared"
        arguments.append(str(delimiter.edge is Edge.WAITS))
    if delimiter.first is not None and len(delimiter.first) == 1:
        arguments.append(literal(min(delimiter.first)))
    if function == "seek_pattern" and delimiter.facts.reach is not None:
        arguments.append(f"reach={delimiter.facts.reach}")
    return f"{writer.runtime(function)}(text, pos, at_end, {', '.join(arguments)})"


def _searched(delimiter: Delimiter) -> tuple[str, ...]:
    assert isinstance(delimiter.search, LiteralSearch), "one search is for literals alone"
    return delimiter.search.literals


def _action(watch: Watch, state_names: dict[str | None, str], writer: ModuleWriter) -> str:
    return state_names[watch.field] if watch.opens else writer.runtime("CLOSE")


def _comment(watch: Watch, delimiter: Delimiter) -> str:
    """Say what a search is for; only printable ASCII of the template may stand in a comment."""
    text = delimiter.declared[0] if delimiter.declared else delimiter.pattern
    shown = ascii(text[:_LONGEST_COMMENT])
    while len(shown) > _LONGEST_COMMENT:
        text = text[: min(len(text), _LONGEST_COMMENT) - 1]
        shown = f"{text!a} …"
    if delimiter.declared is not None and len(delimiter.declared) > 1:
        shown += " or another"
    return f"{shown} {'opens' if watch.opens else 'closes'} {watch.field!a:.{_LONGEST_COMMENT}}"
