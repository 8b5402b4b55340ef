"""What a state decides is what the interpreter's rule decides, of every text of a few characters.

This is the test of the argument in `respc.scan.certain`: the rule searches each delimiter by itself.
"""

from __future__ import annotations

import pytest

from respc.scan import plan_scan
from respc.scan.plans import Refused
from respc_runtime.searches import SHORT_TEXT
from support.scanning import Found, Spec, first_difference, texts_of
from support.small_patterns import state_of_seed

LONGEST = {1: 7, 2: 7, 3: 6, 4: 5}

KNOWN: list[tuple[tuple[Spec, ...], Spec | None, str]] = [
    ((("<a>",),), None, "<a>"),
    ((("<", "<a"), ("<ab",)), None, "<ab"),
    (((r"\s*<a"), (r"<b\s*")), None, "<ab\n"),
    ((r"\s*a",), None, "a\n"),
    ((r"\s*<a|\s*b",), r"a\s*", "<ab\n"),
    (("<a>\\s*",), r"b\s*|$", "<a>b\n"),
    ((r"<(?P<name>[^>\n]+)>",), None, "<>a\n"),
    ((r"<(?P<name>\w+).*?>",), None, "<>a"),
    ((r"(?:<a>\s*)?<b",), None, "<ab>\n"),
    ((r"(?:<a|^(?=.*?b))",), None, "<ab"),
    ((r"^\s*a", r"\s*b"), None, "ab\n"),
    (("a|$",), None, "ab\n"),
    ((r"a\Z", ("ab",)), None, "ab"),
    ((r"a\s*(?=b)",), None, "ab\n"),
    ((r"a\s*\n<",), None, "a<\n"),
    # What once was decided otherwise.
    (("(?:a|^)a",), None, "ab"),
    (("(?:a|^)a|^",), None, "ab"),
    (("a[ab]{1,2}(?=a)",), None, "abx"),
    (("<a*(?=a)",), None, "a<x"),
    (("abc|a(?=b)",), None, "abc"),
    (("^a.{2,}(?=.+)",), None, "ab"),
    (("b", "b|a(?:bb)?"), None, "ab"),
    ((r"\s*bb", ("<", "bb", "<bb")), None, "b<\n"),
    (("<(?:b.{2,})?<",), None, "b<x"),
    (("<(?:a[^>]*>|b)",), None, "<ab>"),
    (("(?:a<)?<|^a",), None, "a<x"),
    (("a|^ab|abc",), None, "abc"),
    (("<a*(?:ab)?<?",), None, "ab<"),
    (("(?:<a|<)(?:ab)?<?",), None, "ab<"),
    (("$", "\n"), None, "a\n"),
    (("$", ("\n",)), None, "a\n"),
    (("$", r"\s+"), None, "a\n"),
    (("b|$", "^"), None, "b\n"),
    (("a(?:<<)?.+?",), None, "a<"),
    (("^b(?:b[^a]+)?|[ab]{2}",), None, "abx"),
    (("x(?:b(?:b[^a]+)?|[ab]{2})",), None, "abx"),
    ((r"\s*a|\Z", ("b", "bb")), None, "ab\n"),
    (("[^<]+?a\\s*|$", ("<b<",)), None, "ab<\n"),
    (("(?:^|a)(?P<n1>[^a]{0,2}<a)|\\s*a<",), None, "a<\n"),
    (((("b<", "aab", "<<<")), r"\s*<[^<]*"), None, "ab<\n"),
    ((r"\s*b|a<",), None, "ab<\n"),
    (("<.*?b",), None, "<ab"),
    (("(?:a.*?b)?<",), None, "<ab"),
    (("x(?:a.*?b)?<",), None, "<abx"),
    (("a(?P<n1>b)|^b[^b<]+?|^", "^<"), None, "ab<"),
    (("a|b.*?<",), None, "ab<"),
    (("<.*?<", "ba.{2}.*?a"), None, "ab<"),
    ((r"\S??a{2,}",), None, "ax"),
    ((r"(?:a|^)a\s*|(?:a|^)b(?=(?:.?)?)",), None, "ab\n"),
    ((r"(?:a|^)a\s*|(?:a|^)b|b<",), None, "ab<"),
]

