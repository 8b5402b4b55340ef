"""What every compiled parser does with a stream: its states, what it holds, copies of it, batches, places."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import sys
import tracemalloc
from collections import UserString
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc_runtime.errors import MissingFieldError, ParserStateError, ResponseError
from respc_runtime.held_text import LONG_HELD
from respc_runtime.message_values import copied, join_values
from support.oracle import builtin_class, interpret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

TEMPLATE: dict[str, Any] = {
    "start_anchor": "@",
    "defaults": {"role": "assistant", "tags": [{"a": 1}]},
    "fields": {
        "thinking": {"open": "<think>", "close_pattern": r"</think>\s*"},
        "calls": {
            "open_pattern": "<call:(?P<name>[^>]+)>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"name": "{name}", "arguments": "{content}"},
        },
        "content": {"close_pattern": r"<end>\s*", "repeats": True, "join": "\n"},
    },
}
TEXT = 'a<think>b <c</think> \nd<call:f>{"x": [1, "</"]}</call>e<end>\n<'
MESSAGE = {
    "role": "assistant",
    "tags": [{"a": 1}],
    "thinking": "b <c",
    "calls": [{"name": "f", "arguments": {"x": [1, "</"]}}],
    "content": "a\nd\ne\n<",
}


@pytest.fixture(scope="module", params=["expressions", "regex"])
def module(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A module that can be pickled, with expressions and without."""
    passes = None if request.param == "expressions" else ()
    name = f"stream_of_{request.param}"
    path = tmp_path_factory.mktemp("modules") / f"{name}.py"
    source = respc.compile_template(
        TEMPLATE, events="serving", passes=passes, formatted=False, stable=False
    ).source
    default = respc.compile_template(TEMPLATE, passes=passes, formatted=False).source
    yield from _imported(path, name, default, source)


def _imported(path: Path, name: str, default: str, serving: str) -> Iterator[ModuleType]:
    modules = []
    for end, source in (("", default), ("_serving", serving)):
        file = path.with_name(f"{name}{end}.py")
        file.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"{name}{end}", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[f"{name}{end}"] = module
        spec.loader.exec_module(module)
        modules.append(module)
    modules[0].serving = modules[1]  # type: ignore[attr-defined]
    yield modules[0]
    for end in ("", "_serving"):
        del sys.modules[f"{name}{end}"]


def parser_of(module: Any, prefix: str = "") -> Any:
    return module.ResponseParser(prefix)


def uses_of(parser: Any) -> list[Any]:
    """List what can be done with a parser."""
    return [
        lambda: parser.feed("a"),
        lambda: parser.feed("a <"),
        lambda: parser.feed(""),
        parser.finalize,
        lambda: parser.finish("a"),
    ]


def rest_of(parser: Any, text: str) -> tuple[list[Any], Any]:
    """Feed the rest of a text character by character, and give its events and the message."""
    events = [parser.feed(character) for character in text]
    message, last = parser.finalize()
    return [*events, last], message


class TestStates:
    @pytest.mark.parametrize("end", [lambda parser: parser.finalize(), lambda parser: parser.finish("x")])
    def test_a_finished_parser_takes_no_more(self, module: ModuleType, end: Any) -> None:
        parser = parser_of(module)
        end(parser)
        for use in uses_of(parser):
            with pytest.raises(ParserStateError, match="finalized"):
                use()

    def test_a_failed_parser_takes_no_more(self, module: ModuleType) -> None:
        parser = parser_of(module)
        with pytest.raises(ResponseError):
            parser.feed("<call:f>{</call>.")
        for use in uses_of(parser):
            with pytest.raises(ParserStateError, match="an earlier call raised"):
                use()

    @pytest.mark.parametrize("end", [lambda parser: parser.finalize(), lambda parser: parser.finish("")])
    def test_a_parser_that_fails_at_its_end_takes_no_more(self, module: ModuleType, end: Any) -> None:
        parser = parser_of(module)
        parser.feed("<call:f>{")
        with pytest.raises(ResponseError):
            end(parser)
        for use in uses_of(parser):
            with pytest.raises(ParserStateError, match="an earlier call raised"):
                use()

    def test_a_missing_field_fails_the_parser(self) -> None:
        field = {"open": "<a>", "close": "</a>", "optional": False}
        parser = respc.load({"start_anchor": "@", "fields": {"a": field}}).ResponseParser("")
        with pytest.raises(MissingFieldError):
            parser.finalize()
        with pytest.raises(ParserStateError):
            parser.feed("a")

    def test_an_odd_chunk_fails_the_parser(self, module: ModuleType) -> None:
        parser = parser_of(module)
        with pytest.raises((TypeError, AttributeError)):
            parser.feed(["a"])
        with pytest.raises(ParserStateError):
            parser.feed("a")


