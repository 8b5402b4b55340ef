"""The chat handler with llama-cpp-python itself, and a model that writes what it is told."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import pytest

from respc.integrations.llama_cpp import ChatHandler, register_chat_formats
from respc_parsers import UnknownModelError
from respc_runtime.errors import MissingAnchorError
from support.tiny_llama import script_processor, write_model

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        find_spec("llama_cpp") is None or find_spec("gguf") is None,
        reason="needs llama-cpp-python, and gguf to make a model",
    ),
    pytest.mark.filterwarnings("ignore"),
]

CHAT_ML: Final = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if tools %}{{ tools | tojson }}{% endif %}<|im_start|>assistant\n{% if open_reasoning %}<think>\n{% endif %}"
)
HARMONY: Final = (
    "{% for message in messages %}<|start|>{{ message.role }}<|message|>{{ message.content }}<|end|>{% endfor %}"
    "<|start|>assistant"
)
MESSAGES: Final = [{"role": "user", "content": "Weather in Tromsø?"}]
WEATHER: Final = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
TOOLS: Final = [{"type": "function", "function": WEATHER}]
QWEN: Final = (
    "<think>\nI look — 猫.\n</think>\n\nOne moment 🌨️.\n"
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Tromsø"}}\n</tool_call><|im_end|>'
)
GPT_OSS: Final = (
    "<|channel|>analysis<|message|>I look — 猫.<|end|><|start|>assistant<|channel|>commentary<|message|>One moment 🌨️."
    "<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
    '{"city": "Tromsø"}<|call|>'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def model(
    folder: Path, *, template: str | None = CHAT_ML, end: str = "<|im_end|>", name: str = "x", **options: Any
) -> Any:
    from llama_cpp import Llama

    path = folder / f"{abs(hash((template, end, name)))}.gguf"
    if not path.exists():
        write_model(path, template, end, name)
    return Llama(str(path), n_ctx=2048, verbose=False, **options)


def answer(llama: Any, script: str | None, **request: Any) -> dict[str, Any]:
    """Give the message and the finish reason of a whole answer, after it was compared with a stream."""
    request = {"messages": MESSAGES, "repeat_penalty": 1.0, **request}

    def processors() -> Any:
        return None if script is None else script_processor(llama, script)

    whole = llama.create_chat_completion(**request, logits_processor=processors())
    assert whole["object"] == "chat.completion"
    choice = whole["choices"][0]
    chunks = list(llama.create_chat_completion(**request, stream=True, logits_processor=processors()))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    message = choice["message"]
    assert "".join(delta.get("content", "") for delta in deltas) == (message["content"] or "")
    reasoning = "".join(delta.get("reasoning_content", "") for delta in deltas)
    assert reasoning == message.get("reasoning_content", "")
    calls = list(chain.from_iterable(delta.get("tool_calls", ()) for delta in deltas))
    arguments = "".join(call["function"].get("arguments", "") for call in calls)
    assert arguments == "".join(call["function"]["arguments"] for call in message.get("tool_calls", ()))
    assert chunks[-1]["choices"][0]["finish_reason"] == choice["finish_reason"]
    assert deltas[0] == {"role": "assistant"}
    return {**message, "finish_reason": choice["finish_reason"], "usage": whole["usage"]}


@pytest.mark.parametrize("options", [{}, {"stream_arguments": True}, {"whole_calls": True}], ids=str)
@pytest.mark.parametrize(
    ("family", "template", "script", "end"),
    [("qwen3", CHAT_ML, QWEN, "<|im_end|>"), ("gpt_oss", HARMONY, GPT_OSS, "<|call|>")],
    ids=["qwen3", "gpt_oss"],
)
def test_reasoning_content_and_calls(
    folder: Path, family: str, template: str, script: str, end: str, options: dict[str, Any]
) -> None:
    llama = model(folder, template=template, end=end, chat_handler=ChatHandler(family, **options))
    message = answer(llama, script, tools=TOOLS)
    assert message["reasoning_content"] == "I look — 猫."
    assert message["content"] == "One moment 🌨️."
    (call,) = message["tool_calls"]
    assert call["function"] == {"name": "get_weather", "arguments": '{"city": "Tromsø"}'}
    assert message["finish_reason"] == "tool_calls"
    assert message["usage"]["completion_tokens"] == len(llama.tokenize(script.encode(), special=True)) - 1


def test_prompt_opens_the_reasoning(folder: Path) -> None:
    handler = ChatHandler("qwen3", chat_template_kwargs={"open_reasoning": True})
    message = answer(model(folder, chat_handler=handler), "Hm.\n</think>\n\nYes.<|im_end|>")
    assert (message["reasoning_content"], message["content"]) == ("Hm.", "Yes.")


def test_limits_and_stops(folder: Path) -> None:
    llama = model(folder, chat_handler=ChatHandler("qwen3"))
    message = answer(llama, "It rains.", max_tokens=7)
    assert (message["content"], message["finish_reason"]) == ("It rain", "length")
    for stop in ("ai", ["zz", "ai"]):
        message = answer(llama, "It rains.<|im_end|>", stop=stop)
        assert (message["content"], message["finish_reason"]) == ("It r", "stop")
    assert answer(llama, "It rains.<|im_end|>", stop="ns. ")["content"] == "It rains."
    message = answer(llama, QWEN, max_tokens=QWEN.index("Troms") - 30, tools=TOOLS)
    assert message["finish_reason"] == "length"
    assert "tool_calls" not in message
    with pytest.raises(ValueError, match="context window"):
        answer(llama, "x", messages=[{"role": "user", "content": "x" * 3000}])


def test_seed(folder: Path) -> None:
    llama = model(folder, chat_handler=ChatHandler("qwen3"))
    written = [answer_text(llama, seed=seed, temperature=1.0, max_tokens=40) for seed in (1, 2, 1)]
    assert written[0] == written[2] != written[1]


def answer_text(llama: Any, **request: Any) -> Any:
    whole = llama.create_chat_completion(messages=MESSAGES, **request)
    return {key: value for key, value in whole["choices"][0]["message"].items() if key != "tool_calls"}


def test_calls_that_have_to_be_made(folder: Path) -> None:
    """The weights write anything: only a grammar makes a call of it."""
    llama = model(folder, chat_handler=ChatHandler("qwen3"))
    short = {"type": "object", "properties": {"city": {"enum": ["Bergen", "Tromsø"]}}, "required": ["city"]}
    tools = [
        {"type": "function", "function": {"name": name, "parameters": short}} for name in ("one", "other")
    ]
    for choice, names in (
        ("required", {"one", "other"}),
        ({"type": "function", "function": {"name": "other"}}, {"other"}),
    ):
        # Spaces between the parts can go on for long.
        for seed in range(3):
            message = answer(llama, None, tools=tools, tool_choice=choice, seed=seed, max_tokens=400)
            if message["finish_reason"] == "length":
                continue
            (call,) = message["tool_calls"]
            assert call["function"]["name"] in names
            assert json.loads(call["function"]["arguments"])["city"] in ("Bergen", "Tromsø")
            assert message["content"] is None
            assert message["finish_reason"] == "tool_calls"
    with pytest.raises(ValueError, match="no such tool"):
        answer(llama, None, tools=tools, tool_choice={"type": "function", "function": {"name": "third"}})


def test_no_tools(folder: Path) -> None:
    llama = model(folder, chat_handler=ChatHandler("qwen3"))
    with_tools = answer(llama, "Hi<|im_end|>", tools=TOOLS)["usage"]["prompt_tokens"]
    without = answer(llama, "Hi<|im_end|>", tools=TOOLS, tool_choice="none")["usage"]["prompt_tokens"]
    assert without < with_tools
    legacy = answer(llama, "Hi<|im_end|>", functions=[WEATHER])["usage"]["prompt_tokens"]
    assert legacy == with_tools


def test_answer_that_a_schema_shapes(folder: Path) -> None:
    llama = model(folder, chat_handler=ChatHandler("qwen3"))
    schema = {"enum": ["<tool_call>", "</think>"]}
    for form in (
        {"type": "json_object", "schema": schema},
        {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
    ):
        message = answer(llama, None, response_format=form, seed=3, max_tokens=300)
        assert json.loads(message["content"]) in schema["enum"]
        assert message["finish_reason"] == "stop"


def test_format_by_the_name_of_the_model(folder: Path) -> None:
    llama = model(folder, name="Qwen3 8B Instruct", chat_handler=ChatHandler())
    assert answer(llama, "<think>a</think>b<|im_end|>")["reasoning_content"] == "a"


def test_the_format_of_a_model_that_nobody_knows_is_inferred(folder: Path) -> None:
    llama = model(folder, name="nobody knows", chat_handler=ChatHandler())
    assert answer(llama, "It rains.<|im_end|>")["content"] == "It rains."
    llama = model(folder, template="{{ bos_token }}", name="nobody knows", chat_handler=ChatHandler())
    with pytest.raises(UnknownModelError, match=r'nobody-knows.*ChatHandler\("qwen3"\)'):
        answer(llama, "x<|im_end|>")


def test_faults(folder: Path) -> None:
    llama = model(folder, chat_handler=ChatHandler("gpt_oss"))
    for stream in (False, True):
        with pytest.raises(MissingAnchorError):
            llama.create_chat_completion(messages=MESSAGES, stream=stream)
    llama = model(folder, template=None, chat_handler=ChatHandler("qwen3"))
    with pytest.raises(ValueError, match="chat_template"):
        llama.create_chat_completion(messages=MESSAGES)
    llama = model(folder, template=None, chat_handler=ChatHandler("qwen3", chat_template=CHAT_ML))
    assert answer(llama, "Hi<|im_end|>")["content"] == "Hi"
    with pytest.raises(ValueError, match="log probabilities"):
        llama.create_chat_completion(messages=MESSAGES, logprobs=True)


def test_chat_format_by_name(folder: Path) -> None:
    for _ in range(2):
        register_chat_formats()
    llama = model(folder, chat_format="respc_qwen3")
    assert answer(llama, "<think>a</think>b<|im_end|>")["reasoning_content"] == "a"
