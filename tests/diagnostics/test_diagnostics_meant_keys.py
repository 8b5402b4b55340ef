"""What an unknown key was meant for is found across levels, and what is advised works."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from lints.building import CALL, found, of, only, tagged
from respc.analysis import check_source
from respc.diagnostics import Severity
from respc.fixing import fix_text
from respc.source import template_from_text
from support.oracle import refused_by_interpreter

if TYPE_CHECKING:
    from respc.source import TemplateSource

TAG: Final = "<(?P<key>[a-z]+)>(?P<value>.*?)</>"


def source_of(template: object) -> TemplateSource:
    return template_from_text("t.json", json.dumps(template))


@pytest.mark.parametrize(
    ("field", "key", "help_"),
    [
        ({"open_regex": "<a>"}, "open_regex", "did you mean `open_pattern`?"),
        ({"open": "<a>", "close_regexp": "</a>"}, "close_regexp", "did you mean `close_pattern`?"),
        ({"start_regex": "<a>"}, "start_regex", "did you mean `open_pattern`?"),
        ({"open": "<a>", "end": "</a>"}, "end", "did you mean `close`?"),
        ({"open": "<a>", "clos": "</a>"}, "clos", "did you mean `close`?"),
        ({"open": "<a>", "parser": "json"}, "parser", "did you mean `content`?"),
        (
            {"open": "<a>", "content": "xml-inline", "tag_pattern": TAG},
            "tag_pattern",
            f'it belongs into \'content_args\': "content_args": {{"tag_pattern": "{TAG}"}}',
        ),
        (
            {"open": "<a>", "content": "xml", "tag_pattern": TAG},
            "tag_pattern",
            f'it belongs into \'content_args\': "content_args": {{"tag_pattern": "{TAG}"}}',
        ),
        (
            {"open": "<a>", "tag_pattern": TAG},
            "tag_pattern",
            "it belongs into the 'content_args' of a field with another content parser",
        ),
        (
            {"open": "<a>", "strip": False},
            "strip",
            'it belongs into \'content_args\': "content_args": {"strip": false}',
        ),
        ({"open": "<a>", "start_anchor": "A"}, "start_anchor", "it belongs beside 'fields', not into one"),
        ({"open": "<a>", "xyz": 1}, "xyz", "a field has the keys `open`, "),
    ],
    ids=str,
)
def test_a_key_of_a_field(field: dict[str, Any], key: str, help_: str) -> None:
    finding = only(of(field), "unknown-field-key")
    assert finding.pointer == f"/fields/a/{key}"
    assert (finding.help or "").startswith(help_)


@pytest.mark.parametrize("key", ["open", "close_pattern", "repeats", "transform"])
def test_a_key_of_a_field_beside_the_fields(key: str) -> None:
    finding = only({**of({"open": "<a>"}), key: "x"}, "unknown-template-key")
    assert (finding.help or "").startswith("it belongs into a field, as in ")


@pytest.mark.parametrize(
    ("arguments", "help_"),
    [
        ({"tag_pattern": TAG, "repeats": True}, "it belongs beside 'content_args', not into it"),
        ({"tag_pattern": TAG, "allow_non_json": True}, "it belongs into the 'args' of the 'value_parser'"),
        ({"tag_pattern": TAG, "merge_duplicate": True}, "did you mean `merge_duplicates`?"),
        (
            {"tag_pattern": TAG, "value_parser": {"name": "json", "allow_non_json": True}},
            'it belongs into \'args\': "args": {"allow_non_json": true}',
        ),
    ],
    ids=str,
)
def test_an_argument(arguments: dict[str, Any], help_: str) -> None:
    finding = only(tagged(content="xml-inline", content_args=arguments), "unknown-content-arg")
    assert finding.help == help_
    assert finding.fix is None or not finding.fix.is_safe


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        ("xml", "xml-inline"),
        ("inline", "xml-inline"),
        ("kv", "kv-lines"),
        ("python", "python-call-list"),
        ("XML", "xml-inline"),
        ("string", "text"),
        ("jason", "json"),
        ("boolean", "bool"),
    ],
)
def test_a_content_parser_is_known_by_a_part_of_its_name(content: str, meant: str) -> None:
    finding = only(tagged(content=content), "unknown-content-parser")
    assert finding.help == f"did you mean `{meant}`?"
    assert finding.fix is not None
    assert finding.fix.is_safe is (content == "jason")


@pytest.mark.parametrize(
    "field",
    [
        {"open": "<a>", "close": "</>", "content": "xml-inline", "tag_pattern": TAG},
        {"open": "<a>", "close": "</>", "content": "xml-inline", "content_args": {}, "tag_pattern": TAG},
        {"open_regex": "<a>", "close_regex": "</>"},
        {"open": "<a>", "close": "</>", "strip": False},
    ],
    ids=str,
)
def test_what_is_moved_or_renamed_is_loaded(field: dict[str, Any]) -> None:
    fixed = fix_text(source_of(of(field)), check_source, unsafe_fixes=False)
    assert refused_by_interpreter(fixed.source.template) is None
    assert not [each for each in check_source(fixed.source) if each.severity is Severity.ERROR]


def test_what_looks_like_a_placeholder_is_said_beside_a_string_that_is_refused() -> None:
    template = tagged(transform={"n": "{ name }", "m": "a {content}"})
    codes = [each.code.code for each in check_source(source_of(template))]
    assert {"RT403", "RT426"} <= set(codes)
    assert codes.count("RT426") == 1


SHAPELESS: Final[list[dict[str, Any]]] = [
    {"open": "<c>", "content": "xml-inline", "content_args": {"tag_pattern": TAG}},
    {"open": "<c>"},
    {"open": "<c>", "content": "kv-lines"},
    {"open": "<c>", "content": "json", "repeats": True, "join": None},
    {"open": "<c>", "content": "python-call-list"},
    {"open": "<c>", "content": "json", "transform": {"name": "{content}"}},
    {"open": "<c>", "content": "python-call-list", "transform": {"a": "{name}"}, "transform_each": True},
    {
        "open_pattern": r"<c=(?P<tool>[^>]+)>",
        "content": "json",
        "transform": {"a": "{tool}", "b": "{content}"},
    },
    {"open_pattern": r"<c=(?P<name>[^>]+)>", "transform": {"a": "{name}", "b": "{content}"}},
]


@pytest.mark.parametrize("field", SHAPELESS, ids=str)
def test_the_shape_of_calls_that_is_advised_is_one(field: dict[str, Any]) -> None:
    """The members that the help writes are put in, just as it says."""
    template = {
        "start_anchor": "A",
        "fields": {"tool_calls": {"close": "</c>", "repeats": True, **field}, "content": {}},
    }
    finding = only(template, "call-shape")
    assert finding.help is not None
    told = finding.help.partition("; ")[0]
    members: dict[str, Any] = {}
    for part in told.split("and "):
        start = part.find('"')
        members |= json.loads("{" + part[start:].rstrip(", ") + "}")
    changed = dict(template["fields"]["tool_calls"])
    if "open_pattern" in members:
        del changed["open"]
    template["fields"]["tool_calls"] = {**changed, **members}
    assert refused_by_interpreter(template) is None
    assert not [each for each in check_source(source_of(template)) if each.severity is Severity.ERROR]
    assert not found(template, "call-shape")


def test_the_shape_of_calls_is_that_of_chat_templates() -> None:
    assert not found(
        {"start_anchor": "A", "fields": {"tool_calls": {"open": "<c>", "transform": CALL}}}, "call-shape"
    )


def test_the_help_for_a_value_parser_that_is_a_name() -> None:
    template = tagged(content="kv-lines", content_args={"value_parser": "json"})
    finding = only(template, "content-arg-wrong-type")
    assert finding.help == 'write "value_parser": {"name": "json"}'
    assert only(tagged(content="kv-lines", content_args={"value_parser": "x"}), finding.code.slug).fix is None


@pytest.mark.parametrize("text", ["false", "No", "0", "off"])
def test_a_flag_that_says_the_opposite_of_how_it_is_read_has_no_fix(text: str) -> None:
    assert only(tagged(repeats=text), "flag-misread").fix is None
    fix = only(tagged(repeats="true"), "flag-misread").fix
    assert fix is not None
    assert fix.is_safe


@pytest.mark.parametrize(
    ("name", "opener", "transform"),
    [
        (
            "tool_calls",
            "<call=(?P<name>[^>]+)>",
            {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        ),
        (
            "tool_calls",
            "<(?P<id>[a-z]):(?P<name>[^>]+)>",
            {"id": "{id}", "name": "{name}", "content": "{content}"},
        ),
        ("citations", r"<cite id=(?P<id>\d+)>", {"id": "{id}", "content": "{content}"}),
    ],
)
def test_the_transform_that_is_advised_has_what_is_captured(
    name: str, opener: str, transform: dict[str, Any]
) -> None:
    field = {"open_pattern": opener, "close": "</>", "repeats": True}
    template: dict[str, Any] = {"start_anchor": "A:", "fields": {name: field, "content": {}}}
    (finding,) = [
        each for each in check_source(source_of(template)) if each.code.slug == "captures-without-transform"
    ]
    assert finding.help is not None
    advised = json.loads(f"{{{finding.help.removeprefix('add ').partition(', or write ')[0]}}}")
    assert advised == {"transform": transform}
    field |= advised
    assert refused_by_interpreter(template) is None


def test_where_a_schema_is_named_instead() -> None:
    (finding,) = check_source(
        source_of({"$schema": "s.json", "start_anchor": "A", "fields": {"content": {}}})
    )
    assert (
        finding.help == "name the schema in the settings of your editor, not here; `respc schema` prints it"
    )
    assert finding.fix is None
