"""What the compiler knows of patterns, against `regex` itself, and which patterns become code."""

from __future__ import annotations

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import respc
from respc.patterns import parse_pattern, pattern_facts
from respc.patterns.lowering import lower_to_steps, tag_ways
from respc.patterns.reasons import why_kept
from respc_runtime.delimiters import LONG_HELD
from respc_runtime.seeking import BLANKS

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


def test_blanks_are_those_of_regex() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert "".join(regex.findall(r"\s", everything)) == BLANKS
    assert set(BLANKS) < set(re.findall(r"\s", everything))


LOWERED = [
    r"</think>\s*",
    r"\s*<tool_call>",
    r"\s*(?:<\|im_end\|>|<\|endoftext\|>)",
    r"<\|im_end\|>\s*|$",
    r"\Z",
    r"<tool_call>\s*<function=(?P<name>[^>\n]+)>",
    r"<\|channel\|>commentary to=functions\.(?P<name>\w+).*?<\|message\|>",
    r"(?:<a>\s*)?<invoke name=\"(?P<name>[^\"]+)\">",
    r"(?:<|m|>)?[^<]*<\|content_text\|>",
    r"(?=[\s\S]*?</think>)",
    r"(?:<think>|^(?=.*?</think>))",
    r"^\s*<think>",
    r"\]\](?:\(\w+\))?",
    r"=+>",
    r"\[T\]\s*(?=\[)",
    r"<a>\s*\n<b>",
    r"<a>[^\n]*\]\]",
    r"<a>(?P<name>[\w:]+):\s+<b>",
    r"<a>.*?>\n?",
]
KEPT = {
    r"<call\b[^>]*?\bname=": "a word's edge is not where `regex` reports a partial match",
    r"(\w+)\1": "a back-reference",
    r"\w+a": "the run may have to give back",
    r"<a>[ab]+.+?x": "a shorter run may help the gap",
    r"<.*?>(?:\n\n)?": "the shorter gap is preferred, whatever comes after it",
    r"<a>.*?(?:x|y)": "the shorter gap is preferred, whichever text ends it",
    r"<a>\S+?<b>": "`regex` has its own partial matches for a lazy run",
    r"<a>[^<]+(?:a<c|<)": "how much the run gives back decides between the alternatives",
    r"(?=a)b": "a look-ahead in the middle",
    r"(?<=a)b": "a look-behind",
    r"(?i)<think>": "letters of either case",
    r"a|ab+|[^c]+": "one more character after the text could change what matches",
}


@pytest.mark.parametrize("pattern", LOWERED)
def test_becomes_code(pattern: str) -> None:
    assert lower_to_steps(parse_pattern(pattern)) is not None
    template = {"start_anchor": "A", "fields": {"x": {"close_pattern": pattern, "transform": "{content}"}}}
    assert "seek_pattern" not in respc.compile_template(template, formatted=False).source


@pytest.mark.parametrize("pattern", KEPT, ids=list(KEPT.values()))
def test_stays_with_regex(pattern: str) -> None:
    assert lower_to_steps(parse_pattern(pattern)) is None


TAGS = {
    r"<p=(?P<key>[^>]+)>\n?(?P<value>.*?)\n?</p>": "<p=a>\n1\n</p><p=b>2\n\n</p><p=c><p=d>\n</p>",
    r"<(?P<key>\w+)>\s*(?P<value>.*?)\s*</\1>": "<a> 1 </a><b>2</c></b><c><d>3</d></cc><e>4",
    r"<(?P<key>\w+)(?:=(?P<value>[^>]*))?>": "<a=1><b><c=<d=2><e f><g",
    r"(?P<key>\w+)=(?P<value>\w+)": "a=1 bb=2=3 =4 c= d=5e=6",
    r"<(?P<key>[^<>\n]+?)>(?P<value>[^<\n]*?)<": "<a>1<b>2\n<c>3<",
}


@pytest.mark.parametrize("pattern", TAGS)
def test_tags_are_found_by_code_as_by_regex(pattern: str) -> None:
    arguments = {"tag_pattern": pattern, "merge_duplicates": True}
    template = {
        "start_anchor": "@",
        "fields": {"x": {"open": "{", "content": "xml-inline", "content_args": arguments}},
    }
    source = respc.compile_template(template, formatted=False).source
    assert "found_tags" in source
    assert ".finditer(" not in source
    found = respc.load(template).parse_response("{" + TAGS[pattern], prefix="")["x"]
    expected = [match.group("key", "value") for match in regex.finditer(pattern, TAGS[pattern], regex.DOTALL)]
    assert list(found.items()) == expected
    assert len(expected) > 1


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"(?P<key>[ab]+)<(?P<value>.*?)</(?P=key)>", "a tag that begins later in the run has another mark"),
        (r"<(?P<key>[ab]+)(?P<value>.*?)</\1>", "a shorter key has another mark"),
        (r"<(?P<key>.+?)>(?P<value>.*?)</\1>", "a key that is no run"),
    ],
)
def test_a_mark_that_repeats_a_name_may_stay_with_regex(pattern: str, why: str) -> None:
    assert tag_ways(parse_pattern(pattern)) is None, why


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
        (r"\w{1,3}a", "where one part of it ends depends on what comes after", False),
    ],
)
def test_the_compiler_knows_why_a_pattern_stays(pattern: str, because: str, without_bound: bool) -> None:
    kept = why_kept(parse_pattern(pattern))
    assert kept is not None
    assert (kept.because, kept.without_bound) == (because, without_bound)


@pytest.mark.parametrize("pattern", [*LOWERED, "<a>|<b>"])
def test_there_is_no_reason_where_a_pattern_becomes_code(pattern: str) -> None:
    assert why_kept(parse_pattern(pattern)) is None


@pytest.mark.parametrize(
    ("pattern", "begun", "more"),
    [
        (r"\s*<call>", " ", "\n"),
        (r"<c>(?P<name>[^>]+)>", "<c>", "name "),
        (r"<c>.*?<m>", "<c>", "<n> <"),
        (r"(?=[\s\S]*?</t>)", "a", "b<"),
        (r"(?:<a>)?[^<]*<c>", "", "text "),
    ],
)
def test_held_text_is_not_searched_again(pattern: str, begun: str, more: str) -> None:
    field = {"open_pattern": pattern, "close": "<e>", "transform": "{content}"}
    module = respc.load({"start_anchor": "A", "fields": {"c": {}, "x": field}})
    looks = 0
    finders = module._FINDERS

    def counted(*arguments: object) -> object:
        nonlocal looks
        looks += 1
        return finders[0](*arguments)

    module._FINDERS = (counted, counted, *finders[2:])
    parser = module.ResponseParser("")
    parser.feed("start" + begun + more * LONG_HELD)
    few = looks
    for _ in range(1_000):
        parser.feed(more)
    assert looks <= few + 2
