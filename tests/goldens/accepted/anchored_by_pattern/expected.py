# Compiled by respc from template.json. Do not edit: change the template and compile it again.
# Template sha256: 18512d89072d92edcb524299fd201d4b7262142bfb562b69b5725e8c2d3c0eb7
# ABI of respc_runtime: 2
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.alternatives import seek_ways
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import CLOSE, LONG_HELD, NOTHING, Wake, held_from_any
from respc_runtime.errors import MissingFieldError, MissingPrefixError, ParserStateError
from respc_runtime.patterns import compile_pattern, seek_pattern
from respc_runtime.seeking import (
    BLANKS,
    MATCH,
    MISMATCH,
    PENDING,
    Awaited,
    Found,
    Matched,
    Memo,
    Seen,
    Sought,
    after_last_sought,
    earliest,
    or_end,
    seek_literal,
    seek_steps,
    settled,
    skip_run,
    unfinished,
)
from respc_runtime.tools import prepare_tools, tool_parameters

require_abi(2, __name__)

__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionOpen",
    "ResponseParser",
    "parse_response",
    "prepare_tools",
]

Field: TypeAlias = Literal["answer", "notes"]


class Message(TypedDict, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    answer: str
    notes: str


class RegionOpen(TypedDict):
    """A region began."""

    type: Literal["region_open"]
    field: Field


class RegionChunk(TypedDict):
    """Text of the open region: a piece of its value or, where ``dirty``, raw text to parse."""

    type: Literal["region_chunk"]
    field: Field
    text: str
    dirty: bool


class RegionClose(TypedDict):
    """The region ended with this value."""

    type: Literal["region_close"]
    field: Field
    value: Any


Event: TypeAlias = RegionOpen | RegionChunk | RegionClose

# Where a parser can be.
_FAILED: Final = -2
_FINISHED: Final = -1
_OUTSIDE: Final = 0
_IN_ANSWER: Final = 1
_IN_NOTES: Final = 2

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_ANSWER_OPEN: Final = compile_pattern(r"\banswer\b:")
_NOTES_DELIMITERS: Final = re.compile("\\[/note\\]\\\n|\\[/note\\]")
_NOTES_ACTIONS: Final = {"[/note]": CLOSE, "[/note]\n": CLOSE}
_NOTES_LITERALS: Final = (
    "[/note]\n",
    "[/note]",
)
_ANCHOR_RUN: Final = re.compile("[" + BLANKS + "]{0,1}")
_ANCHOR_RUN_2: Final = re.compile("[" + BLANKS + "]{0,1}")
_ANCHOR_HEADS: Final = re.compile(r"<\|turn\|>assistant|<\|turn\|>model")

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_ANSWER: {
        "type": "region_chunk",
        "field": "answer",
        "text": "",
        "dirty": False,
    },
    _IN_NOTES: {
        "type": "region_chunk",
        "field": "notes",
        "text": "",
        "dirty": False,
    },
}


# '\\banswer\\b:' opens 'answer'
def _seek_answer_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_pattern(text, pos, at_end, _ANSWER_OPEN, "a", reach=11)


# '[note]' opens 'notes'
def _seek_notes_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_literal(text, pos, at_end, "[note]", False)


_OUTSIDE_SEEKERS: Final = (
    (_seek_answer_open, _IN_ANSWER, True),
    (_seek_notes_open, _IN_NOTES, True),
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _OUTSIDE_SEEKERS)


def _match_answer_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("\n\n", place):
        return unfinished(text, place, "\n\n", start + 1)
    place += 2
    return MATCH, end, None, None


# '(?=\\n\\n)|$' closes 'answer'
def _seek_answer_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        or_end(text, pos, at_end, seek_steps(text, pos, at_end, "\n\n", _match_answer_close), True),
    )


_ANSWER_SEEKERS: Final = ((_seek_answer_close, CLOSE, True),)


