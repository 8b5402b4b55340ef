"""One answer of a model for vLLM: its text in pieces, and the reasoning, content and calls that these become."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, cast

from respc.integrations.vllm_formats import REASONING_FIELDS
from respc.integrations.vllm_watched_parser import WatchedParser
from respc_runtime.openai import ChatCompletionParser, make_call_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal

    from respc.integrations.vllm_formats import ServedFormat
    from respc_runtime.call_deltas import Delta
    from respc_runtime.protocols import CompiledServingParser

_LOGGER: Final = logging.getLogger(__name__)
_APART: Final[Mapping[str, Literal["content", "reasoning_content"]]] = {
    "content": "content",
    **dict.fromkeys(REASONING_FIELDS, "reasoning_content"),
}
_TOGETHER: Final[Mapping[str, Literal["content", "reasoning_content"]]] = dict.fromkeys(_APART, "content")
_REASONING_KEY: Final = "reasoning_content"


class CallIds:
    """The ids of an answer's calls. vLLM parses some answers twice; then the calls have the same ids again."""

    def __init__(self) -> None:
        self._made: list[str] = []

    def maker(self) -> Callable[[], str]:
        """Give what makes the ids from the first on."""
        place = -1

        def make() -> str:
            nonlocal place
            place += 1
            if place == len(self._made):
                self._made.append(make_call_id())
            return self._made[place]

        return make


class Answer:
    """What became of an answer, as far as it is known."""

    def __init__(self) -> None:
        self.reasoning: list[str] = []
        self.content: list[str] = []
        self.calls: list[dict[str, Any]] = []

    def add(self, deltas: Iterable[Delta]) -> None:
        """Take deltas."""
        for delta in deltas:
            self.reasoning.append(delta.get(_REASONING_KEY) or "")
            self.content.append(delta.get("content") or "")
            for call in delta.get("tool_calls", ()):
                self._add_call(call)

    def as_delta(self) -> Delta:
        """Give what was added as one delta."""
        parts: Delta = {
            _REASONING_KEY: "".join(self.reasoning),
            "content": "".join(self.content),
            "tool_calls": self.calls,
        }
        return {key: value for key, value in parts.items() if value}

    def _add_call(self, delta: dict[str, Any]) -> None:
        if self.calls and self.calls[-1]["index"] == delta["index"]:
            function = self.calls[-1]["function"]
            function["arguments"] = function.get("arguments", "") + delta["function"].get("arguments", "")
        else:
            self.calls.append({**delta, "function": dict(delta["function"])})


class Generation:
    """One answer while it is written.

    Args:
        served: its format.
        prompt: the end of the prompt, at least from the beginning of the answer on.
        tools: the tools of the request, by whose parameters arguments are cast.
        ids: the ids of its calls.
        calls_wanted: whether calls become calls. Else they are content, as the text that they are.
        reasoning_apart: whether the reasoning is told from the content.
    """

    def __init__(
        self,
        served: ServedFormat,
        prompt: str,
        tools: list[dict[str, Any]],
        ids: CallIds,
        *,
        calls_wanted: bool,
        reasoning_apart: bool = True,
    ) -> None:
        parser = served.parser(prompt, tools=tools or None)
        self._parser = WatchedParser(parser, _APART, calls_wanted=calls_wanted)
        self._prompt_end = len(parser.input_text)
        self._chat = ChatCompletionParser(
            cast("CompiledServingParser", self._parser),
            stream_arguments=True,
            texts=_APART if reasoning_apart else _TOGETHER,
            prefill=False,
            require_anchor=False,
            make_id=ids.maker(),
        )
        self._is_whole = False
        self._told = 0
        self._has_content = False

    @property
    def other_text(self) -> str | None:
        """The text from the first region on that is neither content nor reasoning; None before there is one."""
        start = self._parser.other_start
        return None if start is None else self._parser.input_text[max(start, self._prompt_end) :]

    def feed(self, text: str) -> list[Delta]:
        """Take the next piece of text and give its deltas."""
        deltas = self._sent(self._chat.feed(text))
        while self._parser.has_events:
            deltas += self._sent(self._chat.feed(""))
        return deltas

    def finish(self) -> list[Delta]:
        """End the answer and give the last deltas."""
        self._parser.end()
        return self.feed("") + self._sent(self._chat.finalize())

    def whole(self, text: str) -> Answer:
        """Take all of the answer at once.

        It is what the deltas of its pieces add up to, but for calls that did not become whole: those are left out, or
        are the text that they are, where the model has ended them.
        """
        self._is_whole = True
        answer = Answer()
        answer.add(self.feed(text))
        answer.add(self.finish())
        begun = {index for region in self._chat.unread for index in region.indexes}
        answer.calls = [call for call in answer.calls if call["index"] not in begun]
        return answer

    def _sent(self, deltas: list[Delta]) -> list[Delta]:
        """Note deltas, and add the text of a region that goes out as the text that it is."""
        self._has_content |= any("content" in delta for delta in deltas)
        for region in self._chat.unread[self._told :]:
            self._told += 1
            # Of a call that a client knows already, it would be there twice.
            is_new = self._is_whole or not region.indexes
            if region.error is self._parser.raw_error and is_new:
                text = region.text.strip()
                deltas.append({"content": f"\n{text}" if self._has_content else text})
                self._has_content = True
            else:
                _LOGGER.info("left out of an answer, %d characters: %s", len(region.text), region.error)
        return deltas


class DeltaQueue:
    """Deltas that wait to be sent, one message a step.

    vLLM sends of a message first the reasoning, then the content, then the calls. So what comes in another order waits
    for the next step.
    """

    def __init__(self) -> None:
        self._waiting: list[Delta] = []

    def add(self, deltas: Iterable[Delta]) -> None:
        """Take deltas."""
        self._waiting += deltas

    def next_message(self) -> list[Delta]:
        """Give the deltas of the next message."""
        rank = 0
        for place, delta in enumerate(self._waiting):
            if _rank(delta) < rank:
                message, self._waiting = self._waiting[:place], self._waiting[place:]
                return message
            rank = _rank(delta)
        return self.last_message()

    def last_message(self) -> list[Delta]:
        """Give all that waits, for there is no other message."""
        message, self._waiting = self._waiting, []
        return message


def _rank(delta: Delta) -> int:
    return 2 if "tool_calls" in delta else 1 if "content" in delta else 0


def continues_call(deltas: Iterable[Delta]) -> bool:
    """Tell whether there is more of a call that an earlier message began."""
    begun: set[int] = set()
    for call in (call for delta in deltas for call in delta.get("tool_calls", ())):
        if "id" not in call and call["index"] not in begun:
            return True
        begun.add(call["index"])
    return False
