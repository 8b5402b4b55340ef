"""What content parsers are given, and patterns for tags."""

from __future__ import annotations

from typing import Final

from lints.building import (
    ARGUMENTS,
    TAGS,
    Row,
    key,
    parsed,
    part,
    tagged,
    tags,
    valued,
)

TAG_PATTERN: Final = f"{ARGUMENTS}/tag_pattern"
VALUE: Final = f"{ARGUMENTS}/value_parser"


PLAIN: Final = ("text", "int", "float", "bool")

FAULTS: Final[list[Row]] = [
    *[
        ("content-args-not-object", parsed(name, []), parsed(name, {}), ARGUMENTS)
        for name in (*PLAIN, "json", "kv-lines")
    ],
    ("content-args-not-object", tagged(content_args=None), tagged(), ARGUMENTS),
    ("content-args-not-object", parsed("json", "strict"), parsed("python-call-list", "strict"), ARGUMENTS),
    ("content-args-not-object", parsed("xml-inline", []), tags(TAGS), ARGUMENTS),
    ("content-args-not-object", valued("json", []), valued("json", {}), f"{VALUE}/args"),
    ("content-arg-wrong-type", tags(1), tags("1"), TAG_PATTERN),
    (
        "content-arg-wrong-type",
        parsed("kv-lines", {"line_sep": 1}),
        parsed("kv-lines", {"line_sep": None}),
        f"{ARGUMENTS}/line_sep",
    ),
    (
        "content-arg-wrong-type",
        parsed("kv-lines", {"kv_sep": None}),
        parsed("kv-lines", {"kv_sep": "="}),
        f"{ARGUMENTS}/kv_sep",
    ),
    (
        "content-arg-wrong-type",
        parsed("kv-lines", {"value_parser": "int"}),
        parsed("kv-lines", {"value_parser": None}),
        VALUE,
    ),
    ("content-arg-wrong-type", tags(TAGS, value_parser=[]), tags(TAGS, value_parser={}), VALUE),
    (
        "content-arg-wrong-type",
        parsed("json", {"string_delims": 1}),
        parsed("json", {"string_delims": []}),
        f"{ARGUMENTS}/string_delims",
    ),
    (
        "content-arg-wrong-type",
        parsed("json", {"string_delims": [["<", ">", "|"]]}),
        parsed("json", {"string_delims": [["<", ">"]]}),
        f"{ARGUMENTS}/string_delims",
    ),
    (
        "content-arg-wrong-type",
        parsed("json", {"string_delims": [["<", 1]]}),
        parsed("json", {"string_delims": [["<", "1"]]}),
        f"{ARGUMENTS}/string_delims",
    ),
    (
        "content-arg-wrong-type",
        valued("json", {"string_delims": 1}),
        valued("json", {"string_delims": [["<", ">"]]}),
        f"{VALUE}/args/string_delims",
    ),
    ("unknown-value-parser", valued("jason"), valued("json"), f"{VALUE}/name"),
    ("unknown-value-parser", valued(["json"]), parsed("kv-lines", {"value_parser": {}}), f"{VALUE}/name"),
    ("unknown-value-parser", valued(None), valued("python-call-list"), f"{VALUE}/name"),
    ("missing-tag-pattern", parsed("xml-inline", {}), tags(TAGS), ARGUMENTS),
    ("missing-tag-pattern", parsed("xml-inline", {"tag_pattern": None}), parsed("json", {}), ARGUMENTS),
    ("invalid-tag-pattern", tags(f"*{TAGS}"), tags(f"_*{TAGS}"), part(TAG_PATTERN, "*")),
    ("invalid-tag-pattern", tags(f"[b-a]{TAGS}"), tags(f"[a-b]{TAGS}"), part(TAG_PATTERN, "]")),
    (
        "empty-separator",
        parsed("kv-lines", {"line_sep": ""}),
        parsed("kv-lines", {"line_sep": None}),
        f"{ARGUMENTS}/line_sep",
    ),
    (
        "empty-separator",
        parsed("kv-lines", {"kv_sep": ""}),
        parsed("kv-lines", {"kv_sep": " "}),
        f"{ARGUMENTS}/kv_sep",
    ),
]

