"""SGLang's own class for chat completions, with a model that writes what it is told, for tests of what it answers."""

from __future__ import annotations

import asyncio
import json
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from support.grammar_engines import Xgrammar, decoded
from support.grammar_vocabularies import ByteVocabulary
from support.grammar_walks import Walker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

SPECIAL: Final = (
    "<|im_start|>",
    "<|im_end|>",
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<|end|>",
    "<|call|>",
)
FURTHER_SPECIAL: Final = (
    "<|return|>",
    "<|constrain|>",
    "<｜Assistant｜>",
    "<｜User｜>",
    "<｜end▁of▁sentence｜>",
)
_PLAIN: Final = ("<think>", "</think>", "<tool_call>", "</tool_call>")
_STOP_TOKENS: Final = frozenset({"<|im_end|>", "<|call|>", "<|return|>", "<｜end▁of▁sentence｜>"})


def byte_tokenizer(chat_template: str) -> Any:
    """Make a tokenizer whose tokens are bytes, but for the delimiters of formats."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(
        models.BPE(vocab={letter: place for place, letter in enumerate(alphabet)}, merges=[])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = [AddedToken(token, special=True, normalized=False) for token in (*SPECIAL, *FURTHER_SPECIAL)]
    tokenizer.add_special_tokens(special)
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in _PLAIN])
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False)
    made.chat_template = chat_template
    return made


class ScriptedManager:
    """What SGLang's serving classes ask of its tokenizer manager, with answers that are written before.

    Attributes:
        script: what the model writes next; None where that is `thought`, and a random text of the request's grammar.
        thought: what it writes before such a text.
        seed: which of these texts,
        endings: and what ends free texts in it.
        step: how many tokens come at once.
        length: whether the limit of tokens ends the next answer, and no stop token.
        sampling: the sampling parameters of the last request.
    """

    def __init__(self, tokenizer: Any, parser: str | None) -> None:
        self.tokenizer = tokenizer
        self.script: str | None = ""
        self.thought = ""
        self.seed = 0
        self.endings: list[str] = []
        self.step = 1
        self.length = False
        self.sampling: dict[str, Any] = {}
        self.served_model_name = "scripted"
        self.model_path = "scripted"
        self.server_args = SimpleNamespace()
        self.request_logger = SimpleNamespace(log_requests=False, log_requests_level=0)
        self.model_config = SimpleNamespace(
            hf_config=SimpleNamespace(model_type="scripted", architectures=["Scripted"]),
            is_multimodal=False,
            get_default_sampling_params=dict,
        )
        self._configured = {
            "tool_call_parser": parser,
            "reasoning_parser": parser,
            "grammar_backend": "xgrammar",
        }

    def config_value(self, name: str) -> Any:
        return self._configured.get(name)

    def create_abort_task(self, request: Any) -> None:
        return None

    async def generate_request(self, request: Any, raw_request: Any = None) -> AsyncIterator[Any]:
        self.sampling = request.sampling_params
        script = self.script
        if script is None:
            script = self.thought + walked_text(self.sampling["structural_tag"], self.seed, self.endings)
        ids = self.tokenizer.encode(script, add_special_tokens=False)
        last = self.tokenizer.convert_ids_to_tokens(ids[-1:])
        reason: dict[str, Any] = {"type": "length", "length": len(ids)}
        if not self.length:
            reason = {"type": "stop", "matched": ids[-1] if last[0] in _STOP_TOKENS else 0}
        shown = ids[:-1] if last[0] in _STOP_TOKENS else ids
        skip = self.sampling.get("skip_special_tokens", True)
        ends = [*range(self.step, len(shown), self.step), len(shown)] if request.stream else [len(shown)]
        for end in ends:
            text = self.tokenizer.decode(shown[:end], skip_special_tokens=skip).removesuffix(
                "\N{REPLACEMENT CHARACTER}"
            )
            meta = {
                "id": "scripted",
                "prompt_tokens": 1,
                "completion_tokens": end,
                "cached_tokens": 0,
                "reasoning_tokens": 0,
                "weight_version": "1",
                "finish_reason": dict(reason) if end == len(shown) else None,
            }
            # A character whose last bytes are still to come is not shown.
            text = text.rstrip("\N{REPLACEMENT CHARACTER}")
            item = {"text": text, "output_ids": shown[:end], "meta_info": meta, "index": 0}
            yield item


class ScriptedServing:
    """SGLang's serving of chat completions for one parser by name."""

    def __init__(self, parser: str | None, chat_template: str) -> None:
        from sglang.srt import runtime_context
        from sglang.srt.entrypoints.openai.serving_chat import OpenAIServingChat
        from sglang.srt.entrypoints.openai.serving_responses import OpenAIServingResponses
        from sglang.srt.server_args import ServerArgs

        # A server publishes these when it starts, which needs a model.
        context = runtime_context.get_context()
        context._config_bags = runtime_context._build_config_bags(ServerArgs(model_path="scripted"))
        self.manager = ScriptedManager(byte_tokenizer(chat_template), parser)
        templates = SimpleNamespace(
            chat_template_name=None,
            python_chat_template=None,
            jinja_template_content_format="string",
            jinja_template_may_reorder_tool_results=False,
            force_reasoning=False,
            reasoning_config=None,
        )
        self._serving: Any = OpenAIServingChat(self.manager, templates)
        self._responses: Any = OpenAIServingResponses(self.manager, templates)

    def answer(
        self, script: str | None, *, step: int = 1, length: bool = False, **request: Any
    ) -> dict[str, Any]:
        """Give the status of an answer, and its message with the finish reason, or the error."""
        from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest

        self.manager.script, self.manager.step, self.manager.length = script, step, length
        body = {"model": "scripted", "messages": [{"role": "user", "content": "Hi"}], **request}
        return asyncio.run(self._answered(ChatCompletionRequest(**body)))

    def response(
        self, script: str, *, step: int = 1, stream: bool = False, **request: Any
    ) -> list[tuple[str, str]]:
        """Give the kinds and the texts of the items of an answer in the form of OpenAI's responses."""
        from sglang.srt.entrypoints.openai.protocol import ResponsesRequest

        self.manager.script, self.manager.step, self.manager.length = script, step, False
        body = {"model": "scripted", "input": "Hi", "store": False, "stream": stream, **request}
        return asyncio.run(self._responded(ResponsesRequest(**body)))

    async def _responded(self, request: Any) -> list[tuple[str, str]]:
        response = await self._responses.create_responses(request, None)
        if request.stream:
            lines = "".join([sent async for sent in response]).splitlines()
            events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
            (items,) = (
                event["response"]["output"] for event in events if event["type"] == "response.completed"
            )
        else:
            items = [item.model_dump() for item in response.output]
        return [(item["type"], item.get("arguments") or item["content"][0]["text"]) for item in items]

    async def _answered(self, request: Any) -> dict[str, Any]:
        response = await self._serving.handle_request(request, None)
        status = getattr(response, "status_code", 200)
        if status != 200:
            return {"status": status, "error": response.body.decode()}
        if not request.stream:
            choice = response.choices[0]
            return {
                "status": 200,
                **message_of(choice.message.model_dump()),
                "finish_reason": choice.finish_reason,
            }
        lines = [line async for line in response.body_iterator]
        chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        return {"status": 200, **joined(chunks)}


