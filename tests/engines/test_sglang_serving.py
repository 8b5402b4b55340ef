"""SGLang's own serving of chat completions with parsers that the plug-in adds by name: nothing is refused.

`sglang_requirements.txt` beside this file says what has to be installed.
"""

from __future__ import annotations

import json
import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest

from respc.integrations.inference_cache import VARIABLE
from support.grammar_walks import endings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.sglang_serving import ScriptedServing

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("sglang serving"),
    pytest.mark.skipif(
        find_spec("sglang") is None or find_spec("torch") is None,
        reason="needs SGLang 0.5.23, and what tests/engines/sglang_requirements.txt lists, PyTorch among it",
    ),
    pytest.mark.filterwarnings("ignore"),
]

CHAT_ML: Final = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n{% if open_reasoning %}<think>\n{% endif %}"
)
HARMONY: Final = (
    "{% for message in messages %}<|start|>{{ message.role }}<|message|>{{ message.content }}<|end|>{% endfor %}"
    "<|start|>assistant"
)
DEEPSEEK: Final = (
    "{% for message in messages %}<｜User｜>{{ message.content }}{% endfor %}<｜Assistant｜>"
    "{% if open_reasoning %}<think>\n{% endif %}"
)
WRITES_CALLS: Final = """\
{%- if tools %}<|im_start|>system
{{ tools | tojson }}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{% if message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>

{% endif %}{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if open_reasoning %}<think>
{% endif %}{% endif %}"""
INFERRED: Final = "inferred"
"""In the place of a family: a tokenizer that has a chat template, and no response template."""
CHAT_TEMPLATES: Final = {
    "qwen3": CHAT_ML,
    "gpt_oss": HARMONY,
    "deepseek_r1": DEEPSEEK,
    "smollm3": CHAT_ML,
    INFERRED: WRITES_CALLS,
}

WEATHER: Final = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
}
TIME: Final = {"name": "get_time", "parameters": {"type": "object", "properties": {}}}
TOOLS: Final = [{"type": "function", "function": function} for function in (WEATHER, TIME)]
STRICT: Final = [{"type": "function", "function": {**WEATHER, "strict": True}}]

CALL: Final = ("get_weather", {"city": "Tromsø", "days": 2})
NO_ARGUMENTS: Final = ("get_time", {})


