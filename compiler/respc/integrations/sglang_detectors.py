"""Detectors of SGLang that parse with compiled code: one kind for reasoning, one for calls.

SGLang asks its own classes for everything that is no parsing: which grammar holds calls to their tools, and which token
ends the reasoning. The classes that it is given are made of those here and of its own for response templates, for which
it keeps special tokens in the text and tells a detector the prompt.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from respc.integrations.engine_grammars import CallGrammars, Wanted, tools_named
from respc.integrations.engine_reasoning import ReasoningSeparator, is_reasoning
from respc.integrations.sglang_backends import LLGUIDANCE, READ_GRAMMARS
from respc.integrations.sglang_formats import OwnDetectors
from respc_runtime.openai import OPENAI_TEXTS, ChatCompletionParser
from respc_runtime.outside_text import OUTSIDE_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.integrations.engine_grammars import Holding, ReasoningState
    from respc.integrations.sglang_parts import SglangParts
    from respc_runtime.call_deltas import Delta

_LOGGER: Final = logging.getLogger(__name__)
_FROM_START: Final = "from_start"
# Reasoning that nothing has separated is a part of the answer.
_ALL_AS_CONTENT: Final[dict[str, Literal["content"]]] = dict.fromkeys(OPENAI_TEXTS, "content")


class WrittenFormat(NamedTuple):
    """What is known of a format.

    Attributes:
        name: what messages call it.
        template: its response template.
        parser: the class of its parser, with serving events.
        reasoning_opener: the text that opens its reasoning; "" where there is none, or several.
        reasoning_closer: the text that closes it.
    """

    name: str
    template: dict[str, Any]
    parser: Any
    reasoning_opener: str = ""
    reasoning_closer: str = ""


class FormatDetector:
    """What both kinds have: the format, and SGLang's own detectors for it."""

    sglang: ClassVar[SglangParts]
    own: ClassVar[OwnDetectors] = OwnDetectors()

    @classmethod
    def format_for(cls, tokenizer: Any) -> WrittenFormat:
        """Give the format."""
        raise NotImplementedError

    @staticmethod
    def prompt_of_message(parser: Any, prefix: str) -> str:
        """Give the prompt, unless it does not say where the message begins."""
        if not prefix or parser(prefix).anchor_found:
            return prefix
        _warn_of_prompts(parser)
        return ""


