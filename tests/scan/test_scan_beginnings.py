"""`begun` takes just the texts that more text can make a delimiter, or a longer one: `regex` says the same."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import regex
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from respc_runtime.beginnings import spelled_beginnings
from respc_runtime.patterns import compile_pattern
from respc_runtime.searches import compiled
from support.choosing import HypothesisChooser, RandomChooser
from support.scanning import Found, texts_of
from support.small_patterns import PatternWriter, characters_of

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    from respc.scan import ScanPlan

PATTERNS = {
    "<ab>": "<ab>",
    "ab|abb|b": "abx",
    "a(?:bc|bd)?": "abcd",
    r"a\s*": "a\nx",
    r"a\s+b": "a\nb",
    "a[^b]*b": "abx",
    "a[^b]+": "abx",
    "a{2,}b": "abx",
    "a{2,3}b": "abx",
    "a{3}": "ax",
    "a.*?b": "abx",
    "a.*?bb": "abx",
    "a.*b": "abx",
    "(?P<name>a+)b": "abx",
    "(?:<a>)?b": "<a>b",
    "(?:a|b)c": "abcx",
    "(?:a|bc)b": "abcx",
    r"\w+:": "a:x",
    r"a\Sb": "ab\n",
    "a.b": "abx",
    "ab(?=c)": "abcx",
    "a(?=b|cc)": "abc",
    "(?=.*?ab)": "abx",
    "^ab": "abx",
    r"^\s*ab": "ab\n",
    "^(?=.*?ab)": "abx",
    "(?:a|^(?=.*?b))": "abx",
    r"\s*ab": "ab\n",
    r"^a|\s*a": "ab\n",
    "b*a": "abx",
    "b+a": "abx",
}
"""Patterns, and the characters that tell their texts apart."""


class Beginnings:
    """What a pattern's state says has begun, and what `regex` says."""

    def __init__(self, pattern: str) -> None:
        self.found = Found((pattern,))
        self.plan = self.found.starting
        self.compiled = regex.compile(pattern, regex.DOTALL)
        self.takes_blanks = any(plan.behind_blanks[1] for plan in self.found.plans)

    def says(self, text: str) -> bool:
        """Tell whether a text has begun for the state."""
        assert self.plan is not None
        if self.takes_blanks:
            # Blanks before it are taken along by the state.
            held = self.found.decide(text, 0, at_end=False, at_start=True)
            return held.place == 0 and not held.group
        # What nothing at the start of the message begins like is looked for where the state goes on.
        return any(self._has_begun(plan, text) for plan in self.found.plans)

    def _has_begun(self, plan: ScanPlan, text: str) -> bool:
        written = "|".join(part for part in (plan.longer, plan.hidden, plan.begun) if part)
        make: Any = compile_pattern if plan.needs_regex else compiled
        match = make(spelled_beginnings(written) or "(?!)").match(text)
        assert match is None or match.end() == len(text), "a beginning reaches the end of the text"
        return match is not None

    def expected(self, text: str, characters: str) -> bool:
        """Tell whether more text can make a text a delimiter, or a longer one where it is one."""
        match = self.compiled.fullmatch(text, partial=True)
        if match is None:
            return False
        return match.partial or any(self.compiled.fullmatch(text + more, partial=True) for more in characters)


def check(pattern: str, characters: str, longest: int) -> int:
    """Compare all texts; give how many of them have begun."""
    beginnings = Beginnings(pattern)
    assert beginnings.plan is not None
    looks_ahead = "(?=" in pattern
    begun = 0
    for text in texts_of(characters, longest):
        if not text or (beginnings.takes_blanks and beginnings.compiled.search(text)):
            continue  # one is whole, and waits or is taken
        says = beginnings.says(text)
        begun += says
        if looks_ahead:
            # A whole match ends before the text does. Where there is none, what is partial has begun.
            match = beginnings.compiled.match(text, partial=True)
            if match is None or match.partial:
                assert says == (match is not None), text
        else:
            assert says == beginnings.expected(text, characters), text
    return begun


@pytest.mark.parametrize("pattern", PATTERNS)
def test_beginnings_of_listed_patterns(pattern: str) -> None:
    assert check(pattern, PATTERNS[pattern], 6 if len(PATTERNS[pattern]) < 4 else 5)


LONG_ONES = [
    "a" * 33,
    "a" * 300,
    "<" + "ab" * 70 + ">",
    "a" * 40 + "b?" + "c" * 40,
    "(?:" + "a" * 50 + "|" + "a" * 70 + "b)",
]


