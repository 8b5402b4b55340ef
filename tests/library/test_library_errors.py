"""What a parser raises: its class, field, position, cause, how much it quotes; and that it then refuses."""

from __future__ import annotations

import pickle
import traceback
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc_runtime.held_text import LONG_HELD
from support.oracle import builtin_class, compiled, interpret, record
from support.strictness import first_difference

if TYPE_CHECKING:
    from types import ModuleType

MOST_QUOTED = 200
LETTER = "ж"
LONG = LETTER * 100_000
PASSES = pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no passes"])


def template_with(**field: Any) -> dict[str, Any]:
    spec = {"open": "<a>", "close": "</a>", **field}
    return {"defaults": {"role": "x"}, "start_anchor": "A", "fields": {"a": spec, "content": {}}}


def value_parser(name: str, **arguments: Any) -> dict[str, Any]:
    return {"value_parser": {"name": name, "args": arguments}}


TAG = {"tag_pattern": r"<(?P<key>\w+)>(?P<value>[^<]*)"}
CALL = {"function": {"name": "f", "arguments": {"x": "{content}"}}}
WRONG_TOOL = [{"name": "f", "parameters": {"properties": {"x": {"anyOf": 5}}}}]

LONG_BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "int": ({"content": "int"}, LONG),
    "float": ({"content": "float"}, LONG),
    "json": ({"content": "json"}, LONG),
    "json, deep": ({"content": "json"}, "[" * 100_000 + LONG),
    "json, digits": ({"content": "json"}, "9" * 100_000),
    "json, or text, digits": ({"content": "json", "content_args": {"allow_non_json": True}}, "9" * 100_000),
    "json, marks": ({"content": "json", "content_args": {"string_delims": [["«", "»"]]}}, LONG),
    "json, reserved": ({"content": "json", "content_args": {"string_delims": [["«", "»"]]}}, "\x01" + LONG),
    "json, keys": ({"content": "json", "content_args": {"unquoted_keys": True}}, "{" + LONG),
    "kv-lines": ({"content": "kv-lines", "content_args": value_parser("float")}, f"a:{LONG}"),
    "xml-inline": ({"content": "xml-inline", "content_args": TAG | value_parser("float")}, f"<a>{LONG}"),
    "xml-inline, key": ({"content": "xml-inline", "content_args": {"tag_pattern": LETTER}}, LONG),
    "python-call-list": ({"content": "python-call-list"}, LONG),
    "python-call-list, name": ({"content": "python-call-list"}, f"[f({'x' * 100_000}=1,{'x' * 100_000}=2)]"),
    "python-call-list, string": ({"content": "python-call-list"}, f'[f(a="{LONG}'),
    "python-call-list, escape": ({"content": "python-call-list"}, f'[f(a="{LONG}\\q")]'),
    "python-call-list, surrogate": ({"content": "python-call-list"}, f'[f(a="{LONG}\\ud800")]'),
    "transform, keys": ({"content": "json", "transform": {"k": "{content.y}"}}, f'{{"{LONG}": 1}}'),
    "transform, type": ({"content": "json", "transform": ["{content.y}"]}, f'"{LONG}"'),
    "transform, undefined": ({"transform": ["{y}"]}, LONG),
    "transform_each, keys": (
        {"content": "json", "transform": ["{y}"], "transform_each": True},
        f'[{{"{LONG}": 1}}]',
    ),
    "transform_each, type": ({"content": "json", "transform": [], "transform_each": True}, f'"{LONG}"'),
    "transform_each, element": ({"content": "json", "transform": [], "transform_each": True}, f'["{LONG}"]'),
    "join": ({"content": "json", "join": ",", "repeats": True}, f'["{LONG}"]'),
    "cast": ({"transform": CALL}, LONG),
}


def raised(module: ModuleType, chunks: list[str], prefix: str = "", tools: Any = None) -> Any:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is asked
        parse(module, chunks, prefix, tools)
    return caught.value


def parse(module: ModuleType, chunks: list[str], prefix: str, tools: Any) -> None:
    parser = module.ResponseParser(prefix, tools=tools)
    for chunk in chunks:
        parser.feed(chunk)
    parser.finalize()


@pytest.mark.parametrize("case", LONG_BODIES)
def test_a_long_body_is_quoted_in_short(case: str) -> None:
    field, body = LONG_BODIES[case]
    template = template_with(**field)
    tools = WRONG_TOOL if case == "cast" else None
    error = raised(compiled(template), [f"text<a>{body}</a>"], tools=tools)
    assert builtin_class(error) == interpret(template, "", [f"text<a>{body}</a>"], tools).error
    assert error.field == "a"
    assert error.position == len("text<a>")
    assert body.startswith(error.excerpt.removesuffix("…"))
    assert error.__cause__ is not None
    assert builtin_class(error.__cause__) == builtin_class(error)
    # Whatever prints the chain, as logs do, prints no more of the body for any of its parts.
    link: BaseException | None = error
    while link is not None:
        for shown in (str(link), repr(link)):
            assert max(shown.count(character) for character in "жx9[") <= MOST_QUOTED, shown[:300]
        link = link.__cause__ or link.__context__
    assert len("".join(traceback.format_exception(error))) < 8_000


