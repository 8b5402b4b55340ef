"""Runs that led nowhere: they are not looked through again, and nothing is missed for that."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import respc
from respc.patterns.parse import parse_pattern
from respc.patterns.syntax import OneOf, Sequence
from respc.scan.language import Language, alphabet_of
from respc.scan.once import comes_later
from respc.scan.shapes import flat
from respc_runtime.searches import LeadingRun, compiled
from respc_runtime.states import State
from support.checking import check
from support.oracle import compiled as compiled_template

LONG = 70
"""Longer than what is searched in the plainest way."""


@pytest.mark.parametrize(
    ("head", "run", "branch", "expected"),
    [
        ("<b>", r"[\s\S]", r"<b>[\s\S]*<m>", False),
        ("<b>", r"[\s\S]", r"<b>(?:[\s\S]*|\d)<m>", False),
        ("b>", r"[\s\S]", r"b>([\s\S]*>)?>", False),
        (r"\n*a", r"[\s\S]", r"\n*a[\s\S]* [^\n]?", False),
        # Behind the head stands no "cc", but there is one in it, where the delimiter begins again.
        ("x(?:xbcc|b)", r"[\s\S]", r"x(?:xbcc|b)[\s\S]*cc", True),
        ("(?:ayyy|y)", r"[\s\S]", r"(?:ayyy|y)[\s\S]*yy", True),
        # The way past the run needs less than what stands behind it.
        ("<b>", r"[\s\S]", r"<b>(?:[\s\S]*x|\d)<m>", True),
        ("ab", r"[\s\S]", r"ab[\s\S]{9,}c|b", True),
        # What begins in a run of some class also ends in it, or where what began before it does.
        ("(?:to|for)=", r"\S", r"(?:to|for)=\S+?<b>", False),
        ("<a?", "[^>]", "<a?[^>]*>", False),
        ("<a>[^x]*x", "[^y]", "<a>[^x]*x[^y]*y", False),
        (r"<a\b", "[^>]", r"<a\b[^>]*?\bn=[^,]+,", False),
        ("a+", "[bc]", "a+[bc]*d", False),
        ("a", r"\S", r"a\S*? b|aa", True),
        ("x(?:xbd|b)", "[^e]", "x(?:xbd|b)[^e]*dd", True),
    ],
)
def test_what_comes_later(head: str, run: str, branch: str, expected: bool) -> None:
    tree, one = parse_pattern(branch), flat(parse_pattern(run))
    assert isinstance(one, OneOf)
    language = Language(tree, alphabet_of((tree,)))
    assert comes_later(Sequence((parse_pattern(head),)), one, language) is expected


def template(key: str, pattern: str, other: str = "\n") -> dict[str, Any]:
    field = {key: pattern, "repeats": True}
    if key == "close_pattern":
        return {"start_anchor": "@", "fields": {"content": field}}
    return {"start_anchor": "@", "fields": {"notes": {**field, "close": other}, "content": {}}}


QUICK = [
    r"\s*</d>|\n",
    r"\s{2,}<d>|\n\n",
    r"<b>(?:[\s\S]*|\d)<m>",
    r"b>([\s\S]*>)?>",
    r"\n*a[\s\S]*b",
]
SLOW = [
    r"\n|\s*</d>",
    r"x(?:xbcc|b)[\s\S]*cc",
    r"<b>(?:[\s\S]*x|\d)<m>",
]


@pytest.mark.parametrize(
    ("pattern", "expected"), [*((each, False) for each in QUICK), *((each, True) for each in SLOW)]
)
def test_which_are_called_slow(pattern: str, expected: bool) -> None:
    findings = respc.check_template(template("open_pattern", pattern))
    assert any(finding.code.slug == "slow-pattern" for finding in findings) is expected


@pytest.mark.parametrize("key", ["open_pattern", "close_pattern"])
@pytest.mark.parametrize("pattern", [*QUICK, *SLOW])
def test_nothing_is_missed(pattern: str, key: str) -> None:
    random = Random(pattern + key)
    made = template(key, pattern, random.choice(["\n", "<end>"]))
    named = [character for character in pattern if character.isalnum() or character in "<>/"]
    pieces = [*named, "\n", " ", "</d>", "<m>", "<b>", "b>>", "cc", "xxbcc", "<end>"]
    runs = ["\n" * LONG, " " * LONG, "\n" * LONG + " ", "y" * LONG]
    for _ in range(12):
        text = "".join(random.choice(pieces if random.random() < 0.8 else runs) for _ in range(14))
        chunkings = [
            (str(size), [text[start : start + size] for start in range(0, len(text), size)])
            for size in (1, 3, LONG + 3, len(text))
        ]
        check(made, {None: compiled_template(made)}, "@", chunkings, context=f"{key} {pattern} {text!r}")


class Tried:
    """An expression that counts how many blanks lie behind each place at which it is matched."""

    characters = 0

    def __init__(self, pattern: str) -> None:
        self.expression = compiled(pattern)
        self.search = self.expression.search

    def match(self, text: str, pos: int) -> Any:
        rest = text[pos:]
        Tried.characters += len(rest) - len(rest.lstrip())
        return self.expression.match(text, pos)


def tried_in(length: int, leading: LeadingRun | None) -> int:
    """Tell how many blanks are looked at where each of so many line ends is a delimiter."""
    state = State(
        r"(?<!\s)\s*</d>(?P<close>)|\n(?P<close_2>)", guards=(r"(?<!\s)",), leading=leading, make=Tried
    ).ready()
    Tried.characters, text, pos, found = 0, "\n" * length + "x", 0, 0
    while (match := state.last(text, pos)) is not None:
        pos, found = match.end(), found + 1
    assert found == length
    return Tried.characters


def test_a_run_in_which_others_stand_is_looked_through_once() -> None:
    leading = LeadingRun(r"\s*", r"\s*</d>", r"\s*(?~</d>)\Z")
    assert tried_in(2_000, leading) <= 2.2 * tried_in(1_000, leading)
    assert tried_in(2_000, None) > 3.5 * tried_in(1_000, None)
