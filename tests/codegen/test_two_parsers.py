"""A module has the parser for serving engines beside the interpreter's equal, wherever one can be that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from support.chunking import characters, whole
from support.families import Family, families
from support.modules import module_of
from support.stability import stable_module

if TYPE_CHECKING:
    from collections.abc import Callable

Template = dict[str, Any]

CONTENT: Final = {"repeats": True, "join": ""}
STABLE: Final[Template] = {
    "start_anchor": "@",
    "fields": {"thought": {"open": "<t>", "close": "</t>"}, "content": CONTENT},
}


def with_opener(pattern: str) -> Template:
    fields: Template = {"thought": {"open_pattern": pattern, "close": "</t>"}, "content": CONTENT}
    return {"start_anchor": "@", "fields": fields}


def traced(parser_class: Callable[..., Any], row: Any, chunks: list[str]) -> Any:
    parser = parser_class(row["prefix"], tools=row.get("tools"))
    events = [parser.initial_events, *map(parser.feed, chunks)]
    message, last = parser.finalize()
    return message, [list(map(comparable, each)) for each in [*events, last]]


def comparable(event: Template) -> Template:
    return {**event, "error": str(event["error"])} if "error" in event else event


@pytest.mark.parametrize("family", families(), ids=str)
def test_every_family_has_both_and_the_second_is_that_of_serving_events(family: Family) -> None:
    serving = stable_module(family.template, "serving")
    assert serving is not None
    alone = serving.ResponseParser
    both = family.module
    assert both.ServingParser.calls == alone.calls
    assert both.ServingParser.texts == alone.texts
    for row in family.samples:
        for chunks in (characters(row["text"]), whole(row["text"])):
            assert traced(both.ServingParser, row, chunks) == traced(alone, row, chunks), row["id"]


def test_the_second_is_there_only_where_the_outcome_need_not_depend_on_chunks() -> None:
    assert hasattr(respc.load(STABLE), "ServingParser")
    assert not hasattr(respc.load(with_opener(r"<t>\b")), "ServingParser")
    with pytest.raises(respc.TemplateError):
        respc.load(with_opener(r"<t>\b"), events="serving")


def test_where_regex_is_asked_in_only_one_of_them_there_is_only_the_first() -> None:
    lazy = with_opener("<t[^>]*?>|<u>")
    assert not hasattr(respc.load(lazy), "ServingParser")
    parser = respc.load(lazy, events="serving").ResponseParser("")
    assert [event["type"] for event in parser.feed("<t x>")] == ["region_open"]


def test_without_expressions_there_is_only_the_first() -> None:
    assert not hasattr(respc.load(STABLE, passes=[]), "ServingParser")


def test_serving_events_are_those_of_the_first_where_they_are_asked_for() -> None:
    module = respc.load(STABLE, events="serving")
    assert not hasattr(module, "ServingParser")
    assert module.ResponseParser("").feed("<t>")[0]["end"] == 3


def test_a_standalone_module_has_both() -> None:
    module = module_of(respc.compile_template(STABLE, standalone=True, formatted=False).source)
    assert module.ServingParser("").feed("<t>")[0]["end"] == 3
    assert "ServingParser" in module.__all__


def test_where_the_second_cannot_be_stable_it_is_no_public_name() -> None:
    module = respc.load(with_opener(r"<t>\b"))
    assert not any("Collecting" in name for name in module.__all__)
    parsed = module.parse_response("<t>a</t>", prefix="", errors="collect")
    assert parsed.unread == []
    assert parsed.message == module.parse_response("<t>a</t>", prefix="")