class ReasoningDetector(FormatDetector):
    """Separates reasoning from the rest, in which calls stand as the model wrote them."""

    def __init__(
        self,
        stream_reasoning: bool = True,
        tokenizer: Any = None,
        prefix: str = "",
        force_nonempty_content: bool = False,
        grammar_start: str | None = None,
        **_further: Any,
    ) -> None:
        self.stream_reasoning = stream_reasoning
        written = self.format_for(tokenizer)
        self._parser = written.parser
        self._prefix = self.prompt_of_message(self._parser, prefix)
        self._grammar_start = grammar_start
        self._force_nonempty_content = force_nonempty_content
        self._separator = self._new_separator()
        self._pending = ""
        """Reasoning that is not given out yet, or counts as the answer if nothing comes behind it."""
        self.response_template = None
        self.answer_started = False
        self.message_start_think_openers: list[str] = []
        self._take_marks(written, tokenizer)
        if tokenizer is not None and self.sglang.call_parser():
            # SGLang makes one of these when it starts, and the first of the others for a request.
            CallGrammars(written.name, written.template, tokenizer)

    def _take_marks(self, written: WrittenFormat, tokenizer: Any) -> None:
        """Tell what reasoning stands between, for grammars that wait until it is over."""
        own = (
            None if self.own.reasoning is None else _own_reasoning(self.sglang, self.own.reasoning, tokenizer)
        )
        self.think_start_token = getattr(own, "think_start_token", None) or written.reasoning_opener
        self.think_end_token = getattr(own, "think_end_token", None) or written.reasoning_closer
        self.think_start_self_label = getattr(own, "think_start_self_label", "")
        self.think_excluded_tokens = getattr(own, "think_excluded_tokens", None)
        if own is not None:
            self.reasoning_default = own.reasoning_default
            self.thinks_internally = own.thinks_internally

    def _new_separator(self) -> ReasoningSeparator | None:
        """Make what separates; None if all is the answer, which a grammar shapes."""
        if self._grammar_start == _FROM_START:
            return None
        return ReasoningSeparator(self._parser(self._prefix), raw_rest=self._grammar_start is not None)

    def starts_message(self, prefix: str) -> bool:
        """Tell that no grammar has to hold the reasoning too: SGLang's waits until it is over."""
        return False

    def answer_opener(self, prefix: str) -> str:
        """Give what opens an answer that the request begins: nothing."""
        return ""

    def json_output_started(self, text: str) -> bool:
        """Tell whether a text reaches the answer that a grammar shapes."""
        separator = self._new_separator()
        if separator is not None:
            separator.feed(text)
        return separator is None or separator.is_raw

    def detect_and_parse(self, text: str) -> Any:
        """Separate a whole text."""
        separator = self._new_separator()
        if separator is None:
            return self._result("", text)
        first, last = separator.feed(text), separator.finalize()
        reasoning, rest = first.reasoning + last.reasoning, first.rest + last.rest
        if self._force_nonempty_content and not rest:
            reasoning, rest = rest, reasoning
        return self._result(reasoning, rest)

    def parse_streaming_increment(self, new_text: str) -> Any:
        """Take the next chunk."""
        if self._separator is None:
            return self._result("", new_text)
        reasoning, rest = self._separator.feed(new_text)
        return self._result(self._due(reasoning, ended=False), rest)

    def finish(self) -> Any:
        """End the generation."""
        if self._separator is None:
            return self._result("", "")
        was_over = self._separator.is_over
        reasoning, rest = self._separator.finalize()
        if self._force_nonempty_content and not was_over and not rest:
            return self._result("", self._pending + reasoning)
        return self._result(self._due(reasoning, ended=True), rest)

    def _due(self, reasoning: str, *, ended: bool) -> str:
        """Give the reasoning that can go out."""
        self._pending += reasoning
        is_over = ended or self._separator is None or self._separator.is_over
        if self.stream_reasoning:
            due, keeps = reasoning, self._force_nonempty_content and not is_over
        else:
            due, keeps = self._pending if is_over else "", not is_over
        if not keeps:
            self._pending = ""
        return due

    def _result(self, reasoning: str, rest: str) -> Any:
        return self.sglang.ReasoningResult(normal_text=rest, reasoning_text=reasoning)


