"""What reads an answer for vLLM: one side for the reasoning, one for the calls and the rest.

vLLM makes one reasoning parser and one tool parser for an answer, and lets the first read until it says that the
reasoning has ended, and then the second. A model that reasons again afterwards needs one parser for all of it. So where
both are of respc, the reasoning parser keeps what only it is told, the prompt, and the tool parser reads everything.
"""

from __future__ import annotations

import logging
import threading
import weakref
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from respc.integrations.engine_grammars import CallGrammars, Wanted, tools_named
from respc.integrations.vllm_backends import has_grammar, parameters_of
from respc.integrations.vllm_formats import ServedFormat, format_of_family, format_of_tokenizer
from respc.integrations.vllm_generation import Answer, CallIds, DeltaQueue, Generation, continues_call
from respc.integrations.vllm_reasoning import ReasoningCounter, ReasoningWatch, prompt_end
from respc.integrations.vllm_requests import (
    ForcedCalls,
    choice_of,
    forced_name,
    tools_of,
    with_special_tokens,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.integrations.engine_grammars import Holding, ReasoningState
    from respc_runtime.call_deltas import Delta

_LOGGER: Final = logging.getLogger(__name__)
PROTOCOL: Final = "vllm.entrypoints.generate.base.protocol"
"""The module of vLLM that has the parts of an answer."""
OWN_GRAMMAR: Final = "respc"
"""Stands where vLLM has no name for the grammar of a format."""
_KEYS: Final = {"reasoning_content": "reasoning", "content": "content", "tool_calls": "tool_calls"}
_newest = threading.local()
"""The reasoning parser that this thread made last: the next tool parser is of the same answer."""


class _Side:
    """What both parsers of an answer have.

    Attributes:
        family: the ready-made family; None for the tokenizer's own template.
    """

    engine_based_streaming: bool = True
    family: str | None = None
    model_tokenizer: Any

    def _begin(self, tokenizer: Any) -> None:
        family = self.family
        self.served: ServedFormat = (
            format_of_tokenizer(tokenizer) if family is None else format_of_family(family)
        )
        self.ids = CallIds()
        self._generation: Generation | None = None
        self._queue = DeltaQueue()

    def decode(self, ids: list[int]) -> str:
        """Give the text of token ids, with all that a template can ask for."""
        try:
            text = self.model_tokenizer.decode(
                ids,
                skip_special_tokens=False,
                clean_up_tokenization_spaces=False,
                spaces_between_special_tokens=False,
            )
        except TypeError:
            text = self.model_tokenizer.decode(ids, skip_special_tokens=False)
        return str(text)

    def _message(self, deltas: list[Delta]) -> Any:
        """Give a delta of vLLM's, or None where there is nothing to send."""
        if not deltas:
            return None
        if len(deltas) > 1:
            answer = Answer()
            answer.add(deltas)
            deltas = [answer.as_delta()]
        return self._message_class(**{_KEYS[key]: value for key, value in deltas[0].items()})

    @cached_property
    def _message_class(self) -> Any:
        return import_module(PROTOCOL).DeltaMessage


class ReasoningSide(_Side):
    """The reasoning parser of an answer."""

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)  # type: ignore[call-arg]
        self._begin(tokenizer)
        settings: Any = kwargs.get("chat_template_kwargs") or {}
        no_reasoning = not settings.get("enable_thinking", settings.get("thinking", True))
        self._watch = ReasoningWatch(self.served, self.decode, no_reasoning=no_reasoning)
        self._counter: ReasoningCounter | None = None
        self._prompt_ids: list[int] | None = None
        self.prompt = ""
        self.tool_side: type[ToolSide] | None = None
        self._has_handed_over = False
        self._asked: Any = None
        self.answer: Answer | None = None
        _newest.side = weakref.ref(self)

    @property
    def reasoning_start_str(self) -> str | None:
        """The text that begins reasoning, for limits of its length."""
        return self.served.reasoning_opener

    @property
    def reasoning_end_str(self) -> str | None:
        """The text that ends reasoning, for limits of its length."""
        return self.served.reasoning_closer

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Take the prompt."""
        ids = list(prompt_token_ids)
        if ids != self._prompt_ids:
            self._prompt_ids = ids
            self.prompt = prompt_end(self.served, self.decode, ids)
            self._generation = self._counter = self.answer = None

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Tell whether what follows on these tokens is no reasoning."""
        return self._watch.ended(input_ids)

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        """Tell it at every step of an answer."""
        return self._watch.ended_with(input_ids, delta_ids)

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        """Count the tokens of the reasoning in an answer."""
        if self.served.reasoning_field is None:
            return 0
        if self._counter is None or not self._counter.continues(token_ids):
            self._counter = ReasoningCounter(self.served, self.prompt, self.decode)
        return self._counter.count(token_ids)

    def adjust_request(self, request: Any) -> Any:
        """Let the text keep the tokens that delimit its parts."""
        self._asked = request
        return with_special_tokens(request)

    def reasoning_before(self, request: Any) -> ReasoningState | None:
        """Tell where a grammar for a whole answer begins.

        None where vLLM asks for one that is a part of another: then the grammar begins behind the reasoning.
        """
        return self._watch.begins(self.prompt) if request is self._asked else None

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        """Give the tokens behind the reasoning: all of them, they are parsed as text."""
        return input_ids

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Tell whether the tool parser takes over: one of respc from the beginning, another one at the first call."""
        return self.tool_side is not None or self._has_handed_over

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        """Parse a whole answer; its calls are kept for the tool parser."""
        wanted = self.tool_side is not None and self.tool_side.wants_calls(request)
        generation = Generation(self.served, self.prompt, tools_of(request), self.ids, calls_wanted=wanted)
        self.answer = generation.whole(model_output)
        return "".join(self.answer.reasoning) or None, "".join(self.answer.content) or None

    def extract_reasoning_streaming(
        self, previous_text: str, current_text: str, delta_text: str, *ids: Sequence[int]
    ) -> Any:
        """Take the next piece of an answer, unless the tool parser does."""
        if self.tool_side is not None:
            return self._message([{"content": delta_text}] if delta_text else [])
        if self._generation is None:
            self._generation = Generation(self.served, self.prompt, [], self.ids, calls_wanted=False)
        deltas = self._generation.feed(delta_text)
        if (text := self._generation.other_text) is not None:
            # It may be for a tool parser of vLLM; without one, vLLM sends it as content.
            self._generation = None
            self._has_handed_over = True
            return self._message([*self._queue.last_message(), *deltas, {"content": text}])
        self._queue.add(deltas)
        return self._message(self._queue.next_message())

    def finish_streaming(self) -> Any:
        """Give what was held back."""
        generation, self._generation = self._generation, None
        if generation is None:
            return None
        self._queue.add(generation.finish())
        return self._message(self._queue.last_message())


class ToolSide(_Side):
    """The tool parser of an answer. Where there is a reasoning parser of the same format, it reads for both."""

    supports_required_and_named: bool = False
    structural_tag_model: str = OWN_GRAMMAR
    """vLLM asks for grammars only where there is a name."""
    skip_reasoning_parsing: bool = False
    """vLLM sets it where no reasoning parser is chosen; then reasoning is content."""

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        super().__init__(tokenizer, tools)  # type: ignore[call-arg]
        self._begin(tokenizer)
        self._grammars = CallGrammars(self.served.name, self.served.template, tokenizer)
        self._reasoning = self._reasoning_side(tokenizer)
        if self._reasoning is not None:
            self._reasoning.tool_side = type(self)
            self.ids = self._reasoning.ids
        self._list: ForcedCalls | None = None
        self._is_chat = True
        self._continues_call = False
        self._grammar_has_reasoning = False
        self._holding: Holding | None = None

    def _reasoning_side(self, tokenizer: Any) -> ReasoningSide | None:
        """Give the reasoning parser of the same answer: vLLM makes it just before."""
        kept: weakref.ref[ReasoningSide] | None = getattr(_newest, "side", None)
        _newest.side = None
        side = None if kept is None else kept()
        is_of_answer = side is not None and side.family == self.family and side.model_tokenizer is tokenizer
        return side if is_of_answer else None

    def adjust_request(self, request: Any) -> Any:
        """Let the text keep the tokens that delimit its parts; shape calls that have to come."""
        # Without a grammar for the format, vLLM's own way is a list of calls in JSON.
        self.supports_required_and_named = self._is_forced(request)
        try:
            request = super().adjust_request(request)  # type: ignore[misc]
        finally:
            del self.supports_required_and_named
        if self._grammar_has_reasoning:
            # Then it begins with the answer, and not where the reasoning ends.
            request._grammar_from_parser = True
        self._suit_backends(request)
        return with_special_tokens(request)

    def _suit_backends(self, request: Any) -> None:
        """Let the grammar become what the backend of structured outputs reads."""
        holding = self._holding
        # What vLLM joins with a grammar of the request, it has asked for with another choice.
        if holding is not None and holding.wanted.choice == choice_of(request):
            request.structured_outputs = parameters_of(
                request.structured_outputs.structural_tag, holding.lark
            )

    def get_structural_tag(self, request: Any, *, reasoning: bool = False, strict_level: Any = 0) -> Any:
        """Give the grammar of an answer: that of the format for the tools, or if there is none, vLLM's."""
        if not import_module("vllm.envs").VLLM_ENFORCE_STRICT_TOOL_CALLING:
            return None
        before = None if self._reasoning is None else self._reasoning.reasoning_before(request)
        choice = choice_of(request)
        parallel = request.parallel_tool_calls is not False
        # What has no grammar with the reasoning in it can have one that waits until that is over.
        wanted = [Wanted(choice, parallel, state) for state in dict.fromkeys((before or "none", "none"))]
        tools = tools_named(tools_of(request), forced_name(request.tool_choice))
        made = self._holding = self._grammars.holding(tools, *wanted)
        self._grammar_has_reasoning = made is not None and made.wanted.reasoning == before
        if made is not None or self.served.structural_tag is None:
            return made and made.tag_of_xgrammar()
        of_vllm: Any = super()
        return of_vllm.get_structural_tag(request, reasoning=reasoning, strict_level=strict_level)

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        """Give the calls and the content of a whole answer."""
        side = self._reasoning
        answer = side.answer if side is not None else None
        if answer is None:
            answer = self._new_generation(request).whole(model_output)
        calls, content = answer.calls, "".join(answer.content)
        if self._is_forced(request):
            calls = ForcedCalls(request, self.ids).whole(content)
            content = "" if calls else content
        protocol = import_module(PROTOCOL)
        made = [
            protocol.ToolCall(
                id=call["id"], type="function", function=protocol.FunctionCall(**call["function"])
            )
            for call in calls
        ]
        return protocol.ExtractedToolCallInformation(
            tools_called=bool(made), tool_calls=made, content=content or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        """Take the next piece of an answer."""
        if self._generation is None:
            self._generation = self._new_generation(request)
            self._list = ForcedCalls(request, self.ids) if self._is_forced(request) else None
            self._is_chat = hasattr(request, "messages")
        self._queue.add(self._routed(self._generation.feed(delta_text)))
        message = self._queue.next_message()
        self._continues_call = continues_call(message)
        return self._message(message)

    def finish_streaming(self) -> Any:
        """Give what was held back."""
        generation, self._generation = self._generation, None
        if generation is None:
            return None
        deltas = self._routed(generation.finish())
        if self._list is not None:
            deltas += self._list.finish()
        self._queue.add(deltas)
        message = self._queue.last_message()
        if not self._is_chat and (self._continues_call or continues_call(message)):
            # vLLM makes one message of it and the end of the call, sends the text first, and fails at the call.
            calls = [delta for delta in message if "tool_calls" in delta]
            if len(calls) < len(message):
                _LOGGER.warning("text behind a call is left out at the end of a stream of the Responses API")
            message = calls
        return self._message(message)

    def _new_generation(self, request: Any) -> Generation:
        side = self._reasoning
        return Generation(
            self.served,
            "" if side is None else side.prompt,
            tools_of(request),
            self.ids,
            calls_wanted=self.wants_calls(request),
            reasoning_apart=not self.skip_reasoning_parsing,
        )

    def _routed(self, deltas: list[Delta]) -> list[Delta]:
        """Turn content into calls where it is a list of them."""
        return deltas if self._list is None else self._list.routed(deltas)

    @classmethod
    def wants_calls(cls, request: Any) -> bool:
        """Tell whether the calls of a request are written in the model's own format."""
        return request.tool_choice != "none" and not cls._is_forced(request)

    @staticmethod
    def _is_forced(request: Any) -> bool:
        """Tell whether calls have to come that no grammar of the format shapes: they are a list in JSON."""
        choice = request.tool_choice
        shaped = has_grammar(request.structured_outputs)
        return not shaped and (choice == "required" or forced_name(choice) is not None)
