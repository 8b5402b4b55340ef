"""Regions without their closer, calls inside of reasoning, and text of bodies and messages that nothing takes."""

from __future__ import annotations

from typing import Any, Final

from lints.building import CALL, TAGS, TEXT, A, Field, Row, Template, fields, key, of, part

CALLS: Final = "/fields/tool_calls"
CLOSE: Final = f"{CALLS}/close"
CLOSER: Final = f"{CALLS}/close_pattern"
REASONING: Final = "/fields/reasoning_content"
TAG_PATTERN: Final = f"{CALLS}/content_args/tag_pattern"

TAGGED: Final[Field] = {
    "open_pattern": "<f=(?P<name>[^<>]+)>",
    "repeats": True,
    "content": "xml-inline",
    "content_args": {"tag_pattern": TAGS.replace(r"\w", r"[\w\-]")},
    "transform": CALL,
}
JSON: Final[Field] = {
    "open": "<call>",
    "repeats": True,
    "content": "json",
    "transform": {"type": "function", "function": "{content}"},
}
THOUGHT: Final[Field] = {"open": "<think>", "repeats": True, "join": "\n"}


def calls(field: Field, **keys: Any) -> Template:
    """A template of calls beside plain text."""
    return fields(tool_calls={**field, **keys}, content=TEXT)


def tagged(**keys: Any) -> Template:
    return calls(TAGGED, **keys)


def listed(**keys: Any) -> Template:
    """A template of lists of calls."""
    transform = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}
    return calls(JSON, **{"transform": transform, "transform_each": True, **keys})


def thinking(call: Field = JSON, content: Field = TEXT, **keys: Any) -> Template:
    """A template of reasoning beside calls."""
    closed = {"close_pattern": r"</call>|(?=<call>|<f=)", **call}
    return fields(reasoning_content={**THOUGHT, **keys}, tool_calls=closed, content=content)


def keyed(pattern: str, **keys: Any) -> Template:
    """A template of calls whose arguments are found by a pattern."""
    return tagged(close_pattern="</f>|(?=<f=)", content_args={"tag_pattern": pattern}, **keys)


