"""How a chat template writes reasoning: where it stands, and what opens and closes it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from respc.inferring.probes import CONTENT, FIRST_NAME, ONE_CALL, REASONING
from respc.inferring.sides import closes, resembles, words_of
from respc.inferring.tokens import common_beginning, common_end, marks, tokens
from respc.verifying.features import MODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.constants import Pair
    from respc.inferring.probes import Probes, Sight


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What stands around reasoning.

    Attributes:
        open: what opens it; "" where nothing does.
        close: what closes it; "" where that does not show.
        beside: what else stands between it and what follows, which belongs to no field.
        how: what was seen, a sentence.
        sight: the message that showed it.
    """

    open: str
    close: str
    beside: tuple[str, ...]
    how: str
    sight: Sight


def find_reasoning(probes: Probes, pairs: list[Pair]) -> Reasoning | None:
    """Find out how reasoning is written.

    Args:
        probes: of the chat template.
        pairs: texts that may be an opener and its closer.
    """
    return _rendered(probes) or _shown_empty(probes) or _taken_out(probes, pairs) or _opened(probes, pairs)


def _rendered(probes: Probes) -> Reasoning | None:
    """Compare a message that has reasoning with the same one that has none."""
    with_content = {"content": CONTENT}
    with_calls = {"tool_calls": [ONE_CALL]}
    with_both = {**with_content, **with_calls}
    for feature, bare_feature, message, word in (
        ("reasoning", "answer", with_content, CONTENT),
        ("reasoning and call", "call", with_calls, FIRST_NAME),
        ("reasoning, text and call", "text and call", with_both, CONTENT),
    ):
        reasoned = probes.first(feature, {"reasoning_content": REASONING, **message})
        if reasoned is None:
            continue
        at = reasoned.turn.find(REASONING)
        end = reasoned.turn.find(word, at)
        if at < 0 or end < 0:
            continue
        bare = probes.first(bare_feature, message)
        lead = "" if bare is None else bare.turn[: bare.turn.find(word)]
        found = _between(reasoned, lead, reasoned.turn[:at], reasoned.turn[at + len(REASONING) : end])
        if found is not None:
            return found
    return None


def _between(sight: Sight, lead: str, before: str, middle: str) -> Reasoning | None:
    """Take apart what stands in front of reasoning and behind it.

    Args:
        sight: the message with reasoning.
        lead: what stands in front of the message that has none.
        before: what stands in front of the reasoning.
        middle: what stands between the reasoning and what follows.
    """
    # What the model writes is no part of what begins a turn.
    header = common_beginning(before, lead)[: len(sight.tail)]
    opener = before[len(header) :].strip()
    opener_in_header = ""
    if not opener:
        opener_in_header = _at_end(header, middle)
        header = header.rstrip()[: len(header.rstrip()) - len(opener_in_header)]
        opener = opener_in_header
    lead = _without_empty(lead[len(header) :] if lead.startswith(header) else "", opener, middle)
    following = common_end(lead, middle)
    closer = middle[: len(middle) - len(following)]
    if not closer.strip():
        closer = _closer_of(opener, middle)
    beside: list[str] = []
    again = _turn_begins(header)
    if again and again in closer:
        closer, _, rest = closer.partition(again)
        beside.append(again + rest)
    elif len(marks(closer)) > 1:
        first = _closer_of(opener, closer)
        beside.append(closer[closer.index(first) + len(first) :])
        closer = first
    if not opener and not closer.strip():
        return None
    how = "reasoning of the message is written, and this stands around it"
    kept = tuple(part.strip() for part in beside if part.strip())
    return Reasoning(opener, closer.strip(), kept, how, sight)


def _at_end(header: str, middle: str) -> str:
    """Find, at the end of what begins a turn, what resembles the closer that follows."""
    parts = tokens(header.rstrip())
    closers = marks(middle)
    if not closers:
        return ""
    for count in range(1, min(6, len(parts)) + 1):
        text = "".join(parts[-count:])
        if marks(text) and text.lstrip() == text and marks(text)[0] == parts[-count]:
            closer = _closer_of(text, middle)
            if resembles(text, closer):
                return text
    return ""


