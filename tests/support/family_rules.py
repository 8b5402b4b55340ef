"""Texts with small faults, made from how a family writes, and what its careful parsers make of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import regex

from respc_runtime.openai import ChatCompletionParser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.families import Family

Call = tuple[str, dict[str, Any]]

REASONING: Final = "Weigh it first."
SAID: Final = "Here we go."
BETWEEN: Final = "Then the other."
BEHIND: Final = "That was all."
FIRST: Final[Call] = ("look_up", {"topic": "first words"})
SECOND: Final[Call] = ("send_mail", {"whom": "second one"})
QUESTION: Final = "And what of tomorrow?"
WITHOUT_ARGUMENTS: Final[Call] = ("ping_all", {})
NAMES: Final = ("get-weather", "files.read", "a.b-c_d", "ns:tool")

# How a closer's name differs from its opener's.
_PAIRS: Final = (
    ("<", "</"), ("<|", "<|/"), ("<｜", "</｜"), ("[", "[/"), ("<!", "</!"), ("]<]minimax[>[<", "]<]minimax[>[</"),
    ("begin", "end"), ("BEGIN", "END"), ("start", "end"), ("START", "END"), ("prefix", "suffix"), ("open", "close"),
)  # fmt: skip
# What tells the user's turn from the model's.
_TURNS: Final = (
    ("assistant", "user"), ("Assistant", "User"), ("ASSISTANT", "USER"), ("CHATBOT", "USER"), ("model", "user"),
    ("]ai", "]user"), ("Bot", "User"), ("BOT", "USER"), ("[/INST]", ""),
)  # fmt: skip
_INVERTED: Final = regex.compile(r"<\|(\w+)>")


@dataclass(frozen=True)
class Outcome:
    """What a careful parser made of a text."""

    content: str
    reasoning: str
    calls: list[Call]
    unread: list[str]
    joined_by_template: bool = False

    @property
    def texts(self) -> str:
        """All text of the message."""
        return f"{self.reasoning}\n{self.content}"

    def with_values_cut(self, mark: str) -> Outcome:
        """Leave a mark out that is at the end of values."""
        calls = [
            (name, {key: str(value).rstrip().removesuffix(mark).rstrip() for key, value in arguments.items()})
            for name, arguments in self.calls
        ]
        return replace(self, calls=calls)


@dataclass(frozen=True)
class Fault:
    """A text of a family with a fault, behind its prefix."""

    name: str
    prefix: str
    text: str
    length: bool = False


@dataclass(frozen=True)
class Lead:
    """What a message has before its calls.

    Attributes:
        prefix: the prompt,
        text: what the model has written then.
        content: its answer,
        reasoning: and its reasoning.
    """

    prefix: str
    text: str
    content: str = ""
    reasoning: str = ""


def of_openai_form(family: Family, fault: Fault, size: int) -> Outcome:
    """Feed a text in chunks of a size, or at once for 0."""
    parser = ChatCompletionParser(family.module.ServingParser, fault.prefix)
    deltas = list(parser.initial_deltas)
    step = size or max(len(fault.text), 1)
    for start in range(0, len(fault.text), step):
        deltas += parser.feed(fault.text[start : start + step])
    deltas += parser.finalize(length=True) if fault.length else parser.finalize(stopped=True)
    message: dict[str, Any] = parser.message or {}
    for key in ("content", "reasoning_content"):
        sent = "".join(delta.get(key) or "" for delta in deltas)
        assert sent == (message.get(key) or ""), f"{fault.name}: the deltas of {key} are not the message's"
    return _outcome(message, [region.text for region in parser.unread])


def collected(family: Family, fault: Fault) -> Outcome:
    """Parse a text at once, and collect what could not be read."""
    parsed = family.module.parse_response(fault.text, prefix=fault.prefix, errors="collect")
    outcome = _outcome(parsed.message, [text.text for text in parsed.unread])
    return replace(outcome, joined_by_template=True)


def outcomes(family: Family, fault: Fault, *, every: bool = True) -> Iterator[tuple[str, Outcome]]:
    """Give what each careful way of reading makes of a text, or two of them that differ from text to text."""
    sizes = (1, 4, 0) if every else ((1, 4, 0)[sum(map(ord, fault.text)) % 3],)
    for size in sizes:
        yield f"chunks of {size}" if size else "at once", of_openai_form(family, fault, size)
    if not fault.length:
        yield "collected", collected(family, fault)


def _outcome(message: dict[str, Any], unread: list[str]) -> Outcome:
    calls: list[Call] = []
    for call in message.get("tool_calls") or []:
        arguments = call["function"]["arguments"]
        calls.append(
            (call["function"]["name"], json.loads(arguments) if isinstance(arguments, str) else arguments)
        )
    return Outcome(message.get("content") or "", message.get("reasoning_content") or "", calls, unread)


def as_message(
    calls: tuple[Call, ...] = (), *, content: str | None = None, reasoning: str | None = None
) -> dict[str, Any]:
    """Make a message."""
    message: dict[str, Any] = {"role": "assistant"}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if content is not None:
        message["content"] = content
    if calls:
        message["tool_calls"] = [
            {"type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ]
    return message


class Writer:
    """Writes a family's texts, whole and with faults.

    Nothing is told by family: a message that is rendered with and without its parts shows where the marks are.
    """

    def __init__(self, family: Family, *, every: bool = True) -> None:
        self.family = family
        self.every = every
        self.writes = family.writes
        self.marks = sorted((m for m in self.writes["marks"] if len(m) > 1), key=len, reverse=True)
        # The prompt of a message that does not reason.
        self.prefix: str = self.writes["prefix"]
        self.opened_prefix: str | None = self.writes["opened_prefix"]

    def render(self, message: dict[str, Any], *, opened: bool = False) -> str:
        return self.family.render(message, opened=opened)

    def pieces(self, text: str) -> list[tuple[int, str]]:
        """Find the marks of a text with their places."""
        pattern = regex.compile("|".join(map(regex.escape, self.marks)))
        return [(found.start(), found[0]) for found in pattern.finditer(text)] if self.marks else []

    def common_start(self, one: str, other: str) -> int:
        """Count what two texts have in common at their start, without a part of a mark."""
        count = 0
        while count < min(len(one), len(other)) and one[count] == other[count]:
            count += 1
        for text in (one, other):
            for place, mark in self.pieces(text):
                if place < count < place + len(mark):
                    count = place
        return count

    def common_end(self, one: str, other: str) -> int:
        """Count what two texts have in common at their end, without a part of a mark."""
        count = 0
        while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
            count += 1
        for text in (one, other):
            for place, mark in self.pieces(text):
                if place < len(text) - count < place + len(mark):
                    count = len(text) - place - len(mark)
        return count

    @cached_property
    def end(self) -> str:
        """What ends the turn behind calls."""
        said = self.render(as_message(content=SAID))
        content = None if self.text_follows_calls else SAID
        one = self.render(as_message((FIRST,), content=content))
        two = self.render(as_message((FIRST, SECOND), content=content))
        rest = one[self.common_start(one, two) :]
        shared = one[len(one) - self.common_end(one, said) :]
        return min(rest, shared, key=len) if shared else rest

    @cached_property
    def end_of_text(self) -> str:
        """What ends the turn behind an answer."""
        said = self.render(as_message(content=SAID))
        return said[said.rindex(SAID) + len(SAID) :]

    @cached_property
    def text_follows_calls(self) -> bool:
        if not self.has_calls:
            return False
        both = self.render(as_message((FIRST,), content=SAID))
        return both.index(FIRST[0]) < both.index(SAID)

    def opening(self, content: str) -> str:
        """Write the start of an answer up to the end of its text; calls can follow."""
        if self.text_follows_calls:
            return content
        both = self.render(as_message((FIRST,) if self.has_calls else (), content=content))
        return both[: both.index(content) + len(content)]

    def block(self, *calls: Call) -> str:
        """Write calls as they follow a text."""
        if self.text_follows_calls:
            text = self.render(as_message(calls))
        else:
            text = self.render(as_message(calls, content=SAID))
            text = text[text.index(SAID) + len(SAID) :]
        return text[: len(text) - len(self.end)]

    def block_in_reasoning(self, call: Call) -> str:
        """Write a call as it follows reasoning, without the mark that closes that."""
        message = as_message((call,), reasoning=REASONING)
        text = self.render(message, opened=not self.reasons)
        before = text[text.index(REASONING) + len(REASONING) : text.index(call[0])]
        marks = self.pieces(self.reasoning_closer)
        before = before.replace(marks[0][1] if marks else self.reasoning_closer, "", 1)
        block = self.block(call)
        return before + block[block.index(call[0]) :]

    def closer_of(self, opener: str) -> list[str]:
        """Find the marks that close what a mark opens."""
        if found := _INVERTED.fullmatch(opener):
            inverted = f"<{found[1]}|>"
            if inverted in self.marks:
                return [inverted]
        closers: list[str] = []
        for one, other in _PAIRS:
            made = opener.replace(one, other, 1)
            if one in opener and made != opener:
                closers += [
                    mark
                    for mark in self.marks
                    if mark == made
                    or (
                        opener[-1] not in ">]" and mark[-1] in ">]" and mark.rstrip(">]") == made.rstrip("= ")
                    )
                ]
        return closers

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The openers and closers among the marks."""
        return [(opener, closer) for opener in self.marks for closer in self.closer_of(opener)]

    @cached_property
    def closers(self) -> list[str]:
        """The closers that the family's models write within a turn."""
        calls = self.block(FIRST, SECOND) if self.has_calls else ""
        whole = as_message(content=SAID, reasoning=REASONING if self.reasons else None)
        written = self.opening_of_reasoning + self.reasoned(SAID) + calls + self.render(whole)
        marks = {mark for _, mark in self.pieces(written)}
        return sorted({closer for opener, closer in self.pairs if {opener, closer} <= marks})

    @property
    def opening_of_reasoning(self) -> str:
        """The mark at the end of a prompt that has opened the reasoning."""
        marks = self.pieces(self.opened_prefix or "")
        return marks[-1][1] if marks else ""

    @property
    def reasons(self) -> bool:
        return bool(self.writes["reasoning"])

    @cached_property
    def reasoning_opener(self) -> str:
        """What a model writes before its reasoning; empty if its prompts have it."""
        if not self.reasons:
            return ""
        text = self.render(as_message(content=SAID, reasoning=REASONING))
        return text[: text.index(REASONING)]

    @cached_property
    def reasoning_closer(self) -> str:
        """What a model writes between its reasoning and its answer."""
        text = self.render(as_message(content=SAID, reasoning=REASONING), opened=not self.reasons)
        return text[text.index(REASONING) + len(REASONING) : text.index(SAID)]

    def reasoned(self, content: str) -> str:
        """Write the start of a message with reasoning, if its model reasons, up to the end of its text."""
        if not self.reasons:
            return self.opening(content)
        return self.reasoning_opener + REASONING + self.reasoning_closer + content

    @cached_property
    def leads(self) -> list[Lead]:
        """What can stand before calls: text, nothing, reasoning, or both, in the output or begun by the prompt."""
        leads = [Lead(self.prefix, self.opening(SAID), SAID)]
        if self.opened_prefix is not None:
            text = REASONING + self.reasoning_closer
            leads.append(Lead(self.opened_prefix, REASONING + self._before_name(opened=True), "", REASONING))
            leads.append(Lead(self.opened_prefix, text + SAID, SAID, REASONING))
        leads.append(Lead(self.prefix, self._before_name()))
        if self.reasons:
            text = self.reasoning_opener + REASONING
            leads.append(Lead(self.prefix, text + self._before_name(opened=True), "", REASONING))
            leads.append(Lead(self.prefix, self.reasoned(SAID), SAID, REASONING))
        return leads if self.every else leads[:2]

    def _before_name(self, *, opened: bool = False) -> str:
        """Write what stands before the name of a call that follows nothing, or reasoning."""
        text = self.render(as_message((FIRST,), reasoning=REASONING if opened else None), opened=opened)
        return text[text.index(REASONING) + len(REASONING) if opened else 0 : text.index(FIRST[0])]

    def calls(self, lead: Lead, *calls: Call) -> str:
        """Write a message with calls, without the end of the turn."""
        block = self.block(*calls)
        return lead.text + (block if lead.content else block[block.index(calls[0][0]) :])

    def structure(self, text: str) -> list[int]:
        """Give the places of what is neither name, key or value of a call nor text of the message."""
        words = [SAID, REASONING]
        for name, arguments in (FIRST, SECOND):
            words += [name, *arguments, *arguments.values()]
        # Letters right before a name, as in `functions.`, are a part of it.
        pattern = "|".join(rf"[\w.]*{regex.escape(word)}" for word in words)
        kept = {at for found in regex.finditer(pattern, text) for at in range(*found.span())}
        return [at for at in range(len(text)) if at not in kept]

    @property
    def has_calls(self) -> bool:
        return str(self.writes["calls"]) != "none"

    @cached_property
    def text_marks(self) -> set[str]:
        """The marks of prompts and of messages without calls."""
        reasons = self.reasons or self.opened_prefix is not None
        written = self.opening(SAID) + self.end_of_text + (self.reasoning_closer if reasons else "")
        return {mark for _, mark in self.pieces(self.prefix + written)}

    @cached_property
    def marks_behind_name(self) -> set[str]:
        """The marks between the name of a call and its first argument: they belong to its head."""
        if not self.has_calls:
            return set()
        block = self.block(FIRST)
        return {mark for _, mark in self.pieces(block[block.rindex(FIRST[0]) : block.index("topic")])}

    def call_marks(self) -> set[str]:
        """The marks that only calls have."""
        return {mark for _, mark in self.pieces(self.block(FIRST, SECOND))}

    def next_turn(self) -> str:
        """Write the beginning of the user's turn."""
        turn = self.prefix
        for assistant, user in _TURNS:
            turn = turn.replace(assistant, user)
        return turn + QUESTION
