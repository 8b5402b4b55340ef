"""What may not be in the free texts of a format, because its parser takes it for a delimiter."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import regex

from respc.contents.xml_inline import XmlInlineArguments
from respc.grammars.building import Exclusions
from respc.grammars.needed import minimal, needed_texts
from respc.grammars.writing import write_value
from respc.patterns import parse_pattern
from respc.patterns.syntax import Atomic, Choice, Group, LookAhead, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.grammars.spelling import ValueStyle
    from respc.ir import Delimiter, ParserIR, Region
    from respc.patterns.syntax import Node

_SPECIAL: Final = re.compile(r"<[|｜][^<>\s]{1,60}[|｜]>")
_WORD: Final = re.compile(r"\w+")
_CONTENT: Final = "content"
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
"""How chat templates name the field of reasoning."""


class UnboundedError(Exception):
    """A delimiter can be any text; the message says which."""


def exclusions_of(ir: ParserIR, calls: Region, style: ValueStyle) -> Exclusions:
    """Find out what ends free texts.

    Args:
        ir: the response template.
        calls: its field of calls.
        style: how values are written.

    Raises:
        UnboundedError: nothing can be left out so that a delimiter is never found.
    """
    ends = [_texts(calls.closer, "the closer of the calls")] if calls.closer else []
    if isinstance(calls.content.arguments, XmlInlineArguments):
        tag = parse_pattern(calls.content.arguments.tag_pattern)
        ends += [*_ends_of_values(tag), *_beginnings_of_tags(tag)]
    reasoning = [
        _texts(region.closer, f"the closer of {region.name}")
        for region in reasoning_regions(ir)
        if region.closer
    ]
    return Exclusions(
        _all(ends), _all(reasoning), _content(ir), not _ends_in_values(calls, _all(ends), style)
    )


def reasoning_regions(ir: ParserIR) -> list[Region]:
    """List the fields of reasoning."""
    return [region for region in ir.regions if region.name in _REASONING and region.opener]


def _content(ir: ParserIR) -> tuple[str, ...] | None:
    """Find out what may not be in the text of an answer; None where that can be nearly any text."""
    explicit = [region for region in ir.regions if region.name == _CONTENT and region.opener]
    own = explicit or ([] if ir.implicit is None else [ir.region(ir.implicit)])
    # Where a text begins, another field can begin as well, and in a region of its own no field does.
    delimiters = [region.opener for region in ir.regions if region not in own]
    delimiters += [region.closer for region in own]
    try:
        return _all([_texts(each, "") for each in delimiters if each is not None])
    except UnboundedError:
        return None


def _ends_in_values(calls: Region, ends: tuple[str, ...], style: ValueStyle) -> bool:
    """Tell whether brackets and keys of values can be what ends the calls: tried with keys that its texts have."""
    if calls.closer is None or calls.closer.declared is not None:
        return False
    closer = regex.compile(calls.closer.pattern, regex.DOTALL)
    keys = {"a", *(word for text in ends for word in _WORD.findall(text))}
    return any(closer.search(write_value(_nested(key), style)) for key in keys)


def _nested(key: str) -> Any:
    """Make a value in which brackets, keys and values of all kinds meet."""
    inner: dict[str, Any] = {key: {key: []}}
    listed: list[Any] = [
        inner,
        {key: [inner]},
        inner,
        [[], [key]],
        key,
        1,
        key,
        True,
        {},
        None,
        {key: 1},
        {key: key},
    ]
    return {key: [[listed], listed], "b": inner, "c": [inner]}


def _texts(delimiter: Delimiter, what: str) -> frozenset[str]:
    texts = (
        frozenset(delimiter.declared)
        if delimiter.declared is not None
        else needed_texts(parse_pattern(delimiter.pattern))
    )
    if texts is None:
        raise UnboundedError(f"{what} can be nearly any text")
    return texts


def _all(parts: Iterable[frozenset[str]]) -> tuple[str, ...]:
    """Join texts; those that begin with the same special mark are that mark, which no answer has in it either."""
    texts = {text for part in parts for text in part}
    marks = Counter(found[0] for text in texts if (found := _SPECIAL.match(text)))
    return minimal(
        found[0] if (found := _SPECIAL.match(text)) and marks[found[0]] > 1 else text for text in texts
    )


def _beginnings_of_tags(tag: Node) -> list[frozenset[str]]:
    """List what begins a tag: a value that has another tag in it is one that was not closed, for careful parsers."""
    found: list[frozenset[str]] = []
    for items in _before_key(tag):
        texts = needed_texts(Sequence(tuple(items)))
        if texts is None:
            raise UnboundedError("what begins a tag can be nearly any text")
        found.append(texts)
    return found


def _before_key(node: Node) -> Iterator[list[Node]]:
    """Yield what comes before the key of a tag, in each way to write it."""
    match node:
        case Group(_, "key"):
            yield []
        case Group(item) | Atomic(item) | LookAhead(item):
            yield from _before_key(item)
        case Choice(branches):
            for branch in branches:
                yield from _before_key(branch)
        case Sequence(items):
            for number, item in enumerate(items):
                for before in _before_key(item):
                    yield [*items[:number], *before]
        case _:
            return


def _ends_of_values(tag: Node) -> list[frozenset[str]]:
    """List what ends the value of a tag, one set for each way that the tag can be written."""
    found: list[frozenset[str]] = []
    for rest in _behind_value(tag):
        texts = needed_texts(Sequence(tuple(rest)))
        if texts is None:
            raise UnboundedError("what ends the value of a tag can be nearly any text")
        found.append(texts)
    return found


def _behind_value(node: Node) -> Iterator[list[Node]]:
    """Yield what comes behind the value of a tag, in each way to write it."""
    match node:
        case Group(item, "value"):
            yield _behind_repeat(item)
        case Group(item) | Atomic(item) | LookAhead(item):
            yield from _behind_value(item)
        case Choice(branches):
            for branch in branches:
                yield from _behind_value(branch)
        case Sequence(items):
            for number, item in enumerate(items):
                for rest in _behind_value(item):
                    yield [*rest, *items[number + 1 :]]
        case _:
            return


def _behind_repeat(node: Node) -> list[Node]:
    """List what the group of the value has behind its free part."""
    if isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            if isinstance(item, Repeat) and item.high is None:
                return list(node.items[number + 1 :])
    return []
