"""Every code of the table has a template that leads to it, and what each template leads to is in the table.

What the findings say and how they look is tested elsewhere; here it is which there are, in which order.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc.analysis import check_source
from respc.diagnostics import CODES, Diagnostic
from respc.driver import compile_source
from respc.options import Options
from respc.source import read_template
from support.oracle import Refusal, compile_or_refuse, refused_by_interpreter

if TYPE_CHECKING:
    from pathlib import Path


def template(**changes: Any) -> dict[str, Any]:
    """A template of one implicit field, changed at its top."""
    return {"start_anchor": "<bot>", "fields": {"text": {}}, **changes}


def field(**keys: Any) -> dict[str, Any]:
    """A template of one field with these keys."""
    return template(fields={"text": keys})


PATTERN = {"open_pattern": "<(?P<name>x)>"}

DICTS: list[tuple[Any, list[str]]] = [
    # the shape of the template
    ([], ["RT101"]),
    (None, ["RT101"]),
    (template(version=2), ["RT102"]),
    (template(field={}, anchor=""), ["RT103", "RT103"]),
    (template(defaults=[]), ["RT104"]),
    ({"start_anchor": "<bot>"}, ["RT105"]),
    (template(fields=[]), ["RT106"]),
    (template(fields={}), ["RT107"]),
    (template(fields={"text": None, "more": "open"}), ["RT108", "RT108"]),
    (field(opens="<x>", close="</x>"), ["RT109"]),
    # delimiters
    (field(open="<x>", open_pattern="<x>"), ["RT201"]),
    (field(close=None), ["RT202"]),
    (field(open="<x>", close=[]), ["RT203"]),
    (field(open=["<x>", 1, None]), ["RT204", "RT204"]),
    (field(open="", close=["<x>", ""]), ["RT205", "RT205"]),
    (field(open_pattern=["<x>"]), ["RT206"]),
    (field(open_pattern="(", close_pattern="*"), ["RT207", "RT207"]),
    ({"fields": {"text": {}}}, ["RT208"]),
    (template(start_anchor_pattern="<bot>"), ["RT209"]),
    (template(start_anchor=""), ["RT205"]),
    (template(fields={"a": {}, "b": {"close": "<x>"}, "c": {}}), ["RT210", "RT210"]),
    (field(open_pattern="(?=x)", close_pattern="(?=x)"), ["RT211", "RT740", "RT740", "RT522"]),
    # content parsers and joining
    (field(content="jason"), ["RT301"]),
    (field(content=7), ["RT301"]),
    (field(content=["json"]), ["RT302"]),
    (field(open="<x>", repeats=True, join=1), ["RT303"]),
    (field(open="<x>", join=""), ["RT304"]),
    # transforms
    (field(transform="{content}", transform_each=1), ["RT401"]),
    (field(transform_each=True), ["RT402"]),
    (field(transform={"a": ["b{content}", "{content} "]}), ["RT403", "RT403"]),
    (field(**PATTERN), ["RT404"]),
    # several at once, in the order of the interpreter's checks
    (
        {"version": 0, "fields": {"text": {"open": "", "content": "jason"}}, "start_anchor": []},
        ["RT102", "RT301", "RT205", "RT203"],
    ),
]

WARNINGS: list[tuple[Any, list[str]]] = [
    (template(), []),
    (field(open_pattern=r"<call\b[^>]*?\bname=", close="x"), ["RT232", "RT220", "RT522"]),
    (field(open_pattern="(?<=b)<c>", close="x"), ["RT240", "RT740", "RT522"]),
    (field(content_args=[]), ["RT320"]),
    (field(content="kv-lines", content_args={"kv_sep": 1}), ["RT321"]),
    (field(content="kv-lines", content_args={"value_parser": {"name": "jason"}}), ["RT323"]),
    (field(content="xml-inline"), ["RT324"]),
    (field(content="xml-inline", content_args={"tag_pattern": "("}), ["RT325"]),
    (field(content="kv-lines", content_args={"line_sep": ""}), ["RT327"]),
    (
        field(open_pattern=r"\s*<a>[^<\n]+?\s*(?=<|$)", close="</a>"),
        ["RT245", "RT220", "RT740", "RT522"],
    ),
    (field(open_pattern=r"\s*<a>[^<\n]+<b>", close="</a>"), ["RT245", "RT522"]),
    (field(open_pattern="(?<!x)<a>", close="</a>"), ["RT240", "RT740", "RT522"]),
    (field(open_pattern="x<a>", close="</a>"), ["RT522"]),
    (field(transform=["{name}", "{content}", "{other}"], **PATTERN), ["RT420", "RT522"]),
]

FILES: list[tuple[bytes, list[str]]] = [
    (b'{"fields": {},}', ["RT001"]),
    (b"", ["RT001"]),
    (b'{"a": "\xff"}', ["RT002"]),
    (b"\xef\xbb\xbf{}", ["RT003"]),
    (b"[" * 100 + b"]" * 100, ["RT005"]),
    (b'{"version": ' + b"1" * 5000 + b"}", ["RT006"]),
    (b'{"start_anchor": "a", "fields": {"b": {}}, "defaults": {"a": [0' + b",0" * 50_000 + b"]}}", ["RT009"]),
    (b"[0" + b",0" * 250_000 + b"]", ["RT009"]),
    (b" " * 16_000_001, ["RT009"]),
    (b'{"tokenizer_class": "T", "chat_template": ""}', ["RT010"]),
    (b'{"tokenizer_class": "T", "response_schema": {"type": "object"}}', ["RT011"]),
    (b'{"response_schema": {"type": "object"}}', ["RT011"]),
    (b'{"type": "object", "properties": {}, "x-regex": "(?P<content>.*)"}', ["RT011"]),
    (b'{"response_schema": {}, "response_template": {"start_anchor": "a", "fields": {"b": {}}}}', []),
    (b'{"properties": {}, "start_anchor": "a", "fields": {"b": {}}}', ["RT103"]),
    (b'{"a": 1, // no\n "b": True, "c": "\\d",}', ["RT001"] * 4),
    (b'{"start_anchor": "a", "fields": {"b": {}, "b": {}}}', ["RT020"]),
    (b'{"start_anchor": "", "fields": {"b": {}, "b": {}}}', ["RT020", "RT205"]),
]


def cyclic() -> dict[str, Any]:
    held: dict[str, Any] = template()
    held["defaults"] = {"again": held}
    return held


VALUES: list[tuple[Any, list[str]]] = [
    (template(defaults={"a": {1, 2}}), ["RT007"]),
    (template(defaults={1: "a"}), ["RT007"]),
    (cyclic(), ["RT008"]),
    (template(defaults={"a": [0] * 50_001}), ["RT009"]),
    (template(fields={f"f{number}": {} for number in range(501)}), ["RT009"]),
    (field(open_pattern="a{1000000000}"), ["RT213"]),
]


def codes_of(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.code.code for diagnostic in diagnostics]


def found(template: Any) -> list[str]:
    """Return the codes of what the compiler finds, whether it refuses or not."""
    try:
        return codes_of(respc.compile_template(template, formatted=False).diagnostics)
    except respc.TemplateError as refusal:
        return codes_of(refusal.diagnostics)


def numbered(cases: list[tuple[Any, list[str]]]) -> list[str]:
    return [f"{number}-{'-'.join(codes) or 'none'}" for number, (_, codes) in enumerate(cases)]


@pytest.mark.parametrize(("template", "codes"), DICTS, ids=numbered(DICTS))
def test_refused_template(template: Any, codes: list[str]) -> None:
    assert found(template) == codes


@pytest.mark.parametrize(("template", "codes"), DICTS, ids=numbered(DICTS))
def test_refused_template_is_refused_by_the_interpreter_too(template: Any, codes: list[str]) -> None:
    refusal = compile_or_refuse(template)
    assert isinstance(refusal, Refusal)
    expected = refused_by_interpreter(template)
    if codes[0] == "RT211":
        assert expected is None, "the interpreter loads it, and never ends"
    else:
        assert expected is not None
        assert refusal.error == expected.error


@pytest.mark.parametrize(("template", "codes"), WARNINGS, ids=numbered(WARNINGS))
def test_template_with_warnings(template: Any, codes: list[str]) -> None:
    assert refused_by_interpreter(template) is None
    assert found(template) == codes


@pytest.mark.parametrize(("template", "codes"), VALUES, ids=numbered(VALUES))
def test_value_that_no_file_holds_or_that_is_too_large(template: Any, codes: list[str]) -> None:
    assert found(template) == codes


@pytest.mark.parametrize(("content", "codes"), FILES, ids=numbered(FILES))
def test_file(content: bytes, codes: list[str], tmp_path: Path) -> None:
    path = tmp_path / "template.json"
    path.write_bytes(content)
    try:
        diagnostics = compile_source(read_template(path), Options.of(formatted=False)).diagnostics
    except respc.TemplateError as refusal:
        diagnostics = refusal.diagnostics
    assert codes_of(diagnostics) == codes


@pytest.mark.parametrize(("pattern", "character"), [("(ab", "b"), ("a[b", "b"), ("(?<n", "n"), ("ab)c", ")")])
@pytest.mark.parametrize(
    "line",
    [
        '{"start_anchor": "A", "fields": {"x": {"open_pattern": "%s"}}}',
        '{"start_anchor": "A", "fields": {"x": {"open": "<x>", "content": "xml-inline", '
        '"content_args": {"tag_pattern": "%s"}}}}',
    ],
    ids=["opener", "tag"],
)
def test_the_place_of_an_invalid_pattern_is_one_of_its_characters(
    line: str, pattern: str, character: str, tmp_path: Path
) -> None:
    path = tmp_path / "template.json"
    path.write_text(line % pattern, encoding="utf-8")
    (finding,) = [each for each in check_source(read_template(path)) if each.code.code in ("RT207", "RT325")]
    assert finding.span is not None
    start = line.index("%s") + 1
    assert start <= finding.span.column < finding.span.end_column <= start + len(pattern)
    assert (line % pattern)[finding.span.column - 1] == character


UNSTABLE: dict[str, dict[str, Any]] = {
    "edge of a word": {"x": {"open_pattern": r"<x\b[^>]*>", "close": "</x>"}},
    "look behind": {"x": {"open_pattern": "(?<=a)<x>", "close": "</x>"}},
    "look for what must not follow": {"x": {"open": "<x>", "close_pattern": "</x>(?!y)"}},
    "end inside": {"x": {"open": "<x>", "close_pattern": r"</x>\s*$"}},
    "closer of nothing": {"x": {"close_pattern": "(?=<y>)"}},
    "closer of nothing at the start": {"x": {"close_pattern": "^(?=a)"}},
}


@pytest.mark.parametrize("fields", UNSTABLE.values(), ids=UNSTABLE.keys())
def test_delimiter_that_cannot_be_stable(fields: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "template.json"
    path.write_text(json.dumps(template(fields=fields)), encoding="utf-8")
    with pytest.raises(respc.TemplateError) as refused:
        compile_source(read_template(path), Options.of(formatted=False, stable=True))
    (error,) = [each for each in refused.value.diagnostics if each.severity == "error"]
    assert error.code.code == "RT212"
    assert error.span is not None
    assert "--no-stable" in str(error.help)
    assert compile_source(
        read_template(path), Options.of(formatted=False, events="serving", stable=False)
    ).source


def test_every_code_that_refuses_has_a_case() -> None:
    used = {code for _, codes in [*DICTS, *VALUES, *FILES] for code in codes} | {"RT212"}
    assert {code.code for code in CODES if not code.can_be_let_through} <= used


def test_a_module_too_large_for_black_is_left_as_it_is() -> None:
    large = respc.compile_template(template(defaults={"numbers": list(range(30_000))}))
    assert codes_of(large.diagnostics) == ["RT040"]
    small = respc.compile_template(template(defaults={"numbers": list(range(30))}))
    assert codes_of(small.diagnostics) == []


def test_findings_are_the_same_for_a_file_and_for_its_values(tmp_path: Path) -> None:
    for template_, codes in [*DICTS, *WARNINGS]:
        path = tmp_path / "template.json"
        path.write_text(json.dumps(template_), encoding="utf-8")
        if not isinstance(template_, dict):
            continue
        try:
            diagnostics = compile_source(read_template(path), Options.of(formatted=False)).diagnostics
        except respc.TemplateError as refusal:
            diagnostics = refusal.diagnostics
        assert codes_of(diagnostics) == codes
        assert all(diagnostic.span is not None for diagnostic in diagnostics)
