"""Writes the intermediate representation as text: every node with its place in the template, a line for each fact.

The text is the same for the same IR. What a template says stands in it with nothing that does not show, and is only
ever printed.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, cast

from respc.diagnostics import visible
from respc.ir.nodes import (
    Anchor,
    Captured,
    Constant,
    ContentValue,
    Delimiter,
    ElementValue,
    ListOf,
    ObjectOf,
    Undefined,
)
from respc.scan import Refused, ScanPlan, plan_state, watched_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir.nodes import Origin, ParserIR, Region, State, Transform, Watch

_EMPTY = ("", (), False, frozenset[str](), ((), ""))
_EXPRESSIONS = frozenset(
    {
        "begun",
        "certain",
        "eager",
        "end",
        "ends",
        "gate",
        "heads",
        "hidden",
        "longer",
        "pattern",
        "segments",
        "skip",
        "skipped",
        "tag_pattern",
        "written",
    }
)
"""The attributes that are regular expressions: they stand between slashes, as they are."""


def dump(ir: ParserIR) -> str:
    """Write an IR, before or after the passes."""
    return "".join(f"{line}\n" for line in _template(ir))


def _template(ir: ParserIR) -> Iterator[str]:
    yield f"anchor {_delimiter(ir.anchor)}"
    yield f"defaults {_value(ir.defaults)}"
    yield f"implicit {_value(ir.implicit)}"
    yield f"whole text {_value(ir.whole_text)}"
    for region in ir.regions:
        yield ""
        yield from _region(region)
    for state in ir.states:
        yield ""
        yield from _state(ir, state)


def _region(region: Region) -> Iterator[str]:
    yield f"region {_value(region.name)} at {_place(region.origin)}"
    for name, delimiter in (("opener", region.opener), ("closer", region.closer)):
        if delimiter is not None:
            yield f"  {name} {_delimiter(delimiter)}"
    content = region.content
    yield f"  content {content.parser} at {_place(content.origin)}"
    yield from (f"    {line}" for line in _attributes(content.arguments))
    if region.transform is not None:
        yield f"  transform{' each' if region.each else ''} {_transform(region.transform)}"
    yield f"  repeats {_value(region.repeats)}"
    if region.join is not None:
        yield f"  join {_value(region.join)}"
    yield f"  required {_value(region.required)}"


def _delimiter(delimiter: Delimiter | Anchor) -> str:
    if delimiter.declared is None:
        written = f"pattern {_expression(delimiter.pattern)}"
    else:
        written = f"literals {_value(delimiter.declared)}"
    parts = [written, f"at {_place(delimiter.origin)}"]
    if isinstance(delimiter, Delimiter):
        parts += [f"groups {_value(delimiter.groups)}"] if delimiter.groups else []
        parts += ["waits"] if delimiter.waits else []
    return " ".join(parts)


def _place(origin: Origin) -> str:
    """Write where a node came from: as in `/fields/a/open (3:7)`."""
    pointer = visible(origin.pointer) or "/"
    return pointer if origin.span is None else f"{pointer} ({origin.span.line}:{origin.span.column})"


def _transform(transform: Transform) -> str:
    match transform:
        case Constant(value):
            return _value(value)
        case ContentValue(_, keys):
            return f"content{_keys(keys)}"
        case Captured(_, name, keys, sure):
            return f"{'group' if sure else 'group, maybe,'} {_value(name)}{_keys(keys)}"
        case ElementValue(_, name, keys, or_captured):
            return f"element {_value(name)}{_keys(keys)}{' or group' if or_captured else ''}"
        case Undefined(path, available):
            return f"undefined {_value(path)} among {_value(available)}"
        case ObjectOf(items):
            return "{" + ", ".join(f"{_value(key)}: {_transform(item)}" for key, item in items) + "}"
        case ListOf(items):
            return "[" + ", ".join(map(_transform, items)) + "]"


def _keys(keys: tuple[str, ...]) -> str:
    return "".join(f"[{_value(key)}]" for key in keys)


def _state(ir: ParserIR, state: State) -> Iterator[str]:
    name = "outside" if state.region is None else _value(state.region)
    yield f"state {name} direct {_value(state.direct)}"
    for watch, delimiter in ir.delimiters(state):
        yield f"  watches {_watch(watch)} at {_place(delimiter.origin)}"
    yield from _scan(ir, state, state.scan, at_start=False)
    if state.starting != state.scan:
        yield "  at the start of the message"
        yield from (f"  {line}" for line in _scan(ir, state, state.starting, at_start=True))


def _watch(watch: Watch) -> str:
    return f"{'opener' if watch.opens else 'closer'} of {_value(watch.field)}"


def _scan(ir: ParserIR, state: State, scan: ScanPlan | None, *, at_start: bool) -> Iterator[str]:
    if scan is not None:
        yield from (f"  {line}" for line in _attributes(scan))
        return
    watched = watched_of(ir, state)
    plan = plan_state(ir, state, at_start=at_start)
    if not isinstance(plan, Refused):
        yield "  regex: no pass gave it expressions"
        return
    groups = {each.group: each.delimiter.origin for each in watched}
    about = [f" ({_place(groups[plan.rival])})"] if plan.rival in groups else []
    yield f"  regex: {_place(groups[plan.group])} {visible(plan.because)}{''.join(about)}"


def _attributes(node: Any) -> Iterator[str]:
    """Write what a dataclass says, an attribute a line, but for what it leaves empty."""
    if not is_dataclass(node):
        yield _value(node)
        return
    for attribute in fields(node):
        value = getattr(node, attribute.name)
        if attribute.name == "groups" and isinstance(node, ScanPlan):
            value = tuple(pair for pair in node.groups if pair[0] != pair[1])
        if value not in _EMPTY:
            yield f"{attribute.name} {_expression(value) if attribute.name in _EXPRESSIONS else _value(value)}"


def _expression(value: Any) -> str:
    if isinstance(value, str):
        return f"/{visible(value)}/"
    return "[" + ", ".join(map(_expression, value)) + "]"


def _value(value: Any) -> str:
    """Write a value on one line: as JSON where it is one."""
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}({', '.join(_attributes(value))})"
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return "{" + ", ".join(f"{_value(key)}: {_value(item)}" for key, item in items.items()) + "}"
    if isinstance(value, frozenset):
        return _value(sorted(cast("Any", value)))
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, cast("Any", value))) + "]"
    return visible(json.dumps(value, ensure_ascii=False))
