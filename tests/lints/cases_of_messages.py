"""Flags that are misread, text that reaches no message, and messages that chat templates do not read."""

from __future__ import annotations

from typing import Any, Final

from lints.building import (
    CONTENT,
    TEXT,
    A,
    Row,
    closed_by,
    fields,
    key,
    parsed,
    part,
    tagged,
    tags,
)

TAG_PATTERN: Final = f"{A}/content_args/tag_pattern"
REASONING: Final = "/fields/reasoning_content"
CALLS: Final = "/fields/tool_calls"
SHAPE: Final = {"type": "function", "function": "{content}"}


def versioned(version: Any) -> dict[str, Any]:
    return {"version": version, "start_anchor": "<bot>", "fields": {"content": TEXT}}


def beside(field: dict[str, Any], **implicit: Any) -> dict[str, Any]:
    """A template of a field ``a`` beside an implicit field that keeps its last text only."""
    return fields(a=field, content=implicit)


def named(name: str, **keys: Any) -> dict[str, Any]:
    """A template of a field with this name beside plain text."""
    return fields(**{name: {"open": "<a>", "close": "</a>", **keys}}, content=TEXT)


def calls(**keys: Any) -> dict[str, Any]:
    """A template of calls that keeps all of them."""
    return named("tool_calls", **{"content": "json", "repeats": True, **keys})


def shaped(**changes: Any) -> dict[str, Any]:
    """A template of calls with a transform."""
    return calls(transform={**SHAPE, **changes})


VALUES: Final[list[Row]] = [
    ("version-misread", versioned(True), versioned(1), "/version"),
    ("version-misread", versioned(1.0), fields(content=TEXT), "/version"),
    *[
        ("flag-misread", tagged(**{flag: value}), tagged(**{flag: near}), f"{A}/{flag}")
        for flag in ("repeats", "optional")
        for value, near in (("no", False), (0, False), (1, True), (None, False), ([], True))
    ],
    ("null-value", tagged(join=None), tagged(repeats=True, join=""), f"{A}/join"),
    ("null-value", tagged(transform=None), tagged(transform="{content}"), f"{A}/transform"),
]

LOST: Final[list[Row]] = [
    ("text-overwritten", beside({"open": "<a>", "close": "</a>"}), tagged(), key(CONTENT)),
    (
        "text-overwritten",
        beside({"open": "<a>", "close": "</a>"}, close="<end>"),
        beside({"open": "<a>", "close": "</a>"}, repeats=True),
        key(CONTENT),
    ),
    ("text-overwritten", beside({"open": "<a>", "close": "</a>"}), beside({"open": "<a>"}), key(CONTENT)),
    (
        "text-overwritten",
        beside({"open_pattern": r"\[\w\]", "close": "</a>"}),
        beside({"open_pattern": r"\A\[\w\]", "close": "</a>"}),
        key(CONTENT),
    ),
    # Tied to the start of a line, or to what comes before, is not tied to the start of the message.
    (
        "text-overwritten",
        beside({"open_pattern": r"(?m)^\[\w\]", "close": "</a>"}),
        beside({"open_pattern": r"^\[\w\]", "close": "</a>"}),
        key(CONTENT),
    ),
    (
        "text-overwritten",
        beside({"open_pattern": r"\bcall:", "close": "</a>"}),
        beside({"open_pattern": r"\bcall:"}),
        key(CONTENT),
    ),
    *[
        ("region-overwritten", named(name), named(name, repeats=True), key(f"/fields/{name}"))
        for name in ("reasoning_content", "thinking", "reasoning", "tool_calls")
    ],
    ("region-overwritten", named("reasoning_content"), named("reasoning_text"), key(REASONING)),
    (
        "region-overwritten",
        named("reasoning_content"),
        fields(reasoning_content={"open": "<a>"}, content=TEXT),
        key(REASONING),
    ),
    (
        "region-overwritten",
        fields(reasoning_content={"open_pattern": r"<a\d>", "close": "</a>"}, content=TEXT),
        fields(reasoning_content={"open_pattern": r"\A<a\d>", "close": "</a>"}, content=TEXT),
        key(REASONING),
    ),
    (
        "region-overwritten",
        named("tool_calls", content="python-call-list", transform=["{content}"]),
        named("tool_calls", content="python-call-list", transform="{name}", transform_each=True),
        key(CALLS),
    ),
    (
        "region-overwritten",
        named("tool_calls"),
        fields(tool_calls={"close": "</a>"}),
        key(CALLS),
    ),
    (
        "plain-text-lost",
        fields(a={"open": "<a>", "close": "</a>"}),
        tagged(),
        key("/fields"),
    ),
    (
        "plain-text-lost",
        fields(a={"open": "<a>", "close": "</a>"}),
        fields(content={"open": "<a>", "close": "</a>"}),
        key("/fields"),
    ),
    # What a field that is refused would have taken is not known.
    (
        "plain-text-lost",
        fields(a={"open": "<a>", "close": "</a>"}, b={"open": "<b>"}),
        fields(a={"open": "<a>", "close": "</a>"}, b={"open": "<b>", "join": 1}),
        key("/fields"),
    ),
    (
        "no-implicit-field",
        fields(content={"open": "<a>", "close": "</a>"}),
        fields(content={"close": "</a>"}),
        key("/fields"),
    ),
    (
        "no-implicit-field",
        fields(content={"open": "<a>"}, a={"open": "<b>"}),
        fields(content={"open": "<a>"}, a={}),
        key("/fields"),
    ),
]

