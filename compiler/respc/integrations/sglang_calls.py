"""Detectors of SGLang for calls, which parse with compiled code."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from respc.integrations.engine_grammars import CallGrammars, Wanted, tools_named
from respc.integrations.engine_reasoning import is_reasoning
from respc.integrations.sglang_backends import LLGUIDANCE, READ_GRAMMARS
from respc.integrations.sglang_detectors import FormatDetector
from respc_runtime.openai import OPENAI_TEXTS, ChatCompletionParser
from respc_runtime.outside_text import OUTSIDE_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.integrations.engine_grammars import Holding, ReasoningState
    from respc_runtime.call_deltas import Delta

_LOGGER: Final = logging.getLogger(__name__)
# Reasoning that nothing has separated is a part of the answer.
_ALL_AS_CONTENT: Final[dict[str, Literal["content"]]] = dict.fromkeys(OPENAI_TEXTS, "content")


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
