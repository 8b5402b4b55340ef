"""What the compiler knows of patterns, against `regex` itself."""

from __future__ import annotations

from itertools import combinations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from respc.patterns import parse_pattern, pattern_facts
from respc.patterns.classes import disjoint, has, is_any
from respc.patterns.syntax import OneOf, Sequence
from respc.scan.reasons import kept_delimiter, kept_tags

PIECES = [
    "a",
    "b",
    "<",
    "ab",
    "[ab]",
    "[^a]",
    ".",
    "(?:a|b)",
    "(?=a)",
    "(?!b)",
    "(?<=a)",
    r"\b",
    "^",
    "$",
    r"\s",
    r"\w",
]
QUANTIFIERS = ["", "?", "*", "+", "??", "*?", "{2}"]

patterns = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(QUANTIFIERS)).map(
        lambda piece: (
            piece[0] if piece[0] in ("^", "$", r"\b") or piece[0].startswith("(?") else "".join(piece)
        )
    ),
    min_size=1,
    max_size=4,
).map("".join)


@given(patterns, st.text("ab< \n", max_size=8))
def test_no_match_begins_elsewhere_than_at_a_first_character(pattern: str, text: str) -> None:
    first = pattern_facts(parse_pattern(pattern)).first
    if first is None:
        return
    compiled = regex.compile(pattern, regex.DOTALL)
    for partial in (False, True):
        match = compiled.search(text, partial=partial)
        assert match is None or match.start() == len(text) or text[match.start()] in first


@given(patterns, st.text("ab< \n", max_size=8))
def test_what_cannot_be_empty_is_never_empty(pattern: str, text: str) -> None:
    if not pattern_facts(parse_pattern(pattern)).can_be_empty:
        assert all(match[0] for match in regex.compile(pattern, regex.DOTALL).finditer(text))


@given(patterns, st.text("ab<\n", max_size=6), st.text("ab<\n", max_size=6))
def test_a_match_sees_no_more_than_its_left_context(pattern: str, before: str, text: str) -> None:
    context = pattern_facts(parse_pattern(pattern)).left_context
    if context is None or not before:
        return
    compiled = regex.compile(pattern, regex.DOTALL)
    kept = before[max(len(before) - context, 0) :]
    whole = compiled.search(before + text, len(before))
    short = compiled.search(kept + text, len(kept))
    assert (whole is None) == (short is None)
    if whole is not None and short is not None:
        assert whole.start() - len(before) == short.start() - len(kept)
        assert whole[0] == short[0]


@given(patterns, st.text("ab<", max_size=4), st.text("ab<\n", max_size=6))
def test_an_attempt_reaches_no_further_than_is_known(pattern: str, text: str, more: str) -> None:
    reach = pattern_facts(parse_pattern(pattern)).reach
    if reach is None:
        return
    compiled = regex.compile(pattern, regex.DOTALL)
    short = (text + more)[:reach]
    long = compiled.match(text + more)
    if len(short) == reach:
        cut = compiled.match(short)
        assert (cut and cut.span()) == (long and long.span()) or "$" in pattern


CLASSES = [
    r"\s",
    r"\S",
    r"\w",
    r"\W",
    r"\d",
    "[ab]",
    "[^ab]",
    "[a-f]",
    "[^\n]",
    ".",
    r"[\s\S]",
    r"[^\s<]",
    "[<>]",
]


def one_of(written: str) -> OneOf:
    node = parse_pattern(written)
    if isinstance(node, Sequence):
        (node,) = node.items
    assert isinstance(node, OneOf)
    return node


@pytest.mark.parametrize("written", CLASSES)
def test_members_of_a_class(written: str) -> None:
    characters = "ab<>\n \x1c\x85é5٣_\u3000"
    found = one_of(written)
    assert [has(found, character) for character in characters] == [
        regex.fullmatch(written, character, regex.DOTALL) is not None for character in characters
    ]
    assert is_any(found) == (written in (".", r"[\s\S]"))


@pytest.mark.parametrize(("one", "other"), [*combinations(CLASSES, 2)])
def test_disjoint_classes_share_no_character(one: str, other: str) -> None:
    if disjoint(one_of(one), one_of(other)):
        everything = "".join(map(chr, range(0x3001)))
        both = set(regex.findall(one, everything, regex.DOTALL)) & set(
            regex.findall(other, everything, regex.DOTALL)
        )
        assert not both


def test_classes_that_can_be_listed_are_told_apart() -> None:
    assert disjoint(one_of("[<>]"), one_of(r"\s"))
    assert disjoint(one_of("[ab]"), one_of("[^ab]"))
    assert not disjoint(one_of("[ab]"), one_of(r"\w"))


@pytest.mark.parametrize(
    ("pattern", "because", "without_bound"),
    [
        (r"(?<=a)b", "it looks behind", False),
        (r"<a(?!b)", "it looks ahead for what must not be there", False),
        (r"<call\b[^>]*?name=", r"it has the edge of a word or a line, such as \b", True),
        (r"(\w+)\1", "it refers back to a group", True),
        (r"<a>\S+?<b>", "it has a lazy run of some class", True),
        (r"(?:ab)+c", "it repeats more than one character", True),
        (r"<(?>ab)", "it has an atomic group or a possessive repeat", False),
    ],
)
def test_the_compiler_knows_why_a_delimiter_stays_with_regex(
    pattern: str, because: str, without_bound: bool
) -> None:
    kept = kept_delimiter(pattern, "is refused")
    assert (kept.because, kept.without_bound) == (because, without_bound)


def test_where_no_part_is_to_blame_the_refusal_is_the_reason() -> None:
    assert kept_delimiter("a[^b]*b[^b]*b", "has runs whose ends depend on each other").because == (
        "it has runs whose ends depend on each other"
    )


def test_tags_that_are_cut_have_no_reason() -> None:
    assert kept_tags("<(?P<key>[a-z]+)>(?P<value>.*?)</>") is None
    kept = kept_tags(r"<(?P<key>[a-z]+)>(?P<value>.*?)</\1>")
    assert kept is not None
    assert kept.because == "it refers back to a group"
    in_value = kept_tags("<(?P<key>[a-z]+)>(?P<value>.*?)</>", in_value=True)
    assert in_value is not None
    assert in_value.because == "it finds the tags of a value"
