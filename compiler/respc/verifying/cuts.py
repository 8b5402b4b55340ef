"""Cutting what a model would have generated out of the rendering of a conversation.

A chat template writes whole conversations. What the model writes is what the rendering of a conversation has behind the
prompt, which is the rendering of all but the last message. Templates are not consistent enough for that alone:

1. The prompt is often no beginning of the conversation, as where the tools stand in front of the last message: both are
   looked at from the text of the last message on.
2. Where they part inside a mark, they part in front of it.
3. Nothing is generated behind the mark that ends the turn, though some templates write the next prompt there.
4. Where the prompt says more than the conversation, it has opened or closed the reasoning: a model that finds it closed
   writes its answer, and one that finds it open closes it first.
5. Messages are given in the shape that the template takes.
6. A message that the rendering does not show is absent, and nobody's fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.source.json_kinds import is_list, is_object
from respc.verifying.marks import CLOSED, MARK, alike, find, find_last, inside_mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from respc.verifying.writing import Borders, ShapedTemplate

_THOUGHT: Final = "Hm, zz."
"""Reasoning that nobody gives: where it is shows how reasoning is closed."""
_PREFILL_TAG: Final = "zz-goes-on-here-zz"
SEVERAL_TURNS: Final = "is written as several turns"
HISTORY: Final = "behind what the conversation has of the prompt"


@dataclass(frozen=True, slots=True)
class Cut:
    """What a model would have generated.

    Attributes:
        prefix: the prompt.
        text: what comes behind it.
        end: where the mark that ends the turn begins in the text; its length where there is none.
        manner: how it was cut.
        turn_at: where in the prefix the last message before this one ends.
        opening: what the prompt has behind that message, even if the prefix has not all of it.
    """

    prefix: str
    text: str
    end: int
    manner: str
    turn_at: int
    opening: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A conversation, as it is written.

    Attributes:
        written: the whole of it.
        cuts: what a model would have generated of it.
    """

    written: str
    cuts: list[Cut]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a chat template is asked to write.

    Attributes:
        history: the messages before.
        message: the last message.
        tools: what the prompt names.
        options: what the template is given beside.
    """

    history: list[dict[str, Any]]
    message: dict[str, Any]
    tools: Sequence[dict[str, Any]] | None
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Parting:
    """A conversation and its prompt, and where the two part."""

    whole: str
    prompt: str
    at: int
    prompt_at: int
    turn_at: int
    prompt_turn_at: int

    @property
    def more(self) -> str:
        """What only the prompt has."""
        return self.prompt[self.prompt_at :]


def turn(written: ShapedTemplate, asked: Asked, borders: Borders) -> Turn:
    """Cut out what a model would have generated for a message, after each prompt that it can have had.

    Args:
        written: the chat template.
        asked: the conversation.
        borders: what ends a turn, and begins one.

    Raises:
        NotRenderedError: the template refuses the conversation, or the message does not show in it.
    """
    message = {"role": "assistant", **asked.message}
    whole = written.render([*asked.history, message], asked.tools, asked.options)
    prompt = written.render(asked.history, asked.tools, asked.options, prompt=True)
    without = written.render(asked.history, asked.tools, asked.options)
    header = prompt.removeprefix(without) if prompt.startswith(without) else ""
    parting = _parting(whole, prompt, header, text_of(asked.history[-1]))
    body, end = _own(whole[parting.at :], asked.message, borders)
    cuts = [
        Cut(
            prefix,
            text,
            end - (len(body) - len(text)),
            manner,
            parting.turn_at,
            parting.prompt[parting.prompt_turn_at :],
        )
        for prefix, text, manner in _prompted(written, asked, parting, body)
    ]
    return Turn(whole, cuts)


def prefilled(written: ShapedTemplate, asked: Asked, borders: Borders) -> Turn:
    """Cut the same where the prompt has the beginning of the message's text, as `continue_final_message` gives it.

    Raises:
        NotRenderedError: as `turn`, or the template does not write a text that is to go on.
    """
    turned = turn(written, asked, borders)
    content: str = asked.message["content"]
    known = content[: len(content) // 2].rstrip()
    message = {"role": "assistant", **asked.message, "content": known + _PREFILL_TAG}
    begun, tag, _ = written.render([*asked.history, message], asked.tools, asked.options).partition(
        _PREFILL_TAG
    )
    if not tag or not begun.endswith(known):
        raise NotRenderedError("a text that is to go on is not written")
    first = turned.cuts[0]
    at = first.text.find(content)
    if at < 0:
        raise NotRenderedError("a text that is to go on is written otherwise")
    text = first.text[at + len(known) :]
    end = first.end - at - len(known)
    cut = Cut(begun, text, end, "behind the beginning of the text", first.turn_at, first.opening)
    return Turn(turned.written, [cut])


def text_of(message: Mapping[str, Any]) -> str:
    """Give the text of a message, the last one where it has parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    parts: list[Any] = content if is_list(content) else []
    texts: list[str] = [
        part["text"] for part in parts if is_object(part) and isinstance(part.get("text"), str)
    ]
    return texts[-1] if texts else ""


