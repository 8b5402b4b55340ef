"""The parser classes of a module: what each says to the stream that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.forms import calls_code, texts_code
from respc.codegen.literals import literal
from respc.codegen.marks import ends_of_turn_code, marks_code, open_ended_code, quotes_code
from respc.codegen.plan import ClassPlan
from respc.patterns.parse import whitespace
from respc.scan.refusals import unstable_delimiters

if TYPE_CHECKING:
    from respc.ir import ParserIR
    from respc.options import Options

_DEFAULT_DOC = (
    "Parses one generation while it is written.",
    "",
    "``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events",
    "of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and",
    "gives the message alone. After an exception the parser refuses further use.",
)
_SERVING_DOC = (
    "Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one",
    "too. ``calls`` and ``texts`` tell what is known of values before their regions end.",
)
_SECOND_DOC = (
    "The same for serving engines, and its outcome does not depend on how the text is cut.",
    "",
    *_SERVING_DOC,
)
_COLLECTING_DOC = (
    "Reads whole texts and collects what cannot be read.",
    "",
    "It has the care of parsers for serving engines, but what it makes of a stream can depend on how",
    "that is cut.",
)


def plan_classes(ir: ParserIR, options: Options) -> tuple[ClassPlan, ...]:
    """Plan the parser, and beside it the one for serving engines where the same states can be theirs."""
    first = _first_class(ir, options)
    return (first,) if options.serving else (first, _second_class(ir, options))


def _first_class(ir: ParserIR, options: Options) -> ClassPlan:
    base, care = "Stream", list[tuple[str, str]]()
    if options.serving:
        base, care = "ServingStream", _forms(ir)
    elif options.closers_in_strings:
        base, care = "StringAwareStream", [("quotes", quotes_code(ir))]
    if options.strict_bodies and not options.serving:
        care.append(("strict_bodies", "True"))
    return ClassPlan(
        name="ResponseParser",
        base=f"{base}[Message, Event]",
        doc=(*_DEFAULT_DOC, *_SERVING_DOC) if options.serving else _DEFAULT_DOC,
        attributes=(*_attributes(ir, stable=options.stable), *care),
        event_code="Event",
    )


def _second_class(ir: ParserIR, options: Options) -> ClassPlan:
    can_be_stable = not any(unstable_delimiters(ir))
    # A module that carries its runtime has types of the same names for its own events.
    own_types = options.standalone or not can_be_stable
    event = "dict[str, Any]" if own_types else "ServingEvent"
    return ClassPlan(
        name="ServingParser" if can_be_stable else "_CollectingParser",
        base=f"ServingStream[Message, {event if own_types else literal(event)}]",
        doc=_SECOND_DOC if can_be_stable else _COLLECTING_DOC,
        attributes=(*_attributes(ir, stable=can_be_stable), *_forms(ir)),
        event_code=event,
    )


def _attributes(ir: ParserIR, *, stable: bool) -> list[tuple[str, str]]:
    """Say of the template what every parser has to know."""
    attributes = [("states", "_STATES.stable()" if stable else "_STATES")]
    if ir.defaults:
        attributes.append(("defaults", literal(ir.defaults)))
    if any(isinstance(value, dict | list) for value in ir.defaults.values()):
        attributes.append(("nested", "True"))
    required = tuple(region.name for region in ir.regions if region.required)
    if required:
        attributes.append(("required", literal(required)))
    if ir.anchor.facts.can_be_empty:
        attributes.append(("empty_anchor", "True"))
    return [*attributes, ("after_anchor", "_AFTER_ANCHOR")]


def _forms(ir: ParserIR) -> list[tuple[str, str]]:
    """Say of values and delimiters what a careful parser has to know besides."""
    further = {
        "marks": marks_code(ir),
        "quotes": quotes_code(ir),
        "open_ended": open_ended_code(ir),
        "ends_of_turn": ends_of_turn_code(ir),
    }
    return [
        ("calls", calls_code(ir)),
        ("texts", texts_code(ir)),
        *((name, code) for name, code in further.items() if code not in ("{}", "()")),
    ]


def plan_feed(ir: ParserIR) -> tuple[str, ...] | None:
    """Write the tests of a chunk without the mark of a delimiter; None where no state has one."""
    direct = [state for state in ir.states if state.direct is not None and state.scan is not None]
    if not direct or any(state.scan is None for state in ir.states):
        return None
    marks = sorted({mark for state in direct for mark in state.direct or ()})
    held = {character for state in direct if state.scan is not None for character in state.scan.held or ()}
    tests = [f"{literal(mark)} not in text" for mark in marks]
    if held == {"\n"}:
        tests.append('text[-1] != "\\n"')
    elif held and held <= whitespace():
        tests.append("not text[-1].isspace()")
    elif held:
        # Of such chunks there are more than of those with a mark.
        tests.insert(0, f"text[-1] not in {literal(''.join(sorted(held)))}")
    return tuple(tests)
