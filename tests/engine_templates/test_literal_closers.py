"""Which literals can stand in the place of a pattern that closes a region."""

from __future__ import annotations

import pytest

from respc.engines.literal_closers import LiteralClosers, are_words, literal_closers


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("</t>", LiteralClosers(("</t>",), (), False, ())),
        (r"</t>\s*", LiteralClosers(("</t>",), (), True, ())),
        (r"</?t>[\s\S]*|</u>", LiteralClosers(("</u>",), ("<t>", "</t>"), False, ())),
        (r"(?:</t>|[ab]>)\s*", LiteralClosers(("</t>", "a>", "b>"), (), True, ())),
        (r"</t(?::x)?>", LiteralClosers(("</t>", "</t:x>"), (), False, ())),
        (r"</t>|(?=<c>)|a+", LiteralClosers(("</t>",), (), False, ("(?=<c>)", "a+"))),
        (r"\[/T\]|</t>.*", LiteralClosers(("[/T]",), ("</t>",), False, ())),
        (r"</t>|</t>\s*(?=x)", LiteralClosers(("</t>",), (), False, (r"</t>\s*(?=x)",))),
        (r"</t(?::\w+)?>", None),
        (r"(?=<c>)|<end>[\s\S]*", None),
        (r"</t>\s+", None),
        (r"(?i:</t>)", None),
        ("", None),
        ("|".join(f"a{number}" for number in range(65)), None),
        ("a?" * 20 + "b", None),
    ],
)
def test_alternatives_that_are_text_become_literals(pattern: str, expected: LiteralClosers | None) -> None:
    assert literal_closers(pattern) == expected


def test_line_ends_behind_are_taken_where_the_pattern_takes_blanks_and_the_first_literal_is_the_closer() -> (
    None
):
    closers = literal_closers(r"</t>\s*|</u>|<end>[\s\S]*")
    assert closers is not None
    assert closers.all == ["</t>", "</u>", "</t>\n", "</u>\n", "</t>\n\n", "</u>\n\n", "<end>"]
    plain = literal_closers("</t>|<end>[\\s\\S]*")
    assert plain is not None
    assert plain.all == ["</t>", "<end>"]


def test_words_have_blanks_inside() -> None:
    assert are_words(["</t>", "My answer:"])
    assert not are_words(["</t>\n\n", "<|a b".replace(" ", "_")])