UNCLOSED: Final[list[Row]] = [
    ("opener-as-body", tagged(close="</f>"), tagged(close_pattern="</f>|(?=<f=)"), CLOSE),
    ("opener-as-body", tagged(close=["</f>", "</g>"]), tagged(close=["</f>", "<f="]), CLOSE),
    (
        "opener-as-body",
        tagged(close_pattern=r"</f>\s*(?=<f=)|</g>"),
        tagged(close_pattern=r"(?:</f>\s*)?(?=<f=)|</g>"),
        CLOSER,
    ),
    # The whole opener, with what comes behind it.
    (
        "opener-as-body",
        tagged(close_pattern=r"</f>|(?=<f=[^<>]+>\s*<q=)"),
        tagged(close_pattern=r"</f>|(?=<f=[^<>]+>\s*<p=)"),
        CLOSER,
    ),
    # One with the mark of a section before it.
    (
        "opener-as-body",
        tagged(open_pattern=r"(?:<call>\s*)?<f=(?P<name>[^<>]+)>", close="</f>"),
        tagged(open_pattern=r"(?:<call>\s*)?<f=(?P<name>[^<>]+)>", close_pattern="</f>|(?=<call>)"),
        CLOSE,
    ),
    # An opener that looks ahead to its body.
    (
        "opener-as-body",
        tagged(open_pattern=r"<f=(?P<name>[^<>]+)>(?=\s*<p=)", close="</f>"),
        tagged(open_pattern=r"<f=(?P<name>[^<>]+)>(?=\s*<p=)", close_pattern=r"</f>|(?=<f=[^<>]+>\s*<p=)"),
        CLOSE,
    ),
    (
        "opener-as-body",
        tagged(close="</f>"),
        tagged(close="</f>", open_pattern=r"\A<f=(?P<name>\S+)>"),
        CLOSE,
    ),
    ("opener-as-body", tagged(close="</f>"), tagged(close="</f>", repeats=False), CLOSE),
    ("opener-as-body", tagged(close="</f>"), tagged(), CLOSE),
    (
        "opener-as-body",
        calls(JSON, close="</call>", content_args={"allow_non_json": True}),
        calls(JSON, close="</call>"),
        CLOSE,
    ),
    # A field of calls whose bodies are text, and fields of other names whose bodies have parts.
    (
        "opener-as-body",
        calls(JSON, close="</call>", content="text"),
        fields(a={**THOUGHT, "close": "</a>"}, content=TEXT),
        CLOSE,
    ),
    (
        "opener-as-body",
        of({"open": "<a>", "close": "</a>", "repeats": True, "content": "kv-lines"}),
        of({"open": "<a>", "close": "\n", "repeats": True, "content": "kv-lines"}),
        f"{A}/close",
    ),
    (
        "opener-spoils-body",
        calls(JSON, close="</call>"),
        calls(JSON, close_pattern=r"</call>|(?=<call>\s*\{)"),
        CLOSE,
    ),
    ("opener-spoils-body", calls(JSON, close="</call>"), calls(JSON, close=["</call>", "<call>"]), CLOSE),
    (
        "opener-spoils-body",
        calls(JSON, close_pattern=r"</call>|(?=<call>\s*\[)"),
        calls(JSON, close_pattern=r"</call>|(?=<call>)"),
        CLOSER,
    ),
    ("opener-spoils-body", listed(close="</call>"), listed(close_pattern=r"</call>|(?=<call>\s*\[)"), CLOSE),
    (
        "opener-spoils-body",
        of({"open": "<a>", "close": "</a>", "repeats": True, "content": "json"}),
        of({"open": "<a>", "close": "</a>", "content": "json"}),
        f"{A}/close",
    ),
    (
        "opener-spoils-body",
        of({"open": "<a>", "close": "</a>", "repeats": True, "content": "json"}),
        of({"open": "<a>", "close": "</a>", "repeats": True, "content": "int"}),
        f"{A}/close",
    ),
]

IN_REASONING: Final[list[Row]] = [
    (
        "call-in-reasoning",
        thinking(close="</think>"),
        thinking(close_pattern=r"</think>|(?=<call>\s*\{)"),
        f"{REASONING}/close",
    ),
    (
        "call-in-reasoning",
        thinking(close="</think>"),
        thinking(close=["</think>", "<call>"]),
        f"{REASONING}/close",
    ),
    (
        "call-in-reasoning",
        thinking(TAGGED, close_pattern=r"</think>|(?=<f=[^<>]+>\s*<q=)"),
        thinking(TAGGED, close_pattern=r"</think>|(?=<f=[^<>]+>\s*<p=)"),
        f"{REASONING}/close_pattern",
    ),
    # A mark that is no opener itself stands before the calls.
    (
        "call-in-reasoning",
        thinking(TAGGED, content=TEXT, close_pattern=r"</think>|(?=<calls>\s*<f=)"),
        thinking(TAGGED, content={**TEXT, "close": "<calls>"}, close_pattern=r"</think>|(?=<calls>\s*<f=)"),
        f"{REASONING}/close_pattern",
    ),
    # But what closes the reasoning anyway is none.
    (
        "call-in-reasoning",
        thinking(content={**TEXT, "close": "</think>"}, close="</think>"),
        thinking(content={**TEXT, "close": "</think>"}, close=["</think>", "<call>"]),
        f"{REASONING}/close",
    ),
    ("call-in-reasoning", thinking(close="</think>"), thinking(), f"{REASONING}/close"),
    (
        "call-in-reasoning",
        thinking(close="</think>"),
        fields(note={**THOUGHT, "close": "</think>"}, tool_calls=JSON, content=TEXT),
        f"{REASONING}/close",
    ),
    (
        "call-in-reasoning",
        thinking(close="</think>"),
        fields(reasoning_content={**THOUGHT, "close": "</think>"}, calls=JSON, content=TEXT),
        f"{REASONING}/close",
    ),
    (
        "call-in-reasoning",
        thinking(close="</think>"),
        thinking({**TAGGED, "open_pattern": r"\A<f=(?P<name>[^<>]+)>"}, close="</think>"),
        f"{REASONING}/close",
    ),
]

