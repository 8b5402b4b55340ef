"""The plug-in of SGLang: off unless asked for, by SGLang's own registries, and the same answer for every chunking."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine_copies.test_adapters import LITERALS
from respc.families import families
from respc.integrations import sglang_plugin
from respc.integrations.inference_cache import VARIABLE
from respc.integrations.sglang_backends import CONSTRAINTS, constraint_for_backend
from respc.integrations.sglang_formats import OWN_DETECTORS
from respc.integrations.sglang_names import named_detectors
from respc.integrations.sglang_parts import sglang_parts
from respc.integrations.tokenizer_templates import MissingTemplateError
from respc_runtime.openai import ChatCompletionParser
from respc_runtime.stream import Stream
from support.chunking import few, random_cuts
from support.engine_stubs import SGLANG_KERNEL, adapter_of
from support.engine_wheels import ENGINES
from support.families import Family, representatives
from support.small_chat_template import CHAT_TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.engine_wheels import Engine

pytestmark = pytest.mark.parametrize(
    "engine", [each for each in ENGINES if each.name == "sglang"], ids=str, indirect=True
)


@pytest.fixture(scope="module")
def adapter(engine: Engine, sources: Path) -> Iterator[Any]:
    with adapter_of(engine, sources) as module:
        yield module


@pytest.fixture
def hooks(adapter: Any) -> Iterator[Any]:
    """SGLang's own registry of hooks, which is put back."""
    interpreter = adapter.ResponseParser
    registry = importlib.import_module("sglang.srt.plugins.hook_registry").HookRegistry
    yield registry
    registry.reset()
    adapter.ResponseParser = interpreter
    parts = sglang_parts()
    parts.call_detectors.clear()
    parts.reasoning_detectors.clear()


@pytest.fixture(scope="module")
def named(adapter: Any) -> Any:
    return named_detectors(sglang_parts())


def faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]


