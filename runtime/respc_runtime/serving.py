"""The stream whose events are for serving engines: they say where delimiters stand, and a region that cannot be read
is an event as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from respc_runtime.batches import MessageT
from respc_runtime.careful_tools import careful_parameters
from respc_runtime.errors import MALFORMED, ResponseError, malformed_error, region_error
from respc_runtime.states import FAILED
from respc_runtime.stream import EventT, Stream, text_buffer

if TYPE_CHECKING:
    from respc_runtime.batches import Tools
    from respc_runtime.forms import CallForm, TextForm
    from respc_runtime.states import State


class ServingStream(Stream[MessageT, EventT]):
    """Parses one generation while it is written; the outcome does not depend on how it is cut into chunks.

    Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one too. ``calls`` and
    ``texts`` tell what is known of values before their regions end.
    """

    __slots__ = ("_input", "_malformed", "_prompt_held")

    calls: ClassVar[dict[str, CallForm]]
    texts: ClassVar[dict[str, TextForm]]
    read_tools = staticmethod(careful_parameters)

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        self._input = text_buffer()
        self._malformed: dict[str, ResponseError] = {}
        self._prompt_held = 0
        super().__init__(prefix, tools=tools)
        self._prompt_held = len(self._held) - self._seen

    @property
    def input_text(self) -> str:
        """What the parser was given: the prefix after its start anchor, then the chunks."""
        held = self._held[self._seen :]
        waiting = "" if self._waiting is None else self._waiting.getvalue()
        return "".join((self._input.getvalue(), self._body.getvalue(), held, waiting))

    def _advance(self, text: str) -> list[EventT]:
        return self._cut(text, None) if self._prompt_held else super()._advance(text)

    def _missing_fields(self) -> list[str]:
        return [field for field in super()._missing_fields() if field not in self._malformed]

    def _pass(self, text: str) -> None:
        super()._pass(text)
        self._input.write(text)
        self._prompt_held = max(self._prompt_held - len(text), 0)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        start = self._offset
        self._pass(opener)
        event = {"type": "region_open", "field": state.chunk["field"], "start": start, "end": self._offset}
        if state is not self.states.implicit:
            event["captures"] = dict(self.captures)
        events.append(event)

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        if self._prompt_held and state.chunk is not None:
            # Held back at the end of the prefix, it is text of the region, but was not generated.
            held = text[: self._prompt_held]
            self._prompt_held -= len(held)
            self._body.write(held)
            text = text[len(held) :]
            if not text:
                return
        super()._take(state, text, events)

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        field, place = state.chunk["field"], self._offset
        body = self._take_body()
        self._input.write(body)
        start = self._offset = place + len(body)
        event: dict[str, Any] = {"type": "region_close", "field": field, "start": start, "end": start + width}
        try:
            value = state.close(self, body)
        except MALFORMED as cause:
            error = malformed_error(cause, field, place, body)
            self._malformed.setdefault(field, error)
            event["type"] = "region_malformed"
            event["error"] = error
            events.append(event)
            return
        except Exception as error:
            raise region_error(error, field, place, body) from error
        event["value"] = value
        event["closed"] = closed
        events.append(event)

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events.

        Raises:
            ResponseError: a region could not be read, the first one; also where a required field is missing for it.
        """
        if self.states.whole:
            known = self.input_text + (text or "")
            self._input = text_buffer()
            self._input.write(known)
            self._raise_malformed()
            return super().finish(text)
        try:
            self._cut(text or "", None)
            message, _ = self.finalize()
        except ResponseError:
            self._raise_malformed()
            raise
        self._raise_malformed()
        return message

    def _raise_malformed(self) -> None:
        for error in self._malformed.values():
            self._state = FAILED
            raise error
