"""Learning a spelling from texts whose messages are known."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.kinds import only_shown, shown_styles
from respc.grammars.locating import ID_OF_EXAMPLES, Located, locate
from respc.grammars.spelling import (
    AS_PYTHON,
    HOLES,
    ID,
    NUMBER,
    Calls,
    Content,
    ObjectArguments,
    Reasoning,
    Spelling,
    TagArguments,
    TagWriting,
    ValueStyle,
)
from respc.verifying.marks import MARK, inside_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import regex

    from respc.grammars.spelling import Arguments
    from respc.ir import Content as ContentOfRegion

_SEPARATORS: Final = tuple(product((", ", ","), (": ", ":")))
_DIGITS: Final = re.compile(r"(\d+)")
_WORDS: Final = (("true", "false", "null"), ("True", "False", "None"))


@dataclass(frozen=True)
class Example:
    """A text that a model writes.

    Attributes:
        text: the text, without what ends the turn.
        prefix: the prompt.
        message: what it says: reasoning, content and calls.
    """

    text: str
    prefix: str
    message: dict[str, Any]

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls, each a name and arguments."""
        functions = [call["function"] for call in self.message.get("tool_calls") or ()]
        return [(function["name"], function["arguments"]) for function in functions]

    @property
    def reasoning(self) -> str:
        """The reasoning."""
        return self.message.get("reasoning_content") or ""

    @property
    def content(self) -> str:
        """The text of the answer."""
        return self.message.get("content") or ""


class NotLearnedError(Exception):
    """The examples do not show how something is spelled; the message says what."""


def learn(
    examples: Sequence[Example], content: ContentOfRegion, closing: regex.Pattern[str] | None = None
) -> Spelling:
    """Learn how a format is spelled.

    Args:
        examples: texts of the format.
        content: what the response template reads the arguments as.
        closing: what closes reasoning, if there is any: chat templates close it in front of messages without, too.

    Raises:
        NotLearnedError: they do not show it.
    """
    closers = _closers_shown(examples, closing)
    examples = [each if each.reasoning else _without_closing(each, closers) for each in examples]
    alone = [each for each in examples if each.calls and not each.reasoning and not each.content]
    styles = list(_argument_styles(content))
    others = dict.fromkeys((*(each.style for each in styles), AS_PYTHON))
    shown = [sum(locate(each, style) is not None for each in alone) for style in styles]
    if not any(shown):
        raise NotLearnedError("no text has a call whose arguments are written in a way that is known")
    calls = _calls(alone, styles[shown.index(max(shown))], [*others, *map(_with_none, others)])
    opening = calls.section_open + calls.before
    dropped = _dropped(examples, opening)
    calls, opening = replace(calls, dropped=dropped), opening.removeprefix(dropped)
    prefix = min(alone, key=lambda each: len(each.text)).prefix
    reasoning, opened = _reasoning(examples, opening)
    return Spelling(calls, _content(examples, opening), reasoning, prefix, opened)


def _closers_shown(examples: Sequence[Example], closing: regex.Pattern[str] | None) -> set[str]:
    """List what closes reasoning where there is some."""
    shown: set[str] = set()
    for each in examples:
        if closing is not None and each.reasoning and each.reasoning in each.text:
            found = closing.search(each.text, each.text.index(each.reasoning) + len(each.reasoning))
            shown |= {found[0].strip()} if found else set()
    return shown - {""}


def _without_closing(example: Example, closers: Iterable[str]) -> Example:
    """Count the end of reasoning that is not there to the prompt."""
    said = [example.content] if example.content else [name for name, _ in example.calls]
    last = max((example.text.find(each) for each in said), default=-1)
    ends = [at + len(closer) for closer in closers if 0 <= (at := example.text.find(closer)) < last]
    end = max(ends, default=0)
    return replace(example, prefix=example.prefix + example.text[:end], text=example.text[end:])


def _argument_styles(content: ContentOfRegion) -> Iterator[Arguments]:
    """Yield ways to write arguments that a content parser reads, those of most models first."""
    given = content.arguments
    if content.parser == "xml-inline":
        yield from (
            TagArguments(ValueStyle(item_separator=item, key_separator=key, words=words), "", {})
            for words in _WORDS
            for item, key in _SEPARATORS
        )
    elif content.parser == "python-call-list":
        for quote, words, (item, key) in product("\"'", (_WORDS[1], _WORDS[0]), _SEPARATORS):
            style = ValueStyle(
                (quote, quote), key_quotes=(quote, quote), item_separator=item, key_separator=key, words=words
            )
            yield ObjectArguments(style, ("(", ")"), ("", ""), item, "=")
    elif content.parser == "json":
        delims: tuple[tuple[str, str], ...] = given.marks
        bare = ("", "") if given.unquoted_keys else ('"', '"')
        for quotes, keys, (item, key) in product(
            (*delims, ('"', '"')), dict.fromkeys((bare, ('"', '"'))), _SEPARATORS
        ):
            style = ValueStyle(quotes, quotes not in delims, keys, item, key)
            yield ObjectArguments(style, ("{", "}"), keys, item, key)


