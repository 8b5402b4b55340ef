"""How long patterns are with their counted repeats written out."""

from __future__ import annotations

import pytest

from respc.patterns.written_out import written_out_length


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        ("", 0),
        ("abc", 3),
        ("a{10}", 10),
        ("a{10,}", 10),
        ("a{10,20}", 10),
        ("a{0,1000000000}", 15),
        ("a{,1000000000}", 14),
        ("a{1000000000}", 10**9),
        ("a{1000000000}?", 10**9),
        ("a{1000000000}+", 10**9),
        ("[a-z]{1000000000}", 10**9),
        ("(?:ab|c){100}", 300),
        ("(?:(?:a{1000}){1000}){1000}", 10**9),
        ("(?:(?:(?:a{60}b){60}){60}){60}", 61 * 60**3),
        ("x(?P<n>a{500})y", 502),
        ("(?=a{1000000000})b", 10**9 + 1),
        ("(?<=a{1000000000})b", 10**9 + 1),
        ("(?!a{1000000000})b", 10**9 + 1),
        ("(?>a{1000000000})", 10**9),
        ("(?:a{1000000000}){e<=1}", 10**9),
        ("(?(?=x)a{1000000000}|b)", 10**9 + 2),
        ("(a)?(?(1)b{1000000000}|c)", 10**9 + 2),
        ("(?P<n>a)(?:(?&n)){1000000000}", 10**9 + 1),
        ("(?i)a{1000000000}", 10**9),
        ("(?x) a { 30 } a{1000000000} # a{3}", 10**9 + 30),
        ("(?:){1000000000}", 16),
        ("(?:^){1000000000}", 10**9),
    ],
)
def test_length(pattern: str, length: int) -> None:
    assert written_out_length(pattern) == max(length, len(pattern))


@pytest.mark.parametrize(
    "pattern", ["a{5", "(a{1000000000}", "{", "[a{1000000000}]", r"a\{1000000000}", "a{b}"]
)
def test_what_is_no_repeat_is_as_long_as_its_text(pattern: str) -> None:
    assert written_out_length(pattern) == len(pattern)


def test_what_is_nested_too_deep_to_be_parsed_is_as_long_as_its_text() -> None:
    pattern = "(?:" * 20_000 + "x" + "){1}" * 20_000
    assert written_out_length(pattern) == len(pattern)
