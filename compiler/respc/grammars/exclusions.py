"""What may not be in the free texts of a format, because its parser takes it for a delimiter."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import regex

from respc.contents.json import JsonArguments
from respc.contents.xml_inline import XmlInlineArguments
from respc.grammars.building import Exclusions
from respc.grammars.needed import minimal, needed_texts
from respc.grammars.writing import write_value
from respc.ir import Content
from respc.patterns import parse_pattern
from respc.patterns.syntax import Atomic, Choice, Group, LookAhead, Repeat, Sequence
from respc_runtime.json_dialects import TOKEN_END, TOKEN_START

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from respc.grammars.spelling import ValueStyle
    from respc.ir import Delimiter, Fault, ParserIR, Region
    from respc.patterns.syntax import Node

_SPECIAL: Final = re.compile(r"<[|｜][^<>\s]{1,60}[|｜]>")
_WORD: Final = re.compile(r"\w+")
_CONTENT: Final = "content"
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
"""How chat templates name the field of reasoning."""


class UnboundedError(Exception):
    """A delimiter can be any text; the message says which."""


def exclusions_of(ir: ParserIR, calls: Region, styles: Collection[ValueStyle]) -> Exclusions:
    """Find out what ends free texts.

    Args:
        ir: the response template.
        calls: its field of calls.
        styles: how values are written.

    Raises:
        UnboundedError: nothing can be left out so that a delimiter is never found.
    """
    ends = [_texts(calls.closer, "the closer of the calls")] if calls.closer else []
    if isinstance(calls.content.arguments, XmlInlineArguments):
        tag = parse_pattern(calls.content.arguments.tag_pattern)
        ends += _ends_of_values(tag)
        ends += [*_beginnings_of_tags(tag, _all(ends))]
    ends += _reserved(calls.content)
    reasoning = [
        _texts(region.closer, f"the closer of {region.name}")
        for region in reasoning_regions(ir)
        if region.closer
    ]
    return Exclusions(
        _all(ends), _all(reasoning), _content(ir), not _ends_in_values(calls, _all(ends), styles)
    )


def _reserved(content: Content | Fault | None) -> list[frozenset[str]]:
    """List the characters that a dialect of JSON keeps for itself: no body may have them."""
    if not isinstance(content, Content):
        return []
    if isinstance(content.arguments, XmlInlineArguments):
        return _reserved(content.arguments.value)
    keeps = isinstance(content.arguments, JsonArguments) and content.arguments.refuse_reserved
    return [frozenset((TOKEN_START,)), frozenset((TOKEN_END,))] if keeps else []


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


def _ends_in_values(calls: Region, ends: tuple[str, ...], styles: Collection[ValueStyle]) -> bool:
    """Tell whether brackets and keys of values can be what ends the calls: tried with keys that its texts have."""
    if calls.closer is None or calls.closer.declared is not None:
        return False
    closer = regex.compile(calls.closer.pattern, regex.DOTALL)
    keys = {"a", *(word for text in ends for word in _WORD.findall(text))}
    return any(closer.search(write_value(_nested(key), style)) for key in keys for style in styles)


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


def _ends_of_values(tag: Node) -> list[frozenset[str]]:
    """List what ends the value of a tag, one set for each way that the tag can be written."""
    found: list[frozenset[str]] = []
    for around in _around_value(tag):
        texts = needed_texts(Sequence(around.behind))
        if texts is None:
            raise UnboundedError("what ends the value of a tag can be nearly any text")
        found.append(texts)
    return found


def _beginnings_of_tags(tag: Node, ends: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """Yield what tags begin with, which no value holds either, unless a part of it is known to end values."""
    for around in _around_value(tag):
        heads = [needed_texts(Sequence(around.before[: end + 1])) for end in range(len(around.before))]
        known = [texts for texts in heads if texts is not None]
        if not known:
            raise UnboundedError("what begins a tag can be nearly any text")
        if not any(all(any(end in text for end in ends) for text in texts) for texts in known):
            yield known[-1]


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands before the value of a tag, and behind it."""

    before: tuple[Node, ...]
    behind: tuple[Node, ...]


def _around_value(node: Node) -> Iterator[_Around]:
    """Yield what stands around the value of a tag, in each way to write it."""
    match node:
        case Group(item, "value"):
            yield _Around((), _behind_repeat(item))
        case Group(item) | Atomic(item) | LookAhead(item):
            yield from _around_value(item)
        case Choice(branches):
            for branch in branches:
                yield from _around_value(branch)
        case Sequence(items):
            for number, item in enumerate(items):
                for inner in _around_value(item):
                    yield _Around((*items[:number], *inner.before), (*inner.behind, *items[number + 1 :]))
        case _:
            return


def _behind_repeat(node: Node) -> tuple[Node, ...]:
    """List what the group of the value has behind its free part."""
    if isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            if isinstance(item, Repeat) and item.high is None:
                return tuple(node.items[number + 1 :])
    return ()
