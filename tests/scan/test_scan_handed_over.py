"""Runs that can leave text to a later one, and what the compiler says of them."""

from __future__ import annotations

from typing import Any

import pytest

import respc
from respc.patterns import parse_pattern
from respc.scan.handed_over import hands_over


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"<a>\s*[^<]*<b>", True),
        (r"<a>[^<]*[^<]*<b>", True),
        (r"<a>\s*\n\s*<b>", True),
        (r"<a>\s*\[?\s*\{", True),
        (r"<a>\s*(?=\[?\s*\{)", True),
        (r"<a>\s*(?:[^<\s]*)\s*<b>", True),
        (r"<a>\s*(?:x|[^<]*)<b>", True),
        (r"<a>\w+.*?<b>", True),
        (r"<a>\s*[^\s<]*<b>", False),
        (r"<a>\s*(?:\[\s*)?\{", False),
        (r"<a>\s*x\s*<b>", False),
        (r"<a>\s*(?:[^<\s]+\s*)?<b>", False),
        (r"<a>\s*[\s\S]*", False),
        (r"<a>[^<]*\s*", False),
        (r"<a>\s*(?:x|y\s*)<b>", False),
    ],
)
def test_which_runs_do(pattern: str, expected: bool) -> None:
    assert hands_over(parse_pattern(pattern)) is expected


def template(pattern: str) -> dict[str, Any]:
    return {
        "start_anchor": "<s>",
        "fields": {"call": {"open_pattern": pattern, "close": "</a>", "repeats": True}, "content": {}},
    }


def test_the_compiler_says_so_and_how_to_write_it() -> None:
    (found,) = [
        each for each in respc.check_template(template(r"<a>\s*\[?\s*\{")) if each.code.slug == "slow-pattern"
    ]
    assert "has a run that can leave text to a later one" in found.message
    assert found.pointer == "/fields/call/open_pattern"
    better = respc.check_template(template(r"<a>\s*(?:\[\s*)?\{"))
    assert "slow-pattern" not in {each.code.slug for each in better}
