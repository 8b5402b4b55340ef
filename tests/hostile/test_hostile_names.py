"""Field names that are something to Python, or become equal when they are made identifiers."""

from __future__ import annotations

import builtins
import keyword
from typing import Any

import pytest

import respc
from respc.codegen.runtime_names import runtime_index
from support.modules import module_of
from support.oracle import assert_same, compiled, interpret, run_compiled

KEYWORDS = sorted({*keyword.kwlist, *keyword.softkwlist})
BUILTINS = sorted(name for name in dir(builtins) if name not in KEYWORDS)
DUNDERS = ["__init__", "__slots__", "__class__", "__dict__", "__new__", "__all__", "__name__", "__", "__x"]
# What generated modules call their own parts, and what they import.
OWN_NAMES = [
    "self", "cls", "_", "_state", "_message", "_parts", "_held", "_text", "_pos", "_offset", "_chunk",
    "_captures", "_parameters", "initial_events", "feed", "finalize", "_advance", "_cut", "_take",
    "_take_body", "ResponseParser", "parse_response", "_parse_one", "Message", "_Defaults", "Defaults",
    "Event", "Field", "RegionOpen", "RegionChunk", "RegionClose", "_FINDERS", "_CLOSERS", "_CHUNKS",
    "_OUTSIDE", "_FAILED", "_FINISHED", "outside", "nothing", "failed", "finished", "chunks",
    "finders", "closers", "in", "in_a", "find", "find_outside", "end_of_outside", "close_nothing",
    "read_x", "x", "x_value", "x_value_value", "x_tag", "x_prefixes", "x_delimiters", "x_actions",
    "x_open", "x_close", "x_open_prefixes", "prefixes", "anchor", "body", "content", "value", "events",
    "event", "text", "pos", "at_end", "start", "end", "edge", "hold", "first", "match", "candidates",
    "record", "error", "previous", "key", "type", "field", "dirty", "prefix", "tools", "begun", "Any",
    "Final", "Literal", "TypedDict", "TypeAlias", "cast", "overload", "Sequence", "annotations", "re",
    "regex", "json", "held_from", "earliest", "CLOSE", "NOTHING", "region_error", "respc_runtime",
    "parse_json", "named_groups", "Tools",
]  # fmt: skip
# What the runtime calls the parts that it keeps to itself: a standalone module has them beside its own.
NAMES_OF_THE_RUNTIME = sorted(
    {
        name.strip("_").lower().removeprefix("read_").removeprefix("end_")
        for name in runtime_index()
        if name[0] == "_"
    }
)
ALMOST_EQUAL = [
    "a", "A", "á", "a-b", "a_b", "a b", "a.b", "a--b", "-a-b-", "A_B", "_a_b", "a_b_", "a_b_2",
    "a_b_3", "a/b", "a~b", "ﬁ", "fi", "FI", "ß", "ss", "SS", "ẞ", "İ", "i", "ı", "I", "i̇", "ſ", "s",
    "S", "é", "e\u0301", "É", "\u00b5", "\u03bc", "\u00c5", "\u212b", "字", "学", "ª", "𝐚", "ａ", "", " ",
    "  ", "\t", "\n", "\u00a0", "\u200b", "field", "Field", "field_2", "2", "２", "²", "0x1", "1e5",
    "a" * 39, "a" * 40, "a" * 41, "a" * 42, "a" * 10_000,
]  # fmt: skip
NO_NAMES = [
    "\x00", "\\", "'", '"', "'''", '"""', "\\n", "\r", "\x1b[0m", "\ud800", "\udfff", "\u2028",
    "\u202e", "\ufeff", "{{ x }}", "{% endfor %}", "{# x", "#}", "# x", "\\\n", "{x}", "%s", "$x",
    "a=1", "a: int", "a): pass", "*", "/", "~", "~0", "~1", "[]", "Literal['x']", "None = 1", "x, y",
]  # fmt: skip
FAMILIES = {
    "keywords": KEYWORDS,
    "builtins": BUILTINS,
    "dunders": DUNDERS,
    "own names": OWN_NAMES,
    "names of the runtime": NAMES_OF_THE_RUNTIME,
    "almost equal": ALMOST_EQUAL,
    "no names": NO_NAMES,
}
KINDS: list[dict[str, Any]] = [
    {},
    {"content": "json", "content_args": {"string_delims": [["«", "»"]], "allow_non_json": True}},
    {"content": "kv-lines", "content_args": {"value_parser": {"name": "kv-lines", "args": {"kv_sep": "="}}}},
    {
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r"(?P<key>\w)(?P<value>\w)",
            "value_parser": {"name": "json", "args": {"unquoted_keys": True, "allow_non_json": True}},
        },
    },
    {"repeats": True, "join": "\n", "optional": True},
    {"repeats": True, "transform": {"content": "{content}", "self": ["{content}"]}},
]


