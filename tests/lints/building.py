"""Short ways to write the templates of the tests of rules, and the places that findings point at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from respc.analysis import check_source
from respc.source.template_source import template_from_text

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.source.spans import SourceText, Span

Template = dict[str, Any]
Field = dict[str, Any]

ANCHOR = "<bot>"
TEXT: Field = {"repeats": True, "join": "\n"}
"""An implicit field of which no text is lost."""

CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
TAGS = r"<p=(?P<key>\w+)>(?P<value>[^<]*)</p>"


@dataclass(frozen=True)
class Place:
    """Where a finding points: the value at a pointer, its key, or some characters of the string that it is."""

    pointer: str
    key: bool = False
    characters: str | None = None


def key(pointer: str) -> Place:
    return Place(pointer, key=True)


def part(pointer: str, characters: str) -> Place:
    return Place(pointer, characters=characters)


A = "/fields/a"
B = "/fields/b"
OPENER = "/fields/a/open_pattern"
CLOSER = "/fields/a/close_pattern"
ARGUMENTS = "/fields/a/content_args"
TRANSFORM = "/fields/a/transform"
CONTENT = "/fields/content"

Row = tuple[str, Template, Template, "Place | str"]
"""The slug of a rule, a template in which it finds one thing, one in which it finds nothing, and where it points."""


def fields(**of: Field) -> Template:
    """Return a template of these fields."""
    return {"start_anchor": ANCHOR, "fields": of}


def of(field: Field, **more: Any) -> Template:
    """Return a template of a field ``a`` beside plain text."""
    return {"start_anchor": ANCHOR, "fields": {"a": field, "content": TEXT}, **more}


def tagged(**keys: Any) -> Template:
    """Return a template whose field ``a`` stands between literals, with these keys too."""
    return of({"open": "<a>", "close": "</a>", **keys})


def opened_by(pattern: str, **keys: Any) -> Template:
    return of({"open_pattern": pattern, "close": "</a>", **keys})


def closed_by(pattern: str, **keys: Any) -> Template:
    return of({"open": "<a>", "close_pattern": pattern, **keys})


def ended_by(pattern: str) -> Template:
    """Return a template whose implicit field is closed by a pattern."""
    return fields(content={**TEXT, "close_pattern": pattern})


def anchored_by(pattern: str) -> Template:
    return {"start_anchor_pattern": pattern, "fields": {"content": TEXT}}


def two_openers(one: Field, two: Field) -> Template:
    """Return a template of the fields ``a`` and ``b``, which differ in their openers, beside plain text."""
    return fields(a={**one, "close": "</a>"}, b={**two, "close": "</b>"}, content=TEXT)


def parsed(content: str, arguments: Any = None, **keys: Any) -> Template:
    """Return a template whose field ``a`` has a content parser; no arguments where they are None."""
    given = {} if arguments is None else {"content_args": arguments}
    return tagged(content=content, **given, **keys)


def tags(pattern: str, **arguments: Any) -> Template:
    return parsed("xml-inline", {"tag_pattern": pattern, **arguments})


def valued(name: Any, arguments: Any = None) -> Template:
    """Return a template with a value parser."""
    given = {} if arguments is None else {"args": arguments}
    return parsed("kv-lines", {"value_parser": {"name": name, **given}})


def checked(template: Any) -> tuple[tuple[Diagnostic, ...], SourceText]:
    """Return what is found in a template that is written out as a file has it, and that text."""
    source = template_from_text("template.json", json.dumps(template, indent=2, ensure_ascii=False))
    assert source.text is not None
    return check_source(source), source.text


def found(template: Any, slug: str) -> list[Diagnostic]:
    """Return the findings of one rule."""
    return [finding for finding in checked(template)[0] if finding.code.slug == slug]


def shown_by(span: Span, text: SourceText) -> str:
    """Return the characters at a place of a text."""
    lines = [text.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def value_at(template: Any, pointer: str) -> Any:
    """Return the value of a template at a pointer."""
    value = template
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def only(template: Template, slug: str) -> Diagnostic:
    """Return the one finding of a rule."""
    (finding,) = found(template, slug)
    return finding


def plain(shown: str) -> str:
    """Return a text as it was before it was shown in a message."""
    return shown.encode("ascii").decode("unicode_escape")


def rows(table: list[Row], *slugs: str) -> Any:
    """Mark a test to run with the rows of some rules."""
    chosen = [(number, row) for number, row in enumerate(table) if not slugs or row[0] in slugs]
    ids = [f"{row[0]}-{number}" for number, row in chosen]
    return pytest.mark.parametrize(
        ("slug", "triggering", "near_miss", "place"), [row for _, row in chosen], ids=ids
    )
