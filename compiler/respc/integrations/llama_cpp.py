"""A chat handler for llama-cpp-python that reads what a model writes with a compiled parser.

`ChatHandler` renders the chat template of the model, keeps the control tokens in what the model writes, and answers
with chat completions of OpenAI: reasoning, content and calls. llama-cpp-python is imported only when one is called.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import respc
from respc.families import families
from respc.integrations.engine_parsers import load_for_serving
from respc.integrations.inferred_templates import NotInferredError, inferred_from
from respc.integrations.llama_cpp_grammars import ShapedText, shaped_answer
from respc.integrations.llama_cpp_text import GeneratedText
from respc_parsers import UnknownModelError, for_model
from respc_runtime.openai import ChatCompletionParser, CompletionObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ChatHandler", "register_chat_formats"]

_SAMPLING: Final = (
    *("top_k", "top_p", "min_p", "typical_p", "tfs_z", "mirostat_mode", "mirostat_tau", "mirostat_eta"),
    *("presence_penalty", "frequency_penalty", "repeat_penalty"),
)
"""What a request says of sampling, by the names that `generate` has for it."""

_NAMES_OF_MODEL: Final = (
    *("general.repo_url", "general.base_model.0.repo_url", "general.source.repo_url"),
    *("general.base_model.0.name", "general.name", "general.basename"),
)
"""The metadata of a file that can name the model on the Hugging Face Hub."""

_QUANTIZATION: Final = re.compile(r"[-._](?:UD-)?I?Q\d\w*\Z", re.IGNORECASE)
"""How names of files end, such as in `-Q4_K_M`."""

_CHAT_TEMPLATE: Final = "tokenizer.chat_template"


class ChatHandler:
    """Answers `create_chat_completion`, whole or as a stream.

    Give it to `Llama` as `chat_handler`. One handler is for any number of models that write the format.

    Args:
        source: the format: the name of a ready-made parser or of a model, a response template, or the class of a
            parser with serving events. If there is none, each model's own metadata has to name a model that is
            known, or else its format is inferred from its chat template.
        chat_template: is rendered in place of that of the model.
        chat_template_kwargs: further variables of the chat template, such as `enable_thinking`.
        options: further arguments of `ChatCompletionParser`, such as `stream_arguments`.

    Raises:
        UnknownModelError: the name is that of no ready-made parser, and of no model that is known; a KeyError.
        TemplateError: the template is refused.
    """

    def __init__(
        self,
        source: Any = None,
        *,
        chat_template: str | None = None,
        chat_template_kwargs: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._parser = None if source is None else parser_of(source)
        self._chat_template = chat_template
        self._variables = chat_template_kwargs or {}
        self._options = options

    def __call__(self, *, llama: Any, messages: list[dict[str, Any]], **request: Any) -> Any:
        """Answer a request, as llama-cpp-python hands it to its chat handlers.

        Returns:
            The `chat.completion`, or an iterator of `chat.completion.chunk` where the request has `stream`.

        Raises:
            UnknownModelError: the format of the model is not known; a KeyError.
            MissingAnchorError: the prompt is not one of the format.
            ValueError: the request cannot be answered; the message says why.
        """
        if request.get("logprobs"):
            raise ValueError("log probabilities cannot be had from this chat handler: leave `logprobs` out")
        tools, choice = _tools_of(request)
        prompt = self._prompt(llama, messages, tools)
        shaped = shaped_answer(tools, choice, request.get("response_format"), llama.verbose)
        chat: ChatCompletionParser | ShapedText
        if shaped is not None:
            chat = ShapedText(is_call=shaped.is_call)
        else:
            parser = self._parser or self._parser_for(llama)
            chat = ChatCompletionParser(parser, prompt, tools=tools, **self._options)
        tokens = llama.tokenize(prompt.encode(), add_bos=False, special=True)
        stop: str | list[str] = request.get("stop") or []
        text = GeneratedText(
            llama,
            tokens,
            stop=[stop] if isinstance(stop, str) else stop,
            max_tokens=request.get("max_tokens"),
            seed=request.get("seed"),
            sampling=_sampling(request, None if shaped is None else shaped.grammar),
        )
        name = request.get("model") or llama.model_path
        answer = Answer(chat, text, CompletionObjects(f"chatcmpl-{uuid.uuid4()}", name, int(time.time())))
        return answer.chunks() if request.get("stream") else answer.whole(len(tokens))

    def _prompt(self, llama: Any, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        template = self._template_for(llama)
        if template is None:
            raise ValueError(
                "the model's file has no chat template: give `chat_template` to the chat handler"
            )
        formats: Any = import_module("llama_cpp.llama_chat_format")
        formatter = formats.Jinja2ChatFormatter(template, **_tokens_of(llama))
        prompt: str = formatter(messages=messages, tools=tools or None, **self._variables).prompt
        return prompt

    def _template_for(self, llama: Any) -> str | None:
        template: str | None = self._chat_template or llama.metadata.get(_CHAT_TEMPLATE)
        return template

    def _parser_for(self, llama: Any) -> Any:
        """Give the class of the parser for a model: a ready-made one, or one of its chat template."""
        try:
            return parser_of_model(llama)
        except UnknownModelError as unknown:
            texts = {"default": self._template_for(llama) or ""}
            try:
                template = inferred_from(f"the file {llama.model_path}", texts, _tokens_of(llama))
            except NotInferredError as error:
                raise UnknownModelError(f"{unknown.args[0]}. {error}") from None
        return _compiled(json.dumps(template))


class Answer:
    """One answer while it is written."""

    def __init__(
        self, chat: ChatCompletionParser | ShapedText, text: GeneratedText, objects: CompletionObjects
    ) -> None:
        self._chat = chat
        self._text = text
        self._objects = objects

    def chunks(self) -> Iterator[dict[str, Any]]:
        """Give the chunks of a stream."""
        for delta in self._chat.initial_deltas:
            yield self._objects.chunk(delta)
        for text in self._text:
            for delta in self._chat.feed(text):
                yield self._objects.chunk(delta)
        for delta in self._last_deltas():
            yield self._objects.chunk(delta)
        yield self._objects.last_chunk(self._chat.finish_reason)

    def whole(self, prompt_tokens: int) -> dict[str, Any]:
        """Give the completion."""
        for text in self._text:
            self._chat.feed(text)
        self._last_deltas()
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": self._text.tokens,
            "total_tokens": prompt_tokens + self._text.tokens,
        }
        return self._objects.completion(self._chat.message, self._chat.finish_reason, usage)

    def _last_deltas(self) -> list[dict[str, Any]]:
        ending = self._text.ending
        return self._chat.finalize(length=ending == "length", stopped=ending == "stop token")


def register_chat_formats() -> None:
    """Register handlers as chat formats of llama-cpp-python: `respc` and `respc_FAMILY` for each ready-made parser."""
    formats: Any = import_module("llama_cpp.llama_chat_format")
    registry = formats.LlamaChatCompletionHandlerRegistry()
    registry.register_chat_completion_handler("respc", ChatHandler(), overwrite=True)
    for family in families():
        registry.register_chat_completion_handler(f"respc_{family}", _handler_for(family), overwrite=True)


def _handler_for(family: str) -> Callable[..., Any]:
    """Make a handler whose parser is imported when it is needed."""

    def handler(**request: Any) -> Any:
        return ChatHandler(family)(**request)

    return handler


def parser_of(source: Any) -> Any:
    """Give the class of the parser that a source names.

    Raises:
        UnknownModelError: a name is that of no ready-made parser, and of no model that is known; a KeyError.
        TemplateError: a template is refused.
    """
    if isinstance(source, str):
        return (
            import_module(f"respc_parsers.{source}").ServingParser
            if source in families()
            else _of_model(source)
        )
    if isinstance(source, dict):
        return respc.load(cast("dict[str, Any]", source), events="serving").ResponseParser
    return source


def parser_of_model(llama: Any) -> Any:
    """Give the class of the parser for a model by what its file, or the file's name, says of it.

    Raises:
        UnknownModelError: nothing of that names a model that is known; a KeyError.
    """
    said = [llama.metadata[key] for key in _NAMES_OF_MODEL if key in llama.metadata]
    # An address has the name behind its host; a title has blanks for hyphens.
    paths = [name.partition("://")[2].partition("/")[2] if "://" in name else name for name in said]
    names = ["-".join(path.split()) for path in paths]
    file = llama.model_path.replace("\\", "/").rpartition("/")[2].removesuffix(".gguf")
    names.append(_QUANTIZATION.sub("", file))
    for name in names:
        try:
            return _of_model(name)
        except UnknownModelError:
            continue
    raise UnknownModelError(
        f"no ready-made parser is known for this model, which calls itself {', '.join(dict.fromkeys(names))}: give "
        'the chat handler the name of a parser that `respc list` shows, such as ChatHandler("qwen3"), or a response '
        "template"
    )


@lru_cache(maxsize=8)
def _compiled(written: str) -> Any:
    return load_for_serving(json.loads(written), "inferred template").ResponseParser


def _tokens_of(llama: Any) -> dict[str, str]:
    """Give the special tokens that a chat template is given."""
    library: Any = import_module("llama_cpp")
    vocabulary = library.llama_model_get_vocab(llama.model)

    def written(token: int) -> str:
        text: bytes = b"" if token == -1 else library.llama_vocab_get_text(vocabulary, token)
        return text.decode()

    return {"eos_token": written(llama.token_eos()), "bos_token": written(llama.token_bos())}


def _of_model(name: str) -> Any:
    return for_model(name).ServingParser


def _tools_of(request: dict[str, Any]) -> tuple[list[dict[str, Any]], Any]:
    """Give the tools that the model may call, and which it has to."""
    tools: list[dict[str, Any]] = request.get("tools") or []
    choice: Any = request.get("tool_choice")
    if not tools and request.get("functions"):
        tools = [{"type": "function", "function": function} for function in request["functions"]]
        choice = request.get("function_call")
        if not (choice is None or isinstance(choice, str)):
            choice = {"type": "function", "function": choice}
    return ([], None) if choice == "none" else (tools, choice)


def _sampling(request: dict[str, Any], grammar: Any) -> dict[str, Any]:
    sampling: dict[str, Any] = {name: request[name] for name in _SAMPLING if name in request}
    if "temperature" in request:
        sampling["temp"] = request["temperature"]
    sampling["grammar"] = request.get("grammar") or grammar
    processors = list(request.get("logits_processor") or ())
    if bias := request.get("logit_bias"):
        processors.append(_biased({int(token): float(weight) for token, weight in bias.items()}))
    if processors:
        sampling["logits_processor"] = import_module("llama_cpp").LogitsProcessorList(processors)
    return sampling


def _biased(bias: dict[int, float]) -> Any:
    def processor(tokens: Any, scores: Any) -> Any:
        scores = scores.copy()
        for token, weight in bias.items():
            scores[token] += weight
        return scores

    return processor
