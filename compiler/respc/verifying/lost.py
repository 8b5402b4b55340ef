"""Whether it is the chat template that does not keep a message: then no response template can give it back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.source.json_kinds import is_list, is_object
from respc.verifying.comparing import Part, comparable
from respc.verifying.marks import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.verifying.generations import Generation
    from respc.verifying.writing import ShapedTemplate

_TEXTS: Final[tuple[Part, ...]] = ("reasoning_content", "content")
_BEHIND_KEY: Final = re.compile(r"[=:]\s?$")


@dataclass(frozen=True, slots=True)
class Loss:
    """What a chat template does not keep.

    Attributes:
        subject: what of a message.
        detail: how it writes that.
        at: where in the text it shows, if it does.
        length: of what shows it.
    """

    subject: str
    detail: str
    at: int | None = None
    length: int = 1


def same_text(written: ShapedTemplate, generation: Generation, message: dict[str, Any]) -> bool:
    """Tell whether the chat template writes the message that came back just as the one that was written.

    Texts are written as they are: one that has swallowed the marks of a format is no other message.
    """
    if _swallowed(generation.case.feature.message, message):
        return False
    asked = generation.case.asked
    history, options = asked.history, asked.options
    try:
        again = written.render([*history, _as_given(message)], asked.tools, options)
    except (NotRenderedError, KeyError, TypeError, AttributeError):
        return False
    return again == generation.written


def _swallowed(wanted: dict[str, Any], message: dict[str, Any]) -> bool:
    known, texts = comparable(wanted), comparable(message)
    own = "\n".join(str(known.get(part, "")) for part in _TEXTS)
    got = "\n".join(str(texts.get(part, "")) for part in _TEXTS)
    names = [call[0] for call in known.get("tool_calls", ())]
    return any(mark not in own for mark in MARK.findall(got)) or any(name in got for name in names)


def _as_given(message: dict[str, Any]) -> dict[str, Any]:
    given = {**message, "role": "assistant"}
    if calls := message.get("tool_calls"):
        given["tool_calls"] = [{"type": "function", "function": call.get("function", call)} for call in calls]
    return given


def loss_in_calls(generation: Generation) -> Loss | None:
    """Find what of the arguments of calls is written so that it cannot be read; None where all of it can be."""
    for call in generation.case.feature.message.get("tool_calls") or ():
        for key, value in _values_in(call["function"].get("arguments")):
            loss = _loss_of_value(generation.text, key, value)
            if loss is not None:
                return loss
    return None


def _values_in(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if is_object(value):
        for name, inner in value.items():
            yield from _values_in(inner, str(name))
    elif is_list(value):
        for inner in value:
            yield from _values_in(inner, key)
    else:
        yield key, value


def _loss_of_value(text: str, key: str, value: Any) -> Loss | None:
    if value is None:
        found = re.search(rf"{re.escape(key)}\W[^\n]{{0,20}}?\bNone\b", text)
        if found:
            detail = f"null of `{key}` is written as `None`, which is no JSON, and may be a text"
            return Loss("null, written as Python writes it", detail, found.end() - 4, 4)
        return None
    if not isinstance(value, str):
        return None
    if not value:
        found = re.search(rf"\b{re.escape(key)}=(?=[,)\]}}])", text)
        return None if found is None else _unquoted(key, found.start(), len(found[0]))
    return _loss_of_string(text, key, value)


def _loss_of_string(text: str, key: str, value: str) -> Loss | None:
    at = text.find(value)
    while at >= 0:
        before, behind = text[max(0, at - 12) : at], text[at + len(value) : at + len(value) + 1]
        quote = before[-1:]
        if quote and quote == behind and quote in "\"'":
            if quote in value or "\n" in value:
                what = "quotes" if quote in value else "line feeds"
                detail = f"the string of `{key}` is written in quotes, and the {what} in it without escapes"
                return Loss(f"{what} in strings, written without escapes", detail, at, len(value))
        elif _BEHIND_KEY.search(before) and key in before and behind and behind in ",)}]":
            return _unquoted(key, at, len(value))
        at = text.find(value, at + 1)
    return None


def _unquoted(key: str, at: int, length: int) -> Loss:
    detail = f"the string of `{key}` is written without quotes"
    return Loss("strings, written without quotes", detail, at, length)