def _closer_of(opener: str, text: str) -> str:
    """Find what begins a text and closes: the shortest that resembles the opener; else its first mark, or all of it."""
    parts = tokens(text.strip())
    found = marks(text)
    for count in range(1, min(6, len(parts)) + 1):
        candidate = "".join(parts[:count])
        is_whole = count == 1 or words_of(candidate) == words_of(opener)
        if marks(candidate) and is_whole and resembles(opener, candidate):
            return candidate
    return found[0] if found and text.strip().startswith(found[0]) else text.strip()


def _without_empty(lead: str, opener: str, middle: str) -> str:
    """Take out of what stands in front of a message the marks of a reasoning that is empty."""
    closer = _closer_of(opener, middle) if middle.strip() else ""
    rest = lead.lstrip()
    if opener and rest.startswith(opener):
        rest = rest[len(opener) :].lstrip()
        return rest[len(closer) :] if closer and rest.startswith(closer) else lead
    if closer and resembles(opener or closer + " ", closer) and rest.startswith(closer):
        return rest[len(closer) :]
    return lead


def _turn_begins(header: str) -> str:
    """Give what begins a turn of the model: from the last mark that begins one."""
    found = marks(header)
    if not found:
        return ""
    at = header.rindex(found[-1])
    # The name of the role may stand between two marks.
    if len(found) > 1 and not header[at + len(found[-1]) :].strip():
        at = header.rindex(found[-2], 0, at)
    return header[at:].strip()


def _shown_empty(probes: Probes) -> Reasoning | None:
    """Find a pair of marks around nothing: in a message that has no reasoning, or in a prompt."""
    for sight in _plain_sights(probes):
        lead = sight.turn[: sight.turn.find(CONTENT)]
        found = marks(lead)
        for opener, closer in pairwise(found):
            at = lead.rindex(opener)
            end = lead.find(closer, at)
            words = lead[at + len(opener) : end]
            if end > at and not words.strip() and closes(closer) and _is_pair(opener, closer):
                how = "a reasoning that is empty is written by this pair"
                return Reasoning(opener, closer, (), how, sight)
    return None


def _is_pair(opener: str, closer: str) -> bool:
    """Tell whether the same words are in both, so that no header of a turn is taken for a pair."""
    if closes(opener):
        return False
    return words_of(opener) == words_of(closer)


def _plain_sights(probes: Probes) -> Iterator[Sight]:
    for mode in MODES:
        yield from probes.see("answer", {"content": CONTENT}, mode=mode)


def _taken_out(probes: Probes, pairs: list[Pair]) -> Reasoning | None:
    """Find a pair that the template takes out of the text of a message, with what is in it."""
    for pair in pairs:
        content = f"{pair.open}\n{REASONING}\n{pair.close}\n\n{CONTENT}"
        sight = probes.first("reasoning in the content", {"content": content})
        shown = probes.history_with(content) if sight is None else sight.turn
        if shown is not None and CONTENT in shown and REASONING not in shown:
            how = "the chat template takes what stands between these out of the content"
            plain = probes.first("answer", {"content": CONTENT})
            if plain is not None:
                return Reasoning(pair.open, pair.close, (), how, plain)
    return None


def _opened(probes: Probes, pairs: list[Pair]) -> Reasoning | None:
    """Find a mark that some prompts end with, and that has a closer among the texts of the template."""
    sights = list(_plain_sights(probes))
    for sight in sights:
        found = marks(sight.tail)
        for pair in pairs:
            if found and sight.tail.rstrip().endswith(pair.open) and pair.close not in sight.text:
                how = "the prompt ends with this"
                return Reasoning(pair.open, pair.close, (), how, sight)
    return None
