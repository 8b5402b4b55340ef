"""The engines' own adapters send the same with compiled parsers as with their interpreter."""

from __future__ import annotations

import importlib
import subprocess
import sys
from copy import deepcopy
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import respc
from engine_templates.cases_for_engines import REFUSED
from respc.integrations import engine_parsers
from support.chunking import few, random_cuts
from support.engine_stubs import Delta, StreamResult, Tokenizer, adapter_of
from support.engine_wheels import ENGINES
from support.families import Family, representatives

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.engine_wheels import Engine

CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            },
        },
    },
    {"type": "function", "function": {"name": "g"}},
]

LITERALS: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": "<|im_end|>", "repeats": True},
    },
}
TAGGED: dict[str, Any] = {
    "start_anchor": "<start>assistant",
    "fields": {
        "thinking": {"open": "<think>", "close": ["</think>", "<end><start>assistant"]},
        "tool_calls": {
            "open_pattern": r"<call>\s*<f=(?P<name>\w+)>",
            "close": "</call>",
            "repeats": True,
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"<(?P<key>[ab])>(?P<value>.*?)</[ab]>"},
            "transform": CALL,
        },
    },
}
LISTED: dict[str, Any] = {
    "start_anchor_pattern": "<bot>|^",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "content": {"open": "<answer>", "close": "</answer>"},
        "tool_calls": {
            "open": "<calls>",
            "close": "</calls>",
            "repeats": True,
            "content": "json",
            "transform": {"function": {"name": "{name}", "arguments": "{args}"}},
            "transform_each": True,
        },
    },
}
TEMPLATES = {"literals": LITERALS, "tagged": TAGGED, "listed": LISTED}
TEXTS: dict[str, tuple[tuple[str, str], ...]] = {
    "literals": (
        ("", "<think>why</think>Well.<|im_end|>"),
        ("<|im_start|>assistant\n<think>\n", "so</think>A<|im_end|>"),
        ("<|im_start|>assistant\n<thi", "nk>so</think>A < b"),
        ("<|im_start|>assistant\n<", "b> is bold"),
        ("", '<tool_call>{"name": "f", "arguments": {"a": "7", "b": "x"}}</tool_call><|im_end|>'),
        (
            "",
            'Look.<tool_call>{"name": "f"</tool_call>On.<tool_call>{"name": "g", "arguments": {}}</tool_call>',
        ),
        ("", '<tool_call>{"name": "g", "arguments": {}}'),
        ("", '<tool_call>{"name": "g", "arguments": {}}</tool'),
        ('<|im_start|>assistant\n<tool_call>{"na', 'me": "g", "arguments": {}}</tool_call>'),
        ("", ""),
    ),
    "tagged": (
        ("<start>assistant", "<think>é🦊<end><start>assistant<call>\n<f=f><a>3</a><b> 4 </b></call>"),
        ("<start>assistant<think>", "cut off<end><start>assi"),
        ("", "a<call> <f=g></call>b<call><f=f><a>x</a></call>"),
        ("", "a<call> <f=f><a>1</a>"),
    ),
    "listed": (
        ("", '<think>x</think><calls>[{"name": "f", "args": {"a": "1"}}, {"name": "g", "args": {}}]</calls>'),
        ("<bot>", '<answer>yes</answer><calls>[{"name": "f"}, {"name": "g", "args": {"é": "ü"}}]</calls>'),
        ("<bot><answer>", "the answer"),
        ("", "<calls>[1]</calls><answer>n"),
        ("", "<calls>{</calls>"),
    ),
}
REQUEST = SimpleNamespace(include_reasoning=True, tool_choice="auto", tools=TOOLS)


@pytest.fixture(scope="module")
def adapter(engine: Engine, sources: Path) -> Iterator[Any]:
    """The engine's adapter."""
    with adapter_of(engine, sources) as module:
        yield module


@pytest.fixture
def integration(engine: Engine, adapter: Any) -> Iterator[Any]:
    """The integration for the engine; afterwards the adapter interprets, and no module is registered."""
    module = importlib.import_module(f"respc.integrations.{engine.name}")
    module.use_interpreter()
    yield module
    module.use_interpreter()
    engine_parsers._registered.clear()
    engine_parsers._compiled.cache_clear()


