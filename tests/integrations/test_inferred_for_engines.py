"""Where a model has no response template, each integration parses with what is inferred from its chat template."""

from __future__ import annotations

import json
import logging
import sys
from copy import deepcopy
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from transformers.cli.serving import utils as serving

from integrations.tokenizers_of_tests import PROMPT, ids_of, tokenizer_of
from respc.integrations import inferred_templates
from respc.integrations.inference_cache import VARIABLE
from respc.integrations.llama_cpp import ChatHandler
from respc.integrations.sglang_names import TemplateOfTokenizer
from respc.integrations.transformers import (
    MissingTemplateError,
    NotInferredError,
    attach,
    detach,
    use_compiled_parsers,
    use_interpreter,
)
from respc.integrations.vllm_formats import format_of_tokenizer
from respc.integrations.vllm_generation import CallIds, Generation
from respc_parsers import UnknownModelError

if TYPE_CHECKING:
    from pathlib import Path

CHAT_TEMPLATE = """\
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
{% endif %}"""
TEXT = (
    "<think>\nI look.\n</think>\n\nOne moment.\n"
    '<tool_call>\n{"name": "look_up", "arguments": {"place": "Tromsø"}}\n</tool_call><|im_end|>'
)
MESSAGE = {
    "role": "assistant",
    "reasoning_content": "I look.",
    "content": "One moment.",
    "tool_calls": [{"type": "function", "function": {"name": "look_up", "arguments": {"place": "Tromsø"}}}],
}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A cache for these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    inferred_templates._known.clear()


