"""Rules that the careful parsers of all families keep when a model errs in its marks.

The texts are made from how a family writes a message, see `support.family_rules`. What a family's format cannot keep
is named in its ``writes.json`` under ``cannot``, by the rule, with a reason that its limits state too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Final

import pytest
import regex

from support.families import PARSERS, Family, families, representatives
from support.family_rules import (
    BEHIND,
    BETWEEN,
    FIRST,
    NAMES,
    QUESTION,
    REASONING,
    SAID,
    SECOND,
    WITHOUT_ARGUMENTS,
    Call,
    Fault,
    Lead,
    Outcome,
    Writer,
    as_message,
    outcomes,
)

Finding = str | None
Check = Callable[[Outcome], Finding]
Case = tuple[Fault, Check]
Rule = Callable[[Writer], Iterator[Case]]

RULES: Final[dict[str, Rule]] = {}
LONG_RULES: Final[dict[str, Rule]] = {}


def rule(name: str, rules: dict[str, Rule] = RULES) -> Callable[[Rule], Rule]:
    """Name a rule."""

    def add(make: Rule) -> Rule:
        rules[name] = make
        return make

    return add


# What is to be seen in an outcome.


def words_are(outcome: Outcome, content: str, reasoning: str = "") -> Finding:
    """Compare texts; blanks at the ends of pieces do not count."""
    if outcome.content.split() != content.split():
        return "content"
    return None if outcome.reasoning.split() == reasoning.split() else "reasoning"


def no_mark(writer: Writer, outcome: Outcome) -> Finding:
    """Look for marks in the texts."""
    found = [piece for piece in writer.pieces(outcome.texts) if not regex.fullmatch(r"\w+:?", piece[1])]
    return f"{found[0][1]} is in a text" if found else None


def are_of(outcome: Outcome, *calls: Call) -> Finding:
    """Tell that the calls are some of these, in their order."""
    left = list(calls)
    for call in outcome.calls:
        while left and left[0] != call:
            del left[0]
        if not left:
            return "a call that nobody wrote"
        del left[0]
    return None


def none_is_lost(outcome: Outcome, *calls: Call) -> Finding:
    """Tell that each call is read, or its argument is in an unread text or in the answer."""
    if finding := are_of(outcome, *calls):
        return finding
    for call in calls:
        if call not in outcome.calls and not _is_seen(outcome, call):
            return f"{call[0]} is lost in silence"
    return None


def _is_seen(outcome: Outcome, call: Call) -> bool:
    words = [word for value in call[1].values() for word in value.split()]
    return any(word in text for word in words for text in (*outcome.unread, outcome.texts))


def first_of(*findings: Finding) -> Finding:
    """Give the first finding."""
    return next((finding for finding in findings if finding), None)


def reads(content: str, *calls: Call, reasoning: str = "") -> Check:
    """Expect a whole message, with nothing unread."""

    def check(outcome: Outcome) -> Finding:
        return first_of(
            words_are(outcome, content, reasoning),
            None if outcome.calls == list(calls) else "calls",
            "unread" if outcome.unread else None,
        )

    return check


def between(text: str) -> tuple[int, int]:
    """Find what is between the values of two calls and their names."""
    value, name = FIRST[1]["topic"], SECOND[0]
    start = text.index(value) + len(value)
    return start, text.index(name, start)


def without(text: str, *spans: tuple[int, int]) -> str:
    """Leave out parts of a text."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


# The rules.


@rule("closer missing")
def closer_missing(writer: Writer) -> Iterator[Case]:
    """The closer between two calls is missing: the second call is read, the first is whole or reported."""
    if not writer.has_calls:
        return
    closers = set(writer.closers)
    for lead in writer.leads:
        one_block = writer.calls(lead, FIRST, SECOND)
        two_blocks = writer.calls(lead, FIRST) + writer.block(SECOND)
        for text in dict.fromkeys((one_block, two_blocks)):
            start, end = between(text)
            spans = [
                (place, place + len(mark))
                for place, mark in writer.pieces(text)
                if start <= place < end and mark in closers
            ]
            texts = [without(text, span) for span in spans]
            texts += [without(text, *spans)] if len(spans) > 1 else []
            for each in texts:

                def check(outcome: Outcome, lead: Lead = lead) -> Finding:
                    return first_of(
                        none_is_lost(outcome, FIRST, SECOND),
                        None if SECOND in outcome.calls else "the second call is not read",
                        None
                        if FIRST in outcome.calls or outcome.unread
                        else "the first call is not reported",
                        words_are(outcome, lead.content, lead.reasoning),
                    )

                yield Fault("closer missing", lead.prefix, each + writer.end), check