@pytest.mark.parametrize("body", ["\ud800\ud801", "\x1b[31m\r\n", "\"'\\", "\u202e", "{x}%s{{", "\x00"])
def test_odd_bodies_make_a_message_of_one_line_that_encodes(body: str) -> None:
    error = raised(compiled(template_with(content="int")), [f"<a>{body}</a>"])
    text = str(error)
    assert text.encode("utf-8")
    assert text.isprintable()
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert (str(copied), copied.field, copied.position) == (text, error.field, error.position)


@pytest.mark.parametrize("name", ["", "\ud800", "a'b", "\n", "self", "x" * 10_000], ids=ascii)
def test_the_field_is_named(name: str) -> None:
    template = {"start_anchor": "A", "fields": {name: {"open": "<", "content": "int"}}}
    error = raised(compiled(template), ["<x"])
    assert error.field == name


INT = {"open": "<n>", "close": "</n>", "content": "int"}
NUMBER_PATTERN = {"close_pattern": r"</n\s*>", "content": "int"}

POSITIONS: dict[str, tuple[dict[str, Any], str, str]] = {
    "literals": ({"n": INT, "content": {}}, "", "ab<n>12</n>c<n>ODD</n>d"),
    "no implicit field": ({"n": INT}, "", "dropped<n>1</n>dropped as well<n>ODD</n>"),
    "never closed": ({"n": INT, "content": {}}, "", "ab<n>1</n>x<n>ODD"),
    "no closer": (
        {"n": {"open": "<n>", "content": "int"}, "t": {"open": "<t>", "close": "</t>"}},
        "",
        "x<t>y</t>z<n>ODD",
    ),
    "implicit": (
        {"n": {"content": "int"}, "t": {"open": "<t>", "close": "</t>"}},
        "",
        "<t>some</t>ODD<t></t>",
    ),
    "implicit with a closer": (
        {"n": {"close": ";", "content": "int"}, "t": {"open": "<t>", "close": "</t>"}},
        "",
        "1;;2;<t>x</t>;ODD;3",
    ),
    "opened by the prefix": ({"n": INT, "content": {}}, "one A two A<n>", "ODD</n>"),
    "begun in the prefix": ({"n": INT, "content": {}}, "A<t>x<n>1</n><n>OD", "D</n>"),
    "after a prefix without anchor": ({"n": INT, "content": {}}, "no anchor: <n>4</n> ", "<n>ODD</n>"),
    "opener across the prefix's end": ({"n": INT, "content": {}}, "Aabc<", "n>ODD</n>"),
    "captures": (
        {
            "n": {
                "open_pattern": r"<n (?P<key>\w+)\s*>",
                "close_pattern": r"</n(?P<end>\w*)>",
                "content": "int",
                "repeats": True,
                "transform": {"k": "{key}", "v": "{content}"},
            },
            "content": {},
        },
        "",
        "é<n a>1</nx>字<n bc  >ODD</ny>",
    ),
    "line starts": (
        {"n": {"open_pattern": r"(?m)^n:", "close_pattern": r"\n", "content": "int"}, "content": {}},
        "",
        "n:1\nx n:7\nn:2\n\nn:ODD\n",
    ),
    "look-behind": (
        {"n": {"open_pattern": r"(?<=\w{3}:)<", "close": ">", "content": "int"}, "content": {}},
        "",
        "ab:<1>abc:<1>abcd:<ODD>",
    ),
    "word boundary": (
        {"n": {"open_pattern": r"\bn=", "close_pattern": r"\b;", "content": "int"}, "content": {}},
        "Ax ",
        "in=1; n=2; n=ODD;",
    ),
    "unbounded look-behind": (
        {"n": {"open_pattern": r"(?<=a+)<", "close": ">", "content": "int"}, "content": {}},
        "",
        "<9>aa<1>xaaa<ODD>",
    ),
    "pattern closer": (
        {"n": {"open": "<n>", **NUMBER_PATTERN}, "content": {}},
        "A",
        "a<n>1</n  ><n>ODD</n >",
    ),
    "zero-width closer": (
        {"n": {"open": "<n>", "close_pattern": r"(?=<)", "content": "int"}, "content": {}},
        "",
        "<n>1<n>2<n>ODD<",
    ),
}


