"""Values that do not fit what is done with them, and placeholders that stand for nothing."""

from __future__ import annotations

from typing import Any, Final

from lints.building import (
    CALL,
    TAGS,
    TRANSFORM,
    A,
    Row,
    key,
    of,
    opened_by,
    parsed,
    tagged,
)

DEFAULT: Final = "/defaults/a"
EACH: Final = f"{A}/transform_each"
JOINED: Final = {"repeats": True, "join": ""}
PLAIN: Final = ("text", "int", "float", "bool")


def joined(content: str = "text", arguments: Any = None, **keys: Any) -> dict[str, Any]:
    """A template whose field ``a`` joins its values."""
    return parsed(content, arguments, **JOINED, **keys)


def defaulting(value: Any, **keys: Any) -> dict[str, Any]:
    """A template whose field ``a`` repeats and has a default."""
    return of({"open": "<a>", "close": "</a>", "repeats": True, **keys}, defaults={"a": value})


def each(content: str, transform: Any, arguments: Any = None) -> dict[str, Any]:
    return parsed(content, arguments, transform=transform, transform_each=True)


JOINS: Final[list[Row]] = [
    *[
        ("join-of-no-strings", joined(name), parsed(name, repeats=True), f"{A}/join")
        for name in ("int", "float", "bool", "kv-lines", "python-call-list")
    ],
    ("join-of-no-strings", joined("xml-inline", {"tag_pattern": TAGS}), joined(), f"{A}/join"),
    ("join-of-no-strings", joined(transform={"t": "{content}"}), joined(transform="{content}"), f"{A}/join"),
    (
        "join-of-no-strings",
        joined("json", transform=["{content}"]),
        joined("json", transform="{content}"),
        f"{A}/join",
    ),
    (
        "join-of-no-strings",
        joined("kv-lines", transform="{content}"),
        joined("kv-lines", transform="{content.a}"),
        f"{A}/join",
    ),
    (
        "join-of-no-strings",
        joined("json", transform="{name}", transform_each=True),
        joined("json", transform="{content.name}"),
        f"{A}/join",
    ),
    ("join-of-no-strings", joined(transform=5), joined(transform="5"), f"{A}/join"),
    ("join-may-fail", joined("json"), joined("text"), f"{A}/join"),
    (
        "join-may-fail",
        joined("json", transform="{content}"),
        joined("json", transform="content"),
        f"{A}/join",
    ),
    (
        "join-may-fail",
        joined("json", transform="{content.name}"),
        opened_by(r"<(?P<n>\w)>", content="json", transform="{n}", **JOINED),
        f"{A}/join",
    ),
    *[("default-clash", defaulting(value), defaulting([]), DEFAULT) for value in (None, "", {}, 1, True)],
    ("default-clash", defaulting([], join=""), defaulting(None, join=""), DEFAULT),
    ("default-clash", defaulting(1, join=""), defaulting("1", join=""), DEFAULT),
    ("default-clash", defaulting({}, join=""), of({"open": "<a>"}, defaults={"a": {}}), DEFAULT),
    ("default-joined", defaulting("", join="\n"), defaulting(None, join="\n"), DEFAULT),
    ("default-joined", defaulting("", join=" "), defaulting("", join=""), DEFAULT),
    ("default-joined", defaulting("x", join=""), defaulting("x"), DEFAULT),
]

