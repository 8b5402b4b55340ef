r"""What ``\s`` matches: the runtime has it spelled out, the compiler reasons with it, and `regex` decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import regex

from respc.patterns import parse_pattern
from respc.patterns.parse import whitespace
from respc.patterns.syntax import Node, OneOf, children
from respc_runtime.character_classes import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERYTHING = "".join(map(chr, range(0x110000)))


def nodes_of(node: Node) -> Iterator[Node]:
    """Yield a node and all inside it."""
    yield node
    for child in children(node):
        yield from nodes_of(child)


def test_blanks_are_those_of_regex_and_fewer_than_those_of_re() -> None:
    assert "".join(regex.findall(r"\s", EVERYTHING)) == BLANKS
    assert set(BLANKS) < set(re.findall(r"\s", EVERYTHING))


def test_the_compiler_reasons_with_the_blanks_of_the_runtime() -> None:
    assert whitespace() == set(BLANKS)
    for pattern in (r"\s", r"[\s]"):
        (members,) = (node for node in nodes_of(parse_pattern(pattern)) if isinstance(node, OneOf))
        assert members.characters == set(BLANKS)