def written(family: str, reasoning: str, content: str, calls: list[tuple[str, dict[str, Any]]]) -> str:
    """Write a message as models of a family do."""
    bodies = [(name, json.dumps(arguments, ensure_ascii=False)) for name, arguments in calls]
    if family == "gpt_oss":
        parts = [f"<|channel|>analysis<|message|>{reasoning}<|end|>"] if reasoning else []
        parts += [f"<|channel|>final<|message|>{content}<|return|>"] if content else []
        parts += [
            f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{body}<|call|>"
            for name, body in bodies
        ]
        return "<|start|>assistant".join(parts)
    text = (f"<think>\n{reasoning}\n</think>\n\n" if reasoning else "") + content
    if family == "deepseek_r1":
        marked = [
            f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{body}\n```<｜tool▁call▁end｜>"
            for name, body in bodies
        ]
        block = "<｜tool▁calls▁begin｜>" + "\n".join(marked) + "<｜tool▁calls▁end｜>"
        return text + (block if marked else "") + "<｜end▁of▁sentence｜>"
    marked = [
        f'\n<tool_call>\n{{"name": "{name}", "arguments": {body}}}\n</tool_call>' for name, body in bodies
    ]
    return text + "".join(marked) + "<|im_end|>"


@pytest.fixture(scope="module", autouse=True)
def no_cache() -> Iterator[None]:
    """What was inferred before would be read, and not inferred."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "off")
        yield


@pytest.fixture(scope="module")
def serving(request: pytest.FixtureRequest) -> ScriptedServing:
    from respc.integrations.sglang_plugin import register_names
    from support.sglang_serving import ScriptedServing

    register_names()
    parser = "respc" if request.param == INFERRED else f"respc_{request.param}"
    return ScriptedServing(parser, CHAT_TEMPLATES[request.param])


def families(*names: str) -> Any:
    return pytest.mark.parametrize(
        ("family", "serving"), [(name, name) for name in names], indirect=["serving"]
    )


every_family = families(*CHAT_TEMPLATES)

REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "auto": {"tools": TOOLS},
    "required": {"tools": TOOLS, "tool_choice": "required"},
    "named": {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
    "one call": {"tools": TOOLS, "parallel_tool_calls": False},
    "strict": {"tools": STRICT},
    "strict and required": {"tools": STRICT, "tool_choice": "required"},
}


def same_answer(serving: ScriptedServing, script: str | None, **request: Any) -> dict[str, Any]:
    """Give the whole answer, after it was compared with streams."""
    whole = serving.answer(script, stream=False, **request)
    assert whole["status"] == 200, whole
    for step in (1, 4):
        streamed = serving.answer(script, step=step, stream=True, **request)
        pieces = streamed.pop("argument_deltas", None)
        assert streamed == whole, (step, request)
        if step == 1 and whole["calls"]:
            assert pieces is not None
            assert pieces >= len(whole["calls"])
    return whole


@every_family
@pytest.mark.parametrize("asked", REQUESTS)
def test_calls(family: str, serving: ScriptedServing, asked: str) -> None:
    request = REQUESTS[asked]
    calls = [CALL] if asked != "auto" else [CALL, NO_ARGUMENTS]
    script = written(family, "I must look.", "", calls)
    answer = same_answer(serving, script, **request)
    assert ("structural_tag" in serving.manager.sampling) is (asked != "auto")
    assert answer["reasoning"] == "I must look."
    assert [(name, json.loads(arguments)) for name, arguments in answer["calls"]] == calls
    assert answer["content"] == ""
    assert answer["finish_reason"] == "tool_calls"


@every_family
@pytest.mark.parametrize("asked", [asked for asked in REQUESTS if asked != "auto"])
def test_calls_follow_the_grammar(family: str, serving: ScriptedServing, asked: str) -> None:
    request = REQUESTS[asked]
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    # The grammar begins where the reasoning ends.
    thought = written(family, "I must look.", "", [])
    for end in ("<|im_end|>", "<｜end▁of▁sentence｜>"):
        thought = thought.removesuffix(end)
    serving.manager.thought = thought + ("<|start|>assistant" if family == "gpt_oss" else "")
    serving.manager.endings = sorted(
        endings_of(written(family, "I must look.", "", [CALL]), ("I must look.",))
    )
    for serving.manager.seed in range(6):
        answer = same_answer(serving, None, **request)
        assert answer["reasoning"] == "I must look."
        for name, arguments in answer["calls"]:
            jsonschema.validate(json.loads(arguments), schemas[name])
        if "tool_choice" in request:
            assert answer["calls"]
            assert answer["content"] == ""
        if "parallel_tool_calls" in request:
            assert len(answer["calls"]) <= 1


@every_family
def test_arguments_are_streamed(family: str, serving: ScriptedServing) -> None:
    script = written(family, "", "", [("get_weather", {"city": "B" * 200})])
    streamed = serving.answer(
        script, stream=True, tools=[{"type": "function", "function": {"name": "get_weather"}}]
    )
    assert streamed["argument_deltas"] > 100


@every_family
def test_text_alone(family: str, serving: ScriptedServing) -> None:
    for request in ({}, {"tools": TOOLS}, {"tools": TOOLS, "tool_choice": "none"}):
        answer = same_answer(serving, written(family, "Hm.", "På fjellet 🏔 regner det.", []), **request)
        assert answer["reasoning"] == "Hm."
        assert answer["content"] == "På fjellet 🏔 regner det."
        assert answer["calls"] == []
        assert answer["finish_reason"] == "stop"


@families("qwen3", "deepseek_r1", "smollm3", INFERRED)
def test_prompt_opens_the_reasoning(family: str, serving: ScriptedServing) -> None:
    script = written(family, "Hm.", "", [CALL]).removeprefix("<think>\n")
    request = {"tools": TOOLS, "chat_template_kwargs": {"open_reasoning": True}}
    answer = same_answer(serving, script, **request)
    assert answer["reasoning"] == "Hm."
    assert answer["content"] == ""
    assert [name for name, _ in answer["calls"]] == ["get_weather"]


@every_family
def test_call_that_the_limit_cuts_off(family: str, serving: ScriptedServing) -> None:
    script = written(family, "Hm.", "", [CALL])
    script = script[: script.index("Troms")]
    whole = serving.answer(script, length=True, stream=False, tools=TOOLS)
    assert whole["calls"] == []
    assert whole["finish_reason"] == "length"
    for step in (1, 4):
        streamed = serving.answer(script, length=True, step=step, stream=True, tools=TOOLS)
        assert streamed["finish_reason"] == "length"
        assert streamed["content"] == whole["content"] == ""


@families("qwen3", "smollm3", INFERRED)
def test_message_that_goes_on(family: str, serving: ScriptedServing) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "It rains in"}]
    for request in ({}, {"tools": TOOLS}):
        script = " Tromsø.<|im_end|>"
        answer = same_answer(serving, script, messages=messages, continue_final_message=True, **request)
        assert answer["content"] == " Tromsø."


@families("qwen3", "gpt_oss")
def test_answer_that_a_schema_shapes(family: str, serving: ScriptedServing) -> None:
    answer_text = '{"text": "<tool_call> is a tag"}'
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    request = {
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    }
    script = (
        written("qwen3", "Hm.", answer_text, [])
        if family == "qwen3"
        else written(family, "Hm.", answer_text, [])
    )
    answer = same_answer(serving, script, tools=TOOLS, **request)
    assert answer["reasoning"] == "Hm."
    if family == "qwen3":
        assert answer["content"] == answer_text


@families("qwen3")
def test_call_to_an_unknown_tool(
    family: str, serving: ScriptedServing, caplog: pytest.LogCaptureFixture
) -> None:
    script = written(family, "", "", [("other", {}), CALL])
    with caplog.at_level(logging.WARNING):
        answer = same_answer(serving, script, tools=TOOLS)
    assert [name for name, _ in answer["calls"]] == ["get_weather"]


@families("qwen3")
def test_closer_inside_of_an_argument(family: str, serving: ScriptedServing) -> None:
    script = written(family, "", "", [("get_weather", {"city": "</tool_call> <think>"})])
    answer = same_answer(serving, script, tools=TOOLS)
    assert json.loads(answer["calls"][0][1]) == {"city": "</tool_call> <think>"}
    assert answer["content"] == answer["reasoning"] == ""


@families("qwen3")
def test_reasoning_that_stays_in_the_answer(family: str, serving: ScriptedServing) -> None:
    script = written(family, "Hm.", "Yes.", [CALL])
    answer = same_answer(serving, script, tools=TOOLS, separate_reasoning=False)
    assert answer["reasoning"] == ""
    assert answer["content"].split() == ["Hm.", "Yes."]
    assert [name for name, _ in answer["calls"]] == ["get_weather"]


@every_family
@pytest.mark.parametrize("choice", ["auto", "required"])
def test_responses(family: str, serving: ScriptedServing, choice: str) -> None:
    # What gpt-oss calls final is behind all calls.
    content = "" if choice == "required" or family == "gpt_oss" else "One moment."
    script = written(family, "I must look.", content, [CALL])
    tools = [{"type": "function", **WEATHER}]
    whole = serving.response(script, tools=tools, tool_choice=choice)
    assert whole[0] == ("reasoning", "I must look.")
    assert json.loads(whole[-1][1]) == CALL[1]
    assert len(whole) == (3 if content else 2)
    for step in (1, 4):
        assert serving.response(script, tools=tools, tool_choice=choice, stream=True, step=step) == whole


def test_what_is_inferred_for_a_tokenizer_is_said(caplog: pytest.LogCaptureFixture) -> None:
    from respc.integrations import inferred_templates
    from respc.integrations.sglang_plugin import register_names
    from support.sglang_serving import ScriptedServing

    inferred_templates._known.clear()
    register_names()
    with caplog.at_level(logging.INFO):
        made = ScriptedServing("respc", WRITES_CALLS)
        for _ in range(2):
            answer = same_answer(made, written(INFERRED, "Hm.", "One moment.", [CALL]), tools=TOOLS)
    assert (answer["reasoning"], answer["content"]) == ("Hm.", "One moment.")
    (said,) = [line for line in caplog.messages if "has no response template" in line]
    assert "reasoning_content, tool_calls, content was inferred from its chat template" in said
    assert "reads back all that this writes (clean: " in said


def test_the_plug_in_is_loaded_before_names_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from sglang.srt import plugins
    from sglang.srt.server_args import prepare_server_args

    from respc.integrations import sglang_plugin
    from support.templates import TESTS

    value = "respc.integrations.sglang_plugin:register"
    assert (
        f'"{plugins.GENERAL_PLUGINS_GROUP}"]\nrespc = "{value}"'
        in (TESTS.parent / "pyproject.toml").read_text()
    )
    points = {plugins.GENERAL_PLUGINS_GROUP: [EntryPoint("respc", value, plugins.GENERAL_PLUGINS_GROUP)]}
    monkeypatch.setattr(plugins, "entry_points", lambda group: points.get(group, []))
    monkeypatch.setattr(plugins, "_plugins_loaded", False)
    monkeypatch.setenv(sglang_plugin.VARIABLE, "names")
    plugins.load_plugins()
    arguments = [
        "--model-path",
        "x",
        "--tool-call-parser",
        "respc_gemma4",
        "--reasoning-parser",
        "respc_gemma4",
    ]
    given = prepare_server_args(arguments)
    assert (given.tool_call_parser, given.reasoning_parser) == ("respc_gemma4", "respc_gemma4")


def test_grammars_are_for_what_the_parsers_read() -> None:
    from importlib import import_module

    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    from respc.integrations.sglang_formats import OWN_DETECTORS

    checked = set()
    for family, own in OWN_DETECTORS.items():
        if own.calls is None:
            continue
        detector = FunctionCallParser([], own.calls).detector
        if not detector.supports_structural_tag() or detector.get_structural_tag_name() is not None:
            continue
        info = detector.structure_info()("get_weather")
        text = f'{info.begin}{{"city": "Bergen"}}{info.end}'
        (call,) = import_module(f"respc_parsers.{family}").ServingParser("").finish(text)["tool_calls"]
        assert call["function"] == {"name": "get_weather", "arguments": {"city": "Bergen"}}, family
        checked.add(family)
    assert len(checked) > 6


def test_every_name_makes_detectors() -> None:
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    from respc.families import families as ready_made
    from respc.integrations.sglang_plugin import register_names
    from support.sglang_serving import byte_tokenizer

    register_names()
    tokenizer = byte_tokenizer(CHAT_ML)
    for family in ready_made():
        name = f"respc_{family}"
        reasoning = ReasoningParser(name, tokenizer=tokenizer).detector
        reasoning.get_think_end_token_ids(tokenizer)
        parser = FunctionCallParser([], name, tokenizer=tokenizer)
        for choice in ("auto", "required"):
            parser.get_structure_constraint(choice, parallel_tool_calls=False)
        assert parser.parse_stream_end() == ("", [])