class TestChunks:
    def test_nothing_is_no_chunk(self, module: ModuleType) -> None:
        parser = parser_of(module)
        for text in ("", None, 0, [], b""):
            assert parser.feed(text) == []
        assert parser.feed("a")
        for text in ("", None):
            assert parser.feed(text) == []
        parser.feed("<thi")
        assert parser.feed("") == []
        assert parser.finalize()[0]["content"] == "a<thi"

    @pytest.mark.parametrize(
        "chunk", [["a"], ("a",), 1, 2.5, True, b"a", bytearray(b"a"), {"a": 1}, UserString("a")]
    )
    @pytest.mark.parametrize("before", ["", "b", "<thi", "<think>b"])
    def test_what_is_no_string_raises_what_the_interpreter_raises(
        self, module: ModuleType, chunk: Any, before: str
    ) -> None:
        expected = interpret(TEMPLATE, "", [before, chunk])
        parser = parser_of(module)
        parser.feed(before)
        try:
            parser.feed(chunk)
            raised = None
        except Exception as error:
            raised = builtin_class(error)
        assert raised == expected.error

    def test_a_string_of_another_class_is_a_string(self, module: ModuleType) -> None:
        class Text(str):
            __slots__ = ()

        parser = parser_of(module)
        for character in TEXT:
            parser.feed(Text(character))
        assert parser.finalize()[0] == MESSAGE

    @pytest.mark.parametrize("length", [1, 2, 3, 7, 100])
    def test_every_chunk_length_gives_the_message(self, module: ModuleType, length: int) -> None:
        parser = parser_of(module)
        for start in range(0, len(TEXT), length):
            parser.feed(TEXT[start : start + length])
        assert parser.finalize()[0] == MESSAGE


class TestPrefixes:
    def test_initial_events_replay_the_prefix(self, module: ModuleType) -> None:
        expected = interpret(TEMPLATE, "old @x@a<think>b <", [])
        parser = parser_of(module, "old @x@a<think>b <")
        assert parser.initial_events == expected.initial_events
        assert parser.initial_events[-1] == {
            "type": "region_chunk",
            "field": "thinking",
            "text": "b ",
            "dirty": False,
        }
        assert parser.feed("/think>.")[0]["value"] == "b"

    @pytest.mark.parametrize(
        "prefix", ["", "@", "no anchor", "a@", "@<think>", "@a<call:f>{}</call>", "@<thi"]
    )
    def test_the_rest_goes_on_from_any_prefix(self, module: ModuleType, prefix: str) -> None:
        text = "nk>x</think>y"
        expected = interpret(TEMPLATE, prefix, [text])
        parser = parser_of(module, prefix)
        events = [parser.feed(text)]
        message, last = parser.finalize()
        assert (parser.initial_events, [*events, last], message) == (
            expected.initial_events,
            [*expected.feeds, expected.final_events],
            expected.message,
        )

    def test_no_prefix_is_an_error(self, module: ModuleType) -> None:
        with pytest.raises(ValueError, match="prefix is required"):
            module.ResponseParser(None)


