from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.content_parsers import CONTENT_PARSERS

from respc.contents.json import JsonArguments
from respc_runtime.json_dialects import (
    NOT_PLAIN,
    json_dialect_or_text,
    keyed_json,
    lift_strings,
    marked_json,
    parse_json_dialect,
    quote_keys,
    refuse_reserved,
    restore_strings,
)
from support.outcomes import assert_same_outcome, outcome

interpreted = CONTENT_PARSERS["json"]
Pairs = list[list[str]]

# Marks that are quotes, nest, hold digits (which split tokens) or are parts of one another.
MARKS = [
    '<|"|>',
    "'",
    '"',
    "",
    "<",
    ">",
    "<<",
    "``",
    "''",
    "0",
    "1",
    "{",
    ":",
    ",",
    "\\",
    "\x01",
    "\x02",
    "[",
    ".*",
]
marks = st.sampled_from(MARKS)
pair_lists = st.lists(st.lists(marks, min_size=2, max_size=2), max_size=3)

WORDS = [
    "a",
    "key",
    "é1",
    "_",
    "0",
    "10",
    "true",
    "1",
    "2.5",
    "null",
    "中",
    "a\u0301",
    "\u200d",
    "ⅷ",
    "²",
    "a-b",
]
BLANKS = ["", "", " ", "\n", "\t ", "\u2003", "\x1c", "\x85", "\xa0", "\x0b"]
STRINGS = [
    '"a"',
    '""',
    '"{b: 1}"',
    '"a\\"b"',
    '"\\\\"',
    '"\\\n"',
    '"',
    '\\"',
    "\\",
    "'c'",
    '<|"|>d: {e:"f"}<|"|>',
    "<x>",
]
pieces = st.sampled_from([*"{}[]:,{}:,", *WORDS, *BLANKS, *STRINGS, *MARKS])
soups = st.lists(pieces, max_size=25).map("".join)


@st.composite
def dialect_values(draw: st.DrawFn, depth: int = 2) -> str:
    """Draw a text that is nearly valid in some dialect, so that the rewriting often ends in a value."""
    blank = draw(st.sampled_from(BLANKS[:5]))
    shape = draw(st.sampled_from(["object", "object", "list"] if depth else ["scalar"]))
    if shape == "scalar":
        return blank + draw(st.sampled_from(["1", "true", "null", "-2.5", *STRINGS]))
    items = [draw(dialect_values(depth - 1)) for _ in range(draw(st.integers(0, 3)))]
    if shape == "list":
        return f"[{','.join(items)}{blank}]"
    keys = [draw(st.sampled_from([*WORDS, '"k"', '<|"|>k<|"|>', "'q'"])) for _ in items]
    return "{" + ",".join(f"{blank}{key}{blank}:{item}" for key, item in zip(keys, items, strict=True)) + "}"


texts = dialect_values() | soups


def parsed_at_once(body: str, pairs: Pairs, unquoted_keys: bool) -> Any:
    """Parse in one go, as a generated module tries first, if it can for this dialect."""
    marks = tuple((opening, closing) for opening, closing in pairs)
    arguments = JsonArguments(bool(pairs), marks, None, unquoted_keys, False, True)
    if arguments.plain == "marked_json":
        refuse_reserved(body)
        return marked_json(body, *marks[0], arguments.later_openings, unquoted_keys)
    return NOT_PLAIN if arguments.plain is None else keyed_json(body)


def parsed(body: str, pairs: Pairs, unquoted_keys: bool, allow_non_json: bool, strip: bool = True) -> Any:
    """Parse in steps, as a generated module does a body that is not plain."""
    working, lifted = body, list[str]()
    if pairs:
        refuse_reserved(body)
        for opening, closing in pairs:
            working = lift_strings(working, opening, closing, lifted)
    if unquoted_keys:
        working = quote_keys(working)
    if pairs:
        working = restore_strings(working, lifted)
    return json_dialect_or_text(working, body, strip=strip) if allow_non_json else parse_json_dialect(working)