def template_of(names: list[str]) -> dict[str, Any]:
    """Return a template with all names as fields of every kind, and as defaults."""
    fields: dict[str, Any] = {}
    for number, name in enumerate(names):
        opener = {"open": f"<{number}>"} if number % 2 else {"open_pattern": rf"<{number}\s*>"}
        fields[name] = {**opener, "close": f"</{number}>", **KINDS[number % len(KINDS)]}
    defaults = {name: [] if "repeats" in fields[name] else {"": name} for name in names[::7]}
    for name, field in fields.items():
        if "join" in field:
            defaults.pop(name, None)
    return {"defaults": defaults, "start_anchor": "A", "fields": fields}


def text_of(names: list[str]) -> str:
    bodies = ("ab cd", "a: b=c\nd:e", '{"a": 1}')
    return "".join(f"<{number}>{bodies[number % 3]}</{number}>-" for number in range(len(names)))


@pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no passes"])
@pytest.mark.parametrize("family", FAMILIES)
def test_names_together(family: str, passes: tuple[str, ...] | None) -> None:
    names = FAMILIES[family]
    assert len(set(names)) == len(names)
    template, text = template_of(names), text_of(names)
    expected = interpret(template, "", [text])
    assert expected.message is not None
    assert set(expected.message) >= set(names)
    assert_same(expected, run_compiled(compiled(template, passes), "", [text]))


@pytest.mark.parametrize("family", FAMILIES)
def test_names_together_standalone(family: str) -> None:
    names = FAMILIES[family]
    template, text = template_of(names), text_of(names)
    source = respc.compile_template(template, standalone=True, formatted=False).source
    assert_same(interpret(template, "", [text]), run_compiled(module_of(source), "", [text]))


@pytest.mark.parametrize("name", [*OWN_NAMES, *ALMOST_EQUAL, *NO_NAMES, *DUNDERS, *KEYWORDS[:6]], ids=ascii)
def test_a_name_alone(name: str) -> None:
    """As the implicit field and a default: alone, its name decides how the message's type is written."""
    template = {
        "defaults": {name: "default"},
        "start_anchor": "A",
        "fields": {name: {"close": "<end>"}, "other": {"open": "<o>", "close": "</o>", "content": "float"}},
    }
    text = "x<o>1</o>y<end>z"
    for chunks in ([text], list(text)):
        assert_same(interpret(template, "", chunks), run_compiled(compiled(template), "", chunks))


@pytest.mark.parametrize(
    "group", ["self", "body", "value", "events", "match", "content", "error", "def_", "é", "_", "__class__"]
)
def test_capture_groups_are_no_names_of_the_module(group: str) -> None:
    template = {
        "start_anchor": "A",
        "fields": {
            "f": {
                "open_pattern": rf"<(?P<{group}>\w+)>",
                "close_pattern": r"</(?P<end>\w+)>",
                "repeats": True,
                "transform": {"group": f"{{{group}}}", "end": "{end}", "content": "{content}"},
            },
            "content": {},
        },
    }
    text = "t<a>b</c>u<d>e</f>"
    for chunks in ([text], list(text)):
        assert_same(interpret(template, "", chunks), run_compiled(compiled(template), "", chunks))


def test_pattern_captures_of_elements_and_records_keep_apart() -> None:
    names = ["self", "record", "content", "class", "é", "a.b", ""]
    keys = ["self", "record", "content", "class", "é"]
    template = {
        "start_anchor": "A",
        "fields": {
            "f": {
                "open_pattern": r"<(?P<self>\w+)>",
                "close": "</>",
                "content": "json",
                "transform": {name: f"{{{key}}}" for name, key in zip(names, keys, strict=False)},
                "transform_each": True,
            }
        },
    }
    element = '"record": 1, "content": 2, "class": 3, "é": 4}'
    text = f'<a>[{{{element}, {{"self": 0, {element}]</>'
    expected = interpret(template, "", [text])
    assert expected.error is None
    assert_same(expected, run_compiled(compiled(template), "", [text]))