class Sender:
    """One server: what it sends for generations."""

    def __init__(self, engine: Engine, adapter: Any, template: dict[str, Any], tools: Any = TOOLS) -> None:
        self.adapter = adapter
        self.template = template
        self.tools = deepcopy(tools) or []
        self.sent = self._of_vllm if engine.name == "vllm" else self._of_sglang

    def _of_vllm(self, prefix: str, chunks: list[str]) -> list[Any]:
        sent: list[Any] = []
        for tools_on in (True, False):
            parser = self.adapter.ResponseTemplateParser(
                Tokenizer(), self.tools, response_template=self.template, enable_auto_tools=tools_on
            )
            parser.set_prompt_token_ids(list(map(ord, prefix)))
            sent.append(parser.is_reasoning_end(list(map(ord, prefix))))
            sent += [parser.parse_delta(chunk, [], REQUEST, finished=False) for chunk in chunks]
            sent.append(parser.parse_delta("", [], REQUEST, finished=True))
            text = "".join(chunks)
            sent.append(parser.count_reasoning_tokens(list(map(ord, text))))
            sent.append(parser.parse(text, REQUEST, enable_auto_tools=tools_on))
        return sent

    def _of_sglang(self, prefix: str, chunks: list[str]) -> list[Any]:
        text = "".join(chunks)
        options = {"response_template": self.template, "prefix": prefix, "tools": self.tools}
        sent: list[Any] = []
        if "thinking" in self.template["fields"]:
            for start in (None, "after_reasoning"):
                reasoning = self.adapter.ResponseTemplateReasoningDetector(grammar_start=start, **options)
                results = [*map(reasoning.parse_streaming_increment, chunks), reasoning.finish()]
                results.append(reasoning.detect_and_parse(text))
                sent += [vars(result) for result in results]
                sent.append(reasoning.json_output_started(text))
        if "tool_calls" in self.template["fields"]:
            calls = self.adapter.ResponseTemplateToolDetector(**options)
            sent += [calls.parse_streaming_increment(chunk, self.tools) for chunk in chunks]
            sent += [calls.finish(self.tools), calls.incomplete_tool_call_indices, calls.prev_tool_call_arr]
            sent += [calls.detect_and_parse(text, self.tools), calls.has_tool_call(text)]
            sent.append(calls.open_call_closer(text))
        return sent


def merged(sent: list[Any]) -> list[Any]:
    """Join what was sent in pieces: how long text is held back is not the same with stable parsers."""
    result: list[Any] = []
    pieces: dict[str, Any] = {}
    for item in [*sent, None, "end"]:
        if isinstance(item, (Delta, StreamResult)) or (isinstance(item, dict) and "normal_text" in item):
            for key, value in (item if isinstance(item, dict) else vars(item)).items():
                if value:
                    pieces[key] = pieces[key] + value if key in pieces else value
        elif item is not None:
            result += [pieces, item]
            pieces = {}
    return result


def unstable_modules(integration: Any, template: dict[str, Any]) -> None:
    for served in integration.serving_templates(template).values():
        integration.register_module(served, respc.load(served, events="serving", stable=False))


@pytest.mark.parametrize("name", TEMPLATES)
def test_same_deltas_chunk_by_chunk(engine: Engine, adapter: Any, integration: Any, name: str) -> None:
    sender = Sender(engine, adapter, TEMPLATES[name])
    unstable_modules(integration, TEMPLATES[name])
    for prefix, text in TEXTS[name]:
        for how, chunks in few(text, Random(text), 6):
            integration.use_interpreter()
            expected = sender.sent(prefix, chunks)
            integration.use_compiled_parsers()
            assert sender.sent(prefix, chunks) == expected, (how, prefix, chunks)


@pytest.mark.parametrize("name", TEMPLATES)
def test_same_for_every_chunking(engine: Engine, adapter: Any, integration: Any, name: str) -> None:
    """Stable parsers send, in all, what the interpreter makes of the whole text at once."""
    sender = Sender(engine, adapter, TEMPLATES[name])
    for prefix, text in TEXTS[name]:
        integration.use_interpreter()
        expected = merged(sender.sent(prefix, [text]))
        integration.use_compiled_parsers(TEMPLATES[name])
        for how, chunks in few(text, Random(text), 4):
            assert merged(sender.sent(prefix, chunks)) == expected, (how, prefix, chunks)


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_same_deltas_of_families(engine: Engine, adapter: Any, integration: Any, family: Family) -> None:
    with pytest.raises(ValueError, match=r"unsupported|unknown content parser|cannot be streamed"):
        integration.serving_templates(family.template)
    template = respc.engine_template(
        family.template, engine=engine.name, drop=REFUSED.get(family.name, [])
    ).template
    sender = Sender(engine, adapter, template)
    unstable_modules(integration, template)
    for sample in family.samples:
        sender.tools = deepcopy(sample["tools"]) or []
        chunks = random_cuts(sample["text"], Random(sample["id"]))
        integration.use_interpreter()
        expected = sender.sent(sample["prefix"], chunks)
        integration.use_compiled_parsers()
        assert sender.sent(sample["prefix"], chunks) == expected, sample["id"]