MISREAD: Final[list[Row]] = [
    (
        "unknown-content-arg",
        parsed("text", {"stripp": False}),
        parsed("text", {"strip": False}),
        key(f"{ARGUMENTS}/stripp"),
    ),
    (
        "unknown-content-arg",
        parsed("json", {"line_sep": "\n"}),
        parsed("kv-lines", {"line_sep": "\n"}),
        key(f"{ARGUMENTS}/line_sep"),
    ),
    (
        "unknown-content-arg",
        parsed("python-call-list", {"strip": True}),
        parsed("python-call-list", {}),
        ARGUMENTS,
    ),
    ("unknown-content-arg", parsed("python-call-list", []), parsed("python-call-list", None), ARGUMENTS),
    (
        "unknown-content-arg",
        tags(TAGS, strip=True),
        tags(TAGS, merge_duplicates=True),
        key(f"{ARGUMENTS}/strip"),
    ),
    (
        "unknown-content-arg",
        parsed("kv-lines", {"value_parser": {"name": "json", "arg": {}}}),
        parsed("kv-lines", {"value_parser": {"name": "json", "args": {}}}),
        key(f"{VALUE}/arg"),
    ),
    (
        "unknown-content-arg",
        valued("json", {"unquoted": True}),
        valued("json", {"unquoted_keys": True}),
        key(f"{VALUE}/args/unquoted"),
    ),
    (
        "unknown-content-arg",
        valued("kv-lines", {"value_parser": {"args": {"strp": True}}}),
        valued("kv-lines", {"value_parser": {"args": {"strip": True}}}),
        key(f"{VALUE}/args/value_parser/args/strp"),
    ),
    *[
        (
            "content-arg-misread",
            parsed(name, {"strip": "false"}),
            parsed(name, {"strip": False}),
            f"{ARGUMENTS}/strip",
        )
        for name in (*PLAIN, "json", "kv-lines")
    ],
    ("content-arg-misread", parsed("text", {"strip": None}), parsed("text", {}), f"{ARGUMENTS}/strip"),
    (
        "content-arg-misread",
        parsed("json", {"unquoted_keys": 1}),
        parsed("json", {"unquoted_keys": True}),
        f"{ARGUMENTS}/unquoted_keys",
    ),
    (
        "content-arg-misread",
        parsed("json", {"allow_non_json": 0}),
        parsed("json", {"allow_non_json": False}),
        f"{ARGUMENTS}/allow_non_json",
    ),
    (
        "content-arg-misread",
        tags(TAGS, merge_duplicates="no"),
        tags(TAGS, merge_duplicates=False),
        f"{ARGUMENTS}/merge_duplicates",
    ),
    (
        "content-arg-misread",
        valued("text", {"strip": 0}),
        valued("text", {"strip": False}),
        f"{VALUE}/args/strip",
    ),
    (
        "content-arg-misread",
        parsed("json", {"string_delims": ["<>"]}),
        parsed("json", {"string_delims": [["<", ">"]]}),
        f"{ARGUMENTS}/string_delims/0",
    ),
    (
        "content-arg-misread",
        parsed("json", {"string_delims": [["<", ">"], ["", "|"]]}),
        parsed("json", {"string_delims": [["<", ">"], ["|", "|"]]}),
        f"{ARGUMENTS}/string_delims/1",
    ),
]

TAGGED: Final[list[Row]] = [
    (
        "tag-without-key",
        tags(r"<(?P<name>\w+)=(?P<value>\w+)>"),
        tags(r"<(?P<key>\w+)=(?P<value>\w+)>"),
        TAG_PATTERN,
    ),
    ("tag-without-value", tags(r"<(?P<key>\w+)=(\w+)>"), tags(r"<(?P<key>\w+)=(?P<value>\w+)>"), TAG_PATTERN),
    (
        "tag-group-optional",
        tags(r"<(?P<key>\w+)(?:=(?P<value>\w+))?>"),
        tags(r"<(?P<key>\w+)(?:=)?(?P<value>\w*)>"),
        TAG_PATTERN,
    ),
    (
        "tag-group-optional",
        tags(r"<(?:(?P<key>\w+)=)?(?P<value>\w+)>"),
        tags(r"<(?:(?P<kind>\w+):)?(?P<key>\w+)=(?P<value>\w+)>"),
        TAG_PATTERN,
    ),
    (
        "tag-group-optional",
        tags(r"(?P<key>\w+)=(?:'(?P<value>\w+)'|none)"),
        tags(r"(?P<key>\w+)=(?:'|)(?P<value>\w+)"),
        TAG_PATTERN,
    ),
    (
        "tag-group-optional",
        tags(r"(?P<key>\w+)=(?:'(?P<value>\w+)'|\((?P<values>\w+)\))"),
        tags(r"(?P<key>\w+)=(?:'(?P<value>\w+)'|\((?P<value>\w+)\))"),
        TAG_PATTERN,
    ),
]

ROWS: Final[list[Row]] = [*FAULTS, *MISREAD, *TAGGED]
