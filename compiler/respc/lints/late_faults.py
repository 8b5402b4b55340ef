"""Content parsers that raise whenever a region is read; a compiled parser raises the same then."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.contents import CONTENT_PARSERS
from respc.contents.kv_lines import KEY_SEPARATOR, LINE_SEPARATOR
from respc.diagnostics import Fix, listed, member
from respc.diagnostics.fixes import SetValue
from respc.ir import Content, Fault, ParserIR
from respc.source import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.findings import Findings


_TAG_PATTERN: Final = member("tag_pattern", r"<(?P<key>[^<>]+)>(?P<value>.*?)</(?:[^<>]+)>")
_SEPARATORS: Final = f"{member('line_sep', LINE_SEPARATOR)} and {member('kv_sep', KEY_SEPARATOR)}"
_HELP: Final = {
    "content-args-not-object": f"leave it out, or write an object such as {{{member('strip', False)}}}",
    "content-arg-wrong-type": "leave it out, or write a value of the type that the content parser reads",
    "empty-separator": f"write {_SEPARATORS}, or leave them out",
    "invalid-tag-pattern": f"write a pattern such as {_TAG_PATTERN}",
    "missing-tag-pattern": f'add "content_args": {{{_TAG_PATTERN}}}',
    "unknown-value-parser": f"the content parsers are {listed(CONTENT_PARSERS)}",
}


def check_late_faults(ir: ParserIR, findings: Findings) -> None:
    """Find the faults that are certain once a region of their field, or a value inside one, is read."""
    for region in ir.regions:
        for pointer, fault in _faults(region.content, ""):
            findings.add(
                fault.slug,
                fault.reason,
                pointer,
                characters=fault.characters,
                label=f"raises {fault.raises.__name__} when a region is read",
                **_help(pointer, fault, findings),
            )


def _help(pointer: str, fault: Fault, findings: Findings) -> dict[str, Any]:
    """Say what to write instead: for the name of a value parser alone, the object that has it."""
    written = value_at(findings.source.template, pointer) if fault.at == "/value_parser" else None
    if isinstance(written, str) and written in CONTENT_PARSERS:
        named = {"name": written}
        fix = Fix("values are parsed, and no region raises for that", (SetValue(pointer, named),))
        return {"help": f"write {member('value_parser', named)}", "fix": fix}
    return {"help": _HELP.get(fault.slug)}


def _faults(node: object, pointer: str) -> Iterator[tuple[str, Fault]]:
    """Find faults in a content parser and in the value parsers inside it, with their places."""
    if isinstance(node, Fault):
        yield pointer + node.at, node
    elif isinstance(node, Content):
        yield from _faults(node.arguments, node.origin.pointer)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            yield from _faults(getattr(node, field.name), pointer)
