"""What is made of complete texts, and of the regions of any: the message of a parser, value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, cast

from respc_runtime.errors import MissingFieldError, region_error
from respc_runtime.held_text import HeldText
from respc_runtime.message_values import MessageT, copied, named_groups
from respc_runtime.states import FAILED, FINALIZED
from respc_runtime.tools import tool_parameters
from respc_runtime.transforms import is_empty

if TYPE_CHECKING:
    from io import StringIO

    from respc_runtime.batches import Tools
    from respc_runtime.states import State, States


class WholeTexts(HeldText, Generic[MessageT]):
    """Makes the message of a generation of the bodies of its regions, and finds these in a complete text.

    Attributes:
        message: the message so far.
        captures: what the named groups of the open region's delimiters took.
        parameters: the parameters of tools, by the tools' names.
    """

    __slots__ = ("_body", "_chunk", "_offset", "_state", "captures", "message", "parameters")

    _body: StringIO
    _chunk: Any
    _offset: int
    _state: State

    # What a module says.
    states: ClassVar[States]
    defaults: ClassVar[dict[str, Any]] = {}
    """The keys put into every message; they stay in it though their values are empty."""
    nested: ClassVar[bool] = False
    """Whether values of the defaults have to be copied for each message."""
    required: ClassVar[tuple[str, ...]] = ()
    """The fields without which there is no message."""
    strict_bodies: ClassVar[bool] = False
    """Whether a body of tags or lines has to be that and nothing else."""
    reads_with_care: ClassVar[bool] = False
    """Whether more is looked at in a complete text than its delimiters, and in its bodies than what reads them."""
    read_tools: ClassVar[staticmethod[[Any], Any]] = staticmethod(tool_parameters)

    def _begin_message(self, tools: Tools | None) -> None:
        """Begin with what the values of regions are made with."""
        states = self.states
        if not states.are_ready:
            states.make_ready()
        self._state = states.start
        self.parameters: Any = self.read_tools(tools) if tools else {}
        self.captures: dict[str, str] = {}
        self.message: dict[str, Any] = copied(self.defaults) if self.nested else {**self.defaults}

    def _finished_message(self) -> MessageT:
        if self.required and (missing := self._missing_fields()):
            self._fail()
            raise MissingFieldError(missing)
        return self._kept_message()

    def _kept_message(self) -> MessageT:
        """Give the message without what is empty, and refuse further use."""
        self._state, self._chunk = FINALIZED, None
        message, kept = self.message.copy(), self.defaults
        if not all(message.values()):
            message = {
                key: value for key, value in message.items() if value or key in kept or not is_empty(value)
            }
        return cast("MessageT", message)

    def _missing_fields(self) -> list[str]:
        return [field for field in self.required if field not in self.message]

    def _fail(self) -> None:
        """Refuse further use."""
        if self._state is not FINALIZED:
            self._state, self._chunk, self._run = FAILED, None, None

    def _take_body(self) -> str:
        body = self._body.getvalue()
        if body:
            self._body.truncate(0)
            self._body.seek(0)
        return body

    def _close_all(self, text: str) -> None:
        """Give all regions of a complete text their values."""
        pos, body = self._seen, self._take_body()
        self._held, self._seen = "", 0
        self._close_regions(self._state, text, pos, body, self._offset)

    def _close_regions(self, state: State, text: str, pos: int, body: str, place: int) -> None:
        """Give the regions of a complete text their values, from a place on.

        Args:
            state: the state there.
            text: the text.
            pos: the place.
            body: what the region that is open has before it,
            place: and where in all of the message that body begins.
        """
        following_of, implicit = self.states.following, self.states.implicit
        edge, offset, with_care = len(text), place + len(body) - pos, self.reads_with_care
        while True:
            match = state.last(text, pos)
            if match is None:
                if state.later is state:
                    break
                state = state.later
                continue
            start = match.start()
            if start == edge:
                break
            end, group = match.end(), match.lastgroup
            captures = named_groups(match, state.captures[group]) if group in state.captures else None
            following = following_of[group]
            region = state if state.chunk is not None else implicit if start > pos else None
            if end == start and region is None and following.chunk is None:
                # An empty closer where no region is open: what follows it belongs to none.
                implicit = None
                break
            if region is not None:
                if captures and following.chunk is None:
                    self.captures.update(captures)
                body += text[pos:start]
                try:
                    if with_care:
                        self._read_with_care(region, body)
                    else:
                        region.close(self, body)
                except Exception as error:
                    raise region_error(
                        error, region.chunk["field"], offset + start - len(body), body
                    ) from error
                body = ""
            if captures or self.captures:
                self.captures = captures if captures and following.chunk is not None else {}
            pos, state = end, following
        if state.chunk is None and pos < edge and implicit is not None:
            state = implicit
        if with_care:
            self._check_end(state, text, pos)
        if state.chunk is not None:
            self._value_of(state, body + text[pos:], offset + pos - len(body))

    def _read_with_care(self, state: State, body: str) -> Any:
        """Give a region of a complete text its value, where `reads_with_care`."""
        return state.close(self, body)

    def _check_end(self, state: State, text: str, pos: int) -> None:
        """Look at the end of a complete text, behind its last delimiter, where `reads_with_care`."""

    def _value_of(self, state: State, body: str, place: int) -> Any:
        """Give a region its value."""
        try:
            return self._read_with_care(state, body) if self.reads_with_care else state.close(self, body)
        except Exception as error:
            raise region_error(error, state.chunk["field"], place, body) from error