def _find_end_of_answer(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _ANSWER_SEEKERS)


def _find_end_of_notes(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    match = _NOTES_DELIMITERS.search(text, pos)
    if match is None:
        start = len(text) if at_end else held_from_any(text, pos, _NOTES_LITERALS)
        return NOTHING, start, start, None, None
    start, end = match.span()
    if not at_end and end == len(text):
        return NOTHING, start, start, None, None
    return _NOTES_ACTIONS[match[0]], start, end, None, None


_FINDERS: Final = (
    _find_outside,
    _find_end_of_answer,
    _find_end_of_notes,
)


def _match_anchor(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 17
    begin = place
    place = skip_run(text, place, _ANCHOR_RUN)
    if place < begin + 1:
        if place == len(text):
            return PENDING, begin, None, None
        return MISMATCH, start + 1, None, None
    return MATCH, place, None, None


def _match_anchor_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 13
    begin = place
    place = skip_run(text, place, _ANCHOR_RUN_2)
    if place < begin + 1:
        if place == len(text):
            return PENDING, begin, None, None
        return MISMATCH, start + 1, None, None
    return MATCH, place, None, None


class ResponseParser:
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and
    gives the message alone. After an exception the parser refuses further use.

    Args:
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many parsers.
    """

    __slots__ = (
        "_awaited",
        "_blocks",
        "_chunk",
        "_dropping",
        "_message",
        "_offset",
        "_parts",
        "_pos",
        "_state",
        "_text",
        "_waiting",
        "initial_events",
    )

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if prefix is None:
            raise MissingPrefixError
        tool_parameters(tools)
        self._state: int = _OUTSIDE
        self._chunk: RegionChunk | None = None
        self._dropping = False
        self._text: str = ""
        self._pos = 0
        self._awaited: Awaited | None = None
        self._waiting: list[str] = []
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._message: dict[str, Any] = {}
        self.initial_events: list[Event] = []
        if prefix and (
            begun := after_last_sought(
                prefix,
                lambda text, pos, at_end: settled(
                    text,
                    at_end,
                    seek_ways(
                        text,
                        pos,
                        at_end,
                        _ANCHOR_HEADS,
                        (
                            (0, "<|turn|>assistant", _match_anchor, "", "", None),
                            (1, "<|turn|>model", _match_anchor_2, "", "", None),
                        ),
                    ),
                ),
            )
        ):
            self.initial_events = self._advance(begun, 0, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and "\n" not in text
            and "[" not in text
            and "a" not in text
            and not (text[-1] == "\n" and self._state == _IN_ANSWER)
        ):
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            self._text = text
            self._pos = len(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        if self._dropping and text and "\n" not in text and "[" not in text and "a" not in text:
            self._offset += len(text)
            self._text = text
            self._pos = len(text)
            return []
        try:
            if self._awaited is not None:
                if not self._awaited.comes_with(text or ""):
                    self._waiting.append(text or "")
                    return []
                self._take_waiting()
            text = self._text + (text or "")
        except TypeError:
            self._state = _FAILED
            self._awaited = None
            raise
        return self._advance(text, self._pos, False)

    def _take_waiting(self) -> None:
        """Add the chunks that waited to the text before them."""
        self._text = "".join((self._text, *self._waiting))
        self._waiting.clear()
        self._awaited = None

    def _fold(self) -> None:
        """Join the parts of the body: each string costs more than its characters."""
        self._blocks.append("".join(self._parts))
        self._parts.clear()

    def finalize(self) -> tuple[Message, list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        self._take_waiting()
        events = self._advance(self._text, self._pos, True)
        message = self._finished_message()
        self._state = _FINISHED
        return message, events

    def _finished_message(self) -> Message:
        missing = [name for name in ("answer",) if name not in self._message]
        if missing:
            self._state = _FAILED
            raise MissingFieldError(missing)
        message = {key: value for key, value in self._message.items() if value}
        return cast(Message, message)

    def _require_open(self) -> None:
        if self._state < 0:
            raise (
                ParserStateError.failed()
                if self._state == _FAILED
                else ParserStateError.finalized()
            )

    def _advance(
        self, text: str, pos: int, at_end: bool, found: Found | None = None
    ) -> list[Event]:
        """Cut off the known text what is decided; ``found`` is its first delimiter, if known."""
        self._require_open()
        events: list[Event] = []
        self._chunk = None
        self._dropping = False
        try:
            self._cut(text, pos, at_end, found, events)
        except BaseException:
            self._state = _FAILED
            raise
        return events

    def _cut(
        self, text: str, pos: int, at_end: bool, found: Found | None, events: list[Event]
    ) -> None:
        """Cut the text from ``pos`` on into regions, up to a delimiter not decided yet."""
        seen: Seen = {}
        wake: Wake | None = None
        while True:
            if found is None:
                found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, _, wake = found
            found = None
            if start > pos:
                self._take(text[pos:start], events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._close(events)
                break
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        # Patterns look back at no more of the consumed text than its last 1 characters.
        context = max(pos - 1, 0)
        self._text, self._pos = text[context:], pos - context
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)
        self._dropping = 0 < pos == len(text) and not at_end and self._state == _OUTSIDE

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it is dropped."""
        if self._state == _OUTSIDE:
            self._offset += len(text)
            return
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = _CHUNKS[self._state].copy()
        event["text"] = text
        events.append(event)

    def _close(self, events: list[Event]) -> None:
        """Give the open region its value, if there is one."""
        state = self._state
        if state == _OUTSIDE:
            return
        field = _CHUNKS[state]["field"]
        body = self._take_body()
        value = self._ENDS[state](self, body)
        self._state = _OUTSIDE
        self._offset += len(body)
        events.append({"type": "region_close", "field": field, "value": value})

    def _take_body(self) -> str:
        """Give what there is of the body of the open region."""
        body = "".join(self._parts)
        self._parts.clear()
        if self._blocks:
            body = "".join(self._blocks) + body
            self._blocks.clear()
        return body

    def finish(self, text: str) -> Message:
        """Take all that is still to come at once, and give the message without events."""
        self.feed(text)
        return self.finalize()[0]

    def _end_answer(self, body: str) -> str:
        value = body.strip()
        self._message["answer"] = value
        return value

    def _end_notes(self, body: str) -> str:
        value = body.strip()
        joined = self._message.get("notes")
        if joined is None:
            joined = value
        else:
            # A string that nothing else holds grows in place. (`+=` would extend a list as well.)
            self._message["notes"] = None
            joined = joined + "; "
            joined = joined + value
        self._message["notes"] = joined
        return value

    _ENDS: Final = {
        _IN_ANSWER: _end_answer,
        _IN_NOTES: _end_notes,
    }


@overload
def parse_response(
    text: str, *, prefix: str | None = None, tools: Tools | None = None
) -> Message: ...
@overload
def parse_response(
    text: list[str], *, prefix: str | Sequence[str] | None = None, tools: Tools | None = None
) -> list[Message]: ...
def parse_response(
    text: str | list[str],
    *,
    prefix: str | Sequence[str] | None = None,
    tools: Tools | None = None,
) -> Message | list[Message]:
    """Parse a whole generation, or a batch of them.

    Args:
        text: what the model wrote; a list for a batch.
        prefix: the prompt, one for each text or one for all; "" says that the text is the whole
            message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many calls.

    Returns:
        The message, or a list of as many.
    """
    texts = text if isinstance(text, list) else [text]
    messages = [_parse_one(each, before, tools) for each, before in with_prefixes(texts, prefix)]
    return messages if isinstance(text, list) else messages[0]


def _parse_one(text: str, prefix: str, tools: Tools | None) -> Message:
    return ResponseParser(prefix, tools=tools).finish(text)
