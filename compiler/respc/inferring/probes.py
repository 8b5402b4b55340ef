"""Probes: messages made of words that no format has, and how a chat template writes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.verifying.cuts import Asked, turn
from respc.verifying.features import MODES, call, tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from respc.verifying import Mode, Writings

USER: Final = "Uuserq asks"
CONTENT: Final = "Ccontentq says"
REASONING: Final = "Rreasonq thinks"
RESULT: Final = "Tresultq found"
FIRST_NAME: Final = "zfirstfun"
SECOND_NAME: Final = "ysecondfun"
FIRST_KEY: Final = "qkeyone"
SECOND_KEY: Final = "pkeytwo"
FIRST_VALUE: Final = "wvalueone"
SECOND_VALUE: Final = "vvaluetwo"
TYPED: Final[dict[str, Any]] = {"integer": 37, "boolean": True, "array": [41], "object": {"ninner": 43}}
"""A value of each type that is no string, by its name in schemas."""

_TYPES: Final = {FIRST_KEY: "string", SECOND_KEY: "string", **{f"k{kind}": kind for kind in TYPED}}
_PLAIN_TYPES: Final = {FIRST_KEY: "string", SECOND_KEY: "string"}
PROBE_TOOLS: Final = [tool(name, **_TYPES) for name in (FIRST_NAME, SECOND_NAME)]
_PLAIN_TOOLS: Final = [tool(name, **_PLAIN_TYPES) for name in (FIRST_NAME, SECOND_NAME)]
"""For templates that cannot write all types."""
QUESTION: Final = {"role": "user", "content": USER}

ONE_CALL: Final = call(FIRST_NAME, **{FIRST_KEY: FIRST_VALUE})
OTHER_CALL: Final = call(SECOND_NAME, **{SECOND_KEY: SECOND_VALUE})
EMPTY_CALL: Final = call(FIRST_NAME)
FULL_CALL: Final = call(FIRST_NAME, **{FIRST_KEY: FIRST_VALUE, SECOND_KEY: SECOND_VALUE})


def typed_call(kind: str) -> dict[str, Any]:
    """Give a call whose argument has a type that is no string."""
    return call(FIRST_NAME, **{f"k{kind}": TYPED[kind]})


_CALLED: Final = {"role": "assistant", "tool_calls": [ONE_CALL]}
_ANSWERED: Final = {"role": "tool", "name": FIRST_NAME, "content": RESULT}
HISTORIES: Final[dict[str, list[dict[str, Any]]]] = {
    "first": [QUESTION],
    "after a result": [QUESTION, _CALLED, _ANSWERED],
}
"""What comes before a message, by the name of the context."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A message as the chat template writes it.

    Attributes:
        prompt: what is in front of what the model writes.
        turn_at: where in the prompt the last message before ends.
        text: what the model writes, without what ends the turn.
        ending: what ends the turn.
        feature: what the message has.
        context: what comes before it.
    """

    prompt: str
    turn_at: int
    text: str
    ending: str
    feature: str
    context: str

    @property
    def tail(self) -> str:
        """What the prompt has behind the last message."""
        return self.prompt[self.turn_at :]

    @property
    def turn(self) -> str:
        """All that is written behind the last message, without what ends the turn."""
        return self.tail + self.text


@dataclass(frozen=True)
class Probes:
    """A chat template that is asked to write probes.

    Attributes:
        written: the chat template, and what it writes of the usual messages.
    """

    written: Writings
    _seen: dict[str, list[Sight]] = field(default_factory=dict[str, "list[Sight]"])

    def see(
        self,
        feature: str,
        message: Mapping[str, Any],
        *,
        context: str = "first",
        mode: Mode = MODES[0],
        with_tools: bool | None = None,
    ) -> list[Sight]:
        """Have a message written.

        Args:
            feature: what the message has, in words.
            message: without its role.
            context: the name of what comes before it.
            mode: what the chat template is asked for.
            with_tools: whether the prompt names tools; None: where the message has calls.

        Returns:
            What is seen behind each prompt that it can have; nothing where the template does not write it.
        """
        has_tools = (
            bool(message.get("tool_calls")) or context != "first" if with_tools is None else with_tools
        )
        key = repr((message, context, mode.name, has_tools))
        if key not in self._seen:
            tools = self._tools if has_tools else None
            asked = Asked(HISTORIES[context], dict(message), tools, mode.options)
            self._seen[key] = self._sights(asked, feature, context)
        return self._seen[key]

    @cached_property
    def _tools(self) -> Sequence[dict[str, Any]]:
        try:
            self.written.template.render([QUESTION], PROBE_TOOLS, {}, prompt=True)
        except NotRenderedError:
            return _PLAIN_TOOLS
        return PROBE_TOOLS

    def first(self, feature: str, message: Mapping[str, Any], **chosen: Any) -> Sight | None:
        """Have a message written, and give the first sight of it: as conversations have it."""
        return next(iter(self.see(feature, message, **chosen)), None)

    def render(self, messages: list[dict[str, Any]], *, has_tools: bool) -> str:
        """Have a whole conversation written; NotRenderedError where the template refuses it."""
        return self.written.template.render(messages, self._tools if has_tools else None, {})

    def history_with(self, content: str) -> str | None:
        """Have a text of the model written that another question follows; None where the template refuses."""
        messages = [QUESTION, {"role": "assistant", "content": content}, {"role": "user", "content": "Zzend"}]
        try:
            return self.written.template.render(messages, None, {})
        except NotRenderedError:
            return None

    def _sights(self, asked: Asked, feature: str, context: str) -> list[Sight]:
        try:
            turned = turn(self.written.template, asked, self.written.borders)
        except NotRenderedError:
            return []
        return [
            Sight(cut.prefix, cut.turn_at, cut.text[: cut.end], cut.text[cut.end :], feature, context)
            for cut in turned.cuts
        ]
