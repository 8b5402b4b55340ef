"""What is said of a template is what its compiled parser does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from respc.analysis import analyse
from respc.diagnostics import visible
from respc.show import Border, Machine, machine_of
from respc.source import template_from_dict
from support.templates import own_names, own_template

if TYPE_CHECKING:
    from collections.abc import Iterable

# Where the calls of a module that hand a pattern to `regex` have it.
PATTERN_OF: Final = {"compile_pattern": 0, "Pattern": 1}
ONE_SEARCH: Final = "one search finds what ends the state, and what has begun to"


def machine(template: dict[str, Any], name: str = "folder/model.json") -> Machine:
    ir = analyse(template_from_dict(template)).ir
    assert ir is not None
    return machine_of(ir, name)


def template_of(**field: Any) -> dict[str, Any]:
    return {"start_anchor": "A", "fields": {"found": field, "rest": {"repeats": True, "join": ""}}}


def opener(**field: Any) -> Border:
    shown = machine(template_of(close="</>", **field)).fields[0].opener
    assert shown is not None
    return shown


def longest_held(template: dict[str, Any], texts: Iterable[str]) -> int:
    """Feed texts character by character to new parsers, and return the most that did not come out at once."""
    module = respc.load(template)
    most = 0
    for text in texts:
        parser = module.ResponseParser("")
        out = 0
        for number, character in enumerate(text, start=1):
            events = parser.feed(character)
            if any(event["field"] == "found" for event in events):
                break
            out += sum(len(event["text"]) for event in events if event["type"] == "region_chunk")
            most = max(most, number - out)
    return most


def patterns_of_module(template: dict[str, Any]) -> set[str]:
    """Return the texts that the compiled module hands to `regex`, written as the machine shows them."""
    source = respc.compile_template(template, formatted=False).source
    return {
        visible(pattern.value)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in PATTERN_OF
        for pattern in (call.args[PATTERN_OF[call.func.id]],)
        if isinstance(pattern, ast.Constant)
    }


@pytest.mark.parametrize(
    ("field", "texts", "most"),
    [
        ({"open": "<think>"}, ["a <think>"], 6),
        ({"open": ["<a>", "<a>\n"]}, ["b <a>\n", "<a>b"], 4),
        ({"open_pattern": r"<\|end\|>"}, ["<|end|>."], 7),
        ({"open_pattern": "<(?:u|other)>"}, ["<u>.", "<other>."], 7),
        ({"open_pattern": "<(?:u|other)+?>|[ab]{2,3}!"}, ["ab!.", "aab!.", "<u"], None),
        ({"open_pattern": "[ab]{2,4}!"}, ["abab!.", "ab!."], 5),
        ({"open_pattern": r"--\Z"}, ["a --", "a --."], 2),
        ({"open_pattern": "<x>$"}, ["<x>\n.", "<x>"], 4),
        ({"open_pattern": r"\bitem\b"}, ["an item.", "items"], 4),
        ({"open_pattern": "^#"}, ["#."], 1),
        ({"open": "«"}, ["a «"], 0),
    ],
)
def test_the_longest_held_text_is_named(field: dict[str, Any], texts: list[str], most: int | None) -> None:
    held = opener(**field).held
    if most is None:
        assert held.startswith("without bound")
        return
    assert longest_held(template_of(close="</>", **field), texts) == most
    assert held.startswith("nothing" if most == 0 else f"at most {most} character")


def test_what_leads_to_where_there_is_no_bound_is_named() -> None:
    shown = opener(open_pattern=r"<call>\s*<name>")
    assert shown.held == "without bound, after `<call> `"
    held = longest_held(template_of(close="</>", open_pattern=r"<call>\s*<name>"), ["<call>" + " " * 500])
    assert held == 506


@pytest.mark.parametrize(
    ("field", "found_by", "because"),
    [
        ({"open": "<a>"}, "expressions", ONE_SEARCH),
        ({"open_pattern": "<(?:a|b)>"}, "expressions", ONE_SEARCH),
        ({"open_pattern": r"<a\s*>"}, "expressions", ONE_SEARCH),
        ({"open_pattern": r"<\w+>"}, "expressions", ONE_SEARCH),
        ({"open_pattern": "(?<=b)<a>"}, "regex", "it looks behind"),
        ({"open_pattern": "<a>(?!b)"}, "regex", "it looks ahead for what must not be there"),
    ],
)
def test_what_a_delimiter_is_compiled_to_is_named(field: dict[str, Any], found_by: str, because: str) -> None:
    shown = opener(**field)
    assert (shown.found_by, shown.because) == (found_by, because)
    in_module = set(field.values()) & patterns_of_module(template_of(close="</>", **field))
    assert bool(in_module) == (found_by == "regex")


@pytest.mark.parametrize(
    ("anchor", "found_by", "because"),
    [
        ({"start_anchor": "<a>"}, "plain text", "written as text"),
        ({"start_anchor_pattern": "<(?:a|b)>"}, "plain text", "a pattern that is a choice of texts"),
        ({"start_anchor_pattern": r"<\|a\|>"}, "plain text", "a pattern of one text"),
        ({"start_anchor_pattern": "<a[bc]>"}, "expressions", "the prefix is searched once"),
        ({"start_anchor_pattern": "(?:<a>)?"}, "regex", "it can match nothing"),
        ({"start_anchor_pattern": "(?<=b)<a>"}, "regex", "it looks behind"),
        (
            {"start_anchor_pattern": "(?i)<a>"},
            "regex",
            "it has a part that the compiler does not reason about",
        ),
    ],
)
def test_what_the_anchor_is_compiled_to_is_named(anchor: dict[str, Any], found_by: str, because: str) -> None:
    template = {**anchor, "fields": {"rest": {"repeats": True, "join": ""}}}
    shown = machine(template).anchor
    assert (shown.found_by, shown.because) == (found_by, because)
    assert bool(set(anchor.values()) & patterns_of_module(template)) == (found_by == "regex")


def test_a_delimiter_that_stays_with_regex_keeps_those_that_are_looked_for_with_it() -> None:
    template = template_of(open="<a>", close_pattern=r"</a>\b")
    template["fields"]["other"] = {"open": "<b>", "close": "</b>"}
    found, other = machine(template).fields
    assert found.opener is not None
    assert found.closer is not None
    assert other.closer is not None
    assert (found.opener.found_by, found.closer.found_by, other.closer.found_by) == (
        "expressions",
        "regex",
        "expressions",
    )
    template["fields"]["rest"]["close_pattern"] = r"</r>\b"
    found, other = machine(template).fields
    assert found.opener is not None
    assert (found.opener.found_by, found.opener.because) == (
        "regex",
        "another delimiter that is looked for with it stays there",
    )
    assert machine(template).outside == "one search a delimiter"


@pytest.mark.parametrize("name", own_names())
def test_regex_is_named_just_where_the_module_has_the_pattern(name: str) -> None:
    template = own_template(name)
    in_module = patterns_of_module(template)
    for row in machine(template).rows():
        in_one_piece = row.compiled.startswith("segments: ") and ".*?" not in row.written
        if row.written.startswith("/") and not in_one_piece:  # such a tag stands there as it is
            assert row.compiled.startswith("regex: ") == (row.written[1:-1] in in_module), row


def test_the_value_is_told_in_words() -> None:
    template = {
        "start_anchor": "A",
        "fields": {
            "calls": {
                "open": "<c>",
                "close": "</c>",
                "repeats": True,
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": "<(?P<key>[a-z]+)>(?P<value>.*?)</>",
                    "value_parser": {"name": "json"},
                },
                "transform": {"type": "function", "arguments": "{content}", "all": ["{content.a}"]},
                "optional": False,
            },
            "records": {
                "open": "<r>",
                "close": "</r>",
                "content": "json",
                "transform_each": True,
                "transform": {"name": "{tool.name}"},
            },
            "text": {"repeats": True, "join": "\n"},
        },
    }
    shown = machine(template)
    calls, records = shown.fields
    assert calls.content == "xml-inline, values as json"
    assert calls.value == (
        'the value as `{"type": "function", "arguments": "{content}", "all": ["{content.a}"]}`; '
        "all regions in a list; a message without it is an error"
    )
    assert [tags.found_by for tags in calls.tags] == ["segments"]
    assert records.value == 'each element as `{"name": "{tool.name}"}`; the last region counts'
    assert shown.implicit is not None
    assert shown.implicit.value == r"all regions joined by `\n`"
    assert shown.outside == "one search for all delimiters"
    assert shown.title == "model.json"


def test_rows_have_every_field_and_what_is_dropped() -> None:
    rows = list(machine({"start_anchor": "A", "fields": {"a": {"open": "<a>"}}}).rows())
    assert [(row.field, row.part) for row in rows] == [
        ("", "start"),
        ("(no field)", "opens"),
        ("a", "opens"),
        ("", "closes"),
        ("", "value"),
    ]
    assert rows[1].compiled == "dropped"
    assert rows[3].written == "(the end of the text)"


def test_nothing_shown_has_characters_that_do_not_show() -> None:
    template = {
        "start_anchor": "\x1b[31m",
        "fields": {"\x1b\u202e": {"open": [" a\x07 ", "  "], "close_pattern": "\x9b\n"}, "\n": {}},
    }
    rows = list(machine(template, "\x1b]0;x\x07.json").rows())
    assert all("".join(vars_of(row)).isprintable() for row in rows)
    assert rows[1].written == r"␣a\x07␣ or ␣␣"


def vars_of(row: Any) -> list[str]:
    return [row.field, row.part, row.written, row.compiled, row.held]
