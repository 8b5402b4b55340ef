"""From the optimised IR to the plan of a module: every choice about how things are written is made here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.classes import plan_classes, plan_feed
from respc.codegen.closers import plan_closer, stored_type
from respc.codegen.event_types import plan_closes
from respc.codegen.literals import literal, pattern_lines
from respc.codegen.plan import CloserPlan, HeaderPlan, KeyPlan, MessagePlan, ModulePlan
from respc.codegen.scans import plan_states
from respc.codegen.types import constant_type, union
from respc.scan.anchors import spelled_anchor
from respc.scan.naming import identifier_part

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import Anchor, ParserIR
    from respc.options import Options

_LONGEST_COMPARED = 1_000


def plan_module(ir: ParserIR, header: HeaderPlan, options: Options, writer: ModuleWriter) -> ModulePlan:
    """Plan the module of a template.

    Args:
        ir: after the passes.
        header: what the module says of its origin.
        options: what is asked for.
        writer: a new one; afterwards it knows which names the module uses.
    """
    closers = {
        region.name: plan_closer(region, identifier_part(region.name), writer) for region in ir.regions
    }
    types = {name: closer.value_type_code for name, closer in closers.items()}
    closes = plan_closes(ir, types, writer, serving=options.serving)
    return ModulePlan(
        header=header,
        message=_message(ir, closers, writer),
        field_codes=tuple(literal(region.name) for region in ir.regions),
        objects=tuple(writer.objects),
        closes=closes,
        constants=tuple(writer.constants),
        functions=tuple(writer.functions),
        states=plan_states(ir, {name: closer.name for name, closer in closers.items()}),
        closers=tuple(closers.values()),
        anchor_code=_anchor(ir.anchor),
        classes=plan_classes(ir, options),
        feed=plan_feed(ir),
        serving_types=options.serving,
    )


def _message(ir: ParserIR, closers: dict[str, CloserPlan], writer: ModuleWriter) -> MessagePlan:
    fields = {region.name: stored_type(region, closers[region.name].value_type_code) for region in ir.regions}
    defaults = {
        key: union([constant_type(value), fields[key]] if key in fields else [constant_type(value)])
        for key, value in ir.defaults.items()
    }
    return MessagePlan(
        as_class=writer.fits_class({**defaults, **fields}),
        defaults=tuple(KeyPlan(key, literal(key), type_code) for key, type_code in defaults.items() if key),
        fields=tuple(
            KeyPlan(key, literal(key), type_code)
            for key, type_code in fields.items()
            if key and key not in defaults
        ),
        omits_empty_key="" in {**defaults, **fields},
    )


def _anchor(anchor: Anchor) -> str:
    """Write what cuts the prefix after its last anchor."""
    literals = anchor.facts.plain_texts
    if literals is not None and len(literals) == 1 and not _overlaps_itself(literals[0]):
        return f"cut_after({literal(literals[0])})"
    spelled = spelled_anchor(anchor)
    make = "compiled" if spelled else "compile_pattern"
    return f"cut_after_match({make}({pattern_lines(spelled or anchor.pattern)}))"


def _overlaps_itself(text: str) -> bool:
    """Tell whether a text can begin inside an occurrence of itself, so that its last occurrence may not count.

    A very long text is not looked into: it costs the square of its length.
    """
    return len(text) > _LONGEST_COMPARED or any(
        text.startswith(text[shift:]) for shift in range(1, len(text))
    )
