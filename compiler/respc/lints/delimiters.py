"""The delimiters and patterns of a template, as the rules about them go through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.contents import parser_of
from respc.source import child_pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.ir import Content, Delimiter, ParserIR, Region


@dataclass(frozen=True, slots=True)
class Placed:
    """An opener or a closer, and whose.

    Attributes:
        region: the field.
        delimiter: its opener or closer.
        opens: whether it is the opener.
    """

    region: Region
    delimiter: Delimiter
    opens: bool

    @property
    def pointer(self) -> str:
        """Give the place in the template."""
        return self.delimiter.origin.pointer

    def pointer_of_literal(self, literal: str) -> str:
        """Give the place of one literal, in the list of them if there is one."""
        declared = self.delimiter.declared or ()
        return (
            child_pointer(self.pointer, declared.index(literal)) if literal in declared[1:] else self.pointer
        )

    @property
    def key(self) -> str:
        """Give the key that it is written under."""
        return self.pointer.rpartition("/")[2]

    @property
    def is_pattern(self) -> bool:
        """Tell whether it is written as a pattern."""
        return self.delimiter.declared is None

    @property
    def ends_implicit(self) -> bool:
        """Tell whether it is the closer of the implicit field."""
        return self.region.opener is None

    @property
    def kind(self) -> str:
        """Name it in a sentence."""
        return "opener" if self.opens else "closer"


@dataclass(frozen=True, slots=True)
class PlacedPattern:
    """A pattern as written.

    Attributes:
        of_tag: whether it finds tags in a body, or in a value.
        in_value: whether in a value.
    """

    pointer: str
    pattern: str
    of_tag: bool
    region: Region | None
    in_value: bool = False


def placed_delimiters(ir: ParserIR) -> Iterator[Placed]:
    """List the openers and closers in the template's order."""
    for region in ir.regions:
        for delimiter, opens in ((region.opener, True), (region.closer, False)):
            if delimiter is not None:
                yield Placed(region, delimiter, opens)


def placed_patterns(ir: ParserIR) -> Iterator[PlacedPattern]:
    """List the patterns that the template writes out: of the anchor, of delimiters, of tags."""
    if ir.anchor.origin.pointer.endswith("_pattern"):
        yield PlacedPattern(ir.anchor.origin.pointer, ir.anchor.pattern, of_tag=False, region=None)
    for region in ir.regions:
        for delimiter in (region.opener, region.closer):
            if delimiter is not None and delimiter.declared is None:
                yield PlacedPattern(delimiter.origin.pointer, delimiter.pattern, of_tag=False, region=region)
        for content in contents_of(region):
            for found in parser_of(content).patterns(content.arguments):
                yield PlacedPattern(
                    f"{content.origin.pointer}/{found.argument}",
                    found.pattern,
                    of_tag=True,
                    region=region,
                    in_value=content is not region.content,
                )


def nearest_beginnings(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """List each text that another one begins, after the longest such one."""
    beginnings: list[str] = []
    # In this order, all that begins with a text comes right after it.
    for text in sorted(texts):
        while beginnings and not text.startswith(beginnings[-1]):
            beginnings.pop()
        if beginnings and text != beginnings[-1]:
            yield beginnings[-1], text
        beginnings.append(text)


def contents_of(region: Region) -> Iterator[Content]:
    """List the content parser of a field, and the value parsers inside it."""
    content: Content | None = region.content
    while content is not None:
        yield content
        content = parser_of(content).value_content(content.arguments)