def walked_text(structural_tag: str, seed: int, endings: Iterable[str]) -> str:
    """Give a random text of a grammar; ``endings`` are what ends free texts in it."""
    vocabulary = ByteVocabulary()
    held = Xgrammar().compiled(structural_tag, vocabulary)
    return decoded(vocabulary, Walker(vocabulary, endings).walk(held, Random(seed)))


def message_of(message: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a message what differs between two answers with the same text."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return {
        "content": message.get("content") or "",
        "reasoning": message.get("reasoning_content") or "",
        "calls": [(call["name"], call["arguments"]) for call in calls],
    }


def joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Join the chunks of a stream to what `message_of` gives of a whole answer."""
    content, reasoning, reason = "", "", None
    calls: list[tuple[str, str]] = []
    argument_deltas = 0
    for choice in (choice for chunk in chunks for choice in chunk["choices"]):
        delta = choice["delta"]
        content += delta.get("content") or ""
        reasoning += delta.get("reasoning_content") or ""
        reason = choice["finish_reason"] or reason
        for call in delta.get("tool_calls") or ():
            function = call["function"]
            if call["index"] == len(calls):
                calls.append((function["name"], ""))
            argument_deltas += bool(function["arguments"])
            name, arguments = calls[call["index"]]
            calls[call["index"]] = (name, arguments + (function["arguments"] or ""))
    return {
        "content": content,
        "reasoning": reasoning,
        "calls": calls,
        "finish_reason": reason,
        "argument_deltas": argument_deltas,
    }
