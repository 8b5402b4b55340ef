"""All faults of a text that is no JSON are told of at once, as far as it is clear how it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respc.source import TemplateSourceError, template_from_text
from respc.source.json_faults import MAX_FAULTS

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic

TEXT = """{
  // what the model writes
  "start_anchor": "A", # the prompt
  'fields': {
    "content": {"close_pattern": "\\w+<end>", "repeats": True, "join": None,}
    "x": {"open": "<x>", close: "</x>"},
    /* over
       two lines */
    "y": {"open": "<y>\\d", "n": [1, 2,]},
  }
}
"""
FAULTS = [
    ("a comment", "// what the model writes"),
    ("a comment", "# the prompt"),
    ("expected a key after `,`, found `'`", "'"),
    ("no such escape", "\\w"),
    ("expected a value, found `True`", "True"),
    ("expected a value, found `None`", "None"),
    ("a trailing comma", ","),
    ("expected `,` or `}`", '"'),
    ("expected a key after `,`, found `close`", "close"),
    ("a comment", "/* over"),
    ("no such escape", "\\d"),
    ("a trailing comma", ","),
    ("a trailing comma", ","),
]


def faults(text: str) -> list[tuple[str, str]]:
    """Return the message of each fault, with the characters at its place."""
    with pytest.raises(TemplateSourceError) as refused:
        template_from_text("t.json", text)
    lines = text.split("\n")
    found = []
    for finding in refused.value.diagnostics:
        assert finding.code.code == "RT001"
        assert finding.span is not None
        assert finding.span.line == finding.span.end_line
        shown = lines[finding.span.line - 1][finding.span.column - 1 : finding.span.end_column - 1]
        found.append((finding.message, shown))
    return found


def test_every_fault_is_told_of_at_its_place() -> None:
    found = faults(TEXT)
    assert [
        (message[: len(begun)], shown) for (message, shown), (begun, _) in zip(found, FAULTS, strict=True)
    ] == FAULTS


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"a": "b, "c": 1,}', 1),
        ('{"a": "x\ny", "c": 1,}', 1),
        ('{"a" 1, "b": True}', 1),
        ("[01, True]", 1),
        ("[\t'a', 'b', undefined, nope, \"\t\"]", 5),
        ('["a" "b"  "c"]', 2),
        ("[1,] // x\n# y", 3),
        ("", 1),
    ],
    ids=ascii,
)
def test_where_it_is_not_clear_how_it_goes_on_nothing_is_guessed(text: str, count: int) -> None:
    assert len(faults(text)) == count


def test_they_are_not_without_end() -> None:
    assert len(faults("[" + "True, " * 1_000 + "1]")) == MAX_FAULTS
    assert len(faults('["' + "x" * 1_000_000 + '", True, None]')) == 1


@settings(deadline=None)
@given(st.text(st.sampled_from("{}[]:,\"'/*#\\ntTrue 01.-+\x00 \n"), max_size=40))
def test_faults_come_in_the_order_of_the_text(text: str) -> None:
    refused: tuple[Diagnostic, ...] = ()
    try:
        template_from_text("t.json", text)
    except TemplateSourceError as error:
        refused = error.diagnostics
    places = [(each.span.line, each.span.column) for each in refused if each.span is not None]
    assert len(places) == len(refused)
    assert places == sorted(set(places))
