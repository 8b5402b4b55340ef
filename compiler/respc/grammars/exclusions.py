"""What may not be in the free texts of a format, because its parser takes it for a delimiter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.contents.xml_inline import XmlInlineArguments
from respc.grammars.building import Exclusions
from respc.grammars.needed import minimal, needed_texts
from respc.patterns import parse_pattern
from respc.patterns.syntax import Atomic, Choice, Group, LookAhead, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.ir import Delimiter, ParserIR, Region
    from respc.patterns.syntax import Node

_CONTENT: Final = "content"
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
"""How chat templates name the field of reasoning."""


class UnboundedError(Exception):
    """A delimiter can be any text; the message says which."""


def exclusions_of(ir: ParserIR, calls: Region) -> Exclusions:
    """Find out what ends free texts.

    Raises:
        UnboundedError: nothing can be left out so that a delimiter is never found.
    """
    ends = [_texts(calls.closer, "the closer of the calls")] if calls.closer else []
    if isinstance(calls.content.arguments, XmlInlineArguments):
        ends += _ends_of_values(parse_pattern(calls.content.arguments.tag_pattern))
    reasoning = [
        _texts(region.closer, f"the closer of {region.name}")
        for region in reasoning_regions(ir)
        if region.closer
    ]
    return Exclusions(_all(ends), _all(reasoning), _content(ir))


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
    return minimal(text for part in parts for text in part)


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
