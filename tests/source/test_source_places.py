"""The places of keys and values, in lines and columns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respc.source import (
    JsonDocument,
    Place,
    SourceText,
    Span,
    child_pointer,
    offset_in_string,
    pointer_keys,
    read_json,
)

KEYS = st.one_of(st.text(max_size=4), st.sampled_from(["", "/", "~", "~1", "a/b", "0", "\n", '"']))
TREES = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
)


def read(text: str) -> JsonDocument:
    return read_json(SourceText("t.json", text))


def cut(source: SourceText, span: Span) -> str:
    """The text inside a span, found again by splitting the text at its line breaks."""
    lines = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def every_value(value: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    found = [(keys, value)]
    if isinstance(value, dict):
        found += [pair for key, member in value.items() for pair in every_value(member, (*keys, key))]
    if isinstance(value, list):
        found += [pair for index, member in enumerate(value) for pair in every_value(member, (*keys, index))]
    return found


@settings(deadline=None)
@given(TREES, st.sampled_from([None, 0, 2]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_every_place_holds_its_own_key_and_value(
    tree: Any, indent: int | None, line_break: str, ascii_only: bool
) -> None:
    text = json.dumps(tree, indent=indent, ensure_ascii=ascii_only).replace("\n", line_break)
    document = read(text)
    values = every_value(tree)
    for keys, value in values:
        pointer = ""
        for key in keys:
            pointer = child_pointer(pointer, key)
        place = document.places[pointer]
        assert json.loads(cut(document.source, place.value)) == value
        if keys and isinstance(keys[-1], str):
            assert place.key is not None
            assert json.loads(cut(document.source, place.key)) == keys[-1]
        else:
            assert place.key is None
    assert len(document.places) == len(values) == len(list(document.places))


@settings(deadline=None)
@given(st.lists(KEYS, max_size=5))
def test_pointers_lead_back_to_their_keys(keys: list[str]) -> None:
    pointer = ""
    for key in keys:
        pointer = child_pointer(pointer, key)
    assert pointer_keys(pointer) == tuple(keys)


@pytest.mark.parametrize(
    "pointer", ["x", "/b", "/a/2", "/a/-", "/a/01", "/a/+1", "/a/١", "/a/0/x", "/a/" + "9" * 5000]
)
def test_a_pointer_to_nothing_is_no_key(pointer: str) -> None:
    places = read('{"a": [1, 2]}').places
    assert pointer not in places
    with pytest.raises(KeyError):
        places[pointer]


def test_the_nearest_place_is_of_what_would_enclose_the_value() -> None:
    places = read('{"a": {"b": 1}}').places
    assert places.nearest("/a/b") == Place(Span(1, 8, 1, 11), Span(1, 13, 1, 14))
    assert places.nearest("/a/x/y") == places["/a"]
    assert places.nearest("/x") == places[""]
    with pytest.raises(ValueError, match="not a JSON pointer"):
        places.nearest("a")


def test_places_cost_no_more_than_the_text_where_keys_are_long() -> None:
    # A pointer kept for each value would take ten gigabytes here.
    key = "k" * 500_000
    document = read('{"' + key + '": [' + ",".join("1" for _ in range(20_000)) + "]}")
    assert document.places[f"/{key}/19999"].value == Span(1, 540_005, 1, 540_006)


def test_lines_end_as_editors_end_them() -> None:
    source = SourceText("t", "a\nb\r\nc\rd\u2028e\x0bf")
    assert [source.line(number) for number in range(1, source.line_count + 1)] == [
        "a",
        "b",
        "c",
        "d\u2028e\x0bf",
    ]
    assert source.span(9, 10) == Span(4, 3, 4, 4)
    assert source.span(0, len(source.text)) == Span(1, 1, 4, 6)
    for missing in (0, 5):
        with pytest.raises(IndexError):
            source.line(missing)
    with pytest.raises(IndexError):
        source.span(0, len(source.text) + 1)


@settings(deadline=None)
@given(st.text(st.characters(codec=None), max_size=12), st.booleans())
def test_each_character_of_a_string_is_found_in_its_literal(value: str, ascii_only: bool) -> None:
    document = read(' ["x",\n ' + json.dumps(value, ensure_ascii=ascii_only) + "]")
    # Joined halves of a surrogate pair read back as one character.
    value = document.value[1]
    for index, character in enumerate(value):
        piece = cut(document.source, offset_in_string(document, "/1", index))
        assert json.loads(f'"{piece}"') == character
    assert cut(document.source, offset_in_string(document, "/1", len(value))) == '"'
    with pytest.raises(IndexError):
        offset_in_string(document, "/1", len(value) + 1)


def test_a_stretch_of_a_string_counts_escapes_as_characters() -> None:
    document = read(r'{"p": "a\"\u00e9\ud83d\ude00\\d\/(x"}')
    assert document.value["p"] == 'a"é\U0001f600\\d/(x'
    assert cut(document.source, offset_in_string(document, "/p", 1, 4)) == r"\"\u00e9\ud83d\ude00"
    assert cut(document.source, offset_in_string(document, "/p", 4, 6)) == r"\\d"
    assert cut(document.source, offset_in_string(document, "/p", 7)) == "("
    assert cut(document.source, offset_in_string(document, "/p", 7, 7)) == "("


def test_only_strings_have_characters() -> None:
    document = read('{"n": 12}')
    with pytest.raises(ValueError, match="not a string"):
        offset_in_string(document, "/n", 0)
    with pytest.raises(KeyError):
        offset_in_string(document, "/m", 0)