@rule("call in reasoning")
def call_in_reasoning(writer: Writer) -> Iterator[Case]:
    """A whole call in reasoning that is not closed is read; the reasoning before it is kept."""
    if not writer.has_calls:
        return
    check = reads("", FIRST, reasoning=REASONING)
    if not writer.reasons and writer.opened_prefix is None:
        return
    block = writer.block_in_reasoning(FIRST)
    for text in (block + writer.end, "\n\n" + block.lstrip() + writer.end):
        if writer.reasons:
            yield Fault("opened", writer.prefix, writer.reasoning_opener + REASONING + text), check
        if writer.opened_prefix is not None:
            yield Fault("opened by prompt", writer.opened_prefix, REASONING + text), check


@rule("stray closer")
def stray_closer(writer: Writer) -> Iterator[Case]:
    """A closer in the answer is nothing; the text around it is kept."""
    for closer in writer.closers:
        if closer in writer.marks_behind_name:
            continue
        texts = (
            f"{SAID} {closer} {BEHIND}",
            f"{SAID}\n{closer}\n{BEHIND}",
            SAID + closer,
            f"{SAID}\n{closer}\n",
        )
        for text in texts:
            content = text.replace(closer, "")

            def check(outcome: Outcome, content: str = content) -> Finding:
                return first_of(
                    words_are(outcome, content), no_mark(writer, outcome), "calls" if outcome.calls else None
                )

            yield Fault(f"stray {closer}", writer.prefix, writer.opening(text) + writer.end_of_text), check
            if BEHIND in text and writer.has_calls:
                whole = writer.opening(text) + writer.block(FIRST) + writer.end
                yield Fault(f"stray {closer}", writer.prefix, whole), reads(content, FIRST)


def outer_pairs(writer: Writer) -> list[tuple[str, str]]:
    """The pairs of marks around calls and around reasoning."""
    before = writer.reasoning_opener
    behind = writer.reasoning_closer if writer.reasons else ""
    if writer.has_calls:
        block = writer.block(FIRST)
        before += block[: block.index(FIRST[0])]
        behind += block[block.index(FIRST[1]["topic"]) :]
    openers = {mark for _, mark in writer.pieces(before) if mark[-1] in ">]"}
    closers = {mark for _, mark in writer.pieces(behind)}
    return [pair for pair in writer.pairs if pair[0] in openers and pair[1] in closers]


@rule("empty block")
def empty_block(writer: Writer) -> Iterator[Case]:
    """A block of calls or of reasoning with nothing in it is nothing."""
    reasoning = {mark for _, mark in writer.pieces(writer.reasoning_opener)}
    for opener, closer in outer_pairs(writer):
        if opener in writer.text_marks:
            continue
        for inner in ("", "\n"):
            block = opener + inner + closer
            if opener in reasoning:
                text = block + "\n\n" + writer.opening(SAID) + writer.end_of_text
                yield Fault(f"empty {opener}", writer.prefix, text), reads(SAID)
                continue
            text = writer.opening(f"{SAID}\n{block}\n{BEHIND}") + writer.end_of_text
            yield Fault(f"empty {opener}", writer.prefix, text), reads(f"{SAID}\n{BEHIND}")
            text = writer.opening(SAID) + block + writer.end
            yield Fault(f"empty {opener} at the end", writer.prefix, text), reads(SAID)