DROPPED: Final[list[Row]] = [
    ("body-text-dropped", tagged(), calls(JSON), f"{CALLS}/content"),
    (
        "body-text-dropped",
        of({"open": "<a>", "content": "kv-lines"}),
        of({"open": "<a>", "content": "kv-lines", "content_args": {"kv_sep": " "}}),
        f"{A}/content",
    ),
    # This one takes all there is for a key.
    (
        "body-text-dropped",
        of(
            {
                "open": "<a>",
                "content": "xml-inline",
                "content_args": {"tag_pattern": "(?P<key>[a-z]+);(?P<value>)"},
            }
        ),
        of(
            {
                "open": "<a>",
                "content": "xml-inline",
                "content_args": {"tag_pattern": "(?P<key>[^;]+);(?P<value>)"},
            }
        ),
        f"{A}/content",
    ),
]

OUTSIDE: Final[list[Row]] = [
    (
        "text-outside-lost",
        thinking(content={"open": "<b>"}),
        thinking(content={"open": "<b>"})
        | {"fields": {**thinking()["fields"], "rest": {}, "content": {"open": "<b>"}}},
        key("/fields"),
    ),
    (
        "text-outside-lost",
        fields(tool_calls=JSON, content={"open": "<b>"}),
        fields(calls=JSON, content={"open": "<b>"}),
        key("/fields"),
    ),
    (
        "text-outside-lost",
        fields(thinking=THOUGHT, content={"open": "<b>"}),
        fields(thinking=THOUGHT, content={"close": "<b>"}),
        key("/fields"),
    ),
    # Plain text opens the field where the message starts.
    (
        "text-outside-lost",
        fields(thinking=THOUGHT, content={"open_pattern": "<b>|\\A<c>"}),
        fields(thinking=THOUGHT, content={"open_pattern": "<b>|^"}),
        key("/fields"),
    ),
    (
        "no-implicit-field",
        fields(thoughts=THOUGHT, content={"open": "<b>"}),
        fields(thinking=THOUGHT, content={"open": "<b>"}),
        key("/fields"),
    ),
]

NAMES: Final[list[Row]] = [
    *[
        (
            "narrow-parameter-name",
            keyed(f"<p=(?P<key>{narrow})>(?P<value>[^<]*)</p>"),
            keyed(f"<p=(?P<key>{wide})>(?P<value>[^<]*)</p>"),
            part(TAG_PATTERN, narrow),
        )
        for narrow, wide in (
            (r"\w+", "[^<>]+"),
            (r"[A-Za-z_]\w*", r"[\w.\-]+"),
            ("[A-Za-z0-9_]+", "[a-z]+"),
            (r"\w*?", r"[\w\-]+"),
        )
    ],
    # A key of something else than calls is one that the template's writer knows.
    (
        "narrow-parameter-name",
        keyed(r"<p=(?P<key>\w+)>(?P<value>[^<]*)</p>"),
        of(
            {
                "open": "<a>",
                "content": "xml-inline",
                "content_args": {"tag_pattern": r"<(?P<key>\w+)>(?P<value>)"},
            }
        ),
        part(TAG_PATTERN, r"\w+"),
    ),
    (
        "narrow-parameter-name",
        of(
            {
                "open": "<a>",
                "content": "xml-inline",
                "content_args": {"tag_pattern": r"<(?P<key>\w+)>(?P<value>)"},
                "transform": {"function": {"name": "{content.a}"}},
            }
        ),
        keyed(r"<p=(?P<key>[^<>]+)>(?P<value>\w+)</p>"),
        part(f"{A}/content_args/tag_pattern", r"\w+"),
    ),
]

ROWS: Final[list[Row]] = [*UNCLOSED, *IN_REASONING, *DROPPED, *OUTSIDE, *NAMES]
