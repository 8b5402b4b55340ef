"""What may not be in the strings of arguments, since the parser would take it for something else."""

from __future__ import annotations

from typing import Any, Final

import pytest

from respc.analysis import analyse
from respc.codegen.forms import calls_of
from respc.grammars.exclusions import exclusions_of
from respc.grammars.needed import needed_texts
from respc.grammars.spelling import ValueStyle
from respc.patterns import parse_pattern
from respc.source import template_from_dict
from support.small_chat_template import changed

MARKED: Final = {"string_delims": [["<q>", "</q>"]]}


def exclusions(content: str, **arguments: Any) -> tuple[str, ...]:
    """Give what strings may not have in them, where a body is read so and calls end with `</call>`."""
    template = changed("fields/tool_calls/content", content)
    template["fields"]["tool_calls"]["content_args"] = arguments
    ir = analyse(template_from_dict(template, "<template>"), only_refusals=True).ir
    assert ir is not None
    return exclusions_of(ir, calls_of(ir)[0], [ValueStyle()]).arguments


def tags(pattern: str, **arguments: Any) -> tuple[str, ...]:
    """Give the same for tags."""
    return exclusions("xml-inline", tag_pattern=pattern, **arguments)


def test_what_ends_a_call_or_a_value() -> None:
    assert exclusions("json") == ("</call>",)
    assert tags("<p (?P<key>[a-z]+)>(?P<value>.*?)(?:</p>|(?=<p ))") == ("</call>", "</p>", "<p ")


@pytest.mark.parametrize(
    ("pattern", "beginning"),
    [
        ("<p (?P<key>[a-z]+)>(?P<value>.*?)</p>", "<p "),
        ("<p (?P<key>[a-z]+) of>(?P<value>.*?)</p>", " of>"),
        ("<p>(?P<key>[a-z]+)(?:=(?P<value>.*?)|(?P<value>))</p>", "<p>"),
    ],
)
def test_a_value_that_holds_the_beginning_of_a_tag_would_be_refused(pattern: str, beginning: str) -> None:
    assert tags(pattern) == tuple(sorted(("</call>", "</p>", beginning)))


def test_a_beginning_that_has_in_it_what_ends_a_value_is_left_out() -> None:
    assert tags("(?P<key>[a-z]+)</p>(?P<value>.*?)</p>") == ("</call>", "</p>")


def test_characters_that_a_dialect_of_json_keeps_for_itself() -> None:
    assert exclusions("json", **MARKED) == ("\x01", "\x02", "</call>")
    values = {"name": "json", "args": {**MARKED, "allow_non_json": True}}
    with_values = tags("<p (?P<key>[a-z]+)>(?P<value>.*?)</p>", value_parser=values)
    assert with_values == ("\x01", "\x02", "</call>", "</p>", "<p ")


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("</call>[ x]*y", {"</call>"}),
        ("}[ x]*y", {"} ", "}x", "}y"}),
        ("(?:},)[ x]*(?=y)z", {"},"}),
        ("[xy][ab]+.", {"xa", "xb", "ya", "yb"}),
        ("}[ x]*", {"}"}),
        ("}[^a]", {"}"}),
        ("}.*]", {"}"}),
    ],
)
def test_what_follows_very_little_is_a_part_of_what_is_needed(pattern: str, texts: set[str]) -> None:
    assert needed_texts(parse_pattern(pattern)) == texts