@rule("closer doubled")
def closer_doubled(writer: Writer) -> Iterator[Case]:
    """The closer of a call is written twice: the calls are read; within a call, it is read or reported."""
    if not writer.has_calls:
        return
    outer = {closer for _, closer in outer_pairs(writer)}
    value = FIRST[1]["topic"]
    for lead in writer.leads:
        text = writer.calls(lead, FIRST, SECOND)
        start = text.index(value)
        marks = [
            (place, mark) for place, mark in writer.pieces(text) if place > start and mark in writer.closers
        ]
        marks = [(place, mark) for place, mark in marks if mark not in writer.marks_behind_name]
        of_value = marks[0][1] if marks and writer.writes["arguments"] == "strings" else ""
        for place, mark in marks:
            for blank in ("", "\n"):
                doubled = text[:place] + mark + blank + text[place:] + writer.end
                fault = Fault(f"doubled {mark}", lead.prefix, doubled)
                if mark in outer:
                    yield fault, reads(lead.content, FIRST, SECOND, reasoning=lead.reasoning)
                    continue

                def check(
                    outcome: Outcome, mark: str = mark, lead: Lead = lead, cut: str = of_value
                ) -> Finding:
                    if mark == cut:
                        # What stands before the last closer of a value may be data.
                        outcome = outcome.with_values_cut(mark)
                    return first_of(
                        none_is_lost(outcome, FIRST, SECOND),
                        words_are(outcome, lead.content, lead.reasoning),
                        no_mark(writer, outcome),
                    )

                yield fault, check


@rule("opener doubled")
def opener_doubled(writer: Writer) -> Iterator[Case]:
    """The opener of a call is written twice: the calls are read or reported."""
    if not writer.has_calls:
        return
    outer = {opener for opener, _ in outer_pairs(writer)}
    for lead in writer.leads:
        text = writer.calls(lead, FIRST, SECOND)
        start = max(text.find(REASONING), text.find(SAID), 0)
        marks = [
            (place, mark) for place, mark in writer.pieces(text) if start <= place < text.index(FIRST[0])
        ]
        openers = outer | {mark for _, mark in marks[:1] if mark[-1] in ">]"}
        openers -= {*writer.closers, *writer.text_marks}
        for place, mark in marks:
            for blank in ("", "\n") if mark in openers else ():
                doubled = text[:place] + mark + blank + text[place:] + writer.end

                def check(outcome: Outcome, lead: Lead = lead) -> Finding:
                    return first_of(
                        none_is_lost(outcome, FIRST, SECOND),
                        words_are(outcome, lead.content, lead.reasoning),
                        no_mark(writer, outcome),
                        None if len(outcome.calls) == 2 or outcome.unread else "no report",
                    )

                yield Fault(f"doubled {mark}", lead.prefix, doubled), check


@rule("reasoning's opener doubled")
def reasoning_opener_doubled(writer: Writer) -> Iterator[Case]:
    """The opener of the reasoning is written twice, or again behind a prompt that has it: that is nothing."""
    if not writer.reasons and writer.opened_prefix is None:
        return
    opener = writer.reasoning_opener if writer.reasons else writer.opening_of_reasoning
    check = reads(SAID, reasoning=REASONING)
    whole = as_message(content=SAID, reasoning=REASONING)
    if writer.reasons:
        yield Fault("doubled", writer.prefix, opener + writer.render(whole)), check
    if writer.opened_prefix is not None:
        text = writer.render(whole, opened=True)
        yield Fault("repeated", writer.opened_prefix, opener + text), check
        yield Fault("repeated", writer.opened_prefix, f"\n{opener.strip()}\n{text}"), check


@rule("texts around calls")
def texts_around_calls(writer: Writer) -> Iterator[Case]:
    """Texts before, between and behind calls are kept, apart from each other, with the model's own blanks."""
    if not writer.has_calls:
        return
    first, second = writer.block(FIRST), writer.block(SECOND)
    text = writer.opening(SAID) + first + f"\n{BETWEEN}" + second + f"\n{BEHIND}" + writer.end
    content = f"{SAID} {BETWEEN} {BEHIND}"
    yield Fault("in lines", writer.prefix, text), reads(content, FIRST, SECOND)
    text = f"{writer.opening(SAID)} {first.strip()} {BETWEEN} {second.strip()} {BEHIND}" + writer.end
    whole = reads(content, FIRST, SECOND)
    breaks = "\n" in _around_marks(writer, text)

    def check(outcome: Outcome) -> Finding:
        if outcome.joined_by_template or breaks or "\n" not in outcome.content:
            return whole(outcome)
        return "a line feed that nobody wrote"

    yield Fault("in one line", writer.prefix, text), check


def _around_marks(writer: Writer, text: str) -> str:
    """Give the blanks beside the marks that are around calls."""
    name, value = FIRST[0], FIRST[1]["topic"]
    before = text[text.index(SAID) + len(SAID) : text.index(name) + len(name) + 1]
    behind = text[text.index(value) + len(value) : text.index(BETWEEN)]
    return before + behind


