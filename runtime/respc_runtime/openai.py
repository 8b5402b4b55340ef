"""The OpenAI form of a generation: deltas of chat completions, the message, and the finish reason.

Plain dicts, as a server writes them into its responses; the package `openai` is not needed.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from respc_runtime.argument_text import can_be_encoded, compact_json
from respc_runtime.call_deltas import CallNumbers, CallRegion
from respc_runtime.completion_objects import CompletionObjects as CompletionObjects
from respc_runtime.errors import MissingAnchorError, ResponseError, ResponseValueError
from respc_runtime.outside_text import OUTSIDE_REASONS, OutsideText
from respc_runtime.prompt_text import PromptText, RawText
from respc_runtime.streamed_text import TextStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from respc_runtime.call_deltas import Delta
    from respc_runtime.completion_objects import FinishReason as FinishReason
    from respc_runtime.forms import CallForm, TextForm
    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.tools import PreparedTools

OPENAI_TEXTS: Final = {
    "content": "content",
    "reasoning_content": "reasoning_content",
    "thinking": "reasoning_content",
}
"""The fields whose text goes out, with the key of a message that each becomes."""

# Raw text among content.
RAW_TEXT_FORM: Final[TextForm] = {"join": "\n", "strip": True}
# Structured content, as JSON text.
WHOLE_TEXT_FORM: Final[TextForm] = {"join": "\n", "strip": False}
CALL_ID_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def make_call_id() -> str:
    """Make an id for a tool call of a format that has none: `call_` and 24 random characters."""
    return "call_" + "".join(secrets.choice(CALL_ID_CHARACTERS) for _ in range(24))


@dataclass(frozen=True)
class UnreadRegion:
    """A region that became no part of the message: its call was cut off, or its value could not be read.

    Or text outside of all regions, that is, that no field takes or that stands behind the end of the turn.

    Attributes:
        field: its field; None for text outside of all regions.
        text: its raw text with its delimiters.
        error: what is wrong with it.
        is_call: whether it is a region of calls.
        indexes: the calls that deltas have begun for it and that are not in the message.
    """

    field: str | None
    text: str
    error: ResponseError
    is_call: bool
    indexes: tuple[int, ...] = ()


class OpenRegion:
    """The region that is being written.

    Attributes:
        field: its field.
        start: where its opener begins.
        calls: of a region of calls, what is known of them.
        is_implicit: whether it is of the field that takes what no other claims.
        is_streamed: whether its text goes out in pieces.
    """

    __slots__ = ("calls", "field", "is_implicit", "is_streamed", "start")

    def __init__(self, field: str, start: int, calls: CallRegion | None, *, is_implicit: bool) -> None:
        self.field = field
        self.start = start
        self.calls = calls
        self.is_implicit = is_implicit
        self.is_streamed = False


class ChatCompletionParser:
    """Turns one generation into the deltas, the message and the finish reason of a chat completion.

    Take `initial_deltas` first, then what `feed` gives for each chunk, then what `finalize` gives. The deltas add up
    to `message`: their texts to its texts, their calls to its calls, but for calls that were begun and are in
    `unread` now. With `whole_calls` there are none of these.

    Args:
        parser: the `ServingParser` of a module, or the `ResponseParser` of one that was compiled with serving events;
            or an instance of one that was not fed yet.
        prefix: the prompt that the model continued; only with a class.
        tools: casts the arguments of tool calls; an instance already has its own.
        stream_arguments: whether arguments go out while their call is open, where the format allows it.
        whole_calls: whether a call goes out only when it is whole. Then clients never have one that is not in the
            message.
        texts: the fields whose text goes out, with what it becomes: `content` or `reasoning_content`. Other fields
            are in the message only.
        prefill: whether text of the message that is in the prompt belongs to the deltas and the message.
        unread_as_content: whether the raw text of unread regions goes out as content.
        require_anchor: whether a prefix without the template's start anchor is refused; else all of it is taken for a
            part of the message.
        make_id: makes the ids of calls whose format has none.

    Attributes:
        initial_deltas: the role, and what the prompt has of the message.
        unread: the regions that are not in the message.
        message: the message, after `finalize`.
        finish_reason: `length` when told; `tool_calls` when there are calls and all are whole; else `stop`.
        parsed: the parser's own message.

    Raises:
        MissingAnchorError: the prefix has no start anchor.
        TypeError: the parser has no serving events, an instance is given with a prefix, or arguments shall be
            streamed of calls that go out whole.
    """

    __slots__ = (
        "_call_forms",
        "_calls",
        "_keeps_prefill",
        "_numbers",
        "_outside",
        "_parameters",
        "_parser",
        "_place",
        "_prompt_text",
        "_raw_text",
        "_region",
        "_seen",
        "_stream_arguments",
        "_streams",
        "_targets",
        "_text_forms",
        "_trusts_end",
        "_unread_as_content",
        "_whole_calls",
        "finish_reason",
        "initial_deltas",
        "message",
        "parsed",
        "unread",
    )

    def __init__(
        self,
        parser: Any,
        prefix: str | None = None,
        *,
        tools: Iterable[Any] | PreparedTools | None = None,
        stream_arguments: bool = False,
        whole_calls: bool = False,
        texts: Mapping[str, Literal["content", "reasoning_content"]] | None = None,
        prefill: bool = True,
        unread_as_content: bool = False,
        require_anchor: bool = True,
        make_id: Callable[[], str] = make_call_id,
    ) -> None:
        if not hasattr(parser, "calls"):
            raise TypeError(
                "the parser has no serving events: take the `ServingParser` of its module, or compile its template "
                "with `--events serving`"
            )
        if stream_arguments and whole_calls:
            raise TypeError("`stream_arguments` lets calls out before they are whole, unlike `whole_calls`")
        if isinstance(parser, type):
            make_parser: Callable[..., Any] = parser
            parser = make_parser(prefix, tools=tools)
        elif prefix is not None:
            raise TypeError("a prefix is for a parser class: an instance already has its own")
        if require_anchor and parser.anchor_found is False:
            raise MissingAnchorError
        self._parser = parser
        self._call_forms: Mapping[str, CallForm] = parser.calls
        self._text_forms: Mapping[str, TextForm] = parser.texts
        self._targets: Mapping[str, str] = OPENAI_TEXTS if texts is None else texts
        self._stream_arguments = stream_arguments
        self._whole_calls = whole_calls
        self._parameters: Any = parser.parameters if stream_arguments else {}
        self._keeps_prefill = prefill
        self._unread_as_content = unread_as_content
        self._numbers = CallNumbers(make_id)
        self._streams = {"reasoning_content": TextStream(), "content": TextStream()}
        self._calls: list[dict[str, Any]] = []
        self._region: OpenRegion | None = None
        self._outside: OutsideText | None = None
        self._place = 0
        self._seen: set[str] = set()
        self._trusts_end = False
        input_text: str = parser.input_text
        self._prompt_text = PromptText(parser.initial_events, input_text)
        self._raw_text = RawText(input_text)
        self.unread: list[UnreadRegion] = []
        self.message: dict[str, Any] | None = None
        self.finish_reason: FinishReason | None = None
        self.parsed: dict[str, Any] | None = None
        self.initial_deltas: list[Delta] = [{"role": "assistant"}]
        for event in parser.initial_events:
            self._follow(event, True, self.initial_deltas)

    def feed(self, text: str) -> list[Delta]:
        """Take the next chunk of the generation and give its deltas."""
        events = self._parser.feed(text)
        self._raw_text.add(text)
        return self._deltas(events)

    def finalize(self, *, length: bool = False, stopped: bool = False) -> list[Delta]:
        """End the generation and give the last deltas.

        Args:
            length: the generation was cut off by a limit.
            stopped: the model ended its turn itself, by a stop token that was left out of the text. Then a call that
                has no closer is whole if its value can be read; else it counts as cut off.

        Raises:
            ValueError: a required field is missing, or another error of the parser.
        """
        self._trusts_end = stopped and not length
        self.parsed, events = self._parser.finalize()
        deltas = self._deltas(events)
        self._leave_outside(deltas)
        self._add_defaults(deltas)
        for target, stream in self._streams.items():
            if left := stream.finish():
                deltas.append({target: left})
        self.message = self._whole_message()
        if length:
            self.finish_reason = "length"
        elif self._calls and not any(region.is_call for region in self.unread):
            self.finish_reason = "tool_calls"
        else:
            self.finish_reason = "stop"
        return deltas

    def _deltas(self, events: Iterable[dict[str, Any]]) -> list[Delta]:
        deltas: list[Delta] = []
        for event, of_prompt in self._prompt_text.complete(events):
            self._follow(event, of_prompt, deltas)
        return deltas

    def _follow(self, event: dict[str, Any], of_prompt: bool, deltas: list[Delta]) -> None:
        """Add the deltas of an event."""
        kind = event["type"]
        if kind == "region_open":
            self._leave_outside(deltas)
            self._open(event, deltas)
            return
        if kind == "text_outside":
            if not of_prompt:
                self._take_outside(event, deltas)
            return
        region = self._region
        if region is None:
            return
        if kind == "region_chunk":
            if region.calls is not None:
                deltas += region.calls.take(event["text"])
            elif region.field in self._targets and region.field in self._text_forms:
                self._add_text(region, event["text"], of_prompt, deltas)
            return
        self._region = None
        if kind == "region_malformed":
            self._leave_unread(region, event["end"], event["error"], deltas)
        elif region.calls is not None:
            self._close_calls(region, region.calls, event, deltas)
        elif region.field in self._targets:
            self._close_text(region, event["value"], of_prompt, deltas)
        self._pass_delimiter(event, of_content=self._targets.get(region.field) == "content")

    def _open(self, event: dict[str, Any], deltas: list[Delta]) -> None:
        field = event["field"]
        calls: CallRegion | None = None
        if (form := self._call_forms.get(field)) is not None:
            calls = CallRegion(
                form,
                event.get("captures", {}),
                stream_arguments=self._stream_arguments,
                tools=self._parameters,
                numbers=self._numbers,
                whole_calls=self._whole_calls,
            )
            deltas += calls.take("")
        self._seen.add(field)
        self._pass_delimiter(event)
        self._raw_text.drop_before(event["start"])
        self._region = OpenRegion(field, event["start"], calls, is_implicit="captures" not in event)

    def _pass_delimiter(self, event: dict[str, Any], *, of_content: bool = False) -> None:
        """Note the blanks of a delimiter: they are the model's own between texts."""
        start, end, stream = event["start"], event["end"], self._streams["content"]
        if event["type"] == "region_open" and self._place < start:
            # Closers of the implicit field, met where that is not open.
            stream.pass_delimiter(self._raw_text.between(self._place, start), of_region=True)
        if start < end:
            stream.pass_delimiter(self._raw_text.between(start, end), of_region=of_content)
        self._place = end

    def _take_outside(self, event: dict[str, Any], deltas: list[Delta]) -> None:
        """Take text outside of all regions; what follows on it is one with it."""
        outside = self._outside
        if outside is None or not outside.goes_on_with(event):
            self._leave_outside(deltas)
            outside = self._outside = OutsideText(event["start"], event["reason"], event["field"])
        outside.add(event["text"])
        self._place = event["end"]

    def _leave_outside(self, deltas: list[Delta]) -> None:
        """Report text outside of all regions, unless it is blank."""
        outside, self._outside = self._outside, None
        if outside is None or not (text := outside.text).strip():
            return
        error = ResponseValueError(
            OUTSIDE_REASONS[outside.reason], field=outside.field, position=outside.start
        )
        self.unread.append(UnreadRegion(outside.field, text, error, outside.field is not None))
        if self._unread_as_content:
            self._send_raw(text, deltas)

    def _add_text(self, region: OpenRegion, text: str, of_prompt: bool, deltas: list[Delta]) -> None:
        """Let a piece of a region's text out."""
        target = self._targets[region.field]
        if not region.is_streamed:
            region.is_streamed = True
            form = self._text_forms[region.field]
            own_blanks = region.is_implicit and not (form["join"] or "").strip()
            self._streams[target].open(form, own_blanks=own_blanks)
        self._send_text(target, text, of_prompt, deltas)

    def _close_text(self, region: OpenRegion, value: JsonValue, of_prompt: bool, deltas: list[Delta]) -> None:
        """Let the text of a region out that had none in pieces."""
        target = self._targets[region.field]
        stream = self._streams[target]
        if not region.is_streamed and value is not None:
            form = self._text_forms.get(region.field)
            stream.open(WHOLE_TEXT_FORM if form is None else {**form, "strip": False})
            text = value if isinstance(value, str) and can_be_encoded(value) else compact_json(value)
            self._send_text(target, text, of_prompt, deltas)
        stream.close()

    def _send_text(self, target: str, text: str, of_prompt: bool, deltas: list[Delta]) -> None:
        text = self._streams[target].take(text)
        if of_prompt and not self._keeps_prefill:
            self._streams[target].begin_after_prompt()
        elif text:
            deltas.append({target: text})

    def _close_calls(
        self, region: OpenRegion, calls: CallRegion, event: dict[str, Any], deltas: list[Delta]
    ) -> None:
        """Take the calls of a region, unless it was cut off."""
        if event["value"] is None and not calls.sent:
            # An empty block.
            return
        fault: str | None = "the response ended before the call did"
        if event["closed"] or self._trusts_end:
            last, whole, fault = calls.close(event["value"])
            deltas += last
            self._calls += whole
        if fault is not None:
            error = ResponseValueError(fault, field=region.field, position=region.start)
            self._leave_unread(region, event["end"], error, deltas)

    def _leave_unread(self, region: OpenRegion, end: int, error: ResponseError, deltas: list[Delta]) -> None:
        """Keep a region that is not for the message."""
        text = self._raw_text.between(region.start, end)
        begun = [] if region.calls is None else region.calls.sent
        indexes = tuple(call.index for call in begun if not call.is_whole)
        self.unread.append(UnreadRegion(region.field, text, error, region.calls is not None, indexes))
        if region.is_streamed:
            self._streams[self._targets[region.field]].close()
        elif self._unread_as_content:
            self._send_raw(text, deltas)

    def _send_raw(self, text: str, deltas: list[Delta]) -> None:
        """Let raw text out as content."""
        stream = self._streams["content"]
        stream.open(RAW_TEXT_FORM)
        self._send_text("content", text, False, deltas)
        stream.close()

    def _add_defaults(self, deltas: list[Delta]) -> None:
        """Let text out that the template has for fields without a region."""
        for field, target in self._targets.items():
            value = (self.parsed or {}).get(field)
            if field not in self._seen and isinstance(value, str):
                self._streams[target].open(self._text_forms.get(field, WHOLE_TEXT_FORM))
                self._send_text(target, value, False, deltas)
                self._streams[target].close()

    def _whole_message(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self._streams["content"].text or None}
        if reasoning := self._streams["reasoning_content"].text:
            message["reasoning_content"] = reasoning
        if self._calls:
            message["tool_calls"] = self._calls
        taken = {*message, *self._targets, *self._call_forms}
        message.update((key, value) for key, value in (self.parsed or {}).items() if key not in taken)
        return message
