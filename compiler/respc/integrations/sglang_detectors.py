"""Detectors of SGLang that parse with compiled code: what all have, and the kind for reasoning.

SGLang asks its own classes for everything that is no parsing: which grammar holds calls to their tools, and which token
ends the reasoning. The classes that it is given are made of those here and of its own for response templates, for which
it keeps special tokens in the text and tells a detector the prompt.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from respc.integrations.engine_grammars import CallGrammars
from respc.integrations.engine_reasoning import ReasoningSeparator
from respc.integrations.sglang_formats import OwnDetectors

if TYPE_CHECKING:
    from respc.integrations.sglang_parts import SglangParts

_LOGGER: Final = logging.getLogger(__name__)
_FROM_START: Final = "from_start"


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