def _with_none(style: ValueStyle) -> ValueStyle:
    return replace(style, words=(*style.words[:2], "None"))


def _calls(alone: Sequence[Example], arguments: Arguments, styles: Iterable[ValueStyle]) -> Calls:
    located = {
        number: found for number in (1, 2, 3) if (found := _shortest(alone, number, arguments)) is not None
    }
    if 1 not in located:
        raise NotLearnedError("no text shows one call in a spelling that is known")
    if isinstance(arguments, TagArguments):
        arguments, gaps = _tags(alone, arguments, located, styles)
    else:
        arguments = only_shown(alone, arguments, styles)
        gaps = {number: found.gaps for number, found in located.items()}
    return _split(_numbered(gaps), arguments)


def _shortest(alone: Iterable[Example], number: int, arguments: Arguments) -> Located | None:
    """Locate the calls in the shortest text that has so many, with several arguments each."""
    fitting = [
        each for each in alone if len(each.calls) == number and all(len(args) > 1 for _, args in each.calls)
    ]
    for example in sorted(fitting, key=lambda each: len(each.text)):
        found = locate(example, arguments)
        if found is not None:
            return found
    return None


def _tags(
    alone: Sequence[Example],
    arguments: TagArguments,
    located: dict[int, Located],
    styles: Iterable[ValueStyle],
) -> tuple[TagArguments, dict[int, tuple[str, ...]]]:
    """Find out what is around names and values, and take that out of what is around calls."""
    first = located[1]
    if not first.tags[0].between:
        raise NotLearnedError("no text shows a call with two arguments")
    before_key = _before_key(first.gaps[0], first.tags[0].between[0])
    after_value = first.tags[0].between[0].removesuffix(before_key)
    trial, _ = shown_styles(alone, arguments, styles, after_value)
    tags: dict[str, TagWriting] = {}
    for example in alone:
        if not example.calls or not all(given for _, given in example.calls):
            continue
        found = locate(example, trial, after_value)
        for each in () if found is None else found.tags:
            if any(gap != after_value + before_key for gap in each.between):
                raise NotLearnedError("what is between arguments is not always the same")
            for kind, before in zip(each.kinds, each.before_values, strict=True):
                writing = TagWriting(before, after_value)
                if tags.setdefault(kind, writing) != writing:
                    raise NotLearnedError(f"arguments that are a {kind} are not always written alike")
    gaps: dict[int, tuple[str, ...]] = {}
    for number, found in located.items():
        inner = [gap.removesuffix(before_key) for gap in found.gaps[:-1]]
        outer = [gap.removeprefix(after_value) for gap in (*inner, found.gaps[-1])[1:]]
        gaps[number] = (inner[0], *outer)
    return replace(arguments, before_key=before_key, tags=tags, styles=trial.styles), gaps


def _before_key(opening: str, between: str) -> str:
    """Give what stands before the name of an argument: what the first and the second have in common there."""
    shared = 0
    while shared < min(len(opening), len(between)) and opening[-1 - shared] == between[-1 - shared]:
        shared += 1
    common = between[len(between) - shared :]
    mark = max(common.rfind("<"), common.rfind("["))
    if not common:
        raise NotLearnedError("what stands before the name of an argument is not always the same")
    return common[max(mark, 0) :]


