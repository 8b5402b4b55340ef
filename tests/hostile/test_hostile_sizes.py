"""Templates of a megabyte, of thousands of parts, nested deep, and with numbers that are hardly any."""

from __future__ import annotations

import json
import math
from typing import Any, ClassVar

import pytest
import regex

import respc
from respc.source import read_template
from support.modules import module_of
from support.oracle import (
    Refusal,
    assert_same,
    builtin_class,
    compile_or_refuse,
    interpret,
    refused_by_interpreter,
    run_compiled,
)
from support.strictness import first_difference

MEGABYTE = 1_000_000
LONGEST = 50_000
"""All delimiters together."""


def template_with(fields: dict[str, Any], **top_level: Any) -> dict[str, Any]:
    return {"start_anchor": "A", **top_level, "fields": fields}


def nested(depth: int, inner: Any, wrap: Any) -> Any:
    for _ in range(depth):
        inner = wrap(inner)
    return inner


def must_agree(template: dict[str, Any], text: str, prefix: str = "") -> None:
    """Assert that the compiled template does what the interpreter does."""
    module = respc.load(template)
    expected = interpret(template, prefix, [text])
    assert expected.error is None
    assert_same(expected, run_compiled(module, prefix, [text]))


class TestMegabytes:
    def test_one_literal(self) -> None:
        """Too large for the interpreter's own search, which takes time by its square."""
        opener = "<" + "o" * (LONGEST - 10) + ">"
        module = respc.load(template_with({"f": {"open": opener, "close": "</f>"}, "content": {}}))
        for chunks in (["a" + opener + "b</f>c"], ["a" + opener[:-9], opener[-9:], "b</f>c"]):
            trace = run_compiled(module, "", chunks)
            assert trace.message == {"content": "c", "f": "b"}
        trace = run_compiled(module, "", ["a" + opener[:-1], "x"])
        assert trace.feeds[0][-1] == {"type": "region_chunk", "field": "content", "text": "a", "dirty": False}
        assert trace.message == {"content": "a" + opener[:-1] + "x"}

    @pytest.mark.parametrize(
        "anchor", ["a" * LONGEST, "a" * (LONGEST - 1) + "b"], ids=["over itself", "once"]
    )
    def test_one_anchor(self, anchor: str) -> None:
        module = respc.load(template_with({"content": {}}, start_anchor=anchor))
        trace = run_compiled(module, f"x{anchor}y", ["z"])
        assert trace.message == {"content": "yz"}

    def test_one_default(self) -> None:
        must_agree(template_with({"content": {}}, defaults={"d": "字\\\"'" * (MEGABYTE // 4)}), "x")

    def test_one_name(self) -> None:
        name = "n" * MEGABYTE
        must_agree(template_with({name: {"open": "<n>", "close": "</n>"}}), "<n>x</n>")

    def test_one_constant_one_join_and_one_separator(self) -> None:
        long = "\x00" * (MEGABYTE // 5)
        fields = {
            "t": {"open": "<t>", "close": "</t>", "transform": {long: [long, "{content}"]}},
            "j": {"open": "<j>", "close": "</j>", "repeats": True, "join": long},
            "k": {"open": "<k>", "close": "</k>", "content": "kv-lines", "content_args": {"kv_sep": long}},
        }
        must_agree(template_with(fields), f"<t>x</t><j>1</j><j>2</j><k>a{long}b</k>")

    def test_one_class(self) -> None:
        members = "".join(map(chr, range(0x4E00, 0x9FFF)))
        must_agree(template_with({"f": {"open_pattern": f"[{members}]+", "close": "。"}}), "x字字y。z")

    def test_a_formatted_module(self) -> None:
        template = template_with({"f": {"open": "<f>", "close": "</f>"}}, defaults={"d": "x" * MEGABYTE})
        module = module_of(respc.compile_template(template).source)
        assert run_compiled(module, "", ["<f>1</f>"]).message == {"d": "x" * MEGABYTE, "f": "1"}


class TestTooLong:
    """Refused before `regex` is asked, which would take minutes and gigabytes."""

    SLOTS: ClassVar[dict[str, Any]] = {
        "/fields/f/open_pattern": lambda pattern: template_with({"f": {"open_pattern": pattern}}),
        "/fields/f/close_pattern": lambda pattern: template_with({"f": {"close_pattern": pattern}}),
        "/start_anchor_pattern": lambda pattern: {"start_anchor_pattern": pattern, "fields": {"f": {}}},
        "/fields/f/content_args/tag_pattern": lambda pattern: template_with(
            {"f": {"content": "xml-inline", "content_args": {"tag_pattern": pattern}}}
        ),
        "/fields/f/content_args/value_parser/args/tag_pattern": lambda pattern: template_with(
            {
                "f": {
                    "content": "kv-lines",
                    "content_args": {
                        "value_parser": {"name": "xml-inline", "args": {"tag_pattern": pattern}}
                    },
                }
            }
        ),
    }
    LITERALS: ClassVar[dict[str, Any]] = {
        "/fields/f/open": lambda literal: template_with({"f": {"open": literal}}),
        "/fields/f/close": lambda literal: template_with({"f": {"close": [literal, "x"]}}),
        "/start_anchor": lambda literal: template_with({"f": {}}, start_anchor=literal),
    }

    @staticmethod
    def must_be_refused(template: dict[str, Any], pointer: str, monkeypatch: pytest.MonkeyPatch) -> str:
        def never(pattern: str, *_: object, **__: object) -> None:
            raise AssertionError(f"compiled: {pattern:.60}")

        monkeypatch.setattr(regex, "compile", never)
        messages = []
        for function in (
            respc.load,
            respc.compile_template,
            lambda t: respc.parse_response("x", t, prefix=""),
        ):
            with pytest.raises(respc.TemplateError) as caught:
                function(template)
            (finding,) = caught.value.diagnostics
            assert (finding.code.slug, finding.pointer) == ("delimiters-too-long", pointer)
            assert "50,000" in finding.message
            messages.append(finding.message)
        (finding,) = respc.check_template(template)
        assert [finding.message] * 3 == messages
        return finding.message

    @pytest.mark.parametrize("pointer", SLOTS)
    @pytest.mark.parametrize(
        "pattern",
        [
            "a{1000000000}",
            "(?:(?:(?:a{1000}){1000}){1000}){1000}",
            "(?<=x{50001})<",
            "<" + "o" * MEGABYTE + ">",
            "(?:" * 100_000 + ")" * 100_000,
            "|".join(map(str, range(MEGABYTE // 5))),
        ],
        ids=lambda pattern: f"{pattern:.20}",
    )
    def test_one_pattern(self, pointer: str, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.must_be_refused(self.SLOTS[pointer](pattern), pointer, monkeypatch)

    @pytest.mark.parametrize("pointer", LITERALS)
    def test_one_literal(self, pointer: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.must_be_refused(self.LITERALS[pointer]("o" * MEGABYTE), pointer, monkeypatch)

    def test_many_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fields = {f"f{number}": {"open": f"<{number}>", "close_pattern": "x{2000}"} for number in range(40)}
        message = self.must_be_refused(template_with(fields), "/fields/f24/close_pattern", monkeypatch)
        assert "with 'close_pattern' the delimiters have 50,09" in message

    def test_what_may_repeat_often_but_need_not(self) -> None:
        fields = {"f": {"open_pattern": "<a{0,1000000000}>", "close_pattern": "b{2,1000000000}"}}
        must_agree(template_with({**fields, "content": {}}), "x<aaa>ybbbz")


class TestThousands:
    @pytest.mark.parametrize("name", ["field{}", "字{:c}", "F{}"])
    def test_fields(self, name: str) -> None:
        fields = {
            name.format(0x4E00 + number): {"open": f"<f{number}>", "close": f"</f{number}>"}
            for number in range(500)
        }
        assert len(fields) == 500
        text = "".join(f"<f{number}>b{number}</f{number}>" for number in range(0, 500, 120))
        must_agree(template_with(fields), text)

    def test_fields_that_begin_with_each_other(self) -> None:
        fields = {f"f{number}": {"open": "<" * (number + 1), "close": f">{number}>"} for number in range(200)}
        must_agree(
            template_with(fields), "".join("<" * number + f"x>{number - 1}>" for number in (1, 7, 200))
        )

    def test_literals_of_one_field(self) -> None:
        opener = [f"<f{number}>" for number in range(7_000)]
        module = respc.load(template_with({"f": {"open": opener, "close": "</f>", "repeats": True}}))
        trace = run_compiled(module, "", ["<f7>x</f>", "<f77", "7>y</f><f6999>z</f>"])
        assert trace.message == {"f": ["x", "y", "z"]}

    def test_alternatives_of_one_pattern(self) -> None:
        pattern = "|".join(f"<f{number}>" for number in range(5000))
        field = {"open_pattern": pattern, "close": "</f>", "repeats": True}
        must_agree(template_with({"f": field}), "<f7>x</f><f4999>y</f>")

    def test_more_fields_than_may_be(self) -> None:
        with pytest.raises(respc.TemplateError) as caught:
            respc.load(template_with({f"f{number}": {"open": str(number)} for number in range(501)}))
        (finding,) = caught.value.diagnostics
        assert (finding.code.slug, finding.pointer) == ("template-too-large", "/fields")
        assert "501 fields: it may have 500" in finding.message

    @pytest.mark.parametrize("holder", ["template", "field"])
    def test_keys_that_nobody_knows(self, holder: str) -> None:
        """Each is compared with those that there are: of very many only the first are."""
        unknown = {f"k{number:05}": number for number in range(40_000)}
        template = (
            template_with({"f": unknown}) if holder == "field" else {**template_with({"f": {}}), **unknown}
        )
        with pytest.raises(respc.TemplateError) as caught:
            respc.load(template)
        keys = [finding.pointer.rpartition("/")[2] for finding in caught.value.diagnostics]
        assert keys[:100] == sorted(unknown)[:100]
        assert len(keys) == 100

    def test_groups(self) -> None:
        pattern = "<" + "".join(f"(?P<g{number}>x{number},)?" for number in range(500)) + ">"
        transform = [f"{{g{number}}}" for number in (1, 3)]
        field = {"open_pattern": pattern, "close": "</f>", "transform": transform}
        must_agree(template_with({"f": field}), "<x1,x3,>b</f>")

    def test_defaults(self) -> None:
        defaults = {f"k{number}": number for number in range(5_000)}
        must_agree(template_with({"content": {}}, defaults=defaults | {"list": list(range(20_000))}), "x")

    def test_constants_and_placeholders(self) -> None:
        transform = ["x", "{content}"] * 20_000
        must_agree(template_with({"f": {"open": "<f>", "close": "</f>", "transform": transform}}), "<f>1</f>")

    def test_marks(self) -> None:
        marks = [[f"<{number}:", f":{number}>"] for number in range(1000)]
        field = {"open": "<f>", "close": "</f>", "content": "json", "content_args": {"string_delims": marks}}
        must_agree(template_with({"f": field}), "<f>[<7:x:7>, <999:y:999>]</f>")


def list_of(value: Any) -> Any:
    return [value]


def object_of(value: Any) -> Any:
    return {"k": value}


def lines_of(value: Any) -> Any:
    return {"line_sep": "\n", "value_parser": {"name": "kv-lines", "args": value}}


def tags_of(value: Any) -> Any:
    return {
        "tag_pattern": r"(?P<key>\w):(?P<value>.*)",
        "value_parser": {"name": "xml-inline", "args": value},
    }


DEEP: dict[str, Any] = {
    "default lists": lambda depth: template_with({"f": {}}, defaults={"d": nested(depth, 1, list_of)}),
    "default objects": lambda depth: template_with({"f": {}}, defaults={"d": nested(depth, 1, object_of)}),
    "transform lists": lambda depth: template_with({"f": {"transform": nested(depth, "{content}", list_of)}}),
    "transform objects": lambda depth: template_with(
        {"f": {"transform": nested(depth, "{content}", object_of)}}
    ),
    "value parsers, lines": lambda depth: template_with(
        {"f": {"content": "kv-lines", "content_args": nested(depth // 2, {}, lines_of)}}
    ),
    "value parsers, tags": lambda depth: template_with(
        {
            "f": {
                "content": "xml-inline",
                "content_args": nested(depth // 2, {"tag_pattern": "(?P<key>.)"}, tags_of),
            }
        }
    ),
    "unread keys": lambda depth: template_with(
        {"f": {"content_args": {"unread": nested(depth, 1, list_of)}}}
    ),
}
PATTERNS: dict[str, Any] = {
    "groups": lambda depth: "(?:" * depth + "x" + ")" * depth,
    "captures": lambda depth: "(" * depth + "x" + ")" * depth,
    "choices": lambda depth: "(?:a|" * depth + "x" + ")" * depth,
    "repeats": lambda depth: "(?:" * depth + "x" + "){1}" * depth,
    "look-aheads": lambda depth: "(?=" * depth + "x" + ")" * depth + "x",
    "look-behinds": lambda depth: "x" + "(?<=" * depth + "x" + ")" * depth,
}


class TestNesting:
    @pytest.mark.parametrize("what", DEEP)
    def test_sixty(self, what: str) -> None:
        template = DEEP[what](56)
        must_agree(template, "a:b:c")
        module = module_of(respc.compile_template(template, standalone=True).source)
        assert_same(interpret(template, "", ["a:b"]), run_compiled(module, "", ["a:b"]))

    @pytest.mark.parametrize("depth", [70, 1000, 100_000])
    @pytest.mark.parametrize("what", DEEP)
    def test_a_thousand_is_refused_with_a_place(self, what: str, depth: int) -> None:
        template = DEEP[what](depth)
        for function in (
            respc.load,
            respc.compile_template,
            lambda t: respc.parse_response("x", t, prefix=""),
        ):
            with pytest.raises(respc.TemplateError) as caught:
                function(template)
            finding = caught.value.diagnostics[0]
            assert finding.code.slug == "nesting-too-deep"
            assert finding.pointer
            assert isinstance(caught.value, ValueError)

    def test_the_same_in_a_file(self, tmp_path: Any) -> None:
        path = tmp_path / "deep.json"
        path.write_text('{"start_anchor": "A", "defaults": {"d": ' + "[" * 100_000 + "]" * 100_000 + "}}")
        with pytest.raises(respc.TemplateError) as caught:
            read_template(path)
        assert caught.value.diagnostics[0].code.slug == "nesting-too-deep"
        span = caught.value.diagnostics[0].span
        assert span is not None
        assert (span.line, span.column) == (1, 41 + 62)

    @pytest.mark.parametrize("depth", [60, 1000, 20_000])
    @pytest.mark.parametrize("what", PATTERNS)
    def test_patterns(self, what: str, depth: int) -> None:
        template = template_with({"f": {"open_pattern": PATTERNS[what](depth), "close": ";"}, "content": {}})
        if what == "captures":
            template["fields"]["f"]["transform"] = "{content}"
        try:
            refused = refused_by_interpreter(template)
        except RecursionError:
            refused = Refusal("RecursionError")
        result = compile_or_refuse(template)
        if refused is None:
            assert not isinstance(result, Refusal), result.reason
            assert_same(interpret(template, "", ["axb;c"]), run_compiled(result, "", ["axb;c"]))
        else:
            assert isinstance(result, Refusal)
            assert "RT" in result.reason
            assert "/fields/f/open_pattern" in result.reason

    def test_repeats_of_repeats_are_not_written_out(self) -> None:
        """What it matches is one text of thirty-six to the third characters."""
        pattern = nested(3, "a", lambda inner: f"(?:{inner}){{36}}") + "|b"
        must_agree(template_with({"f": {"open_pattern": pattern, "close": ";"}}), "xaab;c")

    def test_choices_of_choices_are_not_written_out(self) -> None:
        pattern = "(?:a|b)" * 40
        must_agree(template_with({"f": {"open_pattern": pattern, "close": ";"}}), "ab" * 20 + "x;c")


class TestNumbers:
    NUMBERS = (
        "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "-0.0", "0.0", "-0", "5e-324", "1e-400",
        "1E308", "1.7976931348623157e308", "9007199254740993", "9007199254740993.0", "1" + "0" * 4000,
        "-1" + "0" * 4000, "9" * 4300, "-" + "9" * 4300, "0." + "0" * 10_000 + "1",
        "1." + "9" * 10_000,
    )  # fmt: skip

    @pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number:.30}")
    @pytest.mark.parametrize("formatted", [False, True])
    def test_numbers(self, number: str, formatted: bool) -> None:
        value = json.loads(number)
        field = {"open": "<f>", "close": "</f>", "transform": [value, {"k": value}]}
        template = template_with({"f": field}, defaults={"n": value, "list": [value]})
        module = module_of(respc.compile_template(template, formatted=formatted).source)
        trace = run_compiled(module, "", ["<f>x</f>"])
        assert trace.message is not None
        message = dict(trace.message)
        expected = {"n": value, "list": [value], "f": [value, {"k": value}]}
        assert type(message["n"]) is type(value)
        if isinstance(value, float):
            assert first_difference(expected, message) is None
        else:  # too long for the messages of a failed comparison
            assert message == expected

    @pytest.mark.parametrize("digits", [4301, 100_000])
    def test_integers_that_python_does_not_read_are_refused(self, digits: int, tmp_path: Any) -> None:
        path = tmp_path / "long.json"
        path.write_text('{"start_anchor": "A", "defaults": {"n": ' + "9" * digits + '}, "fields": {"f": {}}}')
        with pytest.raises(respc.TemplateError) as caught:
            read_template(path)
        assert caught.value.diagnostics[0].code.slug == "integer-too-long"
        with pytest.raises(respc.TemplateError) as caught:
            respc.compile_template(template_with({"f": {}}, defaults={"n": [10 ** (digits - 1)]}))
        assert caught.value.diagnostics[0].code.slug == "integer-too-long"
        assert caught.value.diagnostics[0].pointer == "/defaults/n/0"

    def test_numbers_where_something_else_belongs(self) -> None:
        for number in (math.nan, math.inf, 10**4000, -0.0, 1.5):
            for slot in ("open", "close", "content", "join", "transform_each", "open_pattern"):
                template = template_with({"f": {slot: number}})
                refused, result = refused_by_interpreter(template), compile_or_refuse(template)
                assert refused is not None
                assert isinstance(result, Refusal)
                assert result.error == refused.error
            for slot in ("repeats", "optional", "transform", "content_args"):
                template = template_with({"f": {slot: number}})
                expected = interpret(template, "", ["x"])
                assert_same(expected, run_compiled(respc.load(template), "", ["x"]))


class TestValuesFromPython:
    def test_what_holds_itself_is_refused(self) -> None:
        cyclic: list[Any] = []
        cyclic.append(cyclic)
        for function in (respc.load, lambda t: respc.parse_response("x", t, prefix="")):
            with pytest.raises(respc.TemplateError) as caught:
                function(template_with({"f": {}}, defaults={"d": cyclic}))
            assert caught.value.diagnostics[0].code.slug == "cyclic-value"

    def test_what_stands_for_more_than_memory_holds_is_refused(self) -> None:
        shared: Any = ["x" * 100]
        for _ in range(50):
            shared = [shared, shared]
        with pytest.raises(respc.TemplateError) as caught:
            respc.compile_template(template_with({"f": {}}, defaults={"d": shared}))
        assert caught.value.diagnostics[0].code.slug == "template-too-large"

    @pytest.mark.parametrize("value", [b"x", {1, 2}, 1j, len, ..., range(3), {1: 2}, {None: 1}], ids=repr)
    def test_what_json_cannot_hold_is_refused(self, value: Any) -> None:
        for function in (respc.load, lambda t: respc.parse_response("x", t, prefix="")):
            with pytest.raises(respc.TemplateError) as caught:
                function(template_with({"f": {}}, defaults={"d": [value]}))
            assert caught.value.diagnostics[0].code.slug == "value-not-json"
            assert builtin_class(caught.value) == "ValueError"
