"""Tokens of patterns, and sample texts made from patterns: right where they claim something, and bounded."""

from __future__ import annotations

import sys
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from respc.patterns import parse_pattern, samples
from respc.patterns.places import alternative, beginning, end_alternative, gaps, last_gap, last_repeated_group
from respc.patterns.samples import endless_beginning, plain_characters
from respc.patterns.samples import samples as samples_of
from respc.patterns.syntax import Assertion, Atomic, LookAhead, LookBehind, Node, Opaque, Reference, children
from respc.patterns.tokens import Kind, group_end, tokens_of
from support.choosing import HypothesisChooser, RandomChooser
from support.patterns import PatternMaker, vocabulary
from support.templates import corpus_names, corpus_template, own_names, own_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

MOST_SAMPLES: Final = 16
LONGEST_SAMPLE: Final = 400
MOST_STEPS: Final = 30_000

SYNTAX: Final = [
    r"(?#x(y)(z)(?#\)()",
    "(?x) (a # ) (\n b) # (",
    r"(?P<n>a)(?P=n)\g<n>\1",
    r"(a)(?1)(?R)?(?P>x)(?&x)(?+1)",
    r"(?i)(?-s:a)(?x: b )(?V1)",
    r"(?:a)(?>b)(?|c)(?=d)(?!e)(?<=f)(?<!g)(?(1)h|i)(?<m>j)",
    r"[]a][^]b][\]c][[:alpha:]d][a-z&&[^b]]",
    r"\x41\u0041\U00000041\N{DIGIT ONE}\p{L}\P{L}\L<x>\07\0\(",
    r"a*b+c?d{1}e{1,}f{,2}g{1,2}h*?i+?j??k{1,2}?l*+m++n?+o{2}+",
    r"(?:a){e<=1}(?:b){i,d<3,2i+1s<=4:[a-z]}",
    r"^$\A\Z\b\B\m\M\K\G\R\X\h",
    r"a|(b|c(d|e))|(f)",
    "a\nb\\\nc",
    r"{}{a}{1",
    r"(*FAIL)(*SKIP)",
    r"\|\[\](?:\))",
    "",
]
"""Every kind of token, not all of them in patterns that `regex` accepts."""


def strings_under(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the strings of a template under some keys, however deep."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in keys and isinstance(item, str):
                yield item
            yield from strings_under(item, keys)
    elif isinstance(value, list):
        for item in value:
            yield from strings_under(item, keys)


def patterns_of_templates() -> list[str]:
    templates = [own_template(name) for name in own_names()] + [
        corpus_template(name) for name in corpus_names()
    ]
    keys = ("start_anchor_pattern", "open_pattern", "close_pattern", "tag_pattern")
    return sorted(set(chain.from_iterable(strings_under(template, keys) for template in templates)))


FRAGMENTS: Final = [
    "(",
    ")",
    "(?:",
    "(?P<n>",
    "(?>",
    "(?=",
    "(?<!",
    "(?i)",
    "(?i:",
    "(?x)",
    "(?-s:",
    "(?#",
    "#",
    "[",
    "]",
    "[^",
    "[]",
    "[[:alpha:]]",
    "{",
    "}",
    "{e<=1}",
    "{1,2}",
    "{,2}",
    "|",
    "*",
    "+",
    "?",
    "\\(",
    "\\)",
    "\\[",
    "\\1",
    "(?P=n)",
    "(?1)",
    "(?R)",
    "(?(1)",
    "(*FAIL)",
    "a",
    "b",
    ":",
    "$",
    "^",
    "\\x41",
    "\\N{DIGIT(ONE}",
]

WRITTEN: Final = patterns_of_templates()


@st.composite
def patterns(draw: DrawFn) -> str:
    chooser = HypothesisChooser(draw)
    return PatternMaker(chooser, vocabulary(chooser)).pattern()[0]


def assert_tokens_are_the_pattern(pattern: str) -> None:
    tokens = tokens_of(pattern)
    assert "".join(token.text for token in tokens) == pattern
    place = 0
    for token in tokens:
        assert token.start == place
        assert token.text
        place = token.end
    assert all(token.depth >= 0 for token in tokens)


def is_opening(token: Any) -> bool:
    return token.kind is Kind.OPEN or (token.kind is Kind.FLAGS and token.text.endswith(":"))


def assert_groups_end_at_their_brackets(pattern: str) -> None:
    """Compare with brackets matched by a stack."""
    tokens = tokens_of(pattern)
    stack: list[int] = []
    for number, token in enumerate(tokens):
        if is_opening(token):
            stack.append(number)
        elif token.kind is Kind.CLOSE:
            opening = stack.pop()
            assert group_end(tokens, opening) == number
            inside = "".join(each.text for each in tokens[opening + 1 : number])
            assert pattern[tokens[opening].end : token.start] == inside
    assert not stack


@pytest.mark.parametrize("pattern", [*WRITTEN, *SYNTAX])
def test_tokens_of_a_written_pattern(pattern: str) -> None:
    assert_tokens_are_the_pattern(pattern)
    assert_groups_end_at_their_brackets(pattern)


@given(patterns())
def test_tokens_of_a_made_pattern(pattern: str) -> None:
    assert_tokens_are_the_pattern(pattern)
    assert_groups_end_at_their_brackets(pattern)


@settings(max_examples=1_000)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join))
def test_tokens_of_any_text_that_is_a_pattern(pattern: str) -> None:
    assert_tokens_are_the_pattern(pattern)
    try:
        number = regex.compile(pattern, regex.DOTALL).groups
    except (regex.error, ValueError, IndexError, AttributeError, TypeError, KeyError):
        return
    assert_groups_end_at_their_brackets(pattern)
    opened = [token.text for token in tokens_of(pattern) if token.kind is Kind.OPEN]
    capturing = [text for text in opened if text == "(" or (text.endswith(">") and text != "(?>")]
    assert len(capturing) >= number


