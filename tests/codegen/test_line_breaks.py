"""A long expression is printed over several lines: the same expression, broken where a reader would break it."""

from __future__ import annotations

import ast
import re
from random import Random

import pytest

from respc.codegen.line_breaks import broken_lines
from respc.codegen.literals import pattern_lines

ENDS = (
    r"<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)<\|message\|>(?P<reasoning_content>)"
    r"|(?:</think>\s*|(?:<\|im_end\|>|<\|im_start\|>(?:user|system|tool)).*)(?P<close>)"
    r"|<tool_call>(?P<tool_calls>)"
)


def test_each_delimiter_begins_a_line() -> None:
    assert broken_lines(ENDS, 88) == [
        r"<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)<\|message\|>(?P<reasoning_content>)",
        r"|(?:</think>\s*|(?:<\|im_end\|>|<\|im_start\|>(?:user|system|tool)).*)(?P<close>)",
        r"|<tool_call>(?P<tool_calls>)",
    ]


def test_so_does_each_that_has_begun() -> None:
    written = r"<a>\s*\Z(?P<in_blanks>)|(?~<a>|<b>)\Z|(?~\[x)\Z"
    assert broken_lines(written, 24) == [r"<a>\s*\Z(?P<in_blanks>)", r"|(?~<a>|<b>)\Z", r"|(?~\[x)\Z"]


def test_alternatives_of_one_stay_together_as_long_as_they_fit() -> None:
    written = "(?:" + "|".join(["alternative"] * 9) + ")(?P<close>)"
    lines = broken_lines(written, 40)
    assert [line.count("alternative") for line in lines] == [3, 3, 3, 0]
    assert [line[0] for line in lines] == ["(", "|", "|", "("]


@pytest.mark.parametrize("width", [10, 20, 40, 88])
def test_no_name_class_or_escape_is_broken(width: int) -> None:
    written = ENDS * 2 + r"[^\s<>\|]{2,3}\u2028+(?P=kept)\Z(?P<in_blanks_2>)"
    lines = broken_lines(written, width)
    assert "".join(lines) == written
    assert not any(
        re.search(r"(?<!\\)(?:\\\\)*\\$|\(\?\w*$|\(\?P<\w*$|\([^)\w]?$|\[[^]]*$", line) for line in lines
    )
    assert not any(line.startswith(("*", "+", "?", "{", ")")) for line in lines)


@pytest.mark.parametrize("seed", range(100))
def test_the_lines_are_the_expression(seed: int) -> None:
    random = Random(seed)
    parts = ["a", "|", "(", ")", "(?:", "[", "]", "\\", "'", '"', "\n", "(?P<", ">", "é"]
    written = "".join(random.choices(parts, k=300))
    assert "".join(broken_lines(written, 20)) == written
    assert ast.literal_eval(f"({pattern_lines(written)})") == written


def test_a_long_class_is_broken_rather_than_a_line_too_long() -> None:
    written = "[" + "".join(rf"\u{number:04x}" for number in range(0x2000, 0x2020)) + "]"
    lines = broken_lines(written, 88)
    assert "".join(lines) == written
    assert all(len(line) <= 88 for line in lines)
    assert all(line.startswith("\\u") for line in lines[1:])
