"""Bodies in which nothing is passed over: text left over, tags without an end, keys that come twice."""

from __future__ import annotations

from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import respc
from respc_runtime.searches import compiled
from respc_runtime.strict_bodies import refuse_second, refuse_text
from respc_runtime.tag_ways import Closing
from respc_runtime.tags import checked_tags, found_tags, tag_pairs, tag_pairs_of_ways

OPENING = compiled(r"<p=(?P<key>[^<>\n]+)>")
CLOSING = Closing(compiled(r"\n?</p>|\n?(?=<p=)"), compiled("</p>|<p="), newline=True)
QUOTED = (compiled(r'<p=(?P<key>[^<>\n]+)>(?P<value_start>)"'), Closing(compiled('"</p>(?P<value_end>)')))

Pairs = list[tuple[str, str]]


def by_text(body: str, *, merged: bool = False) -> Pairs:
    """Read tags whose value ends at a text."""
    return list(tag_pairs(body, OPENING, "</p>", newline=True, strict=True, merged=merged))


def by_expression(body: str, *, merged: bool = False) -> Pairs:
    """Read tags whose value also ends where the next one begins."""
    return list(tag_pairs(body, OPENING, CLOSING, strict=True, merged=merged))


def by_ways(body: str, *, merged: bool = False) -> Pairs:
    """Read tags with quotes or without."""
    return list(tag_pairs_of_ways(body, (QUOTED, (OPENING, CLOSING)), strict=True, merged=merged))


def by_segments(body: str, *, merged: bool = False) -> Pairs:
    """Read tags from one segment to the next."""
    opening = compiled(r"<p=(?P<key>[^<>\n]+)>(?P<value_start>)")
    tags = found_tags(body, ((opening, compiled(r"(?P<value_end>)\n?</p>")),))
    found = checked_tags(body, tags, strict=True, openings=[opening], merged=merged)
    return [(tag["key"], tag["value"]) for tag in found]


def by_regex(body: str, *, merged: bool = False) -> Pairs:
    """Read tags as `regex` finds them."""
    tags = regex.finditer(r"<p=(?P<key>[^<>\n]+)>(?P<value>.*?)\n?</p>", body, regex.DOTALL)
    return [tag.group("key", "value") for tag in checked_tags(body, tags, strict=True, merged=merged)]


READERS = [by_text, by_expression, by_ways, by_segments, by_regex]
WITH_DATA = [by_text, by_expression, by_ways]

TWO = [("a", "1"), ("b", "2")]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ("", []),
        (" \n\u3000", []),
        ("<p=a>1</p><p=b>2</p>", TWO),
        ("\n<p=a>1\n</p>\n \n<p=b>2</p>\t\n", TWO),
        ("<p=a></p>", [("a", "")]),
        ("<p=a>x < y </q> <p> <p=></p>", [("a", "x < y </q> <p> <p=>")]),
    ],
)
def test_tags_and_blanks_alone(read: Any, body: str, pairs: Pairs) -> None:
    assert read(body) == pairs


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        ("so: <p=a>1</p>", 0, "so: "),
        ("\n so <p=a>1</p>", 2, "so "),
        ("<p=a>1</p> and\n<p=b>2</p>", 11, "and\n"),
        ("<p=a>1</p>\nthat is all", 11, "that is all"),
        ("no tag", 0, "no tag"),
        ("<p=a>1</p><p=b", 10, "<p=b"),
    ],
)
def test_text_left_over(read: Any, body: str, place: int, text: str) -> None:
    with pytest.raises(ValueError, match="is no part of it") as error:
        read(body)
    assert str(error.value) == f"at character {place} of the body, {text!r} is no part of it"
    assert body[place:].startswith(text)


@pytest.mark.parametrize("read", [by_text, by_expression, by_ways])
def test_the_last_tag_is_not_closed(read: Any) -> None:
    with pytest.raises(ValueError, match=r"^the value of 'b' is not closed$"):
        read("<p=a>1</p><p=b>2 <")


@pytest.mark.parametrize("read", [by_text, by_segments])
@pytest.mark.parametrize("body", ["<p=a>1<p=b>2</p>", "<p=a>1\n<p=b>2</p><p=c>3</p>", "<p=a>1 <p=b></p>"])
def test_a_value_that_holds_another_tag(read: Any, body: str) -> None:
    with pytest.raises(ValueError, match=r"^the value of 'a' is not closed$"):
        read(body)


@pytest.mark.parametrize("read", [by_expression, by_ways])
def test_the_next_tag_ends_a_value(read: Any) -> None:
    assert read("<p=a>1<p=b>2</p>") == TWO
    assert read("<p=a>1\n<p=b>2\n</p>\n") == TWO
    assert read("<p=a><p=b></p>") == [("a", ""), ("b", "")]
    assert read("<p=a>1 <p=\n<p=b>2</p>") == [("a", "1 <p="), ("b", "2")]
    assert read("<p=a>1</p> <p=\n</p><p=b>2</p>") == [("a", "1</p> <p="), ("b", "2")]


