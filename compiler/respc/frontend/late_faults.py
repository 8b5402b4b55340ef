"""Warnings about what the interpreter finds out only when text is parsed; a parser raises the same then."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from respc.frontend.findings import Findings, listed
from respc.ir import Content, Fault, ListOf, ObjectOf, ParserIR, Transform, Undefined
from respc.source import TemplateSource, child_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics import Diagnostic


def late_faults(ir: ParserIR, source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find the faults that are certain once a region of their field, or a value inside one, is read."""
    findings = Findings(source)
    for region in ir.regions:
        pointer = child_pointer("/fields", region.name)
        for fault in _faults(region.content):
            findings.add(
                fault.slug,
                fault.reason,
                f"{pointer}/content_args",
                label=f"raises {fault.raises.__name__} when a region is read",
            )
        if region.transform is not None:
            for undefined in _undefined(region.transform):
                findings.add(
                    "undefined-placeholder",
                    f"nothing defines the placeholder `{{{undefined.path}}}`",
                    f"{pointer}/transform",
                    label="raises KeyError when a region is read",
                    help=f"the transform can use {listed(undefined.available)}",
                )
    return findings.all()


def _faults(node: object) -> Iterator[Fault]:
    """Find faults in a content parser and in the value parsers inside it."""
    if isinstance(node, Fault):
        yield node
    elif isinstance(node, Content):
        yield from _faults(node.arguments)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            yield from _faults(getattr(node, field.name))


def _undefined(transform: Transform) -> Iterator[Undefined]:
    match transform:
        case Undefined():
            yield transform
        case ObjectOf(items):
            for _, item in items:
                yield from _undefined(item)
        case ListOf(items):
            for item in items:
                yield from _undefined(item)
        case _:
            pass