@pytest.mark.parametrize("asked", [None, "", "0", " off "])
def test_nothing_happens_unless_asked_for(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, asked: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    if asked is None:
        monkeypatch.delenv(sglang_plugin.VARIABLE, raising=False)
    else:
        monkeypatch.setenv(sglang_plugin.VARIABLE, asked)
    sglang_plugin.register()
    assert sglang_parts().call_detectors == sglang_parts().reasoning_detectors == {}
    assert hooks._hooks == {}
    assert caplog.records == []


def test_names_are_added_and_nothing_replaced(hooks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = sglang_parts()
    own = type("Own", (), {})
    parts.call_detectors["respc_qwen3"] = own
    monkeypatch.setenv(sglang_plugin.VARIABLE, "names")
    sglang_plugin.register()
    names = {"respc", *(f"respc_{family}" for family in families())}
    assert set(parts.call_detectors) == set(parts.reasoning_detectors) == names
    assert parts.call_detectors["respc_qwen3"] is own
    kinds = {target: [kind.name for kind, *_ in each] for target, each in hooks._hooks.items()}
    assert kinds == {CONSTRAINTS: ["AFTER"]}
    assert issubclass(parts.call_detectors["respc_gpt_oss"], parts.CallDetector)
    assert issubclass(parts.reasoning_detectors["respc_gpt_oss"], parts.ReasoningDetector)


def test_the_interpreter_is_replaced_by_a_hook_that_sglang_reports(
    adapter: Any, hooks: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    interpreter = adapter.ResponseParser
    monkeypatch.setenv(sglang_plugin.VARIABLE, "1")
    sglang_plugin.register()
    assert adapter.ResponseParser is interpreter, "SGLang itself puts it in"
    with caplog.at_level(logging.INFO):
        hooks.apply_hooks()
    assert any(f"{adapter.__name__}.ResponseParser" in each.getMessage() for each in caplog.records)
    parser = adapter.ResponseParser(adapter.load_response_template(LITERALS), prefix="", tools=None)
    assert isinstance(parser, Stream)
    detector = adapter.ResponseTemplateToolDetector(response_template=LITERALS)
    text = '<tool_call>{"name": "g", "arguments": {"b": 1}}</tool_call>'
    (call,) = detector.detect_and_parse(text, [{"type": "function", "function": {"name": "g"}}]).calls
    assert json.loads(call.parameters) == {"b": 1}
    assert set(sglang_parts().call_detectors) > {"respc", "respc_qwen3"}


def test_what_cannot_be_done_is_one_line_in_the_log(
    hooks: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(sglang_plugin.VARIABLE, "1")
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "sglang.srt.parser.response_template", None)
        sglang_plugin.register()
    (line,) = faults(caplog)
    assert "RESPC_SGLANG=1" in line
    assert "'names' cannot be done: ModuleNotFoundError" in line
    assert "'adapter' cannot be done: ModuleNotFoundError" in line
    caplog.clear()
    with monkeypatch.context() as changed:
        changed.delattr(sglang_parts().FunctionCallParser, "ToolCallParserEnum")
        sglang_plugin.register()
    (line,) = faults(caplog)
    assert "ToolCallParserEnum" in line
    caplog.clear()
    monkeypatch.setenv(sglang_plugin.VARIABLE, "yess")
    sglang_plugin.register()
    (line,) = faults(caplog)
    assert "'yess' is not understood: it takes 1, or some of names, adapter" in line


def test_formats_are_families_and_detectors_of_sglang(sources: Path, engine: Engine) -> None:
    assert set(OWN_DETECTORS) <= set(families())
    named = {"calls": "function_call/parser_names.py", "reasoning": "parser/reasoning_parser_names.py"}
    for kind, path in named.items():
        known: dict[str, Any] = {}
        exec((sources / "sglang/srt" / path).read_text(encoding="utf-8"), known)
        (names,) = (value for key, value in known.items() if key.endswith("_NAMES"))
        used = {getattr(own, kind) for own in OWN_DETECTORS.values()} - {None}
        assert used <= set(names)


class Answer:
    """What the detectors make of a sample."""

    def __init__(self, named: Any, name: str, sample: dict[str, Any]) -> None:
        self.calls, self.reasoning = named[name]
        self.prefix = sample["prefix"]
        self.text = sample["text"]
        self.tools = sample["tools"] or []

    def whole(self) -> tuple[str, str, list[tuple[str, str]]]:
        separated = self.reasoning(prefix=self.prefix).detect_and_parse(self.text)
        detector = self.calls(prefix=self.prefix, tools=self.tools)
        if not detector.has_tool_call(separated.normal_text):
            return separated.reasoning_text, separated.normal_text, []
        found = detector.detect_and_parse(separated.normal_text, self.tools)
        calls = [(call.name, call.parameters) for call in found.calls]
        return separated.reasoning_text, found.normal_text, calls

    def streamed(self, chunks: list[str]) -> tuple[str, str, list[tuple[str, str]]]:
        reasoning = self.reasoning(prefix=self.prefix)
        detector = self.calls(prefix=self.prefix, tools=self.tools)
        results = [reasoning.parse_streaming_increment(chunk) for chunk in chunks]
        results.append(reasoning.finish())
        found = [detector.parse_streaming_increment(each.normal_text, self.tools) for each in results]
        found.append(detector.finish(self.tools))
        calls: dict[int, list[str]] = {}
        for call in (call for each in found for call in each.calls):
            calls.setdefault(call.tool_index, [call.name, ""])[1] += call.parameters
        assert detector.streamed_args_for_tool == [arguments for _, arguments in calls.values()]
        kept = [
            (name, arguments)
            for place, (name, arguments) in calls.items()
            if place not in detector.incomplete_tool_call_indices
        ]
        return (
            "".join(each.reasoning_text for each in results),
            "".join(each.normal_text for each in found),
            kept,
        )


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_answers_of_families(named: Any, family: Family) -> None:
    """A stream is the whole answer, and that has the reasoning and the calls of the OpenAI form."""
    for sample in family.samples:
        answer = Answer(named, f"respc_{family.name}", sample)
        reasoning, content, calls = whole = answer.whole()
        assert answer.streamed(random_cuts(answer.text, Random(sample["id"]))) == whole, sample["id"]
        parser: Any = family.module.ServingParser
        chat = ChatCompletionParser(
            parser,
            answer.prefix,
            tools=answer.tools,
            prefill=False,
            stream_arguments=True,
            require_anchor=False,
        )
        chat.feed(answer.text)
        chat.finalize(stopped=not parser.open_ended)
        message: Any = chat.message
        assert reasoning == message.get("reasoning_content", ""), sample["id"]
        functions = [call["function"] for call in message.get("tool_calls", ())]
        assert calls == [(each["name"], each["arguments"]) for each in functions], sample["id"]
        assert "".join(content.split()) == "".join((message["content"] or "").split()), sample["id"]


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think>\n\nb",
        'c <tool_call>{"name": "f", "arguments": {}}</tool_call> d',
        "",
        "<think>",
        "x <tool_",
    ],
)
@pytest.mark.parametrize("prompt", ["", "<think>\n", "It rains"])
def test_every_chunking(named: Any, text: str, prompt: str) -> None:
    sample = {"prefix": f"<|im_start|>assistant\n{prompt}", "text": text, "tools": []}
    answer = Answer(named, "respc_qwen3", sample)
    whole = answer.whole()
    for how, chunks in few(text, Random(text), 6):
        assert answer.streamed(chunks) == whole, how


def test_template_of_the_tokenizer(named: Any) -> None:
    calls, reasoning = named["respc"]
    tokenizer = SimpleNamespace(response_template=LITERALS)
    separated = reasoning(tokenizer=tokenizer).detect_and_parse("<think>Hm.</think>Yes.")
    assert (separated.reasoning_text, separated.normal_text) == ("Hm.", "Yes.")
    assert reasoning(tokenizer=tokenizer).think_end_token == "</think>"
    with pytest.raises(MissingTemplateError, match="response_template"):
        calls(tokenizer=SimpleNamespace(response_template=None, init_kwargs={}))


def test_a_tokenizer_without_a_template_gets_the_one_of_its_chat_template(
    named: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    tokenizer = SimpleNamespace(
        response_template=None, init_kwargs={}, chat_template=CHAT_TEMPLATE, eos_token="<|end|>"
    )
    separated = named["respc"].reasoning(tokenizer=tokenizer).detect_and_parse("<think>Hm.</think>Yes.")
    assert (separated.reasoning_text, separated.normal_text) == ("Hm.", "Yes.")


def test_a_prompt_of_another_format_is_left_out(named: Any, caplog: pytest.LogCaptureFixture) -> None:
    _, reasoning = named["respc_qwen3_coder"]
    for _ in range(2):
        separated = reasoning(prefix="[INST] <tool_call> [/INST]").detect_and_parse("Yes.")
        assert (separated.reasoning_text, separated.normal_text) == ("", "Yes.")
    (line,) = faults(caplog)
    assert "no start anchor of the format of respc_parsers.qwen3_coder" in line


WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def constraint(named: Any, *asked: Any) -> tuple[Any, Any]:
    """Give what SGLang has of a request, and what the hook makes of it."""
    detector = named["respc_qwen3"].calls(tools=[WEATHER])
    tag = detector.validate_structure_constraint_request(*asked, tools=[WEATHER])
    assert detector.supports_structural_tag() is (SGLANG_KERNEL.grammar_backend != "outlines")
    given = None if tag is None else ("structural_tag", tag)
    return given, constraint_for_backend(given, SimpleNamespace(detector=detector), "required")


@pytest.mark.parametrize("asked", [("required", True, False), ("auto", True, True), ("auto", False, False)])
def test_each_backend_of_grammars_is_given_the_form_that_it_reads(
    named: Any, monkeypatch: pytest.MonkeyPatch, asked: Any
) -> None:
    for backend in (None, "xgrammar"):
        monkeypatch.setattr(SGLANG_KERNEL, "grammar_backend", backend)
        given, changed = constraint(named, *asked)
        assert given is not None
        assert changed is None
    monkeypatch.setattr(SGLANG_KERNEL, "grammar_backend", "llguidance")
    given, (form, lark) = constraint(named, *asked)
    assert form == "ebnf"
    assert "start: " in lark
    # A tag that another made is left alone.
    detector = SimpleNamespace(lark_of=named["respc_qwen3"].calls(tools=[WEATHER]).lark_of)
    assert constraint_for_backend(given, SimpleNamespace(detector=detector)) is None
    assert constraint_for_backend(given, SimpleNamespace(detector=object())) is None
    monkeypatch.setattr(SGLANG_KERNEL, "grammar_backend", "outlines")
    assert constraint(named, *asked) == (None, None)


@pytest.mark.parametrize("step", [1, 3, 99])
def test_answer_behind_the_reasoning_that_a_grammar_shapes(named: Any, step: int) -> None:
    _, reasoning = named["respc_qwen3"]
    answer = '{"a": "<tool_call>{</think>"}  '
    text = f"<think>Hm.</think>{answer}"
    for start, expected in (("after_reasoning", ("Hm.", answer)), ("from_start", ("", text))):
        prefix = "<|im_start|>assistant\n"
        detector = reasoning(prefix=prefix, grammar_start=start)
        results = [detector.parse_streaming_increment(text[i : i + step]) for i in range(0, len(text), step)]
        results.append(detector.finish())
        streamed = (
            "".join(each.reasoning_text for each in results),
            "".join(each.normal_text for each in results),
        )
        whole = reasoning(prefix=prefix, grammar_start=start).detect_and_parse(text)
        assert streamed == expected == (whole.reasoning_text, whole.normal_text)
        assert detector.json_output_started(text)
    assert not reasoning(prefix=prefix, grammar_start="after_reasoning").json_output_started("<think>Hm.")


def test_reasoning_that_is_not_streamed_or_is_the_answer(named: Any) -> None:
    _, reasoning = named["respc_qwen3"]
    prefix = "<|im_start|>assistant\n"
    detector = reasoning(prefix=prefix, stream_reasoning=False)
    assert detector.parse_streaming_increment("<think>a").reasoning_text == ""
    assert detector.parse_streaming_increment("b").reasoning_text == ""
    result = detector.parse_streaming_increment("</think>c")
    assert (result.reasoning_text, result.normal_text) == ("ab", "c")
    for stream in (True, False):
        detector = reasoning(prefix=prefix, stream_reasoning=stream, force_nonempty_content=True)
        detector.parse_streaming_increment("<think>ab")
        assert detector.finish().normal_text == "ab"
    assert (
        reasoning(prefix=prefix, force_nonempty_content=True).detect_and_parse("<think>ab").normal_text
        == "ab"
    )
