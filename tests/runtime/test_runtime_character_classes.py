r"""What ``\s`` matches: the runtime has it spelled out, the compiler reasons with it, and `regex` decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import regex

from respc.patterns import parse_pattern
from respc.patterns.parse import whitespace
from respc.patterns.syntax import Node, OneOf, children
from respc_runtime.character_classes import BLANKS, MOST_READ, READ_ALIKE, reads_alike
from respc_runtime.patterns import compile_pattern, words_pattern

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


def test_what_reads_alike_does() -> None:
    alike = set(re.findall(f"[{READ_ALIKE}]", EVERYTHING))
    for written in (r"\w", r"\d"):
        assert alike & set(re.findall(written, EVERYTHING)) == alike & set(regex.findall(written, EVERYTHING))


def test_a_long_text_is_not_asked_about_and_what_comes_before_the_place_does_not_count() -> None:
    odd = "\u0300"
    assert reads_alike("a中é" * 10, 0)
    assert not reads_alike("a" + odd, 0)
    assert reads_alike(odd + "a", 1)
    assert not reads_alike("é" * (MOST_READ + 1), 0)


def test_a_pattern_of_words_is_that_of_regex_whatever_the_text() -> None:
    pattern, exact = words_pattern(r"[^\w]|\d+"), compile_pattern(r"[^\w]|\d+")
    for text in ("abc-d", "é-x", "a\u0300", "\u0300", "x٣", "x²", "中。", "a" * 2_000 + "\u0300"):
        for pos in range(min(len(text), 3)):
            found, expected = pattern.search(text, pos), exact.search(text, pos)
            assert (found and found.span()) == (expected and expected.span()), (text, pos)
