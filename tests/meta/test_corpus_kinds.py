"""The corpus of the tests has every kind of template that the compiler treats in a way of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from respc.contents import CONTENT_PARSERS
from support.oracle import interpret, refused_by_interpreter
from support.templates import (
    CORPUS,
    corpus_cases,
    corpus_names,
    corpus_template,
    own_corpus_names,
    own_names,
    read_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.oracle import Trace

FEWEST_CASES: Final = 7

Field = dict[str, Any]


def fields() -> Iterator[Field]:
    for name in own_corpus_names():
        yield from corpus_template(name)["fields"].values()


def patterns(key: str) -> list[str]:
    return [field[key] for field in fields() if key in field]


def matching(key: str, part: str) -> bool:
    """Tell whether a pattern under a key is written with what a regular expression describes."""
    return any(re.search(part, pattern) for pattern in patterns(key))


def literals(key: str) -> list[list[str]]:
    return [field[key] for field in fields() if isinstance(field.get(key), list)]


def arguments(key: str) -> bool:
    return any(key in field.get("content_args", {}) for field in fields())


def meeting_defaults(kind: type, **keys: Any) -> bool:
    """Tell whether the value that a default gives to a field with some keys is of a kind."""
    return any(
        isinstance(template.get("defaults", {}).get(name), kind) and keys.items() <= field.items()
        for template in map(corpus_template, own_corpus_names())
        for name, field in template["fields"].items()
    )


def tied() -> bool:
    """Tell whether a closer of plain text is also an opener."""
    templates = [corpus_template(name)["fields"].values() for name in own_corpus_names()]
    return any(
        field.get("open") in implicit.get("close", [])
        for template in templates
        for implicit in template
        if not {"open", "open_pattern"} & implicit.keys()
        for field in template
        if isinstance(field.get("open"), str)
    )


KINDS: Final[dict[str, Callable[[], bool]]] = {
    "closer at the end of the text": lambda: matching("close_pattern", r"\\Z"),
    "closer at the end of a line": lambda: matching("close_pattern", r"^\$$"),
    "closer or the end": lambda: matching("close_pattern", r"\|\$$"),
    "closer that only looks ahead": lambda: matching("close_pattern", r"^\(\?="),
    "closer with leading blanks": lambda: matching("close_pattern", r"^\\s\*\("),
    "closer with trailing blanks": lambda: matching("close_pattern", r"\\s\*$"),
    "closer with an optional tail": lambda: matching("close_pattern", r"\(\?:\\s\*.*\)\?$"),
    "closer with a capture": lambda: matching("close_pattern", r"\(\?P<"),
    "opener that only looks ahead": lambda: matching("open_pattern", r"^\(\?=\["),
    "opener or what looks ahead": lambda: matching("open_pattern", r"\|\(\?="),
    "opener at the start of the text": lambda: matching("open_pattern", r"^\^|\(\?:\^"),
    "opener with leading blanks": lambda: matching("open_pattern", r"^\\s\*"),
    "opener with an optional head": lambda: matching("open_pattern", r"^\(\?:[^()]*\)\?"),
    "opener with a head that runs": lambda: matching("open_pattern", r"\[\^<\]\*<"),
    "opener with a lazy gap": lambda: matching("open_pattern", r"\.\*\?"),
    "opener with a greedy gap": lambda: matching("open_pattern", r"\.\*[^?]"),
    "bounded repeat": lambda: matching("open_pattern", r"\{\d,\d+\}"),
    "edge of a word": lambda: matching("open_pattern", r"\\b"),
    "look-behind": lambda: matching("close_pattern", r"\(\?<[!=]"),
    "atomic group": lambda: matching("open_pattern", r"\(\?>"),
    "scoped or global flag": lambda: matching("open_pattern", r"\(\?[imx]"),
    "group in a group": lambda: matching("open_pattern", r"\(\?P<id>\(\?:.*\(\?P<name>"),
    "letters beyond ASCII": lambda: matching("open_pattern", r"[^\x00-\x7f]"),
    "literals that extend one another": lambda: any(
        one != other and other.startswith(one)
        for key in ("open", "close")
        for some in literals(key)
        for one in some
        for other in some
    ),
    "a tie between a closer and an opener": tied,
    "back-reference in tags": lambda: any(
        re.search(r"\\1|\(\?P=", field.get("content_args", {}).get("tag_pattern", "")) for field in fields()
    ),
    "tags without a value": lambda: any(
        "(?P<value>" not in field["content_args"]["tag_pattern"]
        for field in fields()
        if "tag_pattern" in field.get("content_args", {})
    ),
    "merged duplicates": lambda: arguments("merge_duplicates"),
    "parser of values": lambda: arguments("value_parser"),
    "dialect of JSON": lambda: arguments("string_delims") and arguments("unquoted_keys"),
    "JSON or anything else": lambda: arguments("allow_non_json"),
    "separators": lambda: arguments("line_sep") and arguments("kv_sep"),
    "text that is not stripped": lambda: any(
        field.get("content_args", {}).get("strip") is False for field in fields()
    ),
    "joined regions": lambda: any(field.get("join") for field in fields()),
    "regions joined by nothing": lambda: any(field.get("join") == "" for field in fields()),
    "list of calls": lambda: any(field.get("transform_each") for field in fields()),
    "required field": lambda: any("optional" in field and not field["optional"] for field in fields()),
    "field without a closer": lambda: any(
        not {"close", "close_pattern"} & field.keys() and "open" in field for field in fields()
    ),
    "no plain text": lambda: any(
        all({"open", "open_pattern"} & field.keys() for field in corpus_template(name)["fields"].values())
        for name in own_corpus_names()
    ),
    "default that a join continues": lambda: meeting_defaults(str, repeats=True, join="; "),
    "default that a list continues": lambda: meeting_defaults(list, repeats=True),
    "default that is replaced": lambda: meeting_defaults(dict),
    "no defaults": lambda: any("defaults" not in corpus_template(name) for name in own_corpus_names()),
    "several anchors": lambda: any(
        isinstance(corpus_template(name).get("start_anchor"), list) for name in own_corpus_names()
    ),
    "pattern as an anchor": lambda: any(
        "start_anchor_pattern" in corpus_template(name) for name in own_corpus_names()
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kind_is_there(kind: str) -> None:
    assert KINDS[kind]()


@pytest.mark.parametrize("parser", sorted(CONTENT_PARSERS))
def test_content_parser_is_there(parser: str) -> None:
    assert any(field.get("content", "text") == parser for field in fields())


def test_a_kind_that_nobody_wrote_is_not_there() -> None:
    assert not matching("open_pattern", "no opener has this")
    assert not meeting_defaults(set)


@pytest.mark.parametrize("name", own_corpus_names())
def test_template_loads_and_has_cases_of_its_own(name: str) -> None:
    assert refused_by_interpreter(corpus_template(name)) is None
    cases = corpus_cases(name)
    idents = [case["id"] for case in cases]
    assert len(set(idents)) == len(idents) >= FEWEST_CASES
    assert all(case["id"].startswith(f"{name}/") and case["template"] == name for case in cases)
    assert any(first_trace(case).message for case in cases)


def first_trace(case: dict[str, Any]) -> Trace:
    """Return what the interpreter makes of a case whole."""
    return interpret(corpus_template(case["template"]), case["prefix"], [case["text"]], case["tools"])


def test_some_prompts_open_a_region_and_some_have_tools() -> None:
    cases = [case for name in own_corpus_names() for case in corpus_cases(name)]
    begun = [
        case
        for case in cases
        if interpret(corpus_template(case["template"]), case["prefix"], [""]).initial_events
    ]
    assert len(begun) >= 3
    assert sum(bool(case["tools"]) for case in cases) >= 30
    assert {None, "ValueError", "KeyError"} <= {first_trace(case).error for case in cases}


def test_rows_have_names_and_templates_have_one_place() -> None:
    for file in ("events.jsonl", "field_cases.jsonl", "invalid_templates.jsonl"):
        idents = [row["id"] for row in read_rows(CORPUS / file)]
        assert len(set(idents)) == len(idents) >= 30
    assert not {*corpus_names()} & {*own_names()}
    assert len({*corpus_names()}) == len(corpus_names())
    assert {path.stem for path in (CORPUS / "cases").iterdir()} == {*own_corpus_names()}