@pytest.mark.parametrize("pattern", LONG_ONES, ids=lambda pattern: f"{pattern:.12}, {len(pattern)}")
def test_beginnings_of_long_texts(pattern: str) -> None:
    beginnings = Beginnings(pattern)
    whole = pattern.removeprefix("(?:").removesuffix(")").split("|")[-1].replace("?", "")
    for length in range(1, len(whole) + 1):
        for text in (whole[:length], whole[: length - 1] + "x"):
            assert beginnings.says(text) == beginnings.expected(text, "abc<>x"), text


def is_comparable(pattern: str) -> bool:
    """Tell whether `regex` reports beginnings of a pattern exactly: it has no lazy part but gaps, and no `$`."""
    without_gaps = pattern.replace(".*?", "")
    return not regex.search(r"[*+?}]\?|\$|\\Z|\(\?=", without_gaps) and not regex.fullmatch(
        r"\^|.*\|\^|.*\(\?:\^\|a\)|.*\(\?:a\|\^\).*", pattern
    )


@pytest.mark.parametrize("seed", range(600))
def test_beginnings_of_random_patterns(seed: int) -> None:
    pattern = PatternWriter(RandomChooser(Random(seed))).pattern()
    if is_comparable(pattern) and Found((pattern,)).starting is not None:
        check(pattern, characters_of((pattern,)), 5)


@st.composite
def patterns(draw: DrawFn) -> str:
    return PatternWriter(HypothesisChooser(draw)).pattern()


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None)
@given(patterns())
def test_beginnings_of_any_pattern(pattern: str) -> None:
    assume(is_comparable(pattern))
    assume(Found((pattern,)).starting is not None)
    check(pattern, characters_of((pattern,)), 4)


@pytest.mark.parametrize(
    ("pattern", "longer", "begun"),
    [
        ("<a>", "", r"(?~<a>)\Z"),
        ("<ab>|<ac>|d", "", r"(?~<ab>|<ac>)\Z"),
        ("ab|cd", "", r"(?~ab)\Z|(?~cd)\Z"),
        (r"<a\s*", r"<a\s*\Z(?P<in_blanks>)", r"(?~<a)\Z"),
        (r"<a\s*b\s*c", r"<a\s*(?:\Z(?P<in_blanks>)|b\s*\Z(?P<in_blanks_2>))", r"(?~<a)\Z"),
        (r"<a\s*bcd", r"<a\s*\Z(?P<in_blanks>)", r"(?~<a\s*(?~bcd))\Z"),
        ("a(?P<name>[^>a]+)>", r"a[^>a]+\Z(?P<in_name>)", r"(?~a[^>a])\Z"),
        ("a(?P<blanks>[^>a]+)>", r"a[^>a]+\Z(?P<in_blanks_run>)", r"(?~a[^>a])\Z"),
        (
            "a[^b]*b[^c]*c[^b]*b",
            r"a[^b]*(?:\Z(?P<in_run>)|b[^c]*(?:\Z(?P<in_run_b>)|c[^b]*\Z(?P<in_run_2>)))",
            "",
        ),
        ("a(?:bc)?d", "", r"(?~abc|a(?:bc)?)\Z"),
        ("x", "", ""),
        # More text makes these longer, though they are whole.
        ("ab?", r"(?~ab)\Z", ""),
        ("a|abc", r"(?~abc)\Z", ""),
        (r"<a\s*b?", r"<a\s*\Z(?P<in_blanks>)|(?~<a)\Z", ""),
        # So long a text is not repeated.
        ("abcdefghijklmnopqrstuvwxyz(?:12|34)", "", r"(?~abcdefghijklmnopqrstuvwxyz(?~12|34)?)\Z"),
    ],
)
def test_how_beginnings_are_written(pattern: str, longer: str, begun: str) -> None:
    plan = Found((pattern,)).later
    assert plan is not None
    assert (plan.longer, plan.begun) == (longer, begun)


@pytest.mark.parametrize("pattern", ["<(?P<name>[^>]+).*?>", "<[^>]+.*?>", "<(?:(?P<name>[^>]+)).*?>"])
def test_a_run_before_a_gap_gives_nothing_back(pattern: str) -> None:
    """Each shorter run would look through the rest of the text again."""
    plan = Found((pattern,)).later
    assert plan is not None
    assert "(?P=kept" in plan.ends
    assert "(?P=kept" in plan.certain