class TestFinishing:
    @pytest.mark.parametrize("cut", range(0, len(TEXT) + 1, 3))
    def test_finish_takes_what_is_left(self, module: ModuleType, cut: int) -> None:
        parser = parser_of(module)
        parser.feed(TEXT[:cut])
        assert parser.finish(TEXT[cut:]) == MESSAGE

    def test_finish_takes_what_waits_in_a_run(self, module: ModuleType) -> None:
        name = "n" * (LONG_HELD + 10)
        parser = parser_of(module)
        parser.feed(f"<call:{name}")
        for _ in range(5):
            assert parser.feed("more") == []
        message = parser.finish(">{}</call>")
        assert message["calls"] == [{"name": name + "more" * 5, "arguments": {}}]

    def test_defaults_are_each_messages_own(self, module: ModuleType) -> None:
        one, other = (parser_of(module).finish("") for _ in range(2))
        one["tags"][0]["a"] = 2
        assert other["tags"] == [{"a": 1}]
        assert module.ResponseParser.defaults["tags"] == [{"a": 1}]

    def test_a_fault_in_a_whole_text_has_its_place(self, module: ModuleType) -> None:
        with pytest.raises(ResponseError) as caught:
            module.parse_response("ab<call:f>{</call>", prefix="")
        assert caught.value.position == len("ab<call:f>")
        assert caught.value.field == "calls"


class TestCopies:
    @pytest.mark.parametrize("way", ["copy", "pickle"])
    @pytest.mark.parametrize("kind", ["default", "serving"])
    @pytest.mark.parametrize("cut", range(0, len(TEXT) + 1, 2))
    def test_a_copy_goes_on_by_itself(self, module: Any, cut: int, kind: str, way: str) -> None:
        made = module if kind == "default" else module.serving
        parser = parser_of(made, "@")
        for character in TEXT[:cut]:
            parser.feed(character)
        other = copy.deepcopy(parser) if way == "copy" else pickle.loads(pickle.dumps(parser))
        expected = rest_of(parser_of_fed(made, cut), TEXT[cut:])
        assert rest_of(parser, TEXT[cut:]) == expected
        assert rest_of(other, TEXT[cut:]) == expected
        assert expected[1] == MESSAGE

    def test_a_copy_has_what_waits_in_a_run(self, module: ModuleType) -> None:
        parser = parser_of(module)
        parser.feed("<call:" + "n" * (LONG_HELD + 10))
        parser.feed("more")
        other = copy.deepcopy(parser)
        parser.feed("x")
        assert other.finish(">{}</call>")["calls"][0]["name"].endswith("nmore")

    def test_finished_and_failed_parsers_can_be_copied(self, module: ModuleType) -> None:
        finished = parser_of(module)
        finished.finalize()
        with pytest.raises(ParserStateError):
            copy.deepcopy(finished).feed("a")
        failed = parser_of(module)
        with pytest.raises(ResponseError):
            failed.feed("<call:f>{</call>.")
        with pytest.raises(ParserStateError):
            pickle.loads(pickle.dumps(failed)).feed("a")


def parser_of_fed(module: Any, cut: int) -> Any:
    parser = parser_of(module, "@")
    for character in TEXT[:cut]:
        parser.feed(character)
    return parser


class TestHeldText:
    def test_text_that_is_let_out_is_not_kept_twice(self, module: ModuleType) -> None:
        parser = parser_of(module)
        for _ in range(1_000):
            parser.feed("some text ")
        kept = _strings_of(parser)
        assert sum(len(text) for text in kept if len(text) > 5) <= len("some text ") * 1_000 + 100

    def test_a_closed_region_leaves_its_value_alone(self, module: ModuleType) -> None:
        parser = parser_of(module)
        for _ in range(200):
            parser.feed('<call:f>{"x": "' + "y" * 1_000 + '"}</call>')
        assert sum(map(len, _strings_of(parser))) < 3_000

    @pytest.mark.parametrize("begun", ["text ", "<think>", "<call:"], ids=["a body", "another", "a run"])
    @pytest.mark.parametrize("kind", ["ResponseParser", "ServingParser"])
    def test_it_takes_some_bytes_a_character_in_however_small_chunks(self, kind: str, begun: str) -> None:
        parser = getattr(respc.load(TEMPLATE), kind)("")
        parser.feed(begun)
        text = "abcd" * 5_000
        tracemalloc.start()
        try:
            for place in range(0, len(text), 4):
                parser.feed(text[place : place + 4])
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert held < 6 * len(text)

    def test_chunks_that_wait_are_put_together_once(self) -> None:
        parser: Any = respc.load(TEMPLATE).ResponseParser("")
        parser.feed("<call:" + "n" * (LONG_HELD + 10))
        held = parser._held
        for _ in range(1_000):
            parser.feed("more ")
        assert parser._held is held
        assert parser._waiting.getvalue() == "more " * 1_000
        parser.feed(">{}</call>.")
        assert parser._waiting is None
        assert len(parser._held) < 10


