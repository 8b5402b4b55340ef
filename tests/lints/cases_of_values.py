"""Values that are cut wrongly or refused, regions that nothing ends, pieces that grow together."""

from __future__ import annotations

from typing import Any, Final

from lints.building import (
    ARGUMENTS,
    CLOSER,
    CONTENT,
    OPENER,
    A,
    Row,
    anchored_by,
    closed_by,
    ended_by,
    fields,
    key,
    of,
    opened_by,
    part,
    tags,
    valued,
)

PATTERN: Final = f"{ARGUMENTS}/tag_pattern"
PARSER: Final = f"{ARGUMENTS}/value_parser"
OPEN_TAGS: Final = r"<p=(?P<key>[^>]+)>(?P<value>.*?)</p>"
LAX: Final = {"name": "json", "args": {"allow_non_json": True}}
MARKED: Final = {"name": "json", "args": {"string_delims": [["<|", "|>"]]}}
STRICT: Final[list[Any]] = [
    {"name": "json"},
    {"name": "json", "args": {}},
    {"name": "json", "args": {"unquoted_keys": True}},
    {"name": "json", "args": {"allow_non_json": False, "strip": False}},
]
CITED: Final = {"open": "<a>", "close": "</a>"}


def tag(value: str) -> str:
    """A pattern for tags whose values match another one."""
    return rf"<p=(?P<key>[^>]+)>(?P<value>{value})</p>"


def glued(field: dict[str, Any] = CITED, name: str = "a", **implicit: Any) -> dict[str, Any]:
    """A template whose plain text is joined by nothing, beside a field."""
    return fields(**{name: field}, content={"repeats": True, "join": "", **implicit})


JSON: Final[list[Row]] = [
    *[
        (
            "plain-value-raises",
            tags(OPEN_TAGS, value_parser=strict),
            tags(OPEN_TAGS, value_parser=near),
            PARSER,
        )
        for strict in STRICT
        for near in (LAX, MARKED)
    ],
    (
        "plain-value-raises",
        tags(OPEN_TAGS, value_parser={"name": "json"}),
        tags(tag(r"\d+|\"[^\"]*\""), value_parser={"name": "json"}),
        PARSER,
    ),
    (
        "plain-value-raises",
        tags(OPEN_TAGS, value_parser={"name": "json"}),
        tags(OPEN_TAGS, value_parser={"name": "int"}),
        PARSER,
    ),
    ("plain-value-raises", valued("json"), valued("json", {"allow_non_json": True}), PARSER),
    ("plain-value-raises", valued("json", {}), valued("text", {}), PARSER),
]

CUT: Final[list[Row]] = [
    *[
        ("greedy-tag", tags(tag(greedy)), tags(tag(near)), part(PATTERN, greedy))
        for greedy, near in (
            (".*", ".*?"),
            (".+", "[^<]+"),
            (r"[\s\S]*", r"[\s\S]*?"),
            (r"[^&]*", r"[^<&]*"),
            ("(?:.|\n)*", "(?:.|\n)*?"),
        )
    ],
    (
        "greedy-tag",
        tags(r"(?P<key>\w+): (?P<value>.*)"),
        tags(r"(?P<key>\w+): (?P<value>[^\n]*)"),
        part(PATTERN, ".*"),
    ),
    *[
        ("narrow-value", tags(tag(narrow)), tags(tag(near)), part(PATTERN, narrow))
        for narrow, near in (
            (r"\w+", r"[\w ]+"),
            (r"[^\s<]+", "[^<]+"),
            (r"[\w.\-]*", r"\d+"),
            (r"\S+?", r'\w+|"[^"]*"'),
        )
    ],
    (
        "narrow-value",
        tags(tag(r"\w+"), value_parser={"name": "text"}),
        tags(tag(r"\w+"), value_parser={"name": "int"}),
        part(PATTERN, r"\w+"),
    ),
]

ENDS: Final[list[Row]] = [
    ("closer-at-start", closed_by("^</a>"), closed_by("</a>"), part(CLOSER, "^")),
    ("closer-at-start", closed_by(r"\A</a>"), closed_by(r"\A</a>|</b>"), part(CLOSER, r"\A")),
    ("closer-at-start", closed_by("^<x>"), closed_by("(?m)^<x>"), part(CLOSER, "^")),
    *[
        (
            "closer-at-start",
            ended_by(ends),
            ended_by(near),
            part(f"{CONTENT}/close_pattern", "^"),
        )
        for ends, near in (
            (r"^<\|end_turn\|>", r"<\|end_turn\|>"),
            (r"^<\|eot\|>", r"^<\|message\|>"),
            ("^</s>", "^<think></think>"),
        )
    ],
    (
        "repeats-without-closer",
        of({"open": "<a>", "repeats": True}),
        of({"open": "<a>"}),
        key(f"{A}/repeats"),
    ),
    (
        "repeats-without-closer",
        of({"open_pattern": r"<a=\d>", "repeats": True}),
        fields(content={"repeats": True}),
        key(f"{A}/repeats"),
    ),
    (
        "repeats-without-closer",
        of({"open": "<a>", "repeats": True, "join": "\n"}),
        of({"open": "<a>", "repeats": True, "join": "\n", "close_pattern": "(?=<a>)"}),
        key(f"{A}/repeats"),
    ),
    *[
        ("pieces-glued", glued(), near, f"{CONTENT}/join")
        for near in (
            glued(content_args={"strip": False}),
            glued(join=" "),
            glued(name="tool_calls"),
            glued(name="reasoning_content"),
            glued({"open": "<a>"}),
            glued({"open_pattern": r"\A<a>", "close": "</a>"}),
        )
    ],
]

NEEDS: Final[list[Row]] = [
    *[
        ("standalone-regex", closed_by(f"</a{written}>"), closed_by(f"</a{near}>"), part(CLOSER, written))
        for written, near in (
            (r"\w", "[A-Za-z0-9_]"),
            (r"\d", "[0-9]"),
            (r"[\w.]", r"[\s.]"),
        )
    ],
    ("standalone-regex", opened_by(r"<\w>"), opened_by(r"<\s>"), part(OPENER, r"\w")),
    ("standalone-regex", tags(r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"), tags(OPEN_TAGS), part(PATTERN, r"\w")),
    (
        "standalone-regex",
        anchored_by(r"<bot \d>"),
        anchored_by("<bot [0-9]>"),
        part("/start_anchor_pattern", r"\d"),
    ),
]

ROWS: Final[list[Row]] = [*JSON, *CUT, *ENDS, *NEEDS]
