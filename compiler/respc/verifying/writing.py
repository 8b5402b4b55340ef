"""A chat template together with the shape that it takes messages in, and with what ends a turn of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.verifying.features import TOOLS, call
from respc.verifying.marks import MARK, alike_at_end, find, find_last
from respc.verifying.shapes import SHAPES, Blocks, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from respc.chat_templates import ChatTemplate

UNKNOWN_END: Final = "<|end-of-turn-of-respc|>"
"""Stands for an end-of-sequence token that is not known: a turn is cut there, and it is in no text that is parsed."""

_QUESTION: Final = {"role": "user", "content": "Which way to the mill?"}
_ANSWER: Final = "Up the stream."
_THOUGHT: Final = "They want the mill."
_REASONING_MARK: Final = re.compile(r"[<\[]/?(?:think|response|answer|thought)", re.IGNORECASE)
_PROBES: Final = (
    {"role": "assistant", "tool_calls": [call("read_gauge", station="Bergen", days=2)]},
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [call("set_valve", label="wake up", open=True, level=6.5)],
    },
    {"role": "assistant", "tool_calls": [call("sound_horn")]},
)
"""What shows in which shape a template takes calls."""


@dataclass(frozen=True)
class ShapedTemplate:
    """A chat template and the shape of its messages.

    Attributes:
        template: the chat template.
        shape: how messages are given to it.
        tools: those of the usual ones that it can write.
    """

    template: ChatTemplate
    shape: Shape
    tools: Sequence[dict[str, Any]]

    @cached_property
    def header(self) -> str:
        """What begins a turn of the model."""
        try:
            prompt = self.render([_QUESTION], None, {}, prompt=True)
            without = self.render([_QUESTION], None, {})
        except NotRenderedError:
            return ""
        return prompt[len(without) :] if prompt.startswith(without) else ""

    def render(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None,
        options: Mapping[str, Any],
        *,
        prompt: bool = False,
    ) -> str:
        """Write a conversation; NotRenderedError where the template refuses it."""
        shaped = self.shape.conversation(messages)
        return self.template.render(
            shaped, None if tools is None else list(tools), prompt=prompt, options=options
        )


def shaped(template: ChatTemplate) -> ShapedTemplate:
    """Choose the shape that a template writes most in, and the tools that it can write."""
    tools = _writable_tools(template)
    best, most = SHAPES[0], -1
    for shape in SHAPES:
        merit = sum(_merit(ShapedTemplate(template, shape, tools), probe) for probe in _PROBES)
        if merit > most:
            best, most = shape, merit
        if most == _BEST_MERIT * len(_PROBES):
            break
    return ShapedTemplate(template, best.with_blocks(_blocks(template, best, tools)), tools)


_BEST_MERIT: Final = 3


def _merit(candidate: ShapedTemplate, probe: dict[str, Any]) -> int:
    """Judge a rendering: nothing, the call, all of it, and all of it without traces of Python or of JSON in JSON."""
    try:
        whole = candidate.render([_QUESTION, probe], candidate.tools, {})
    except NotRenderedError:
        return 0
    body = whole[find_last(whole, _QUESTION["content"])[1] :]
    function = probe["tool_calls"][0]["function"]
    if function["name"] not in body:
        return 0
    pieces = [*function["arguments"], *([probe["content"]] if "content" in probe else [])]
    if any(find(body, piece) < 0 for piece in function["arguments"]):
        return 1
    strange = '{\\"' in body or "{'" in body or "None" in body.partition(function["name"])[0]
    return _BEST_MERIT if not strange and all(find(body, piece) >= 0 for piece in pieces) else 2 - strange


def _blocks(template: ChatTemplate, shape: Shape, tools: Sequence[dict[str, Any]]) -> Blocks | None:
    """Find out whether reasoning is read from blocks of the content, and from nowhere else."""
    message = {"role": "assistant", "reasoning_content": _THOUGHT, "content": _ANSWER}
    order: tuple[Blocks | None, ...] = (None, "list", "mapping")
    for blocks in order:
        candidate = ShapedTemplate(template, shape.with_blocks(blocks), tools)
        try:
            body = candidate.render([_QUESTION, message], None, {})
        except NotRenderedError:
            continue
        body = body[find_last(body, _QUESTION["content"])[1] :]
        # Where the content is written as Python writes a list, the blocks are not understood.
        if _THOUGHT in body and _ANSWER in body and not re.search(r"['\"](?:thinking|thoughts)['\"]", body):
            return blocks
    return None


def _writable_tools(template: ChatTemplate) -> list[dict[str, Any]]:
    """Leave out, from the end, the tools that a template cannot write, as an old macro for types."""
    tools = list(TOOLS)
    while len(tools) > 1:
        try:
            template.render([_QUESTION], tools, prompt=True)
            return tools
        except NotRenderedError:
            tools.pop()
    return list(TOOLS)


@dataclass(frozen=True, slots=True)
class Borders:
    """What is between turns.

    Attributes:
        ends: the marks that end a turn.
        beginning: the mark that begins the next; "" where none does.
    """

    ends: tuple[str, ...]
    beginning: str = ""


def borders(written: ShapedTemplate, known: Sequence[str]) -> Borders:
    """Find what ends a turn, the known marks that a template writes there or what looks like it, and what begins one.

    Args:
        written: the chat template.
        known: the end-of-sequence tokens.
    """
    for tools in (None, written.tools):
        try:
            whole = written.render([_QUESTION, {"role": "assistant", "content": _ANSWER}], tools, {})
            prompt = written.render([_QUESTION], tools, {}, prompt=True)
            without = written.render([_QUESTION], tools, {})
        except NotRenderedError:
            continue
        place, end = find_last(whole, _ANSWER)
        if place < 0:
            continue
        if prompt == without:
            question_tail = prompt[find_last(prompt, _QUESTION["content"])[1] :]
            found = _borders_of_prompt(whole[end:], question_tail, known)
        else:
            mark = MARK.search(prompt[len(without) :] if prompt.startswith(without) else "")
            found = Borders(_ends(whole[end:], [], known), mark[0] if mark else "")
        return Borders(found.ends) if _is_inside(written, found.beginning) else found
    return Borders(tuple(known))


def _is_inside(written: ShapedTemplate, beginning: str) -> bool:
    """Tell whether what begins a turn is in a message, too, as where a message has parts."""
    reasoned = {"role": "assistant", "reasoning_content": _THOUGHT, "content": _ANSWER}
    for probe in (_PROBES[0], reasoned):
        try:
            whole = written.render([_QUESTION, probe], written.tools, {})
        except NotRenderedError:
            continue
        # The turn itself begins with it; what is behind the message is looked at nowhere.
        place = find_last(whole, "Bergen" if "tool_calls" in probe else _ANSWER)[0]
        if beginning and whole.count(beginning, find_last(whole, _QUESTION["content"])[1], place) > 1:
            return True
    return False


def _borders_of_prompt(tail: str, question_tail: str, known: Sequence[str]) -> Borders:
    """Find them where the next turn of the model is begun behind every answer, as it is behind a question."""
    shared = alike_at_end(question_tail, tail)
    marks = [mark[0] for mark in MARK.finditer(tail[len(tail) - shared :])]
    # What ends a turn is in front of what begins one.
    beginning = marks[1] if len(marks) > 1 else ""
    return Borders(_ends(tail, marks[:1], known), beginning)


def _ends(tail: str, found: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    there = [*(mark for mark in known if mark in tail), *found]
    if not there:
        marks = [mark[0] for mark in MARK.finditer(tail) if not _REASONING_MARK.match(mark[0])]
        # The last: what closes the text itself is in front of it.
        there = marks[-1:] or ([tail.strip()] if tail.strip() else [])
    return tuple(dict.fromkeys([*there, *known]))