def test_attach_infers_where_it_is_asked_to(caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = tokenizer_of(template=None, chat_template=CHAT_TEMPLATE)
    with pytest.raises(MissingTemplateError):
        attach(tokenizer)
    with caplog.at_level(logging.INFO):
        assert attach(tokenizer, infer=True) is tokenizer
    assert "reads back all" in caplog.text
    message = tokenizer.parse_response(ids_of(tokenizer, TEXT), prefix=ids_of(tokenizer, PROMPT))
    assert message == MESSAGE
    assert detach(tokenizer).parse_response(TEXT, prefix=PROMPT) == MESSAGE, "the interpreter reads it, too"


def test_what_was_inferred_is_saved_with_the_tokenizer(tmp_path: Path) -> None:
    tokenizer = attach(tokenizer_of(template=None, chat_template=CHAT_TEMPLATE), infer=True)
    detach(tokenizer).save_pretrained(tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert config["response_template"] == tokenizer.response_template


@pytest.mark.parametrize("holder", ["tokenizer", "processor"])
def test_attach_infers_for_a_processor(holder: str) -> None:
    of_tokenizer, of_processor = (CHAT_TEMPLATE, None) if holder == "tokenizer" else (None, CHAT_TEMPLATE)
    tokenizer = tokenizer_of(template=None, chat_template=of_tokenizer)
    processor = SimpleNamespace(tokenizer=tokenizer, chat_template=of_processor)
    attach(processor, infer=True)  # type: ignore[type-var]
    assert processor.tokenizer.parse_response(TEXT, prefix=PROMPT) == MESSAGE


def test_a_template_of_its_own_stays() -> None:
    tokenizer = tokenizer_of(chat_template="{{ raise_exception('is not asked') }}")
    own = deepcopy(tokenizer.response_template)
    assert attach(tokenizer, infer=True).response_template == own


def test_a_tokenizer_without_either_is_refused() -> None:
    tokenizer = tokenizer_of(template=None)
    with pytest.raises(NotInferredError, match="no chat template either"):
        attach(tokenizer, infer=True)
    assert tokenizer.response_template is None


def test_a_whole_process_of_transformers(caplog: pytest.LogCaptureFixture) -> None:
    model: Any = SimpleNamespace(config=SimpleNamespace(model_type="of no fallback"))
    tokenizer = tokenizer_of(template=None, chat_template=CHAT_TEMPLATE)
    without = tokenizer_of(template=None)
    with pytest.raises(ValueError, match="for_models_without"):
        use_compiled_parsers(for_models_without="qwen3", infer=True)
    try:
        use_compiled_parsers(infer=True)
        parser = serving.build_response_parser(tokenizer, model, ids_of(tokenizer, PROMPT))
        parser.feed(TEXT)
        assert parser.finalize()[0] == MESSAGE
        for _ in range(2):
            assert serving.get_response_template(without, model) is None
        assert caplog.text.count("answers are not parsed") == 1
    finally:
        use_interpreter()
    assert serving.get_response_template(tokenizer, model) is None


def test_vllm_s_respc_infers_for_a_tokenizer_without_a_template(caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = tokenizer_of(template=None, chat_template=CHAT_TEMPLATE)
    with caplog.at_level(logging.INFO):
        served = format_of_tokenizer(tokenizer)
    (record,) = caplog.records
    assert record.name.startswith("vllm."), "vLLM shows its own loggers"
    assert format_of_tokenizer(tokenizer) is served
    assert (served.reasoning_opener, served.reasoning_closer) == ("<think>", "</think>")
    answer = Generation(served, PROMPT, [], CallIds(), calls_wanted=True).whole(TEXT)
    assert ("".join(answer.reasoning), "".join(answer.content)) == ("I look.", "One moment.")
    assert [call["function"]["name"] for call in answer.calls] == ["look_up"]
    with pytest.raises(NotInferredError, match="no chat template either"):
        format_of_tokenizer(tokenizer_of(template=None))


def test_sglang_s_respc_infers_for_a_tokenizer_without_a_template() -> None:
    parts: Any = SimpleNamespace(template_of=lambda tokenizer: None)
    find_format = TemplateOfTokenizer(parts)
    written = find_format(tokenizer_of(template=None, chat_template=CHAT_TEMPLATE))
    assert (written.reasoning_opener, written.reasoning_closer) == ("<think>", "</think>")
    parser = written.parser(PROMPT)
    parser.feed(TEXT)
    assert parser.finalize()[0] == MESSAGE
    with pytest.raises(NotInferredError, match="no chat template either"):
        find_format(tokenizer_of(template=None))


class Formatter:
    """What llama-cpp-python renders prompts with."""

    def __init__(self, template: str, eos_token: str, bos_token: str) -> None:
        assert (template, eos_token, bos_token) == (CHAT_TEMPLATE, "<|im_end|>", "")

    def __call__(self, **request: Any) -> Any:
        return SimpleNamespace(prompt=PROMPT)


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """As much of a model of llama-cpp-python as the handler needs to choose a parser."""
    library: Any = ModuleType("llama_cpp")
    library.llama_model_get_vocab = lambda model: None
    library.llama_vocab_get_text = lambda vocabulary, token: b"<|im_end|>"
    formats: Any = ModuleType("llama_cpp.llama_chat_format")
    formats.Jinja2ChatFormatter = Formatter
    monkeypatch.setitem(sys.modules, "llama_cpp", library)
    monkeypatch.setitem(sys.modules, "llama_cpp.llama_chat_format", formats)
    return SimpleNamespace(
        model=None,
        metadata={"tokenizer.chat_template": CHAT_TEMPLATE, "general.name": "nobody knows"},
        model_path="unknown.gguf",
        token_eos=lambda: 7,
        token_bos=lambda: -1,
    )


def test_llama_cpp_infers_for_a_model_that_nobody_knows(llama: SimpleNamespace) -> None:
    handler = ChatHandler()
    made = handler._parser_for(llama)
    assert handler._parser_for(llama) is made
    assert handler._prompt(llama, [], []) == PROMPT
    parser = made(PROMPT)
    parser.feed(TEXT)
    assert parser.finalize()[0] == MESSAGE


def test_llama_cpp_says_what_to_do_where_nothing_can_be_inferred(llama: SimpleNamespace) -> None:
    llama.metadata["tokenizer.chat_template"] = "{{ bos_token }}"
    with pytest.raises(UnknownModelError, match=r"nobody-knows.*none can be inferred: .*unknown\.gguf"):
        ChatHandler()._parser_for(llama)
