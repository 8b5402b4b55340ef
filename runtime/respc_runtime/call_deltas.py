"""The tool calls of regions as deltas of OpenAI chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from respc_runtime.argument_text import (
    ArgumentCaster,
    CallWalker,
    WrittenCall,
    can_stream_arguments,
    cast_rules,
    same_json,
    written_arguments,
)
from respc_runtime.json_bodies import can_be_encoded, decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from respc_runtime.forms import CallForm, Source
    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.tools import ArgumentTable, PreparedTools

Delta: TypeAlias = dict[str, Any]
"""The ``delta`` of a choice, as OpenAI's streams have it."""


class CallNumbers:
    """Numbers the calls of a message and gives ids to those whose format has none."""

    __slots__ = ("_make_id", "_next")

    def __init__(self, make_id: Callable[[], str]) -> None:
        self._make_id = make_id
        self._next = 0

    def number(self) -> int:
        """Give the next index."""
        self._next += 1
        return self._next - 1

    def identity(self, of_format: JsonValue) -> str:
        """Give the id that the format has for a call, or a made one."""
        if isinstance(of_format, str) and of_format and can_be_encoded(of_format):
            return of_format
        if isinstance(of_format, int) and not isinstance(of_format, bool):
            return str(of_format)
        return self._make_id()


class CallRegion:
    """A region of calls while it is open.

    Args:
        form: what is known of its calls before it ends.
        captures: the named groups of its opener.
        stream_arguments: whether arguments go out before the region ends.
        tools: the parameters by which arguments are cast.
        numbers: numbers the calls of the message.
        whole_calls: whether calls go out only when the region ends.

    Attributes:
        sent: the calls that went out, or their names at least.
    """

    __slots__ = ("_calls", "_needs_id", "_numbers", "_tools", "_walker", "sent")

    def __init__(
        self,
        form: CallForm,
        captures: Mapping[str, str],
        *,
        stream_arguments: bool,
        tools: dict[str, dict[str, Any]] | PreparedTools | ArgumentTable,
        numbers: CallNumbers,
        whole_calls: bool = False,
    ) -> None:
        name, identity = known_part(form["name"], captures), known_part(form["id"], captures)
        # It is in the body, or a group of the closer.
        self._needs_id = form["id"] is not None and identity is None
        self._numbers = numbers
        self._tools = tools
        self._walker: CallWalker | None = None
        self._calls: list[WrittenCall] = []
        self.sent: list[WrittenCall] = []
        if not form["each"] and name is not None and not whole_calls:
            self._calls.append(WrittenCall(name, identity or ""))
        if stream_arguments and can_stream_arguments(form):
            self._walker = CallWalker(form, name or "", identity or "")
            self._walker.calls = self._calls

    @property
    def reads_text(self) -> bool:
        """Whether more text of the body can lead to deltas before the region ends."""
        return self._walker is not None

    def take(self, text: str) -> list[Delta]:
        """Take text of the body, none at the opener, and give what is known by it."""
        if self._walker is not None:
            self._walker.walk(text)
        deltas: list[Delta] = []
        place = max(len(self.sent) - 1, 0)
        while place < len(self._calls):
            call = self._calls[place]
            if place == len(self.sent):
                if not call.name or (self._needs_id and not call.id):
                    # Calls go out in order, and one without a name not at all.
                    break
                call.index, call.id = self._numbers.number(), self._numbers.identity(call.id)
                rules = cast_rules(call.name, self._tools)
                call.caster = None if rules is None else ArgumentCaster(rules)
                self.sent.append(call)
                deltas.append(call_head(call.index, call.id, call.name, ""))
            if call.arguments:
                text = "".join(call.arguments)
                call.arguments.clear()
                if call.caster is not None:
                    text = call.caster.cast(text)
                if text:  # else it is held back
                    deltas.append(more_arguments(call, text))
            place += 1
        return deltas

    def close(self, value: JsonValue) -> tuple[list[Delta], list[dict[str, Any]], str | None]:
        """Take the value of the region.

        Returns:
            The deltas of what is left, the calls for the message, and what is wrong if the value has no calls, or
            others than those that went out.
        """
        members: list[JsonValue] = value if isinstance(value, list) else [value]
        deltas: list[Delta] = []
        calls: list[dict[str, Any]] = []
        fault: str | None = None
        for place, member in enumerate(members):
            call: dict[str, Any] = member if isinstance(member, dict) else {}
            function: JsonValue = call.get("function")
            name: JsonValue = function.get("name") if isinstance(function, dict) else None
            if not isinstance(function, dict) or not isinstance(name, str) or not can_be_encoded(name):
                fault = "a value is no call of a function"
                break
            arguments: JsonValue = function.get("arguments")
            if place < len(self.sent):
                sent = self.sent[place]
                if sent.name != name or not self._finish(sent, arguments, deltas):
                    fault = "the call has another name or other arguments than those that its text began with"
                    break
                sent.is_whole = True
                calls.append(whole_call(sent.id, name, sent.sent.text))
                continue
            text = written_arguments(arguments)
            identity = self._numbers.identity(call.get("id"))
            deltas.append(call_head(self._numbers.number(), identity, name, text))
            calls.append(whole_call(identity, name, text))
        if fault is None and len(members) < len(self.sent):
            fault = "the region has fewer calls than its text began"
        return deltas, calls, fault

    @staticmethod
    def _finish(call: WrittenCall, arguments: JsonValue, deltas: list[Delta]) -> bool:
        """Add what is left of the arguments; tell whether what went out is right."""
        if not call.sent.pieces:
            deltas.append(more_arguments(call, written_arguments(arguments)))
            return True
        try:
            return same_json(decode_json(call.sent.text), arguments)
        except (ValueError, RecursionError):
            return False


def known_part(source: Source | None, captures: Mapping[str, str]) -> str | None:
    """Give a part of a call that the opener tells, if it is one."""
    if source is None or source[0] == "content":
        return None
    return source[1] if source[0] == "constant" else captures.get(source[1])


def call_head(index: int, identity: str, name: str, arguments: str) -> Delta:
    """Give the delta that begins a call, with as much of its arguments as is known."""
    return {"tool_calls": [{"index": index, **whole_call(identity, name, arguments)}]}


def more_arguments(call: WrittenCall, text: str) -> Delta:
    """Give the delta of more text of a call's arguments."""
    call.sent.add(text)
    return {"tool_calls": [{"index": call.index, "function": {"arguments": text}}]}


def whole_call(identity: str, name: str, arguments: str) -> dict[str, Any]:
    """Give a call as messages have it."""
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}