@rule("reasoning between calls")
def reasoning_between_calls(writer: Writer) -> Iterator[Case]:
    """Reasoning behind a call, and a call behind that, are read."""
    if not writer.has_calls or not writer.reasons:
        return
    again = (writer.reasoning_opener + REASONING + writer.reasoning_closer + BETWEEN).lstrip()
    text = writer.opening(SAID) + writer.block(FIRST) + "\n" + again + writer.block(SECOND) + writer.end
    check = reads(f"{SAID} {BETWEEN}", FIRST, SECOND, reasoning=REASONING)
    yield Fault("reasoning between calls", writer.prefix, text), check


@rule("next turn")
def next_turn(writer: Writer) -> Iterator[Case]:
    """What stands behind the end of the turn is no part of the message, and is reported."""
    said = writer.opening(SAID)
    texts: list[tuple[str, str, tuple[Call, ...]]] = [(said + writer.end_of_text, SAID, ())]
    if writer.has_calls:
        texts.append((said + writer.block(FIRST) + writer.end, SAID, (FIRST,)))
        texts.append((said + writer.block(FIRST) + writer.end_of_text, SAID, (FIRST,)))
    for text, content, calls in texts:
        for blank in ("", "\n"):

            def check(outcome: Outcome, content: str = content, calls: tuple[Call, ...] = calls) -> Finding:
                return first_of(
                    words_are(outcome, content),
                    None if outcome.calls == list(calls) else "calls",
                    None if any(QUESTION in text for text in outcome.unread) else "not reported",
                )

            yield Fault("next turn", writer.prefix, text + blank + writer.next_turn()), check


@rule("no arguments and names")
def names(writer: Writer) -> Iterator[Case]:
    """Calls without arguments and names with hyphens, dots and colons are read."""
    if not writer.has_calls:
        return
    calls = [(name, FIRST[1]) for name in NAMES if regex.fullmatch(writer.writes["names"], name)]
    calls += [] if writer.writes.get("fewest_arguments") else [WITHOUT_ARGUMENTS]
    for lead in writer.leads[:1]:
        for call in calls:
            for written in ((call,), (call, SECOND), (SECOND, call)):
                text = writer.calls(lead, *written) + writer.end
                yield Fault(call[0], lead.prefix, text), reads(lead.content, *written)


@rule("old calls")
def old_calls(writer: Writer) -> Iterator[Case]:
    """Calls of an earlier turn that the prompt has do not come back."""
    earlier = writer.opening(SAID) + (writer.block(FIRST) if writer.has_calls else "")
    question = writer.next_turn() + writer.end_of_text
    prompt = f"{writer.prefix}{earlier}{writer.end}\n{question}\n{writer.prefix}"
    text = writer.opening(BETWEEN) + writer.end_of_text
    yield Fault("old calls", prompt, text), reads(BETWEEN)
    begun = text.index(BETWEEN) + len("Then the")
    yield Fault("old calls, answer begun", prompt + text[:begun], text[begun:]), reads(BETWEEN)
    if writer.has_calls:
        text = writer.opening(BETWEEN) + writer.block(SECOND) + writer.end
        yield Fault("old calls, a new one", prompt, text), reads(BETWEEN, SECOND)


def no_wrong_call(outcome: Outcome) -> Finding:
    """Expect calls that were written, and none of them lost in silence."""
    return none_is_lost(outcome, FIRST, SECOND)


@rule("mark missing")
def mark_missing(writer: Writer) -> Iterator[Case]:
    """One mark is missing: no call is another one's, and none is lost in silence."""
    if not writer.has_calls:
        return
    for lead in writer.leads:
        text = writer.calls(lead, FIRST, SECOND) + writer.end
        for place, mark in writer.pieces(text):
            left = without(text, (place, place + len(mark)))
            yield Fault(f"without {mark}", lead.prefix, left), no_wrong_call


@rule("character missing", LONG_RULES)
def character_missing(writer: Writer) -> Iterator[Case]:
    """One character of a mark, or of JSON, is missing: no call is another one's, and none is lost in silence."""
    if not writer.has_calls:
        return
    for lead in writer.leads:
        text = writer.calls(lead, FIRST, SECOND) + writer.end
        for at in writer.structure(text):
            left = without(text, (at, at + 1))
            yield Fault(f"without {text[at]!r} at {at}", lead.prefix, left), no_wrong_call


