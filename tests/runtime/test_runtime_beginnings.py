r"""What the notation ``(?~…)`` stands for: just what has begun of its texts, whatever stands around it."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import pytest
import regex

from respc_runtime.beginnings import first_character, spelled_beginnings
from respc_runtime.states import BLANK_RUN, KNOWN_RUNS, State, run_until, runs_in


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("(?~abc)", "ab?"),
        ("(?~abc)?", "(?:ab?)?"),
        ("(?~abcd)", "a(?:bc?)?"),
        ("(?~abcd|abx|aby)", "a(?:bc?)?"),
        ("(?~abc|axy|bc)", "(?:a(?:b|x)?|b)"),
        ("(?~ab(?:c|d))", "a(?:b(?:c|d))?"),
        ("(?~abc*)", "a(?:bc*)?"),
        (r"(?~a\s*(?~bcd)?)", r"a\s*(?:bc?)?"),
        (r"(?~<\||\x00\u2028[^\]|)][a-c]x)", r"(?:<|\x00(?:\u2028(?:[^\]|)][a-c]?)?)?)"),
        ("(?~[b-d]+|ab)", "(?:[b-d]+|a)"),
        ("a{2,3}(?~ab{2})", "a{2,3}ab{2}"),
        (
            "(?~abcdefghijklmnopqrs)",
            "a(?:bcdefghi(?:jklm(?:nop(?:qr?)?|no?)|jklm?|jk?)|bcde(?:fghi?|fg?)|bcde?|bc?)?",
        ),
    ],
)
def test_what_is_written_out(written: str, spelled: str) -> None:
    assert spelled_beginnings(written) == spelled


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "abc",
        r"\(?~ab",
        "[(?~ab)]",
        r"[\](?~]",
        r"(?P<name>a|b)(?=c)\\(?:[(?~]){2}",
        r"\(\?~ab\)",
        "(?#once)<",
    ],
)
def test_what_is_no_notation_stays_as_it_is(expression: str) -> None:
    assert spelled_beginnings(expression) == expression
    # Nor is it taken for something else beside what is.
    assert spelled_beginnings(f"{expression}|(?~ab)") == f"{expression}|a"


@pytest.mark.parametrize(
    ("expression", "first"),
    [
        ("<a>(?P<a>)|<b", "<"),
        (r"\{a|\{b*", "{"),
        (r"(?~<ab|<c(?:d|e)|<)\Z|<(?:x|y)", "<"),
        ("(?:<(?P<a>[|)])a|(?:<b|<c))c|(?~<d)", "<"),
        ("<a|b", ""),
        ("(?~<a|b)c", ""),
        ("(?:<a|b)", ""),
        ("<?a|<", ""),
        ("<{0,2}a", ""),
        ("(?:<a)*a", ""),
        ("(?~<ab)?a", ""),
        ("<a|", ""),
        ("(?:<|)a", ""),
        ("", ""),
        ("(?=<)<", ""),
        ("(?P<a><)", ""),
        (r"\sa", ""),
        (r"\Za", ""),
        ("[<]a", ""),
        (".", ""),
        (r"\na", ""),
        (r"\x3ca", ""),
    ],
)
def test_the_character_that_an_expression_begins_with(expression: str, first: str) -> None:
    assert first_character(expression) == first


def begun(texts: list[str]) -> set[str]:
    """List what has begun of some texts: not nothing, and not all of it."""
    return {text[:length] for text in texts for length in range(1, len(text))}


@pytest.mark.parametrize("seed", range(200))
def test_just_what_has_begun_matches(seed: int) -> None:
    random = Random(seed)
    characters = random.choice(["ab", "a|", "(*", "\n[", "]\\"])
    texts = ["".join(random.choices(characters, k=random.randint(2, 5))) for _ in range(random.randint(1, 5))]
    before, rest, optional = (
        random.choice(["", "<"]),
        random.choice(["", "(?:x|yz)"]),
        random.choice(["", "?"]),
    )
    notation = "|".join(re.escape(text) + rest for text in texts)
    expected = begun(texts)
    if rest:
        expected |= {text + more for text in texts for more in ("x", "yz")}
    if optional:
        expected.add("")
    expression = spelled_beginnings(f"{before}(?~{notation}){optional}")
    matches = [compiled.fullmatch for compiled in (re.compile(expression), regex.compile(expression))]
    for length in range(7):
        for text in map("".join, product(characters, repeat=length)):
            for ending in ("", "x", "yz", "y"):
                assert {bool(match(before + text + ending)) for match in matches} == {
                    text + ending in expected
                }, (
                    expression,
                    text + ending,
                )


@pytest.mark.parametrize("length", [1, 15, 16, 17, 18, 33, 300, 5_000])
def test_long_texts(length: int) -> None:
    text = "".join(Random(length).choices("abc", k=length)) + "<"
    matches = re.compile(spelled_beginnings(f"(?~{text}>)")).fullmatch
    lengths = {0, 1, 2, length // 2, length - 1, length, length + 1}
    assert all(bool(matches(text[:cut])) is (cut > 0) for cut in lengths)
    assert not matches(text + ">")
    assert not any(matches(text[:cut] + ">") for cut in lengths)


def test_runs_of_one_kind_differ_in_a_number() -> None:
    name = run_until("<")
    groups = ("in_blanks", "in_blanks_2", "in_rest", "in_name", "in_name_2", "in_unknown", "in_name_b")
    expression = "|".join(rf"{number}\Z(?P<{group}>)" for number, group in enumerate(groups))
    rest = KNOWN_RUNS["in_rest"]
    expected = {
        "in_blanks": BLANK_RUN,
        "in_blanks_2": BLANK_RUN,
        "in_rest": rest,
        "in_name": name,
        "in_name_2": name,
    }
    assert runs_in(expression, {"in_name": name}) == expected


def test_a_run_that_is_listed_is_what_is_said_of_it() -> None:
    """So modules of older ABIs have them, and a group of the template may be called `name_2`."""
    name, other = run_until("<"), run_until(">")
    listed = {"in_name": name, "in_name_2": other, "in_blanks": other, "in_blanks_before": BLANK_RUN}
    expression = (
        r"a\Z(?P<in_name>)|b\Z(?P<in_name_2>)|c\Z(?P<in_name_3>)|d\Z(?P<in_name_2_2>)|e\Z(?P<in_blanks>)"
    )
    assert runs_in(expression, listed) == {**listed, "in_name_3": name, "in_name_2_2": other}


@pytest.mark.parametrize(
    "text", ["", "x", "<", "x</thin", "<tool_call", "<tool_call> \n", "<tool_call>  </t", "</think>"]
)
def test_a_state_reads_what_has_begun_written_out_or_not(text: str) -> None:
    """Modules of older ABIs have it written out."""
    ends = r"</think>(?P<close>)|<tool_call>\s*</tool_call>(?P<other>)"
    begun, longer = r"(?~</think>|<tool_call>\s*(?~</tool_call>))\Z", r"<tool_call>\s*\Z(?P<in_blanks_2>)"
    states = [State(ends, begun, longer=longer), State(ends, spelled_beginnings(begun), longer=longer)]
    found = [state.ready().scan(text, 0) for state in states]
    places = [each and (each.start(), each.end(), each.lastgroup) for each in found]
    assert places[0] == places[1]
    assert (places[0] is not None) == ("<" in text)
