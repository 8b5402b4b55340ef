"""How each state looks for what ends it."""

from __future__ import annotations

from respc.codegen.literals import display_dict, display_set, literal, pattern_literal
from respc.codegen.module_writer import ModuleWriter
from respc.codegen.plan import FinderPlan, WatchPlan
from respc.ir import Delimiter, Edge, LiteralSearch, ParserIR, State, Watch

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
    watched = ir.delimiters(state)
    if not watched:
        return FinderPlan(function, "nothing", ())
    actions = [_action(watch, state_names, writer) for watch, _ in watched]
    if not state.one_search:
        watches = tuple(
            _plan_watch(watch, delimiter, action, names, writer)
            for (watch, delimiter), action in zip(watched, actions, strict=True)
        )
        if len(watches) == 1 and watches[0].kind == "pattern":
            return FinderPlan(function, "one_pattern", watches)
        writer.runtime("earliest")
        writer.runtime("Candidate")
        return FinderPlan(function, "each", watches)
    literals = {
        text: (action, delimiter.edge)
        for (_, delimiter), action in zip(watched, actions, strict=True)
        for text in _searched(delimiter)
    }
    ordered = tuple(sorted(literals, key=lambda text: (-len(text), text)))
    waiting = [text for text, (_, edge) in literals.items() if edge is Edge.WAITS]
    prefixes = writer.prefixes(f"{own}_prefixes", ordered)
    writer.runtime("held_from")
    longest = len(ordered[0]) - 1
    if len(ordered) == 1:
        watch = WatchPlan(
            kind="literal",
            comment="",
            action_code=actions[0],
            search_code=literal(ordered[0]),
            length=len(ordered[0]),
            waits=bool(waiting),
            prefixes_name=prefixes,
            longest=longest,
        )
        return FinderPlan(function, "one_literal", (watch,))
    search = writer.alternation(f"{own}_delimiters", ordered)
    table = writer.constant(
        f"{own}_actions", display_dict((literal(text), literals[text][0]) for text in sorted(literals))
    )
    watch = WatchPlan("literals", "", table, search, prefixes_name=prefixes, longest=longest)
    return FinderPlan(
        function, "one_search", (watch,), waiting_code=_waiting(waiting, literals, own, writer), actions_name=table
    )


def _waiting(
    waiting: list[str], literals: dict[str, tuple[str, Edge]], own: str, writer: ModuleWriter
) -> str | None:
    """Write the condition on a match under which it waits at the edge."""
    if not waiting:
        return None
    if len(waiting) == len(literals):
        return ""
    return writer.constant(f"{own}_waiting", display_set(waiting))


def _plan_watch(
    watch: Watch, delimiter: Delimiter, action: str, names: dict[str, str], writer: ModuleWriter
) -> WatchPlan:
    own = f"{names[watch.field]}_{'open' if watch.opens else 'close'}"
    comment = _comment(watch, delimiter)
    waits = delimiter.edge is Edge.WAITS
    if not isinstance(delimiter.search, LiteralSearch):
        first = None
        if delimiter.first is not None and len(delimiter.first) == 1:
            first = literal(min(delimiter.first))
        return _plan_pattern(own, comment, action, delimiter, first, writer)
    literals = delimiter.search.literals
    writer.runtime("held_from")
    longest = max(map(len, literals))
    prefixes = writer.prefixes(f"{own}_prefixes", literals)
    if len(literals) == 1:
        search, kind, length = literal(literals[0]), "literal", len(literals[0])
    else:
        search, kind, length = writer.alternation(own, literals), "literals", 0
    return WatchPlan(kind, comment, action, search, length, waits, prefixes, longest - 1)


def _plan_pattern(
    own: str, comment: str, action: str, delimiter: Delimiter, first: str | None, writer: ModuleWriter
) -> WatchPlan:
    pattern = writer.pattern(own, delimiter.pattern)
    if delimiter.declared is None:
        writer.runtime("search_pattern")
        return WatchPlan("pattern", comment, action, pattern, first_code=first)
    writer.runtime("search_literals")
    waits = delimiter.edge is Edge.WAITS
    return WatchPlan("declared", comment, action, pattern, waits=waits, first_code=first)


def _searched(delimiter: Delimiter) -> tuple[str, ...]:
    assert isinstance(delimiter.search, LiteralSearch), "one search is for literals alone"
    return delimiter.search.literals


def _action(watch: Watch, state_names: dict[str | None, str], writer: ModuleWriter) -> str:
    return state_names[watch.field] if watch.opens else writer.runtime("CLOSE")


def _comment(watch: Watch, delimiter: Delimiter) -> str:
    """Say what a search is for; a comment, too, shows text of the template as a literal alone."""
    shown = literal(delimiter.declared[0]) if delimiter.declared else pattern_literal(delimiter.pattern)
    if len(shown) > _LONGEST_COMMENT:
        shown = f"{shown[:_LONGEST_COMMENT]}…"
    if delimiter.declared is not None and len(delimiter.declared) > 1:
        shown += " or another"
    return f"{shown} {'opens' if watch.opens else 'closes'} {literal(watch.field):.{_LONGEST_COMMENT}}"