def cuts(writer: Writer, places: list[int], text: str) -> Iterator[Case]:
    """Cut a text off by a limit."""
    said = len(writer.opening(SAID))
    begun = [mark[:count] for mark in writer.call_marks() for count in range(2, len(mark))]
    begun = [start for start in begun if not start.isalpha()]
    for at in places:

        def check(outcome: Outcome, at: int = at) -> Finding:
            content = outcome.content.strip()
            kept = content == SAID if at >= said else SAID.startswith(content)
            rest = content.removeprefix(SAID).strip()
            if not kept and (len(rest) == 1 or rest.replace(" ", "").isalpha()):
                # One character, or words, of a mark may as well be text.
                kept = len(rest) == 1 or any(mark.strip().startswith(rest) for mark in writer.marks)
            calls = [
                call
                for call in (FIRST, SECOND)
                if text.index(value := "".join(call[1].values())) + len(value) <= at
            ]
            cut = text[:at].split(SAID)[-1] if at >= said else ""
            return first_of(
                None if kept else "content",
                "reasoning" if outcome.reasoning else None,
                no_mark(writer, outcome),
                "a mark that was begun" if outcome.content.endswith(tuple(begun)) else None,
                are_of(outcome, *calls),
                "a call is lost in silence"
                if FIRST[0] in cut and len(outcome.calls) < len(calls) and not outcome.unread
                else None,
            )

        yield Fault(f"cut at {at}", writer.prefix, text[:at], length=True), check


@rule("cut off")
def cut_off(writer: Writer) -> Iterator[Case]:
    """A limit cuts a message off in a mark or behind it."""
    if not writer.has_calls or writer.text_follows_calls:
        return
    text = writer.opening(SAID) + writer.block(FIRST, SECOND) + writer.end
    places = {place + count for place, mark in writer.pieces(text) for count in (2, len(mark) - 1, len(mark))}
    places |= {text.index(word) + 3 for call in (FIRST, SECOND) for word in (call[0], *call[1].values())}
    yield from cuts(writer, sorted(places), text)


@rule("cut off anywhere", LONG_RULES)
def cut_off_anywhere(writer: Writer) -> Iterator[Case]:
    """A limit cuts a message off anywhere."""
    if not writer.has_calls or writer.text_follows_calls:
        return
    text = writer.opening(SAID) + writer.block(FIRST, SECOND) + writer.end
    yield from cuts(writer, list(range(1, len(text) + 1)), text)


def broken(family: Family, rule: Rule, *, every: bool) -> list[str]:
    """Run a rule and tell where it does not hold."""
    found: list[str] = []
    for fault, check in rule(Writer(family, every=every)):
        told: dict[str, list[str]] = {}
        for how, outcome in outcomes(family, fault, every=every):
            if (finding := check(outcome)) is not None:
                told.setdefault(f"{finding}: {outcome}", []).append(how)
        found += [
            f"{fault.name} ({', '.join(ways)}): {fault.text!r} behind {fault.prefix!r}: {finding}"
            for finding, ways in told.items()
        ]
    return found


ALL_RULES: Final[dict[str, Rule]] = {**RULES, **LONG_RULES}
EACH = pytest.mark.parametrize("family", families(), ids=str)


@EACH
@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_kept(name: str, family: Family) -> None:
    found = broken(family, RULES[name], every=False)
    assert bool(found) == (name in family.writes.get("cannot", {})), "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("family", representatives(), ids=str)
@pytest.mark.parametrize("name", LONG_RULES)
def test_a_rule_is_kept_in_every_chunking(name: str, family: Family) -> None:
    found = broken(family, LONG_RULES[name], every=True)
    assert not found or name in family.writes.get("cannot", {}), "\n".join(found)


@EACH
def test_what_a_family_cannot_is_among_its_limits(family: Family) -> None:
    about = json.loads((PARSERS / "families" / f"{family}.json").read_text(encoding="utf-8"))
    for name, reason in family.writes.get("cannot", {}).items():
        assert name in ALL_RULES
        assert reason in about["limits"]