LAZY_RUNS: list[tuple[tuple[Spec, ...], Spec | None, str]] = [
    (("a[^ ]+?<b",), None, "ab< "),
    (("a[^ ]+?<[b]",), None, "ab< "),
    (("a[ab]+?<b",), None, "ab<"),
    (("ab[^<]+?<<",), None, "ab<"),
    ((r"a[^b]*?b",), None, "ab<"),
    (("a[^b]+?b<", ("<",)), None, "ab<"),
    ((r"a\w+?bb",), None, "ab<"),
    ((r"a(?P<name>\S+?)b<",), None, "ab< "),
    ((r"a\S+?b<x*b",), None, "ab<x "),
    ((r"a\S+?b",), None, "ab< "),
    (("a[ab]*?<", "x|b<"), None, "ab<x"),
    (("a[^<]+?<<b?",), None, "ab<"),
    ((r"<a\S*?bb", "<b[^a]*?<a"), None, "ab< "),
    (("b",), r"<\S+?ab|$", "ab<\n"),
    ((r"\s*bb", r"<\S+?ab"), None, "ab<\n"),
    (("^b", r"a\S+?bb"), None, "ab "),
    (("^a", r"a\S+?bb"), None, "ab "),
    ((r"a[^b]{2,}?bb",), None, "ab<"),
    ((r"<a\S+?<", ("<b",)), None, "ab< "),
    ((r"(?:to|o)=\S+?bb",), None, "to=b "),
    ((r"(?:abb|b)[^ ]*?bb<",), None, "ab< "),
    (('a"[^"]+?"b',), None, 'ab"'),
    (('a"[^"]+?"b', 'b"[^"]+?"'), None, 'ab"'),
]


@pytest.mark.parametrize("short", [SHORT_TEXT, 0])
@pytest.mark.parametrize(("openers", "closer", "characters"), [*KNOWN, *LAZY_RUNS], ids=str)
def test_listed_states(
    openers: tuple[Spec, ...],
    closer: Spec | None,
    characters: str,
    short: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("respc_runtime.searches.SHORT_TEXT", short)
    found = Found(openers, closer)
    assert first_difference(found, texts_of(characters, LONGEST[min(len(characters), 4)])) is None


TAKING = (r"ab\s+", r"ab\w*<", "abx?", "a", "ab[^<]*<", r"\s*ab<", "ab.", "ab(?P<name>x*)<")
LOOKING = ("(?=ab)", "(?=a)", "(?=ab<)", r"(?=\s*ab)", "(?=ab(?:<|<<))", "(?=ab.*?<)", "(?=<|ab)")
CLOSERS: tuple[Spec | None, ...] = (None, ("ab",), ("a", "ab<"), r"ab\s*", r"b|\Z")


@pytest.mark.parametrize("taking", TAKING)
@pytest.mark.parametrize("looking", LOOKING)
def test_a_look_that_is_whole_beside_a_text_that_has_begun(taking: str, looking: str) -> None:
    characters = "ab<x" if "x" in taking else "ab< "
    for pattern in (f"{taking}|{looking}", f"{looking}|{taking}"):
        for closer in CLOSERS:
            found = Found((pattern,), closer)
            assert first_difference(found, texts_of(characters, 3)) is None, (pattern, closer)


def test_looks_beside_texts_are_found_by_expressions() -> None:
    states = [Found((f"{taking}|{looking}",)) for taking in TAKING for looking in LOOKING]
    assert sum(any(plan.eager for plan in found.plans) for found in states) > 20


@pytest.mark.parametrize("seed", range(600))
def test_states_of_random_delimiters(seed: int) -> None:
    openers, closer, characters = state_of_seed(seed)
    found = Found(openers, closer)
    difference = first_difference(found, texts_of(characters, LONGEST[len(characters)]))
    assert difference is None, (openers, closer)


def test_most_of_the_random_states_are_found_by_expressions() -> None:
    states = [Found(openers, closer) for openers, closer, _ in map(state_of_seed, range(200))]
    with_expressions = [found for found in states if found.plans]
    assert len(with_expressions) > 80
    # All of what may be in a plan comes up.
    for attribute in (
        "longer",
        "hidden",
        "certain",
        "eager",
        "hides",
        "gate",
        "guards",
        "skips",
        "runs",
        "waits",
        "captures",
    ):
        assert any(getattr(plan, attribute) for found in with_expressions for plan in found.plans), attribute


REFUSED = {
    "a?": "can match nothing",
    "(?:b)?|$": "can match nothing",
    "(?=\n)|$": "stands before a newline that ends the text by more than its `$`",
    r"$|\n": "stands before a newline that ends the text by more than its `$`",
    "a.*?b.*?<": "has several lazy runs",
    r"a[^<]+?[bc]": "has a lazy run of some class",
    r"(?:ab|b)[^<]+?c(?:b|c)": "has a lazy run of some class",
    r"a.*?bd+|a": "has a lazy run beside other branches, and an end that grows",
    "ab??c": "has an optional part that is lazy",
    "(?:ab)+c": "repeats more than one character",
    "a(?!b)": "looks ahead for what must not be there",
    "a.+?": "can end elsewhere with one more character",
    "a[^<]*b[^<]*b": "has runs whose ends depend on each other",
    "a\0": "has a U+0000",
}


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_refused_stays_with_regex_and_decides_the_same(pattern: str) -> None:
    found = Found((pattern,))
    refused = plan_scan(found.watched, at_start=False, stable=False)
    assert isinstance(refused, Refused)
    assert refused.because == REFUSED[pattern]
    assert first_difference(found, texts_of("abc<", 4)) is None