def agree(body: str, pairs: Pairs, unquoted_keys: bool, allow_non_json: bool, strip: bool = True) -> None:
    arguments = {
        "string_delims": pairs,
        "unquoted_keys": unquoted_keys,
        "allow_non_json": allow_non_json,
        "strip": strip,
    }
    expected = outcome(interpreted, body, arguments)
    assert_same_outcome(expected, outcome(parsed, body, pairs, unquoted_keys, allow_non_json, strip))
    at_once = outcome(parsed_at_once, body, pairs, unquoted_keys)
    if at_once is not NOT_PLAIN:
        assert_same_outcome(expected, at_once)


@given(texts, pair_lists, st.booleans(), st.booleans(), st.booleans())
def test_values_are_the_interpreters(
    body: str, pairs: Pairs, unquoted_keys: bool, allow_non_json: bool, strip: bool
):
    agree(body, pairs, unquoted_keys, allow_non_json, strip)


def rewritten_by_interpreter(body: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the text that the interpreter would decode: a value alone would hide most of the rewriting."""
    seen: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(json, "loads", seen.append)
        interpreted(body, arguments)
    return seen[0]


@given(soups | dialect_values())
def test_quoted_keys_are_the_interpreters(body: str):
    with pytest.MonkeyPatch.context() as patch:
        assert quote_keys(body) == rewritten_by_interpreter(body, {"unquoted_keys": True}, patch)


@given(
    texts.filter(lambda text: "\x01" not in text and "\x02" not in text),
    pair_lists.filter(bool),
    st.booleans(),
)
@example("a'b<c'd>e", [["'", "'"], ["<", ">"]], False)
@example("ab\n", [["", ""], ["", ""]], True)
@example("'a'0'b'", [["'", "'"], ["0", "\x02"]], False)
@example("'a'", [["'", "'"], ["\x01", "\x02"]], False)
def test_rewriting_is_the_interpreters(body: str, pairs: Pairs, unquoted_keys: bool):
    working, lifted = body, list[str]()
    for opening, closing in pairs:
        working = lift_strings(working, opening, closing, lifted)
    if unquoted_keys:
        working = quote_keys(working)
    arguments = {"string_delims": pairs, "unquoted_keys": unquoted_keys}
    with pytest.MonkeyPatch.context() as patch:
        expected = rewritten_by_interpreter(body, arguments, patch)
    assert restore_strings(working, lifted) == expected


@pytest.mark.parametrize(
    ("body", "pairs", "unquoted_keys", "value"),
    [
        ('{city: "London"}', [], True, {"city": "London"}),
        ('{a:<|"|>say "hi": {x: 1}<|"|>,b:2}', [['<|"|>', '<|"|>']], True, {"a": 'say "hi": {x: 1}', "b": 2}),
        ('{<b>: \'a \\ "\', "c": 1}', [["<", ">"], ["'", "'"]], False, {"b": 'a \\ "', "c": 1}),
        ("{a: [{b: 1}, {c :2}]}", [], True, {"a": [{"b": 1}, {"c": 2}]}),
        ('["{a:1}", {b: "\\"{c:"}]', [], True, ["{a:1}", {"b": '"{c:'}]),
        ("['<a>']", [["<", ">"], ["'", "'"]], False, ["\x010\x02"]),
    ],
)
def test_notable_bodies(body: str, pairs: Pairs, unquoted_keys: bool, value: Any):
    agree(body, pairs, unquoted_keys, False)
    assert_same_outcome(value, parsed(body, pairs, unquoted_keys, False))


@pytest.mark.parametrize(
    "text", ["[a:1]", "(a:1)", "a:1", ",a:1", "{a.b:1}", "{a\n:1}", "{ , a:1}", '{"a"b:1}', "{a:b:1}"]
)
def test_where_a_bare_word_is_a_key(text: str):
    with pytest.MonkeyPatch.context() as patch:
        assert quote_keys(text) == rewritten_by_interpreter(text, {"unquoted_keys": True}, patch)


MARK = '<|"|>'


@pytest.mark.parametrize(
    ("body", "pairs", "value"),
    [
        ("{}", [[MARK, MARK]], {}),
        (f"{{city:{MARK}Bergen{MARK},days:[1,2]}}", [[MARK, MARK]], {"city": "Bergen", "days": [1, 2]}),
        (f" {{ a : {MARK}{{b: 1}}\n{MARK}\n, c:null}}\n", [[MARK, MARK]], {"a": "{b: 1}\n", "c": None}),
        (f'{{{MARK}k{MARK}:{MARK}"\\é中{MARK}}}', [[MARK, MARK]], {"k": '"\\é中'}),
        (f"[{MARK}\ud83d{MARK},{MARK}\ud83d\ude00{MARK}]", [[MARK, MARK]], ["\ud83d", "\U0001f600"]),
        ("{a:<<b < {c>>, d:<<>>}", [["<<", ">>"]], {"a": "b < {c", "d": ""}),
        ("{a:<b>}", [["<", ">"], ["«", "»"]], {"a": "b"}),
        ('{a: "b: {c:1}", d2 :""}', [], {"a": "b: {c:1}", "d2": ""}),
    ],
)
def test_plain_bodies_are_parsed_at_once(body: str, pairs: Pairs, value: Any):
    agree(body, pairs, True, False)
    assert_same_outcome(value, parsed_at_once(body, pairs, True))


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        (f"{{a:{MARK}b{MARK},c:{MARK}}}", [[MARK, MARK]]),
        ("{a:<<b>>,c:<<}", [["<<", ">>"]]),
        ("{a:<<b <<c>>}", [["<<", ">>"]]),
        (f'{{a:{MARK}b{MARK},c:"d"}}', [[MARK, MARK]]),
        ("{a:<b>,c:«d»}", [["<", ">"], ["«", "»"]]),
        ("{a:<b>}", [["<", ">"], ["1", "2"]]),
        ("{a:<b>}", [["<", ">"], ["", ">"]]),
        ("{a:<b>}", [["<", ""]]),
        ("{é:<b>}", [["<", ">"]]),
        ('{a:"\\""}', []),
        ('{a:"b}', []),
        ("{a:\x01}", []),
    ],
)
def test_other_bodies_are_parsed_in_steps(body: str, pairs: Pairs):
    agree(body, pairs, True, True)
    assert parsed_at_once(body, pairs, True) is NOT_PLAIN


def test_many_strings_that_never_end_are_passed_over_together():
    # Each quote by itself would run to the end of the text: four times 10**10 steps.
    body = '"{a:1,' + '\\"{b:' * 200_000
    expected = '"{"a":1,' + '\\"{"b":' * 200_000
    assert quote_keys(body) == expected


@pytest.mark.parametrize("reserved", ["\x01", "\x02"])
def test_reserved_characters_are_refused(reserved: str):
    with pytest.raises(ValueError, match=rf"U\+000{ord(reserved)} is in the body, at its character 3"):
        refuse_reserved(f"abc{reserved}")
    agree(f'"{reserved}"', [["'", "'"]], False, True)
    agree(f'"{reserved}"', [], True, True)


def test_a_missing_body_is_a_type_error():
    for pairs, unquoted_keys in ([["'", "'"]], False), ([], True):
        agree(None, pairs, unquoted_keys, True)


def test_the_message_has_the_decoders_reason():
    with pytest.raises(
        ValueError, match=r"^not JSON after the dialect's rewriting: Expecting property name"
    ) as caught:
        parse_json_dialect("{a: 1}")
    assert type(caught.value) is ValueError


def test_text_that_is_not_json_is_the_original():
    assert parsed(" {a: 'b'} c ", [["'", "'"]], True, True) == "{a: 'b'} c"
    assert parsed(" {a: 'b'} c ", [["'", "'"]], True, True, strip=False) == " {a: 'b'} c "
