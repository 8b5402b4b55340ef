"""The stream for serving engines, which reads a whole text without events where care makes no difference to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from respc_runtime.errors import MissingFieldError, ResponseError
from respc_runtime.message_values import MessageT, copied, text_buffer
from respc_runtime.placed_regions import LONGEST_OPENER, PlacedRegionsStream
from respc_runtime.prefixes import rest_of_text
from respc_runtime.states import CLOSE, FAILED
from respc_runtime.stream import EventT
from respc_runtime.string_closers import inside_string
from respc_runtime.tools import tool_parameters

if TYPE_CHECKING:
    from respc_runtime.collecting import Parsed
    from respc_runtime.forms import TextForm
    from respc_runtime.states import State


def parameters_with_care(tools: Any) -> Any:
    """Collect what a careful parser knows of the parameters of tools; see `careful_parameters`."""
    from respc_runtime.careful_tools import careful_parameters

    return careful_parameters(tools)


class DoubtError(Exception):
    """A whole text has to be read with more care."""


class ServingStream(PlacedRegionsStream[MessageT, EventT]):
    """Parses one generation while it is written; the outcome does not depend on how it is cut into chunks.

    Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one too, and so is text
    outside of all regions. ``calls`` and ``texts`` tell what is known of values before their regions end.
    """

    __slots__ = ()

    # What a module says.
    strict_bodies: ClassVar[bool] = True
    reads_with_care: ClassVar[bool] = True
    texts: ClassVar[dict[str, TextForm]]
    read_tools = staticmethod(parameters_with_care)

    def collect(self, text: str) -> Parsed[MessageT]:
        """Take all that is still to come at once, and give the message beside what could not be read.

        Nobody says whether the model ended its turn by itself, so a call of tags without its end is not trusted.
        """
        from respc_runtime.collecting import Parsed, UnreadText, unread_texts

        self.trusts_end = False
        begun = len(self.input_text)
        events: list[Any] = [*self.initial_events, *self._cut_all(rest_of_text(text))]
        known = self.input_text
        unread = list(unread_texts(events, known, begun))
        if self.required and (missing := self._missing_fields()):
            error, end = MissingFieldError(missing), len(known)
            unread.append(UnreadText(type(error).__name__, str(error), missing[0], end, end, ""))
        return Parsed(self._kept_message(), unread)

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events.

        Raises:
            ResponseError: a region could not be read, the first one; also where a required field is missing for it.
        """
        if type(text) is not str:
            text = rest_of_text(text)
        taken = self._taken_without_doubt(text)
        return self._finish_by_cuts(text) if taken is None else taken

    def _message_of(self, text: str) -> MessageT:
        self._opener, self._malformed, self._body = None, {}, text_buffer()
        try:
            # What a string has to do with it is looked at with each value.
            self._close_regions(self._state, text, 0, "", 0)
            return self._finished_message()
        except (DoubtError, ResponseError):
            return super()._message_of(text)

    def _finish_by_cuts(self, text: str) -> MessageT:
        try:
            message = super()._finish_by_cuts(text)
        except ResponseError:
            self._raise_malformed()
            raise
        self._raise_malformed()
        return message

    def _taken_without_doubt(self, text: str) -> MessageT | None:
        """Take a whole text without events, unless care makes a difference to it."""
        if not self.states.whole or self._malformed or self._run is not None:
            return None
        before, body = (self._state, self.captures, self._held, self._seen), self._take_body()
        message = copied(self.message) if self._passed or self.nested else {**self.message}
        self._body.write(body)
        try:
            self._close_all(self._held + text)
        except (DoubtError, ResponseError):
            self._state, self.captures, self._held, self._seen = before
            self.message = message
            self._take_body()
            self._body.write(body)
            return None
        return self._finished_message()

    def _read_with_care(self, state: State, body: str) -> Any:
        field = state.chunk["field"]
        if (quotes := self.quotes.get(field)) is not None and inside_string(body, quotes):
            raise DoubtError
        if (marks := self.marks.get(field)) is not None and body.lstrip().startswith(marks):
            raise DoubtError
        if not self.careful or field not in self.calls:
            return state.close(self, body)
        if state.line_group != "" and self._has_text_behind_value(state, body):
            raise DoubtError
        return self._value_of_call(state, field, body)

    def _check_end(self, state: State, text: str, pos: int) -> None:
        if pos < len(text) and self._end_of_text(state, text, pos) < len(text):
            raise DoubtError
        following, start = self.states.following, max(len(text) - LONGEST_OPENER, 0)
        for field in self.calls:
            for mark in self.marks.get(field, ()):
                if (place := text.rfind(mark, start, pos)) >= 0:
                    begun = following.get(CLOSE, self.states.start).scan(text, place)
                    if begun is not None and begun.lastgroup not in following:
                        raise DoubtError

    def _raise_malformed(self) -> None:
        for error in self._malformed.values():
            self._state = FAILED
            raise error


def without_care(parser: type[ServingStream[MessageT, EventT]]) -> type[ServingStream[MessageT, EventT]]:
    """Give a parser that makes the same of a text as the copies of the interpreter in serving engines do.

    It passes over what they do, tells of nothing outside of regions, and reads no calls that they cannot read.
    """
    without: dict[str, Any] = {
        "__slots__": (),
        "careful": False,
        "strict_bodies": False,
        "marks": {},
        "quotes": {},
        "open_ended": (),
        "ends_of_turn": (),
        "read_tools": staticmethod(tool_parameters),
    }
    return type(parser.__name__, (parser,), without)