def pieces_of(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield what has to be seen in a rendering that keeps a message: beginnings of its texts, names and keys."""
    for key in ("reasoning_content", "content"):
        if message.get(key):
            yield text_of({"content": message[key]}).strip().partition("\n")[0].strip()
    for each in message.get("tool_calls") or ():
        yield each["function"]["name"]
        arguments: Any = each["function"].get("arguments")
        yield from arguments if is_object(arguments) else ()


def _prompted(
    written: ShapedTemplate, asked: Asked, parting: _Parting, body: str
) -> Iterator[tuple[str, str, str]]:
    """Yield each prompt, the text behind it, and how they were cut."""
    if begun := _begun(body, written.header):
        # The prompt leaves out the beginning of the turn, as behind a result, and the conversation has it.
        yield parting.prompt, body[begun:], "behind a prompt that does not begin the turn"
        return
    if not parting.more.strip():
        # Blanks that only the prompt has are nothing that a model repeats.
        yield parting.prompt, body.lstrip() if parting.more else body, "behind the prompt"
        return
    reasoning = asked.message.get("reasoning_content")
    if reasoning and body.lstrip().startswith(reasoning.strip()) and not MARK.search(parting.more):
        # The words that open the reasoning are in no conversation.
        yield parting.prompt, body.lstrip(), "behind a prompt that opens the reasoning in words"
        return
    yield parting.whole[: parting.at], body, HISTORY
    if reasoning:
        return
    if CLOSED.search(parting.more):
        yield parting.prompt, body.lstrip(), "behind a prompt that closes the reasoning"
    elif (closing := _closing(written, asked, parting.prompt, body)) is not None:
        yield parting.prompt, closing + body, "behind a prompt that opens the reasoning, which ends at once"


def _begun(text: str, header: str) -> int:
    """Return how much of a text is the beginning of a turn, as prompts have it."""
    blanks = len(text) - len(text.lstrip())
    header = header.lstrip()
    shared = alike(text[blanks:], header)
    shared -= max(inside_mark(header, shared), inside_mark(text, blanks + shared))
    return blanks + shared if MARK.search(header, 0, shared) else 0


def _closing(written: ShapedTemplate, asked: Asked, prompt: str, body: str) -> str | None:
    """Give what a model writes to close the reasoning that its prompt opened; None where that does not show."""
    message = {"role": "assistant", **asked.message, "reasoning_content": _THOUGHT}
    try:
        both = written.render([*asked.history, message], asked.tools, asked.options)
    except NotRenderedError:
        return None
    if not both.startswith(prompt) or _THOUGHT not in both[len(prompt) :]:
        return None
    behind = both[both.rindex(_THOUGHT) + len(_THOUGHT) :]
    at = behind.find(body.strip()) if body.strip() else -1
    return behind[:at] if at >= 0 else None


def _parting(whole: str, prompt: str, header: str, last: str) -> _Parting:
    """Find where a conversation and its prompt part, in both: rules 1 and 2."""
    in_whole, turn_at = find_last(whole, last) if last else (-1, -1)
    in_prompt, prompt_turn_at = find_last(prompt, last) if last else (-1, -1)
    if whole.startswith(prompt):
        turn_at = max(prompt_turn_at, 0)
        return _Parting(whole, prompt, len(prompt), len(prompt), turn_at, turn_at)
    if min(in_whole, in_prompt) < 0:
        raise NotRenderedError("the message before is left out")
    words: list[str] = re.findall(rf"{MARK.pattern}|\S+?(?=<|\[|\s|$)", header)
    while words:  # of the header as many as there are
        pattern = re.compile(r"\s*".join(map(re.escape, words)) + r"\s*")
        found, in_header = pattern.search(whole, in_whole), pattern.search(prompt, in_prompt)
        if found and in_header:
            return _Parting(whole, prompt, found.end(), in_header.end(), turn_at, prompt_turn_at)
        words.pop()
    same = alike(whole[in_whole:], prompt[in_prompt:])
    if in_prompt + same < len(prompt):
        same -= max(inside_mark(whole, in_whole + same), inside_mark(prompt, in_prompt + same))
    return _Parting(whole, prompt, in_whole + same, in_prompt + same, turn_at, prompt_turn_at)


def _own(body: str, message: Mapping[str, Any], borders: Borders) -> tuple[str, int]:
    """Give what of a rendering is the message, and where the mark begins that ends it: rules 3 and 6.

    Raises:
        NotRenderedError: something of the message does not show.
    """
    for piece in pieces_of(message):
        if find(body, piece) < 0:
            raise NotRenderedError(f"{piece[:40]!r} is left out")
    last = _last_place(body, message)
    # Reasoning may be a part of its own; text and calls in several turns are none that a model writes at once.
    beside = {key: value for key, value in message.items() if key != "reasoning_content"}
    first = min((find(body, piece) for piece in pieces_of(beside)), default=last)
    if _has_border(body[first:last], borders):
        raise NotRenderedError(f"the message {SEVERAL_TURNS}")
    found = [(at, at + len(mark)) for mark in borders.ends if mark and (at := body.find(mark, last)) >= 0]
    if borders.beginning and (at := body.find(borders.beginning, last)) >= 0:
        found.append((at, at))
    if not found:
        return body, len(body.rstrip())
    at, behind = min(found)
    # Blanks behind it are of the conversation, and do no harm.
    return (body[:behind] if body[behind:].strip() else body), at


def _has_border(body: str, borders: Borders) -> bool:
    """Tell whether a turn ends in a text, and another of the model begins."""
    parts = (body.split(mark) for mark in borders.ends if mark and borders.beginning)
    return any(part.lstrip().startswith(borders.beginning) for _, *rest in parts for part in rest)


def _last_place(body: str, message: Mapping[str, Any]) -> int:
    """Return where the last of a message ends; of calls, each is looked for behind the name of its tool."""
    end = 0
    for key in ("reasoning_content", "content"):
        text = text_of({"content": message.get(key)}).strip()
        if text and (at := find(body, text)) >= 0:
            end = max(end, at + len(text))
    begin = 0
    for each in message.get("tool_calls") or ():
        function = each["function"]
        at = find(body, function["name"], begin)
        begin = (begin if at < 0 else at) + len(function["name"])
        places = [
            at + len(piece)
            for piece in _strings_in(function.get("arguments"))
            if (at := find(body, piece, begin)) >= 0
        ]
        end = max(end, begin, *places)
    return end


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif is_object(value):
        for key, inner in value.items():
            yield key
            yield from _strings_in(inner)
    elif is_list(value):
        for inner in value:
            yield from _strings_in(inner)