@pytest.mark.parametrize("read", READERS)
def test_a_key_that_comes_twice(read: Any) -> None:
    body = "<p=a>1</p><p=b>2</p>\n<p=a>3</p>"
    with pytest.raises(ValueError, match=r"^the key 'a' comes twice$"):
        read(body)
    assert read(body, merged=True) == [*TWO, ("a", "3")]


@pytest.mark.parametrize("read", WITH_DATA)
@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ("<p=a>it ends with </p> there</p>", [("a", "it ends with </p> there")]),
        ("<p=a></p></p>", [("a", "</p>")]),
        ("<p=a>x</p> y</p>\n<p=b>2</p>", [("a", "x</p> y"), ("b", "2")]),
        ("<p=a>x\n</p>, </p>, </p>\n<p=b>2</p>", [("a", "x\n</p>, </p>, "), ("b", "2")]),
    ],
)
def test_what_ends_a_value_is_data_before_other_text(read: Any, body: str, pairs: Pairs) -> None:
    assert read(body) == pairs


@pytest.mark.parametrize("read", [by_text, by_ways, by_expression])
def test_it_is_no_data_behind_another_tag(read: Any) -> None:
    with pytest.raises(ValueError, match=r"^at character 10 of the body, 'or ' is no part of it$"):
        read("<p=a>x</p>or <p=b>2</p>")
    with pytest.raises(ValueError, match=r"^at character 20 of the body, 'or' is no part of it$"):
        read("<p=a>x</p><p=b>2</p>or")


def test_ways_of_one_body() -> None:
    assert by_ways('<p=a>"</p> "</p><p=b>2</p>') == [("a", '"</p> "</p>'), ("b", "2")]
    assert by_ways('<p=a>"1</p><p=b>2</p>') == [("a", '"1'), ("b", "2")]
    with pytest.raises(ValueError, match=r"^the value of 'a' is not closed$"):
        by_ways('<p=a>"<p=b>2</p> "</p>')
    with pytest.raises(ValueError, match=r"^the value of 'a' is not closed$"):
        by_ways('<p=a>"1')


def test_what_ends_a_value_may_look_like_a_tag() -> None:
    opening = compiled(r"<(?P<key>[^>]+)>")
    assert list(tag_pairs("<a>1</>\n<b>2</>", opening, "</>", strict=True)) == TWO
    assert list(tag_pairs("<a>x <b</>", opening, "</>", strict=True)) == [("a", "x <b")]


def test_messages_quote_little() -> None:
    with pytest.raises(ValueError, match="is no part of it") as left:
        by_text("x" * 10_000)
    with pytest.raises(ValueError, match="comes twice") as twice:
        refuse_second("k" * 10_000, {"k" * 10_000})
    assert max(len(str(left.value)), len(str(twice.value))) < 200


def test_only_a_part_of_a_body_is_refused() -> None:
    refuse_text("ab  cd", 2, 4)
    with pytest.raises(ValueError, match=r"^at character 4 of the body, 'c' is no part of it$"):
        refuse_text("ab  cd", 2, 5)


def defined(body: str) -> Pairs | None:
    """Read tags that end as `CLOSING` says, by trying each place; None where the body is refused."""
    tags = regex.compile(r"<p=(?P<key>[^<>\n]+)>")
    ends = regex.compile(r"\n?</p>|\n?(?=<p=)")
    pairs: Pairs = []
    place = 0
    while (tag := tags.match(body, len(body) - len(body[place:].lstrip()))) is not None:
        values = [(body[tag.end() : at], ends.match(body, at)) for at in range(tag.end(), len(body))]
        whole = [
            (value, end.end())
            for value, end in values
            if end and (end[0].strip() or "</p>" not in value)
            if not (rest := body[end.end() :].lstrip()) or tags.match(rest)
        ]
        if not whole or tags.search(whole[0][0]) or tag["key"] in dict(pairs):
            return None
        pairs.append((tag["key"], whole[0][0]))
        place = whole[0][1]
    return None if body[place:].strip() else pairs


@given(
    st.lists(st.sampled_from(["<p=a>", "<p=b>", "<p=c>", "</p>", "\n", " ", "x", "<p=", "<"])).map("".join)
)
def test_as_it_is_defined(body: str) -> None:
    try:
        pairs = by_expression(body)
    except ValueError:
        pairs = None
    assert pairs == defined(body)


LINES: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {"facts": {"open": "<f>", "close": "</f>", "content": "kv-lines"}},
}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a: 1\n\n  b: 2\n", ""),
        ("a: 1\n\nthat is it\n", "at character 6 of the body, 'that is it' is no part of it"),
        ("a: 1\n  so \n", "at character 7 of the body, 'so ' is no part of it"),
        ("a: 1\nb: 2\n a : 3", "the key 'a' comes twice"),
    ],
)
def test_lines(body: str, reason: str) -> None:
    text = f"<f>{body}</f>"
    strict = respc.load(LINES, events="serving").ResponseParser("")
    if reason:
        with pytest.raises(ValueError, match=reason):
            strict.finish(text)
    else:
        assert strict.finish(text)["facts"] == {"a": "1", "b": "2"}
    assert set(respc.load(LINES).ResponseParser("").finish(text)["facts"]) <= {"a", "b"}
