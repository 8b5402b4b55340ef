"""From a template that the interpreter loads to the intermediate representation."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from typing import Any

import regex

from respc.contents import CONTENT_PARSERS
from respc.contents.model import DEFAULT_PARSER
from respc.frontend.transforms import lower_transform
from respc.ir import Anchor, Content, Delimiter, Fault, Origin, ParserIR, Region, State, Watch
from respc.patterns import literal_facts, parse_pattern, pattern_facts
from respc.source import TemplateSource, child_pointer
from respc.source.json_kinds import is_list, is_object, json_kind


def lower_template(source: TemplateSource) -> ParserIR:
    """Lower a template in which `check_shape` found no error."""
    template = source.template
    regions = tuple(
        _region(name, field, child_pointer("/fields", name), source)
        for name, field in template["fields"].items()
    )
    implicit = next((region.name for region in regions if region.opener is None), None)
    return ParserIR(
        anchor=_anchor(template, source),
        defaults=deepcopy(template.get("defaults", {})),
        regions=regions,
        implicit=implicit,
        states=_states(regions, implicit),
    )


def _region(name: str, field: dict[str, Any], pointer: str, source: TemplateSource) -> Region:
    opener = _delimiter(field, pointer, "open", source)
    closer = _delimiter(field, pointer, "close", source)
    content = read_content(
        field.get("content", DEFAULT_PARSER),
        field.get("content_args", {}),
        _origin(f"{pointer}/content_args", source),
    )
    assert isinstance(content, Content), "unknown content parsers are refused before"
    transform = field.get("transform")
    each = field.get("transform_each", False)
    return Region(
        origin=_origin(pointer, source, key=True),
        name=name,
        opener=opener,
        closer=closer,
        content=content,
        transform=None if transform is None else lower_transform(transform, each, opener, closer),
        each=each,
        repeats=bool(field.get("repeats", False)),
        join=field.get("join"),
        required=not field.get("optional", True),
    )


def _states(regions: tuple[Region, ...], implicit: str | None) -> tuple[State, ...]:
    """List where a parser can be, with the watches of each in the order in which they win a tie."""
    explicit = sorted(region.name for region in regions if region.opener is not None)
    closes = {region.name for region in regions if region.closer is not None}
    outside = tuple(Watch(name, opens=True) for name in explicit)
    if implicit in closes:
        outside += (Watch(implicit, opens=False),)
    inside = tuple(State(name, (Watch(name, opens=False),) if name in closes else ()) for name in explicit)
    return (State(None, outside), *inside)


def _delimiter(field: dict[str, Any], pointer: str, key: str, source: TemplateSource) -> Delimiter | None:
    if key in field:
        literals = _distinct_literals(field[key])
        ordered = _longest_first(literals)
        # What begins with a text comes right after it in this order.
        extends = any(two.startswith(one) for one, two in pairwise(sorted(literals)))
        return Delimiter(
            origin=_origin(f"{pointer}/{key}", source),
            pattern=_alternation(ordered),
            declared=literals,
            groups=(),
            waits=extends,
            facts=literal_facts(ordered),
        )
    if f"{key}_pattern" in field:
        pattern = field[f"{key}_pattern"]
        return Delimiter(
            origin=_origin(f"{pointer}/{key}_pattern", source),
            pattern=pattern,
            declared=None,
            groups=tuple(sorted(regex.compile(pattern, regex.DOTALL).groupindex)),
            waits=True,
            facts=pattern_facts(parse_pattern(pattern)),
        )
    return None


def _anchor(template: dict[str, Any], source: TemplateSource) -> Anchor:
    if "start_anchor" in template:
        literals = _longest_first(_distinct_literals(template["start_anchor"]))
        origin = _origin("/start_anchor", source)
        return Anchor(origin, _alternation(literals), literal_facts(literals), literals)
    pattern = template["start_anchor_pattern"]
    origin = _origin("/start_anchor_pattern", source)
    return Anchor(origin, pattern, pattern_facts(parse_pattern(pattern)), None)


def _distinct_literals(literals: str | list[str]) -> tuple[str, ...]:
    return (literals,) if isinstance(literals, str) else tuple(dict.fromkeys(literals))


def _longest_first(literals: tuple[str, ...]) -> tuple[str, ...]:
    """Order literals so that a longer one comes before its own beginning."""
    return tuple(sorted(literals, key=len, reverse=True))


def _alternation(literals: tuple[str, ...]) -> str:
    return "|".join(map(regex.escape, literals))


def read_content(name: object, arguments: Any, origin: Origin) -> Content | Fault:
    """Understand a content parser: of a field, or of the values inside one."""
    if is_object(name) or is_list(name):
        reason = f"the name of a value parser is {json_kind(name)}"
        return Fault(TypeError, reason, "unknown-value-parser", "/value_parser/name")
    if not isinstance(name, str) or name not in CONTENT_PARSERS:
        reason = f"there is no content parser {name!r:.60}"
        return Fault(KeyError, reason, "unknown-value-parser", "/value_parser/name")
    return Content(origin, name, CONTENT_PARSERS[name].read(arguments, origin, read_content))


def _origin(pointer: str, source: TemplateSource, *, key: bool = False) -> Origin:
    return Origin(pointer, source.span_of(pointer, key=key))