def test_parsers_are_compiled_ones_until_the_interpreter_is_back(adapter: Any, integration: Any) -> None:
    interpreter = adapter.ResponseParser
    loaded = adapter.load_response_template(LITERALS)
    integration.use_compiled_parsers()
    integration.use_compiled_parsers(LITERALS)
    parser = adapter.ResponseParser(loaded, prefix="", tools=None)
    assert not isinstance(parser, interpreter)
    assert parser.calls
    integration.use_interpreter()
    assert adapter.ResponseParser is interpreter
    integration.use_interpreter()
    assert adapter.ResponseParser is interpreter


def test_a_template_is_compiled_once(adapter: Any, integration: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []

    def load(template: Any, **options: Any) -> Any:
        compiled.append(template)
        return respc.load(template, **options)

    monkeypatch.setattr(engine_parsers, "load", load)
    template = {**LITERALS, "start_anchor": "<compiled once>"}
    integration.use_compiled_parsers()
    for _ in range(3):
        adapter.ResponseParser(adapter.load_response_template(deepcopy(template)), prefix="")
    assert len(compiled) == 1


def test_registered_module_is_used(adapter: Any, integration: Any) -> None:
    served = integration.serving_templates(TAGGED)
    module = respc.load(served["streaming"], events="serving")
    integration.register_module(served["streaming"], module)
    integration.use_compiled_parsers()
    parser = adapter.ResponseParser(adapter._streaming_template(TAGGED), prefix="")
    assert isinstance(parser, module.ResponseParser)
    # The template of a checkpoint says the same in another way: this one has a field for all other text.
    module = respc.load(LITERALS, events="serving")
    integration.register_module(LITERALS, module)
    parser = adapter.ResponseParser(adapter._streaming_template(LITERALS), prefix="")
    assert isinstance(parser, module.ResponseParser)


def test_module_without_serving_events_is_refused(integration: Any) -> None:
    with pytest.raises(ValueError, match="--events serving"):
        integration.register_module(LITERALS, respc.load(LITERALS))


def test_served_templates_compile_to_what_the_adapter_loads(adapter: Any, integration: Any) -> None:
    for template in TEMPLATES.values():
        for served in integration.serving_templates(template).values():
            loaded = adapter.load_response_template(served)
            assert engine_parsers.plain_template(loaded) == served


def test_a_template_that_cannot_be_compiled_is_interpreted(
    adapter: Any, integration: Any, caplog: pytest.LogCaptureFixture
) -> None:
    endless = {
        "start_anchor": "^",
        "fields": {"thinking": {"open_pattern": "(?=a)", "close_pattern": "(?=a)"}},
    }
    interpreter = adapter.ResponseParser
    integration.use_compiled_parsers()
    for _ in range(2):
        parser = adapter.ResponseParser(adapter.load_response_template(endless), prefix="")
        assert isinstance(parser, interpreter)
    assert [record.levelname for record in caplog.records if record.name.startswith("respc")] == ["WARNING"]


@pytest.mark.parametrize(
    "engine", [each for each in ENGINES if each.name == "sglang"], ids=str, indirect=True
)
def test_constrained_output_is_interpreted(engine: Engine, adapter: Any, integration: Any) -> None:
    assert engine.name == "sglang", "the other has no such parsers"
    interpreter = adapter.ResponseParser
    integration.use_compiled_parsers()
    loaded = adapter.load_response_template(LITERALS)
    assert isinstance(adapter.ResponseParser(loaded, prefix="", constrained=True), interpreter)
    assert not isinstance(adapter.ResponseParser(loaded, prefix="", constrained=False), interpreter)
    text = '<tool_call>{"name": "g", "arguments": {"b": "</tool_call>"}}</tool_call>'
    detector = adapter.ResponseTemplateToolDetector(response_template=LITERALS, constrained=True)
    (call,) = detector.detect_and_parse(text, deepcopy(TOOLS)).calls
    assert call.parameters == '{"b": "</tool_call>"}'


IMPORTS = """
import sys
from importlib.util import find_spec
from respc.integrations import {name}
assert "{name}" not in sys.modules
try:
    {name}.use_compiled_parsers()
except ImportError as error:
    assert error.name.partition(".")[0] == "{name}" or find_spec("{name}")
else:
    assert find_spec("{name}")
"""


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_integration_needs_the_engine_only_when_it_is_used(name: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", IMPORTS.format(name=name)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