def _strings_of(parser: Any) -> list[str]:
    """List the texts that a parser keeps, but for those in its message."""
    found: list[str] = []
    for kind in type(parser).__mro__:
        for name in getattr(kind, "__slots__", ()):
            value = getattr(parser, name, None)
            if isinstance(value, StringIO):
                found.append(value.getvalue())
            elif isinstance(value, str):
                found.append(value)
            elif isinstance(value, dict) and name == "captures":
                found += value.values()
    return found


class TestBatches:
    def test_a_list_of_texts_gives_a_list_of_messages(self, module: ModuleType) -> None:
        assert module.parse_response([TEXT, "", TEXT], prefix="") == [
            MESSAGE,
            {"role": "assistant", "tags": [{"a": 1}]},
            MESSAGE,
        ]
        assert module.parse_response([], prefix="") == []

    def test_one_prefix_for_all_or_as_many(self, module: ModuleType) -> None:
        texts = ["x</think>", "y</think>"]
        assert [each["thinking"] for each in module.parse_response(texts, prefix="@<think>")] == ["x", "y"]
        several = module.parse_response(texts, prefix=["@<think>a", "@<think>b"])
        assert [each["thinking"] for each in several] == ["ax", "by"]

    def test_another_number_of_prefixes_is_an_error(self, module: ModuleType) -> None:
        with pytest.raises(ValueError, match="2 texts, but 1 prefixes"):
            module.parse_response(["a", "b"], prefix=["@"])
        with pytest.raises(ValueError, match="prefix is required"):
            module.parse_response(["a", "b"])


class TestPlaces:
    @pytest.mark.parametrize("length", [1, 2, 5, 100])
    @pytest.mark.parametrize("prefix", ["", "@", "x@a<th", "@<call:f>{"])
    def test_events_for_serving_say_where_their_delimiters_stand(
        self, module: Any, prefix: str, length: int
    ) -> None:
        text = TEXT if not prefix.endswith("{") else '"x": 1}</call>' + TEXT
        parser = module.serving.ResponseParser(prefix)
        events = list(parser.initial_events)
        for start in range(0, len(text), length):
            events += parser.feed(text[start : start + length])
        whole = prefix.rpartition("@")[2] + text
        assert parser.input_text == whole
        events += parser.finalize()[1]
        assert parser.input_text == whole
        delimiters = {
            ("region_open", "thinking"): ["<think>"],
            ("region_open", "calls"): ["<call:f>"],
            ("region_open", "content"): [""],
            ("region_close", "thinking"): ["</think> \n", "</think>"],
            ("region_close", "calls"): ["</call>"],
            ("region_close", "content"): ["", "<end>\n"],
        }
        told = 0
        for event in events:
            if event["type"] != "region_chunk":
                told += 1
                assert whole[event["start"] : event["end"]] in delimiters[event["type"], event["field"]]
        assert told >= 10

    def test_a_region_that_cannot_be_read_is_an_event_with_its_place(self, module: Any) -> None:
        parser = module.serving.ResponseParser("")
        events = parser.feed("a<call:f>{</call>b")
        (malformed,) = [event for event in events if event["type"] == "region_malformed"]
        assert malformed["error"].position == len("a<call:f>")
        assert (malformed["start"], malformed["end"]) == (10, 17)
        assert parser.finalize()[0]["content"] == "a\nb"


class TestSmallParts:
    def test_values_are_copied_all_the_way_down(self) -> None:
        value = {"a": [{"b": []}], "c": 1}
        other = copied(value)
        assert other == value
        other["a"][0]["b"].append(1)
        assert value == {"a": [{"b": []}], "c": 1}

    def test_joining_adds_to_what_there_is(self) -> None:
        message: dict[str, Any] = {}
        join_values(message, "f", "-", "a")
        join_values(message, "f", "-", "")
        join_values(message, "f", "-", "b")
        assert message == {"f": "a--b"}

    def test_joining_what_is_no_string_raises(self) -> None:
        with pytest.raises(ValueError, match="string"):
            join_values({}, "f", "", 1)
        with pytest.raises(TypeError):
            join_values({"f": ["a"]}, "f", "", "b")