CLOSERS: Final[list[Row]] = [
    ("closer-in-content", parsed("json"), parsed("text"), f"{A}/close"),
    ("closer-in-content", parsed("json", close="</a>"), parsed("json", close="\n</a>"), f"{A}/close"),
    ("closer-in-content", parsed("json", close="]a"), parsed("json", close=']"a'), f"{A}/close"),
    (
        "closer-in-content",
        parsed("json", close=["\n\n", "x"]),
        parsed("json", close=["\n\n", " "]),
        f"{A}/close",
    ),
    (
        "closer-in-content",
        closed_by(r"</\w>", content="json"),
        closed_by(r"\n</\w>", content="json"),
        f"{A}/close_pattern",
    ),
    ("closer-in-content", parsed("python-call-list"), parsed("python-call-list", close="]\n"), f"{A}/close"),
    ("closer-in-content", parsed("kv-lines"), parsed("kv-lines", close="\n</a>"), f"{A}/close"),
    (
        "closer-in-content",
        parsed("kv-lines", {"line_sep": ";"}, close="\n</a>"),
        parsed("kv-lines", {"line_sep": "<"}),
        f"{A}/close",
    ),
    (
        "closer-in-content",
        tags(r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"),
        tags(r"<p=(?P<key>\w+)>(?P<value>[^<]*)</p>"),
        f"{A}/close",
    ),
    (
        "closer-in-content",
        tags(r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"),
        parsed("xml-inline", {"tag_pattern": r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"}, close="</p></a>"),
        f"{A}/close",
    ),
    (
        "closer-in-content",
        tags(r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"),
        tags(r"<p=(?P<key>\w+)>(.*?)</p>"),
        f"{A}/close",
    ),
]

READERS: Final[list[Row]] = [
    ("call-shape", calls(), shaped(), key(CALLS)),
    ("call-shape", calls(), named("calls", content="json"), key(CALLS)),
    (
        "call-shape",
        named("tool_calls", content="python-call-list"),
        named(
            "tool_calls",
            content="python-call-list",
            transform={"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
            transform_each=True,
        ),
        key(CALLS),
    ),
    ("call-shape", calls(transform="{content}"), shaped(more=1), f"{CALLS}/transform"),
    ("call-shape", calls(transform=[SHAPE]), calls(transform=SHAPE), f"{CALLS}/transform"),
    ("call-shape", calls(transform={"type": "function"}), shaped(), f"{CALLS}/transform"),
    ("call-shape", calls(transform={"function": "{content}"}), shaped(), f"{CALLS}/transform"),
    ("call-shape", shaped(type="call"), shaped(type="function"), f"{CALLS}/transform"),
    ("call-shape", shaped(function="content"), shaped(function="{content.call}"), f"{CALLS}/transform"),
    (
        "call-shape",
        shaped(function={"name": "f"}),
        shaped(function={"name": "f", "arguments": "{content}"}),
        f"{CALLS}/transform",
    ),
    (
        "call-shape",
        shaped(function={"arguments": "{content}"}),
        shaped(function={"arguments": "{content}", "name": "f"}),
        f"{CALLS}/transform",
    ),
    (
        "blanks-of-values",
        tags(r"<p=(?P<key>\w+)>\s*(?P<value>.*?)</p>"),
        tags(r"<p=(?P<key>\w+)>\n?(?P<value>.*?)</p>"),
        part(TAG_PATTERN, r"\s*"),
    ),
    (
        "blanks-of-values",
        tags(r"<p=(?P<key>\w+)>(?P<value>.*?)\s+</p>"),
        tags(r"<p=(?P<key>\w+)>(?P<value>.*?)\s</p>"),
        part(TAG_PATTERN, r"\s+"),
    ),
    (
        "blanks-of-values",
        tags(r"<p=(?P<key>\w+)>\s*?(?P<value>(?:.)*?)\s*</p>"),
        tags(r"<p=\s*(?P<key>\w+)\s*>(?P<value>\s*.*?)\s{1}</p>"),
        part(TAG_PATTERN, r"\s*?"),
    ),
    ("reasoning-name", named("thinking"), named("reasoning_content"), key("/fields/thinking")),
    ("reasoning-name", named("reasoning"), named("reasons"), key("/fields/reasoning")),
    (
        "reasoning-name",
        named("thinking"),
        fields(thinking={"open": "<a>"}, reasoning_content={"open": "<b>"}),
        key("/fields/thinking"),
    ),
]

ROWS: Final[list[Row]] = [*VALUES, *LOST, *CLOSERS, *READERS]
