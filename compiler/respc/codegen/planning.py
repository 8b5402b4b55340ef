"""From the optimised IR to the plan of a module: every choice about how things are written is made here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.closers import plan_closer, stored_type, used_captures
from respc.codegen.direct import plan_direct
from respc.codegen.finders import plan_finder
from respc.codegen.forms import calls_code, texts_code
from respc.codegen.literals import literal
from respc.codegen.names import fits_class_syntax, identifier_part
from respc.codegen.plan import CloserPlan, FinderPlan, HeaderPlan, KeyPlan, MessagePlan, ModulePlan, StatePlan
from respc.codegen.seekers import write_steps
from respc.codegen.types import constant_type, union
from respc.contents import CONTENT_PARSERS
from respc.ir import LiteralSearch, ParserIR, StepSearch

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter

_LONGEST_COMPARED = 1_000
_OUTSIDE = "_OUTSIDE"
_RESERVED = (_OUTSIDE, "_FINISHED", "_FAILED", "_CHUNKS", "_FINDERS", "_HOLDS", "_MOST_PARTS", "_ENDS")
_ALWAYS_USED = (
    "CLOSE",
    "MissingPrefixError",
    "NOTHING",
    "ParserStateError",
    "Tools",
    "prepare_tools",
    "require_abi",
    "with_prefixes",
)


def plan_module(ir: ParserIR, header: HeaderPlan, writer: ModuleWriter) -> ModulePlan:
    """Plan the module of a template.

    Args:
        ir: after the passes.
        header: what the module says of its origin.
        writer: a new one; afterwards it knows which names the module uses.
    """
    for name in _RESERVED:
        writer.names.take(name)
    for name in _ALWAYS_USED:
        writer.runtime(name)
    names = {region.name: identifier_part(region.name) for region in ir.regions}
    state_names = _state_names(ir, names, writer)
    finders = tuple(plan_finder(ir, state, names, state_names, writer) for state in ir.states)
    closers = {
        region.name: plan_closer(region, ir, names[region.name], state_names[region.name], writer)
        for region in ir.regions
    }
    captures = {region.name: used_captures(region) for region in ir.regions}
    casts = any(closer.casts for closer in closers.values())
    can_fail = any(closer.can_fail for closer in closers.values())
    if ir.serving:
        writer.runtime("ResponseError")
        if can_fail:
            writer.runtime("MALFORMED")
            writer.runtime("malformed_error")
    writer.runtime("tool_parameters")
    required = [region.name for region in ir.regions if region.required]
    if required:
        writer.runtime("MissingFieldError")
    may_not_advance = any(region.may_not_advance for region in ir.regions)
    if may_not_advance:
        writer.runtime("endless_error")
    wakes = any(
        isinstance(delimiter.search, StepSearch)
        for state in ir.states
        for _, delimiter in ir.delimiters(state)
    )
    if wakes:
        for name in ("Awaited", "LONG_HELD", "Wake"):
            writer.runtime(name)
    implicit = None if ir.implicit is None else ir.region(ir.implicit)
    states = _states(ir, state_names, finders, writer)
    anchor_code = _anchor(ir, writer)
    return ModulePlan(
        header=header,
        message=_message(ir, closers),
        field_codes=tuple(literal(region.name) for region in ir.regions),
        constants=tuple(writer.constants),
        matchers=tuple(writer.matchers),
        functions=tuple(writer.functions),
        states=states,
        finders=finders,
        closers=tuple(closers.values()),
        anchor_code=anchor_code,
        defaults_code=literal(ir.defaults),
        kept_code=_kept(ir),
        not_empty_code=_not_empty(ir, closers, writer),
        required_code=literal(tuple(required)) if required else None,
        implicit_name=None if implicit is None else state_names[implicit.name],
        implicit_key_code=None if implicit is None else literal(implicit.name),
        implicit_may_close_empty=(
            implicit is not None and implicit.closer is not None and implicit.closer.facts.can_be_empty
        ),
        left_context=ir.left_context,
        direct=plan_direct(ir, state_names),
        captures=any(captures.values()),
        closer_captures=any(
            region.closer is not None and captures[region.name] & set(region.closer.groups)
            for region in ir.regions
        ),
        wakes=wakes,
        casts=casts,
        may_not_advance=may_not_advance,
        whole_text=ir.whole_text,
        can_fail=can_fail,
        serving=ir.serving,
        calls_code=calls_code(ir, writer) if ir.serving else "",
        texts_code=texts_code(ir, writer) if ir.serving else "",
    )


def _state_names(ir: ParserIR, names: dict[str, str], writer: ModuleWriter) -> dict[str | None, str]:
    """Name the states: outside, the implicit field when it is open, the explicit regions."""
    inside = [ir.implicit] if ir.implicit is not None else []
    inside += [state.region for state in ir.states if state.region is not None]
    state_names: dict[str | None, str] = {None: _OUTSIDE}
    for field in inside:
        state_names[field] = writer.names.take(f"_IN_{names[field].upper()}")
    return state_names


def _states(
    ir: ParserIR,
    state_names: dict[str | None, str],
    finders: tuple[FinderPlan, ...],
    writer: ModuleWriter,
) -> tuple[StatePlan, ...]:
    """Number the states. Inside the implicit field, the same delimiters are looked for as outside."""
    found = dict(zip((state.region for state in ir.states), finders, strict=True))
    plans: list[StatePlan] = []
    for number, (field, name) in enumerate(state_names.items()):
        outside = field is None or field == ir.implicit
        finder = found[None if outside else field]
        plans.append(
            StatePlan(
                name=name,
                number=number,
                key_code=None if field is None else literal(field),
                dirty=field is not None and not CONTENT_PARSERS[ir.region(field).content.parser].streams,
                finder_name=finder.name,
                hold_name=_hold_name(ir, finder, writer),
            )
        )
    return tuple(plans)


def _hold_name(ir: ParserIR, finder: FinderPlan, writer: ModuleWriter) -> str:
    """Give the function for the short look at chunks; where consumed text is kept, there is none."""
    if ir.left_context != 0:
        return ""
    return writer.runtime("undecided") if finder.hold is None else finder.hold.name


def _message(ir: ParserIR, closers: dict[str, CloserPlan]) -> MessagePlan:
    fields = {region.name: stored_type(region, closers[region.name].value_type_code) for region in ir.regions}
    defaults = {
        key: union([constant_type(value), fields[key]] if key in fields else [constant_type(value)])
        for key, value in ir.defaults.items()
    }
    return MessagePlan(
        as_class=all(map(fits_class_syntax, {**defaults, **fields})),
        defaults=tuple(KeyPlan(key, literal(key), type_code) for key, type_code in defaults.items() if key),
        fields=tuple(
            KeyPlan(key, literal(key), type_code)
            for key, type_code in fields.items()
            if key and key not in defaults
        ),
        omits_empty_key="" in {**defaults, **fields},
    )


def _kept(ir: ParserIR) -> str | None:
    """Write the keys that stay in a message even when they are empty: one, a set, or None for no such key."""
    keys = list(ir.defaults)
    if not keys:
        return None
    return f"key == {literal(keys[0])}" if len(keys) == 1 else f"key in {literal(tuple(keys))}"


def _not_empty(ir: ParserIR, closers: dict[str, CloserPlan], writer: ModuleWriter) -> str:
    """Write the test for a value that a message keeps: its truth, where all values are texts, lists and objects."""
    types = [stored_type(region, closers[region.name].value_type_code) for region in ir.regions]
    if all(each == "str" or each.startswith(("list[", "dict[")) for each in types):
        return "value"
    return f"not {writer.runtime('is_empty')}(value)"


def _anchor(ir: ParserIR, writer: ModuleWriter) -> str:
    """Write what cuts the prefix after its last anchor."""
    search = ir.anchor.search
    if isinstance(search, LiteralSearch):
        if len(search.literals) == 1 and not _overlaps_itself(search.literals[0]):
            return f"{writer.runtime('after_last')}(prefix, {literal(search.literals[0])})"
        anchor = writer.alternation("anchor", search.literals)
    elif isinstance(search, StepSearch):
        code, matchers = write_steps("anchor", search.steps, frozenset(), writer)
        writer.matchers.extend(matchers)
        return f"{writer.runtime('after_last_sought')}(prefix, lambda text, pos, at_end: {code})"
    else:
        anchor = writer.pattern("anchor", ir.anchor.pattern)
    return f"{writer.runtime('after_last_match')}(prefix, {anchor})"


def _overlaps_itself(text: str) -> bool:
    """Tell whether a text can begin inside an occurrence of itself, so that its last occurrence may not count.

    A very long text is not looked into: it costs the square of its length.
    """
    return len(text) > _LONGEST_COMPARED or any(
        text.startswith(text[shift:]) for shift in range(1, len(text))
    )