def _numbered(gaps: dict[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Make holes of the numbers in front of the arguments that count the calls."""
    if 3 not in gaps:
        return gaps
    pieces = [_DIGITS.split(gap) for gap in gaps[3][:3]]
    if len(pieces[1]) != len(pieces[2]):
        return gaps
    # Counted from the end: in front of the first call there may be more.
    differing = [
        place - len(pieces[1])
        for place, (one, other) in enumerate(zip(pieces[1], pieces[2], strict=True))
        if one != other and one.isdecimal() and other.isdecimal()
    ]
    return {
        number: (*(_with_numbers(gap, differing) for gap in found[:-1]), found[-1])
        for number, found in gaps.items()
    }


def _with_numbers(gap: str, places: Iterable[int]) -> str:
    pieces = _DIGITS.split(gap)
    for place in places:
        if -place <= len(pieces):
            pieces[place] = NUMBER
    return "".join(pieces)


def _split(gaps: dict[int, tuple[str, ...]], arguments: Arguments) -> Calls:
    """Tell what belongs to a call from what is around all and between two."""
    opening, closing = gaps[1]
    ids = 9 if ID in opening + closing else 0
    if 2 not in gaps:
        return Calls(arguments, "", opening, closing, None, "", ids)
    several_opening, joint, several_closing = gaps[2]
    if (several_opening, several_closing) != (opening, closing) or (
        3 in gaps and gaps[3][1:3] != (joint,) * 2
    ):
        # Several calls are not written as one is, and it is not known how.
        return Calls(arguments, "", opening, closing, None, "", ids)
    before = _common_end(opening, joint)
    before = before[_to_mark(opening, len(opening) - len(before)) :]
    after = _common_beginning(closing, joint[: len(joint) - len(before)])
    after = after[: len(after) - inside_mark(closing, len(after))]
    separator = joint[len(after) : len(joint) - len(before)]
    return Calls(
        arguments,
        opening[: len(opening) - len(before)],
        before,
        after,
        separator,
        closing[len(after) :],
        ids,
    )


def _to_mark(text: str, at: int) -> int:
    """Return how far it is from a place inside a mark to the end of that."""
    inside = inside_mark(text, at)
    mark = MARK.match(text, at - inside) if inside else None
    return 0 if mark is None else mark.end() - at


def _common_beginning(one: str, other: str) -> str:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _common_end(one: str, other: str) -> str:
    return _common_beginning(one[::-1], other[::-1])[::-1]


def _pattern_of(opening: str, name: str) -> re.Pattern[str]:
    written = re.escape(opening)
    for hole, pattern in zip(HOLES, (re.escape(name), r"\d+", ID_OF_EXAMPLES.pattern), strict=True):
        written = written.replace(hole, pattern)
    return re.compile(written)


def _before(example: Example, opening: str, start: int) -> str | None:
    """Give what is between a place and the first call; None where the call is not opened there."""
    found = _pattern_of(opening, example.calls[0][0]).search(example.text, start)
    return None if found is None else example.text[start : found.start()]


def _dropped(examples: Iterable[Example], opening: str) -> str:
    """Find out whether the blanks that calls begin with are there behind a text or reasoning, too."""
    said = [(each, each.content or each.reasoning) for each in examples if each.calls]
    behind = [(each, each.text.index(text) + len(text)) for each, text in said if text and text in each.text]
    blanks = opening[: len(opening) - len(opening.lstrip())]

    def seen(dropped: str) -> int:
        return sum(_before(each, opening.removeprefix(dropped), end) is not None for each, end in behind)

    return max("", blanks, key=seen)


def _content(examples: Sequence[Example], opening: str) -> Content:
    plain = [each for each in examples if each.content and not each.calls and not each.reasoning]
    if not plain:
        return Content()
    shortest = min(plain, key=lambda each: len(each.text))
    opens, _, closes = shortest.text.partition(shortest.content)
    beside = [each for each in examples if each.content and each.calls and not each.reasoning]
    beside = [each for each in beside if each.content in each.text]
    found = [
        Content(opens, closes, gap, None if head == opens else head)
        for each in beside
        for head, _, _ in (each.text.partition(each.content),)
        if (gap := _before(each, opening, len(head + each.content))) is not None
    ]
    return min(
        found,
        key=lambda each: (each.opens_before_call is not None, len(each.before_call or "")),
        default=Content(opens, closes),
    )


def _reasoning(examples: Sequence[Example], opening: str) -> tuple[Reasoning | None, str | None]:
    """Find out how reasoning is written, and give a prompt that opens it."""
    opens: list[str] = []
    opened: list[str] = []
    before_call: list[str] = []
    before_content: list[str] = []
    for each in examples:
        if not each.reasoning or each.reasoning not in each.text:
            continue
        start = each.text.index(each.reasoning)
        end = start + len(each.reasoning)
        if start:
            opens.append(each.text[:start])
        else:
            opened.append(each.prefix)
        if each.content and each.content in each.text[end:]:
            before_content.append(each.text[end : each.text.index(each.content, end)])
        elif each.calls and not each.content and (gap := _before(each, opening, end)) is not None:
            before_call.append(gap)
    if not before_call:
        return None, None
    reasoning = Reasoning(_usual(opens), _usual(before_call) or "", _usual(before_content))
    return reasoning, min(opened, key=len, default=None)


def _usual(found: Sequence[str]) -> str | None:
    """Give what was found most often."""
    return max(dict.fromkeys(found), key=found.count, default=None)