@PASSES
@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
@pytest.mark.parametrize("case", POSITIONS)
def test_the_body_begins_at_the_position(case: str, size: int, passes: tuple[str, ...] | None) -> None:
    fields, prefix, generation = POSITIONS[case]
    template = {"start_anchor": "A", "fields": fields}
    chunks = [generation[start : start + size] for start in range(0, len(generation), size)]
    assert interpret(template, prefix, chunks).error == "ValueError"
    error = raised(compiled(template, passes), chunks, prefix)
    text = prefix[prefix.rfind("A") + 1 :] + generation
    assert error.position == text.index("ODD")
    assert error.excerpt.startswith("ODD")
    assert error.field == "n"


@PASSES
def test_a_body_in_the_prefix_fails_when_the_parser_is_made(passes: tuple[str, ...] | None) -> None:
    template = template_with(content="int")
    error = raised(compiled(template, passes), [], "junk A x<a>ODD</a>")
    assert isinstance(error, ValueError)
    assert error.position == len(" x<a>")
    assert interpret(template, "junk A x<a>ODD</a>", []).failed_at == "construct"


def must_refuse(parser: Any, reason: str) -> None:
    for call in (lambda: parser.feed("more"), lambda: parser.feed(""), parser.finalize):
        with pytest.raises(RuntimeError, match=reason):
            call()


@PASSES
class TestRefusal:
    def test_after_an_exception_in_feed(self, passes: tuple[str, ...] | None) -> None:
        parser = compiled(template_with(content="int"), passes).ResponseParser("")
        parser.feed("a<a>")
        with pytest.raises(ValueError, match="field 'a'"):
            parser.feed("x</a>b")
        must_refuse(parser, "earlier call raised")

    def test_after_an_exception_in_finalize(self, passes: tuple[str, ...] | None) -> None:
        parser = compiled(template_with(content="int"), passes).ResponseParser("")
        parser.feed("a<a>x")
        with pytest.raises(ValueError, match="field 'a'"):
            parser.finalize()
        must_refuse(parser, "earlier call raised")

    def test_after_a_required_field_is_missing(self, passes: tuple[str, ...] | None) -> None:
        parser = compiled(template_with(optional=False), passes).ResponseParser("")
        parser.feed("text")
        with pytest.raises(ValueError, match=r"required.*'a'") as caught:
            parser.finalize()
        assert caught.value.fields == ("a",)
        must_refuse(parser, "earlier call raised")

    def test_after_finalize(self, passes: tuple[str, ...] | None) -> None:
        parser = compiled(template_with(content="int"), passes).ResponseParser("")
        parser.feed("text<a>1</a>")
        message, _ = parser.finalize()
        must_refuse(parser, "finalized")
        assert first_difference({"role": "x", "content": "text", "a": 1}, message) is None

    def test_after_finalize_with_nothing_fed(self, passes: tuple[str, ...] | None) -> None:
        parser = compiled(template_with(), passes).ResponseParser("Athe prefix")
        parser.finalize()
        must_refuse(parser, "finalized")

    def test_after_the_caller_was_interrupted(
        self, passes: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = respc.load(template_with(content="json"), passes=passes)

        def interrupt(body: str) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(module, "parse_json", interrupt)
        parser = module.ResponseParser("")
        with pytest.raises(KeyboardInterrupt):
            parser.feed("<a>1</a>")
        must_refuse(parser, "earlier call raised")

    def test_nothing_of_a_failed_call_reaches_another_parser(self, passes: tuple[str, ...] | None) -> None:
        module = compiled(template_with(content="int"), passes)
        clean = record(lambda: module.ResponseParser(""), ["x<a>1</a>"])
        failed = module.ResponseParser("")
        with pytest.raises(ValueError, match="field 'a'"):
            failed.feed("y<a>2</a><a>x</a>")
        assert first_difference(clean, record(lambda: module.ResponseParser(""), ["x<a>1</a>"])) is None


@pytest.mark.parametrize(
    ("pattern", "chunk"),
    [(r"\s*<x>", ""), (r"<a>.*?<x>", "<a>" + "x" * 2 * LONG_HELD), ("^<x>", ""), (r"(?<!q)<x>", "<")],
    ids=["at first", "while text waits", "at the start of the text", "where text is kept"],
)
def test_a_chunk_that_is_no_string_ends_the_parser(pattern: str, chunk: str) -> None:
    fields = {"c": {}, "x": {"open_pattern": pattern, "close": "</x>"}}
    parser = respc.load({"start_anchor": "A", "fields": fields}).ResponseParser("")
    parser.feed(chunk)
    with pytest.raises(TypeError):
        parser.feed(5)
    with pytest.raises(RuntimeError, match="an earlier call raised"):
        parser.feed("text")
