"""The OpenAI form of a generation: deltas of chat completions, the message, and the finish reason.

Plain dicts, as a server writes them into its responses; the package `openai` is not needed.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from respc_runtime.call_deltas import CallNumbers, CallRegion
from respc_runtime.completion_objects import CompletionObjects as CompletionObjects
from respc_runtime.errors import MissingAnchorError, ResponseError, ResponseValueError
from respc_runtime.folded_text import MOST_PIECES
from respc_runtime.input_text import InputText
from respc_runtime.message_regions import OpenRegion
from respc_runtime.message_regions import UnreadRegion as UnreadRegion
from respc_runtime.message_texts import OPENAI_TEXTS as OPENAI_TEXTS
from respc_runtime.message_texts import MessageTexts
from respc_runtime.named_parsers import opened_parser
from respc_runtime.outside_text import OUTSIDE_REASONS, OutsideText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from respc_runtime.batches import Tools
    from respc_runtime.call_deltas import Delta
    from respc_runtime.completion_objects import FinishReason as FinishReason
    from respc_runtime.forms import CallForm
    from respc_runtime.message_texts import TextKeys
    from respc_runtime.protocols import CompiledServingParser
    from respc_runtime.streamed_text import TextStream

CALL_ID_LENGTH: Final = 24
CALL_ID_CHARACTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
CHARACTER_OF_BYTE: Final = bytes(CALL_ID_CHARACTERS[byte % len(CALL_ID_CHARACTERS)] for byte in range(256))


def make_call_id() -> str:
    """Make an id for a tool call of a format that has none: `call_` and 24 random characters."""
    return "call_" + secrets.token_bytes(CALL_ID_LENGTH).translate(CHARACTER_OF_BYTE).decode()


class ChatCompletionParser:
    """Turns one generation into the deltas, the message and the finish reason of a chat completion.

    Take `initial_deltas` first, then what `feed` gives for each chunk, then what `finalize` gives. The deltas add up
    to `message`: their texts to its texts, their calls to its calls, but for calls that were begun and are in
    `unread` now. With `whole_calls` there are none of these.

    Args:
        parser: the `ServingParser` of a module, or the `ResponseParser` of one that was compiled with serving events;
            an instance of one that was not fed yet; or the name of a ready-made parser's family or of a model, as
            `qwen3` or `Qwen/Qwen3-8B`.
        prefix: the prompt that the model continued; not with an instance.
        tools: casts the arguments of tool calls; an instance already has its own.
        stream_arguments: whether arguments go out while their call is open, where the format allows it.
        whole_calls: whether a call goes out only when it is whole. Then clients never have one that is not in the
            message.
        texts: the fields whose text goes out, with what it becomes: `content`, `reasoning` or `reasoning_content`, or
            a tuple of both keys of reasoning. Other fields are in the message only.
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
        UnknownParserError: there is no ready-made parser of that name; a LookupError.
        ValueError: `texts` has something else for a field.
        TypeError: the parser has no serving events, an instance is given with a prefix, or arguments shall be
            streamed of calls that go out whole.
    """

    __slots__ = (
        "_call_forms",
        "_calls",
        "_clean_key",
        "_input",
        "_numbers",
        "_outside",
        "_parameters",
        "_parser",
        "_region",
        "_seen",
        "_silent_pieces",
        "_stream",
        "_stream_arguments",
        "_texts",
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
        parser: str | type[CompiledServingParser] | CompiledServingParser,
        prefix: str | None = None,
        *,
        tools: Tools | None = None,
        stream_arguments: bool = False,
        whole_calls: bool = False,
        texts: Mapping[str, TextKeys] | None = None,
        prefill: bool = True,
        unread_as_content: bool = False,
        require_anchor: bool = True,
        make_id: Callable[[], str] = make_call_id,
    ) -> None:
        if stream_arguments and whole_calls:
            raise TypeError("`stream_arguments` lets calls out before they are whole, unlike `whole_calls`")
        opened: Any = opened_parser(parser, prefix, tools)
        if require_anchor and opened.anchor_found is False:
            raise MissingAnchorError
        self._parser = opened
        self._call_forms: Mapping[str, CallForm] = opened.calls
        self._texts = MessageTexts(texts, opened.texts, keeps_prefill=prefill)
        self._stream_arguments = stream_arguments
        self._whole_calls = whole_calls
        self._parameters: Any = opened.parameters if stream_arguments else {}
        self._unread_as_content = unread_as_content
        self._numbers = CallNumbers(make_id)
        self._calls: list[dict[str, Any]] = []
        self._region: OpenRegion | None = None
        self._outside: OutsideText | None = None
        self._seen: set[str] = set()
        self._trusts_end = False
        # Of the open region: what its text goes out with, under which key text goes out as it is, and where it is kept
        # if none goes out.
        self._stream: TextStream | None = None
        self._clean_key: str | None = None
        self._silent_pieces: list[str] | None = None
        # Modules of their own that are older have no marks.
        self._input = InputText(opened.input_text, getattr(opened, "marks", {}))
        self.unread: list[UnreadRegion] = []
        self.message: dict[str, Any] | None = None
        self.finish_reason: FinishReason | None = None
        self.parsed: dict[str, Any] | None = None
        self.initial_deltas: list[Delta] = [{"role": "assistant"}]
        for event, _ in self._input.complete(opened.initial_events):
            self._follow(event, True, self.initial_deltas)
        self._input.begin_generation()
        self._look_ahead()

    @property
    def open_field(self) -> str | None:
        """The field whose region is open behind what was fed; None where none is."""
        return None if self._region is None else self._region.field

    def feed(self, text: str) -> list[Delta]:
        """Take the next chunk of the generation and give its deltas."""
        events: list[dict[str, Any]] = self._parser.feed(text)
        if events and (key := self._clean_key) is not None:
            try:
                # The same string: nothing of it, or of what was held back before, is missing in the first event, so
                # that there is no other.
                if events[0]["text"] is text and text.rstrip() is text:
                    # The list is nobody else's.
                    events[0] = {key: text}
                    return events
            except KeyError:
                pass  # it is no chunk
        elif (
            (pieces := self._silent_pieces) is not None
            and len(events) == 1
            and len(pieces) < MOST_PIECES
            and events[0]["type"] == "region_chunk"
        ):
            pieces.append(text)
            return []
        return self._take(text, events)

    def _take(self, text: str, events: list[dict[str, Any]]) -> list[Delta]:
        """Take a chunk with all that it leads to, and give its deltas."""
        known = self._input
        if len(events) == 1 and events[0]["type"] == "region_chunk":
            piece: str = events[0]["text"]
            if (stream := self._stream) is not None:
                if piece is not text or known.pieces:
                    known.add(text)
                    known.pass_piece(piece)
                sent = stream.take(piece)
                key = self._clean_key = None if known.pieces else stream.clean_key
                if not sent:
                    return []
                return [stream.delta(sent) if key is None else {key: sent}]
            region = self._region
            if region is not None and region.calls is not None and known.is_generated:
                known.add(text)
                return region.calls.take(piece)
        known.add(text)
        if not events:
            self._clean_key = None
            return []
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
        self._texts.add_defaults(self.parsed or {}, self._seen, deltas)
        self._texts.finish(deltas)
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
        for event, of_prompt in self._input.complete(events):
            self._follow(event, of_prompt, deltas)
        self._look_ahead()
        return deltas

    def _look_ahead(self) -> None:
        """Forget what is done with, and see what is to be done with chunks of the open region."""
        region, known = self._region, self._input
        self._stream = self._clean_key = self._silent_pieces = None
        if region is None or region.is_streamed:
            known.drop_before(known.place)
        if region is None or not known.is_generated:
            return
        if not region.is_streamed:
            self._silent_pieces = None if self._has_deltas(region) else known.pieces
        elif region.stream is not None:
            known.lag()
            self._stream = region.stream
            self._clean_key = None if known.pieces else region.stream.clean_key

    def _has_deltas(self, region: OpenRegion) -> bool:
        """Tell whether chunks of a region lead to deltas."""
        if region.calls is not None:
            return region.calls.reads_text
        return self._texts.goes_out_in_pieces(region.field)

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
            elif self._texts.goes_out_in_pieces(region.field):
                self._texts.add(region, event["text"], self._input.place, of_prompt, deltas)
            return
        self._region = None
        if kind == "region_malformed":
            self._leave_unread(region, event, event["error"], deltas)
        elif region.calls is not None:
            self._close_calls(region, region.calls, event, deltas)
        elif region.stream is not None:
            self._texts.close(region, event["value"], event["start"], of_prompt, deltas)
        self._pass_delimiter(event, of_content=region.stream is self._texts.content)

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
        self._input.drop_before(event["start"])
        stream = self._texts.fields.get(field)
        self._region = OpenRegion(field, event["start"], calls, stream, is_implicit="captures" not in event)

    def _pass_delimiter(self, event: dict[str, Any], *, of_content: bool = False) -> None:
        """Note the blanks of a delimiter: they are the model's own between texts."""
        start, end, told, content = event["start"], event["end"], self._input.place, self._texts.content
        if event["type"] == "region_open" and told < start:
            # Closers of the implicit field, met where that is not open.
            content.pass_delimiter(self._input.between(told, start), of_region=True)
        if start < end:
            content.pass_delimiter(self._input.between(start, end), of_region=of_content)

    def _take_outside(self, event: dict[str, Any], deltas: list[Delta]) -> None:
        """Take text outside of all regions; what follows on it is one with it."""
        if self._outside is None or not self._outside.takes(event):
            self._leave_outside(deltas)
            self._outside = OutsideText(event)

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
            self._texts.add_raw(text, deltas)

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
            self._leave_unread(region, event, error, deltas)

    def _leave_unread(
        self, region: OpenRegion, event: dict[str, Any], error: ResponseError, deltas: list[Delta]
    ) -> None:
        """Keep a region that is not for the message."""
        text = (
            self._parser.input_text[region.start : event["end"]]
            if region.is_streamed  # then nothing of it is kept here
            else self._input.between(region.start, event["end"])
        )
        begun = [] if region.calls is None else region.calls.sent
        indexes = tuple(call.index for call in begun if not call.is_whole)
        self.unread.append(UnreadRegion(region.field, text, error, region.calls is not None, indexes))
        if region.is_streamed and region.stream is not None:
            region.stream.close(event["start"])
        elif self._unread_as_content:
            self._texts.add_raw(text, deltas)

    def _whole_message(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", **self._texts.whole(self._parser.input_text)}
        if self._calls:
            message["tool_calls"] = self._calls
        taken = {*message, *self._texts.fields, *self._call_forms}
        message.update((key, value) for key, value in (self.parsed or {}).items() if key not in taken)
        return message