@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        (r"(?:a|b)", "OPEN TEXT BAR TEXT CLOSE"),
        (r"(?i:a)(?i)", "FLAGS TEXT CLOSE FLAGS"),
        (r"[|(]\|", "CLASS ESCAPE"),
        (r"a{2}{e<=1}{x}", "TEXT REPEAT FUZZY TEXT TEXT TEXT"),
        (r"\1\01\g<1>(?P=a)", "REFERENCE ESCAPE REFERENCE REFERENCE"),
        (r"(?#a)^x$\A", "COMMENT ANCHOR TEXT ANCHOR ESCAPE"),
        (r"a++?", "TEXT REPEAT REPEAT"),
        ("(?x)a#(b\nc", "FLAGS TEXT COMMENT TEXT TEXT"),
        ("(?-x)a#", "FLAGS TEXT TEXT"),
        (r"\N{a(b})", "ESCAPE TEXT TEXT OPEN TEXT TEXT CLOSE"),
    ],
)
def test_kinds(pattern: str, kinds: str) -> None:
    assert [token.kind.name for token in tokens_of(pattern)] == kinds.split()


@pytest.mark.parametrize(
    ("found", "pattern", "shown"),
    [
        (end_alternative, "a|$", "|$"),
        (end_alternative, r"(?=a|\Z)b", r"|\Z"),
        (end_alternative, "a|$b", None),
        (end_alternative, r"a\|$", None),
        (end_alternative, "a[|$]", None),
        (beginning, "[^<]*<a>", "[^<]*"),
        (beginning, r"(?:\w (a))+b", r"(?:\w (a))+"),
        (beginning, "ab", "a"),
        (beginning, "", None),
        (last_repeated_group, "(a)?b(c)*d", "(c)*"),
        (last_repeated_group, "(?:a(b)?)+", "(b)?"),
        (last_repeated_group, "(a)b?", None),
    ],
)
def test_places(found: Any, pattern: str, shown: str | None) -> None:
    place = found(pattern)
    assert (None if place is None else pattern[slice(*place)]) == shown


def test_places_of_gaps() -> None:
    pattern = r"<a.*?>(?:b[\s\S]*)"
    assert [pattern[slice(*place)] for place in gaps(pattern)] == [".*?", r"[\s\S]*"]
    assert gaps(r"<a\.*[.]+.?>") == ()
    whole = (0, len(pattern))
    assert last_gap(pattern, whole) == gaps(pattern)[-1]
    assert last_gap(pattern + "c", (0, len(pattern) + 1)) is None


def test_place_of_an_alternative() -> None:
    pattern = "a|(b|c)|d"
    shown = [pattern[slice(*place)] for number in range(3) if (place := alternative(pattern, number, 3))]
    assert shown == ["a", "(b|c)", "d"]
    assert alternative(pattern, 0, 4) is None


def test_a_pattern_that_is_too_long_has_no_tokens_and_no_places() -> None:
    pattern = "(a)?" * 3_000
    assert tokens_of(pattern) == ()
    assert [find(pattern) for find in (end_alternative, beginning, last_repeated_group)] == [None] * 3
    assert gaps(pattern) == ()