TRANSFORMS: Final[list[Row]] = [
    ("undefined-placeholder", tagged(transform="{context}"), tagged(transform="{content}"), TRANSFORM),
    (
        "undefined-placeholder",
        opened_by(r"<(?P<nam>\w+)>", transform=CALL),
        opened_by(r"<(?P<name>\w+)>", transform=CALL),
        f"{TRANSFORM}/function/name",
    ),
    (
        "undefined-placeholder",
        parsed("json", transform=["{content}", "{a}"]),
        parsed("json", transform=["{content}", "a"]),
        f"{TRANSFORM}/1",
    ),
    (
        "undefined-placeholder",
        each("python-call-list", "{nam}"),
        each("python-call-list", "{name}"),
        TRANSFORM,
    ),
    ("undefined-placeholder", each("python-call-list", "{content}"), each("json", "{content}"), TRANSFORM),
    (
        "unsure-placeholder",
        opened_by(r"<a(?: (?P<id>\w+))?>", transform=["{id}", "{content}"]),
        opened_by(r"<a ?(?P<id>\w*)>", transform=["{id}", "{content}"]),
        f"{TRANSFORM}/0",
    ),
    (
        "unsure-placeholder",
        opened_by(r"<(?:(?P<x>a)|(?P<y>b))>", transform={"x": "{x}", "c": "{content}"}),
        opened_by(r"<(?P<x>a|(?P<y>b))>", transform={"x": "{x}", "c": "{content}"}),
        f"{TRANSFORM}/x",
    ),
    (
        "unsure-placeholder",
        opened_by(r"<(?:a=(?P<x>\w)|b)>", transform={"x": "{x}", "c": "{content}"}),
        opened_by(r"<(?:a=(?P<x>\w)|b=(?P<x>\w))>", transform={"x": "{x}", "c": "{content}"}),
        f"{TRANSFORM}/x",
    ),
    (
        "unsure-placeholder",
        of({"open": "<a>", "close_pattern": r"</a:(?P<code>\w+)>", "transform": ["{content}", "{code}"]}),
        of(
            {
                "open_pattern": r"<a:(?P<code>\w+)>",
                "close_pattern": r"</a:(?P<code>\w+)>",
                "transform": ["{content}", "{code}"],
            }
        ),
        f"{TRANSFORM}/1",
    ),
    *[
        ("transform-each-of-no-list", each(name, "{a}"), each("json", "{a}"), key(EACH))
        for name in (*PLAIN, "kv-lines")
    ],
    (
        "transform-each-of-no-list",
        each("xml-inline", "{a}", {"tag_pattern": TAGS}),
        each("python-call-list", "{name}"),
        key(EACH),
    ),
    *[
        (
            "placeholder-into-plain",
            parsed(name, transform="{content.a}"),
            parsed(name, transform="{content}"),
            TRANSFORM,
        )
        for name in (*PLAIN, "python-call-list")
    ],
    (
        "placeholder-into-plain",
        tagged(transform="{content.a.b}"),
        parsed("json", transform="{content.a.b}"),
        TRANSFORM,
    ),
    (
        "placeholder-into-plain",
        tagged(transform="{content.a}"),
        parsed("kv-lines", transform="{content.a}"),
        TRANSFORM,
    ),
    (
        "placeholder-into-plain",
        opened_by(r"<(?P<name>\w+)>", content="json", transform=["{content}", "{name.first}"]),
        opened_by(r"<(?P<name>\w+)>", content="json", transform=["{content.first}", "{name}"]),
        f"{TRANSFORM}/1",
    ),
    ("content-of-each", each("json", {"a": "{content}"}), each("json", {"content": "{a}"}), f"{TRANSFORM}/a"),
    ("content-of-each", each("json", "{content.a}"), each("json", "{a.content}"), TRANSFORM),
    ("content-of-each", each("json", "{content}"), parsed("json", transform="{content}"), TRANSFORM),
    ("content-unused", tagged(transform={"a": 1}), tagged(transform={"a": [1, "{content}"]}), TRANSFORM),
    (
        "content-unused",
        opened_by(r"<(?P<n>\w)>", transform="{n}"),
        opened_by(r"<(?P<n>\w)>", transform=["{n}", "{content}"]),
        TRANSFORM,
    ),
    ("content-unused", each("json", "name"), each("json", "{name}"), TRANSFORM),
    (
        "not-a-placeholder",
        tagged(transform=["{ content }", "{content}"]),
        tagged(transform=["content", "{content}"]),
        f"{TRANSFORM}/0",
    ),
    *[
        (
            "not-a-placeholder",
            tagged(transform={"a": text, "b": "{content}"}),
            tagged(transform={"a": near, "b": "{content}"}),
            f"{TRANSFORM}/a",
        )
        for text, near in (
            ("{content", "{content}"),
            ("content}", "content"),
            ("{a-b}", "a-b"),
            ("{}", "()"),
            ("{content.}", "{content}"),
            ("{a b}", "{a b} c"),
        )
    ],
    (
        "not-a-placeholder",
        tagged(transform={"{content}": "{content}"}),
        tagged(transform={"content": "{content}"}),
        key(f"{TRANSFORM}/{{content}}"),
    ),
    (
        "not-a-placeholder",
        each("json", {"a": {"{name}": "{name}"}}),
        each("json", {"a": {"name": "{name}"}}),
        key(f"{TRANSFORM}/a/{{name}}"),
    ),
]

ROWS: Final[list[Row]] = [*JOINS, *TRANSFORMS]
