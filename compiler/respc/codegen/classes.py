"""The parser classes of a module: what each says to the stream that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.forms import calls_code, texts_code
from respc.codegen.literals import literal
from respc.codegen.marks import ends_of_turn_code, marks_code, open_ended_code, quotes_code
from respc.codegen.plan import ClassPlan, FeedPlan
from respc.patterns.parse import whitespace

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.codegen.scans import StatesPlan
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
_ARGUMENTS_DOC = (
    "",
    "Args:",
    '    prefix: the prompt that the model continued; "" says that the text is the whole message.',
    "    tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`",
    "        reads them once for many parsers.",
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


def plan_classes(
    ir: ParserIR, states: StatesPlan, options: Options, writer: ModuleWriter
) -> tuple[ClassPlan, ...]:
    """Plan the parser, and beside it the one for serving engines where the same states can be theirs."""
    stable_states = f"{states.name}.stable()"
    if options.serving:
        first = ClassPlan(
            "ResponseParser",
            f"{writer.runtime('ServingStream')}[Message, Event]",
            (*_DEFAULT_DOC, *_SERVING_DOC, *_ARGUMENTS_DOC),
            _attributes(ir, stable_states if options.stable else states.name) + _forms(ir, writer),
            "Event",
        )
        return (first,)
    care: list[tuple[str, str]] = []
    if options.strict_bodies:
        care.append(("strict_bodies", "True"))
    if options.closers_in_strings:
        care.append((f"quotes: ClassVar[{writer.runtime('QuotesOfFields')}]", quotes_code(ir, writer)))
    first = ClassPlan(
        "ResponseParser",
        f"{writer.runtime('StringAwareStream' if options.closers_in_strings else 'Stream')}[Message, Event]",
        (*_DEFAULT_DOC, *_ARGUMENTS_DOC),
        _attributes(ir, stable_states if options.stable else states.name) + tuple(care),
        "Event",
    )
    # A module that carries its runtime has types of the same names for its own events.
    can_be_stable = states.can_be_stable
    own_types = options.standalone or not can_be_stable
    event = "dict[str, Any]" if own_types else writer.runtime("ServingEvent")
    written_event = event if own_types else f'"{event}"'
    second = ClassPlan(
        "ServingParser" if can_be_stable else "_CollectingParser",
        f"{writer.runtime('ServingStream')}[Message, {written_event}]",
        _SECOND_DOC if can_be_stable else _COLLECTING_DOC,
        _attributes(ir, stable_states if can_be_stable else states.name) + _forms(ir, writer),
        event,
    )
    return first, second


def _attributes(ir: ParserIR, states: str) -> tuple[tuple[str, str], ...]:
    attributes = [("states", states)]
    if ir.defaults:
        attributes.append(("defaults: ClassVar[dict[str, Any]]", literal(ir.defaults)))
        if any(isinstance(value, dict | list) for value in ir.defaults.values()):
            attributes.append(("nested", "True"))
    required = [region.name for region in ir.regions if region.required]
    if required:
        attributes.append(("required", literal(tuple(required))))
    if ir.anchor.facts.can_be_empty:
        attributes.append(("empty_anchor", "True"))
    attributes.append(("after_anchor", "staticmethod(_after_anchor)"))
    return tuple(attributes)


def _forms(ir: ParserIR, writer: ModuleWriter) -> tuple[tuple[str, str], ...]:
    further = (
        ("marks", "dict[str, tuple[str, ...]]", marks_code(ir)),
        ("quotes", writer.runtime("QuotesOfFields"), quotes_code(ir, writer)),
        ("open_ended", "tuple[str, ...]", open_ended_code(ir)),
        ("ends_of_turn", "tuple[str, ...]", ends_of_turn_code(ir)),
    )
    return (
        ("calls: ClassVar[dict[str, CallForm]]", calls_code(ir, writer)),
        ("texts: ClassVar[dict[str, TextForm]]", texts_code(ir, writer)),
        *((f"{name}: ClassVar[{kind}]", code) for name, kind, code in further if code not in ("{}", "()")),
    )


def plan_feed(ir: ParserIR) -> FeedPlan | None:
    """Plan the way of chunks without the mark of a delimiter; None where no state has one."""
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
    return FeedPlan(tuple(tests))