class CallDetector(FormatDetector):
    """Parses calls, and gives their arguments out while the model writes them."""

    def __init__(
        self,
        tokenizer: Any = None,
        response_template: dict[str, Any] | None = None,
        prefix: str = "",
        tools: Sequence[Any] | None = None,
        constrained: bool = False,
    ) -> None:
        self.sglang.BaseFormatDetector.__init__(self)
        self.response_template = None
        self.tool_close_literals: list[str] = []
        self.incomplete_tool_call_indices: set[int] = set()
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.streamed_args_for_tool: list[str] = []
        self._tokenizer = tokenizer
        written = self.format_for(tokenizer)
        self._parser = written.parser
        self._grammars = CallGrammars(written.name, written.template, tokenizer)
        self._held: tuple[Any, Holding] | None = None
        self._prefix = self._begun_message(prefix)
        self._tools = tools
        self._chat: ChatCompletionParser | None = None
        self._places: dict[int, int | None] = {}
        """The calls of the parser with their places among those given out; None for one to an unknown tool."""
        self._read: tuple[str, ChatCompletionParser] | None = None
        self._left_over = ""
        """Text at the end in which a call could have begun."""

    def _begun_message(self, prefix: str) -> str:
        """Give the prompt, unless it ends in reasoning: that was separated before the text came here."""
        prefix = self.prompt_of_message(self._parser, prefix)
        opened: str | None = None
        for event in self._parser(prefix).initial_events:
            if event["type"] != "region_chunk":
                opened = event["field"] if event["type"] == "region_open" else None
        return "" if opened is not None and is_reasoning(opened) else prefix

    def _new_chat(self, tools: Sequence[Any] | None) -> ChatCompletionParser:
        return ChatCompletionParser(
            self._parser,
            self._prefix,
            tools=_as_dicts(tools),
            stream_arguments=True,
            texts=_ALL_AS_CONTENT,
            prefill=False,
            require_anchor=False,
        )

    def _finalized(self, chat: ChatCompletionParser) -> list[Delta]:
        # SGLang trims the stop token, which can be what closes a call. A call of tags has a closer of its own, and
        # without that it may lack arguments; one of JSON that can be read is whole.
        deltas = chat.finalize(stopped=not self._parser.open_ended)
        self._left_over = ""
        for region in chat.unread:
            if region.is_call and OUTSIDE_REASONS["begun"] in str(region.error):
                # Such text SGLang gives out at the end.
                self._left_over = region.text
            elif region.is_call:
                _LOGGER.warning("a call could not be read, and is left out: %s", region.error)
        return deltas

    def _whole(self, text: str, tools: Sequence[Any] | None) -> ChatCompletionParser:
        """Parse a whole text, which SGLang asks for several times."""
        if self._read is None or self._read[0] != text:
            chat = self._new_chat(tools or self._tools)
            chat.feed(text)
            self._finalized(chat)
            self._read = text, chat
        return self._read[1]

    def has_tool_call(self, text: str) -> bool:
        """Tell whether parsing makes a difference to a text: SGLang takes it as it is else."""
        message = self._whole(text, None).message or {}
        return "tool_calls" in message or (message["content"] or "") + self._left_over != text

    def detect_and_parse(self, text: str, tools: Sequence[Any]) -> Any:
        """Parse a whole text."""
        message = self._whole(text, tools).message or {}
        known = self._known(tools)
        functions = [call["function"] for call in message.get("tool_calls", ())]
        functions = [function for function in functions if known is None or function["name"] in known]
        items = [
            self.sglang.ToolCallItem(
                tool_index=place, name=function["name"], parameters=function["arguments"]
            )
            for place, function in enumerate(functions)
        ]
        content = (message["content"] or "") + self._left_over
        return self.sglang.CallResult(normal_text=content, calls=items)

    def parse_streaming_increment(self, new_text: str, tools: Sequence[Any]) -> Any:
        """Take the next chunk."""
        if self._chat is None:
            self._chat = self._new_chat(tools)
        return self._given_out(self._chat.feed(new_text), tools)

    def finish(self, tools: Sequence[Any]) -> Any:
        """End the generation."""
        chat = self._chat or self._new_chat(tools)
        result = self._given_out(self._finalized(chat), tools)
        result.normal_text += self._left_over
        begun = [self._places.get(index) for region in chat.unread for index in region.indexes]
        self.incomplete_tool_call_indices = {place for place in begun if place is not None}
        return result

    def _given_out(self, deltas: Iterable[Delta], tools: Sequence[Any]) -> Any:
        """Turn deltas of a chat completion into what SGLang has for them."""
        content: list[str] = []
        items: list[Any] = []
        for delta in deltas:
            content.append(delta.get("content", ""))
            for call in delta.get("tool_calls", ()):
                function, index = call["function"], call["index"]
                name = function.get("name")
                if name is not None:
                    self._places[index] = self._next_place(name, tools)
                place = self._places[index]
                if place is None:
                    continue
                arguments = function.get("arguments", "")
                self.streamed_args_for_tool[place] += arguments
                self.prev_tool_call_arr[place]["arguments"] = self.streamed_args_for_tool[place]
                items.append(self.sglang.ToolCallItem(tool_index=place, name=name, parameters=arguments))
        return self.sglang.CallResult(normal_text="".join(content), calls=items)

    def _next_place(self, name: str, tools: Sequence[Any]) -> int | None:
        known = self._known(tools)
        if known is not None and name not in known:
            _LOGGER.warning("a call to the unknown tool %s is left out", name)
            return None
        self.prev_tool_call_arr.append({"name": name, "arguments": ""})
        self.streamed_args_for_tool.append("")
        self.current_tool_id = len(self.prev_tool_call_arr) - 1
        return self.current_tool_id

    def _known(self, tools: Sequence[Any]) -> set[str] | None:
        """Give the names of tools that may be called; None for any."""
        if self.sglang.forwards_unknown_tools():
            return None
        return {tool.function.name for tool in tools}

    def open_call_closer(self, text: str) -> str | None:
        """Tell that no closer has to be put back where generation stopped: a call is whole without it."""
        return None

    def validate_structure_constraint_request(
        self,
        tool_choice: Any,
        parallel_tool_calls: bool,
        strict_requested: bool,
        *,
        tools: list[Any],
        thinking_mode: bool = False,
    ) -> Any:
        """Give the grammar of a request's calls: that of the format, or of SGLang's own detector, if it has one."""
        if self.sglang.grammar_backend() not in READ_GRAMMARS:
            return None
        if tools and (tool_choice != "auto" or strict_requested or not parallel_tool_calls):
            # With a parser for reasoning, SGLang waits with the grammar until that is over.
            reasoning: ReasoningState = "open" if thinking_mode else "none"
            name = None if isinstance(tool_choice, str) else str(tool_choice.function.name)
            wanted = Wanted("required" if name else tool_choice, parallel_tool_calls, reasoning)
            callable_tools = tools_named(_as_dicts(tools), name)
            made = self._grammars.holding(callable_tools, wanted, replace(wanted, reasoning="none"))
            if made is not None:
                tag = made.tag_of_xgrammar()
                self._held = tag, made
                return tag
        own = self._own_parser(tools)
        if own is None:
            return None
        if tool_choice == "auto" and not parallel_tool_calls:
            return own.detector.get_structural_tag(
                tools=tools, tool_choice="auto", thinking_mode=thinking_mode, parallel_tool_calls=False
            )
        constraint = own.get_structure_constraint(
            tool_choice, parallel_tool_calls=parallel_tool_calls, thinking_mode=thinking_mode
        )
        return constraint[1] if constraint is not None and constraint[0] == "structural_tag" else None

    def lark_of(self, tag: Any) -> str | None:
        """Give a grammar of calls as Lark where the backend reads that; None where it is none of respc's."""
        if self._held is None or self._held[0] is not tag or self.sglang.grammar_backend() != LLGUIDANCE:
            return None
        return self._held[1].lark()

    def supports_structural_tag(self) -> bool:
        """Tell whether calls that have to be made are in the format; else they are a JSON array."""
        if self.sglang.grammar_backend() not in READ_GRAMMARS:
            return False
        tools = _as_dicts(self._tools)
        if tools and self._grammars.holding(tools, Wanted("required")) is not None:
            return True
        own = self._own_parser(())
        return own is not None and bool(own.detector.supports_structural_tag())

    def parses_required_natively(self) -> bool:
        """Tell whether calls that have to be made are in the format without a grammar."""
        own = self._own_parser(())
        return own is not None and bool(own.detector.parses_required_natively())

    def _own_parser(self, tools: Sequence[Any]) -> Any:
        if self.own.calls is None:
            return None
        return self.sglang.FunctionCallParser(list(tools), self.own.calls, tokenizer=self._tokenizer)


def _as_dicts(tools: Sequence[Any] | None) -> list[Any]:
    return [tool if isinstance(tool, dict) else tool.model_dump() for tool in tools or ()]


@cache
def _warn_of_prompts(parser: Any) -> None:
    """Say once that a format does not fit."""
    _LOGGER.warning(
        "a prompt has no start anchor of the format of %s, and is left out: is that the parser for this model?",
        parser.__module__,
    )


@lru_cache(maxsize=8)
def _own_reasoning(sglang: SglangParts, name: str, tokenizer: Any) -> Any:
    """Give SGLang's own detector of a format, of which nothing is parsed."""
    return sglang.ReasoningParser(model_type=name, stream_reasoning=False, tokenizer=tokenizer).detector