def is_certain(node: Node) -> bool:
    """Return whether every text that the tree of a pattern gives is one that the pattern matches."""
    uncertain = isinstance(node, Assertion | Atomic | LookAhead | LookBehind | Opaque | Reference)
    # A class that cannot be written is guessed.
    guessed = getattr(node, "source", "") is None
    return not uncertain and not guessed and all(map(is_certain, children(node)))


def assert_samples_match(pattern: str) -> None:
    tree = parse_pattern(pattern)
    texts = samples_of(tree)
    assert len(texts) <= MOST_SAMPLES
    assert len(set(texts)) == len(texts)
    assert all(len(text) <= LONGEST_SAMPLE for text in texts)
    if is_certain(tree):
        assert texts
        compiled = regex.compile(pattern, regex.DOTALL)
        assert [text for text in texts if not compiled.fullmatch(text)] == []


@pytest.mark.parametrize("pattern", WRITTEN)
def test_samples_of_a_written_pattern(pattern: str) -> None:
    assert_samples_match(pattern)


@given(patterns())
def test_samples_of_a_made_pattern(pattern: str) -> None:
    assert_samples_match(pattern)


def test_most_made_patterns_have_samples_that_match() -> None:
    matched = 0
    for seed in range(200):
        chooser = RandomChooser(Random(seed))
        pattern = PatternMaker(chooser, vocabulary(chooser)).pattern()[0]
        compiled = regex.compile(pattern, regex.DOTALL)
        matched += any(compiled.search(text) for text in samples_of(parse_pattern(pattern)))
    assert matched > 180


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("<a>(?:b)?", ["<a>b", "<a>"]),
        ("a|b|c", ["a", "b", "c"]),
        ("(?=ab)", ["ab"]),
        ("(?!ab)c", ["c"]),
        ("[^a]", ["x", " "]),
        (r"\s\w", [" a"]),
        ("x{3,5}", ["xxxx", "xxx"]),
        ("a+", ["aa", "a"]),
    ],
)
def test_samples(pattern: str, texts: list[str]) -> None:
    assert samples_of(parse_pattern(pattern)) == texts


def test_groups_hold_what_they_are_given() -> None:
    tree = parse_pattern("<(?P<key>a)=(?P<value>b)>")
    assert samples_of(tree, {"value": "?"}) == ["<a=?>"]


def test_plain_characters_are_in_order() -> None:
    assert plain_characters(parse_pattern(r"a(?!bc)[d]|e*\s")) == "abcde"


HUGE: Final = {
    "letters": "a" * 100_000,
    "classes": "[ab]" * 5_000,
    "alternatives": "|".join(f"ab{number}" for number in range(2_000)),
    "optional parts": "(?:a|b)?" * 390,
    "groups in groups": "(?:" * 60 + "a" + ")?" * 60,
    "alternatives in alternatives": "(?:b|" * 60 + "a" + ")" * 60,
    "repeats of repeats": "(?:(?:a{20}|b){20}|c){20}",
    "runs in runs": ("[ab]" * 300 + "(?:") * 6 + ")" * 6,
    "choices of choices": "(?:a|b)(?:c|d)" * 20,
    "long choices": "(?:a?|b?|c?|d?){2}" * 30,
}


class CountingSampler(samples._Sampler):
    """Counts the texts of parts that it makes."""

    made = 0

    def of(self, node: Node, depth: int = 0) -> Iterator[str]:
        for text in super().of(node, depth):
            CountingSampler.made += 1
            yield text


@pytest.mark.parametrize("pattern", HUGE.values(), ids=HUGE)
def test_samples_of_a_huge_pattern_are_few_and_short_and_soon_made(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = parse_pattern(pattern)
    monkeypatch.setattr(CountingSampler, "made", 0)
    monkeypatch.setattr(samples, "_Sampler", CountingSampler)
    texts = samples_of(tree)
    assert CountingSampler.made <= MOST_STEPS
    assert len(texts) <= MOST_SAMPLES
    assert all(len(text) <= LONGEST_SAMPLE for text in texts)
    assert endless_beginning(tree) is None


def test_samples_of_a_nested_pattern_need_little_of_the_stack() -> None:
    def frames() -> int:
        frame, count = sys._getframe(), 0
        while frame.f_back is not None:
            frame, count = frame.f_back, count + 1
        return count

    trees = [parse_pattern(HUGE[name]) for name in ("optional parts", "runs in runs", "groups in groups")]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(frames() + 500)
    try:
        for tree in trees:
            samples_of(tree)
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("<a.*>", "<aa"), ("(?:x|y+)z", "y"), ("ab", None), ("(?:ab)*", "ab"), ("a{1,2}b", None)],
)
def test_endless_beginning(pattern: str, text: str | None) -> None:
    assert endless_beginning(parse_pattern(pattern)) == text
