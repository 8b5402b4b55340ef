"""Small cases in which a compiled parser once differed from the interpreter, found by generated templates."""

from __future__ import annotations

from typing import Any

import pytest

from support.checking import case_difference

IMPLICIT: dict[str, Any] = {"c": {}}
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a field without a name": ({"": {}, "b": {"open": "b"}}, ["a", "b"]),
    "a literal as a pattern waits": ({"x": {"close_pattern": r"\|"}}, [" |", "a"]),
    "an empty closer with captures": (
        {"a": {"close_pattern": "(?<id>)", "transform": {"id": "{id}"}}},
        ["a"],
    ),
    "a shorter run helps the gap": (
        {**IMPLICIT, "x": {"open_pattern": r"<[ab]+.+?<", "transform": "{content}"}},
        ["<ab<", "<a", "b<\n<", " a<"],
    ),
    "the start of the text after an empty chunk": ({"x": {"open_pattern": r"\A"}}, ["", "b"]),
    "another alternative is whole": ({"a": {"close_pattern": r"(?:<a>.+?<a>|\[<)\[<"}}, ["<a>", "<[<[<"]),
    "the shorter gap is preferred": ({"a": {"close_pattern": r"\[.+?\[\n?"}}, ["[)[[\n"]),
    "the end hides blanks in front": ({**IMPLICIT, "x": {"open_pattern": r"\s*>|$"}}, [" ", "\n", " >", "a"]),
    "a gap that is only looked at": (
        {"x": {"close_pattern": "(?=.+?<)"}, "y": {"open": "<"}},
        ["<", "<<", "a"],
    ),
    "anything but blanks in front": ({"x": {"close_pattern": "\\S*\n"}}, ["f", "g \n", "h"]),
    "another partial match from a later place": (
        {"a": {"open_pattern": "(?=aa)b"}, "x": {"close_pattern": "^(bb)"}},
        ["bba"],
    ),
    "an alternative that is preferred can still come": (
        {**IMPLICIT, "x": {"open_pattern": "<(?:ab|[^<]*)"}},
        ["<a", "b "],
    ),
    "a run that gives back, or not": (
        {**IMPLICIT, "x": {"open_pattern": "<(?:[ab]+b>|[ab]+)", "close": "]"}},
        ["<abab", "b", "><ab", "a]<b", ">"],
    ),
    "a lazy option in front": ({**IMPLICIT, "x": {"open_pattern": "c??ab"}}, ["a", "a", "ab"]),
    "a lazy option inside": (
        {**IMPLICIT, "x": {"open_pattern": "d(?P<n>c??)ab", "transform": "{n}"}},
        ["d", "a", "dc", "da", "b"],
    ),
    "a lazy choice": ({**IMPLICIT, "x": {"open_pattern": "(?:c|b)??ab"}}, ["b", "a", "a", "bab"]),
    "a run beside a look that is whole": (
        {**IMPLICIT, "x": {"open_pattern": r"b<\s+|(?=b<)", "close": "b<"}},
        ["b<", " ab<", "b<  ", "a"],
    ),
    "a start that is tried behind a choice": (
        {**IMPLICIT, "x": {"open_pattern": r"(?:a|^)a\s*|(?:a|^)b"}},
        ["ab", " ab", "aa"],
    ),
    "a lazy run whose end grows, beside a branch that is whole": (
        {"text": {"close_pattern": r"\|.*?\|d+|\|", "content": "json"}},
        ["a||", "||d", "d|"],
    ),
    "a lazy run that is held back though a delimiter cannot begin so": (
        {"x": {"open_pattern": r"<\s*?b"}, "text": {"close": "b"}},
        ["</", "a< ", "/< b"],
    ),
    "the start of the text before a newline": ({"x": {"open_pattern": r"\A|$"}}, ["\n", "a"]),
    "a look at the newline that ends the text": ({"a": {"close_pattern": r"(?=\n)|$"}}, ["a\n", "b\n"]),
    "the end of the text before the newline that ends it": (
        {**IMPLICIT, "x": {"open_pattern": r"$|\n", "close": "b"}},
        ["a\n", "b", "\n"],
    ),
    "a field called like a further group of another": (
        {"é": {"open": ["\n", "]"]}, "": {"open_pattern": r"\A(?<e>[^<])", "transform": {}}},
        ["]", "a"],
    ),
    "a field called like a further closer": (
        {"close_2": {"open": "<a>", "close": ["b", "c"]}, "lingers_1": {"open_pattern": r"\|.*?\|d+|\|"}},
        ["<a>x", "b|", "<a>c"],
    ),
    "a run that is passed over, with another branch in what comes before it": (
        {"b": {"open": "<", "close_pattern": r"(?:[^>]*\w+)?/\]|\s+"}},
        ["<, " + "a" * 70 + '"}', " b"],
    ),
    "a run that is only looked at": ({"b": {"open_pattern": r"a(?=\s*)"}}, ["a", "\n", " ", "b"]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no pass"])
def test_still_the_same(name: str, passes: tuple[str, ...] | None) -> None:
    fields, chunks = CASES[name]
    template = {"start_anchor": "A", "fields": fields}
    for parts in (chunks, list("".join(chunks)), ["".join(chunks)]):
        case = {"template": template, "prefix": "", "chunks": parts, "tools": None, "passes": passes}
        assert case_difference(case) is None


@pytest.mark.parametrize(
    "other", [r"\A", "^", r"\A(?=\n)", r"(?=\n)", r"(?:\A|b)", r"\n", r"\n+", r"\s", r"a?\n", "a"]
)
@pytest.mark.parametrize("pattern", ["{other}|$", "$|{other}", r"\Z|{other}"])
@pytest.mark.parametrize("text", ["\n", "a\n", "b\n\n", "\na"])
def test_the_end_of_a_text_beside_another_branch(other: str, pattern: str, text: str) -> None:
    delimiter = pattern.format(other=other)
    for fields in (
        {**IMPLICIT, "x": {"open_pattern": delimiter, "close": "b"}},
        {"x": {"open": "a", "close_pattern": delimiter}},
        {**IMPLICIT, "x": {"open_pattern": delimiter}, "y": {"open": "\n"}},
    ):
        template = {"start_anchor": "A", "fields": fields}
        for parts in ([text], list(text), [text, "a"]):
            case = {"template": template, "prefix": "", "chunks": parts, "tools": None, "passes": None}
            assert case_difference(case) is None


def test_a_default_that_no_string_can_join() -> None:
    template = {"start_anchor": "A", "defaults": {"a": []}, "fields": {"a": {"repeats": True, "join": ""}}}
    case = {"template": template, "prefix": "", "chunks": ["a"], "tools": None, "passes": None}
    assert case_difference(case) is None
