"""Delimiters that lose, match nothing or are written in a way that says something else."""

from __future__ import annotations

from typing import Final

from lints.building import (
    CALL,
    CLOSER,
    CONTENT,
    OPENER,
    TEXT,
    A,
    B,
    Row,
    anchored_by,
    closed_by,
    ended_by,
    fields,
    of,
    opened_by,
    part,
    tagged,
    tags,
    two_openers,
)

WIDE: Final = {"open_pattern": r"<\w+>"}
"""An opener that matches every tag of a plain name."""


def calls_opened_by(pattern: str, name: str = "{name}") -> dict[str, object]:
    """A template of calls whose opener has the name."""
    transform = {"type": "function", "function": {"name": name, "arguments": "{content}"}}
    calls = {"open_pattern": pattern, "close": "</f>", "content": "json", "repeats": True}
    return fields(tool_calls={**calls, "transform": transform}, content=TEXT)


def content_closed_by(closer: object, **a: object) -> dict[str, object]:
    """A template whose implicit field has a closer, beside the field ``a``."""
    return fields(a={"close": "</a>", **a}, content={**TEXT, "close": closer})


CALLS: Final = "/fields/tool_calls/open_pattern"

LOSERS: Final[list[Row]] = [
    # A pattern of another field takes each text of this one, whole.
    (
        "unreachable-delimiter",
        two_openers(WIDE, {"open": "<think>"}),
        two_openers({"open_pattern": r"<\w>"}, {"open": "<think>"}),
        f"{B}/open",
    ),
    # Of equal length, the smaller name wins.
    (
        "unreachable-delimiter",
        two_openers(WIDE, {"open": "<b>"}),
        two_openers({"open": "<b>"}, WIDE),
        f"{B}/open",
    ),
    # All of its texts have to lose.
    (
        "unreachable-delimiter",
        two_openers(WIDE, {"open": ["<b>", "<c>"]}),
        two_openers(WIDE, {"open": ["<b>", "<c/>"]}),
        f"{B}/open",
    ),
    # A choice of plain texts is what literals are.
    (
        "unreachable-delimiter",
        two_openers(WIDE, {"open_pattern": "<(?:x|y)>"}),
        two_openers(WIDE, {"open_pattern": "<(?:x|y)/>"}),
        f"{B}/open_pattern",
    ),
    # An opener wins over the closer of the implicit field, whatever the names.
    (
        "unreachable-delimiter",
        content_closed_by("<end>", **WIDE),
        content_closed_by("<end/>", **WIDE),
        f"{CONTENT}/close",
    ),
    # What looks around does not match everywhere.
    (
        "unreachable-delimiter",
        two_openers({"open_pattern": r"<\w+>(?:)"}, {"open": "<b>"}),
        two_openers({"open_pattern": r"<\w+>(?=x)"}, {"open": "<b>"}),
        f"{B}/open",
    ),
    (
        "unreachable-delimiter",
        two_openers({"open_pattern": r"(?:)<\w+>"}, {"open": "<b>"}),
        two_openers({"open_pattern": r"(?<!x)<\w+>"}, {"open": "<b>"}),
        f"{B}/open",
    ),
    (
        "equal-openers",
        two_openers({"open": "<x>"}, {"open": "<x>"}),
        two_openers({"open": "<x>"}, {"open": "<X>"}),
        f"{B}/open",
    ),
    (
        "equal-openers",
        two_openers({"open": "<x>"}, {"open": ["<y>", "<x>"]}),
        two_openers({"open": "<x>"}, {"open": ["<y>", "</a>"]}),
        f"{B}/open/1",
    ),
    (
        "equal-openers",
        two_openers({"open_pattern": r"<\d>"}, {"open_pattern": r"<\d>"}),
        two_openers({"open_pattern": r"<\d>"}, {"open": r"<\d>"}),
        f"{B}/open_pattern",
    ),
    (
        "equal-openers",
        two_openers({"open_pattern": r"\[x]"}, {"open": "[x]"}),
        two_openers({"open_pattern": r"[x]"}, {"open": "[x]"}),
        f"{B}/open",
    ),
    (
        "opener-equals-closer",
        content_closed_by("<a>", open="<a>"),
        content_closed_by("<a>", open="<a"),
        f"{CONTENT}/close",
    ),
    (
        "opener-equals-closer",
        content_closed_by(["<end>", "<a>"], open="<a>"),
        content_closed_by(["<end>", "</a>"], open="<a>"),
        f"{CONTENT}/close/1",
    ),
    # Inside a region, its closer alone is looked for.
    (
        "opener-equals-closer",
        content_closed_by("<a>", open="<a>"),
        two_openers({"open": "</b>"}, {"open": "<b>"}),
        f"{CONTENT}/close",
    ),
    (
        "unreachable-alternative",
        closed_by("</a>|</a>b"),
        closed_by("</a>b|</a>"),
        part(CLOSER, "</a>b"),
    ),
    (
        "unreachable-alternative",
        opened_by(r"<a>|\[a|\[ab"),
        opened_by(r"<a>|\[a|\(ab"),
        part(OPENER, r"\[ab"),
    ),
    # Where alternatives and texts are not the same, the whole pattern is shown.
    ("unreachable-alternative", opened_by("<(?:a|ab)"), opened_by("<(?:a|ab)>"), OPENER),
    (
        "unreachable-alternative",
        anchored_by("<bot>|<bot>b"),
        {"start_anchor": ["<bot>", "<bot>b"], "fields": {"content": TEXT}},
        part("/start_anchor_pattern", "<bot>b"),
    ),
    ("duplicate-literal", tagged(close=["x", "x"]), tagged(close=["x", "X"]), f"{A}/close/1"),
    ("duplicate-literal", tagged(open=["x", "y", "x"]), tagged(open=["x", "y"]), f"{A}/open/2"),
    (
        "opener-begins-another",
        two_openers({"open": "<t"}, {"open": "<t:b"}),
        two_openers({"open": "<t>"}, {"open": "<t:b"}),
        f"{A}/open",
    ),
    (
        "opener-begins-another",
        two_openers({"open": "<t:b"}, {"open_pattern": "<t"}),
        two_openers({"open": ["<t:b", "<t"]}, {"open_pattern": "<u"}),
        f"{B}/open_pattern",
    ),
    # Also behind another literal of its own field.
    (
        "opener-begins-another",
        two_openers({"open": ["<t", "<ta"]}, {"open": "<tb"}),
        two_openers({"open": ["<t", "<ta"]}, {"open": "<b"}),
        f"{A}/open",
    ),
]

EMPTY: Final[list[Row]] = [
    ("closer-always-empty", closed_by(r"\s*"), closed_by(r"\s*</a>"), CLOSER),
    ("closer-always-empty", closed_by("(?:</a>)?"), closed_by("(?:</a>)"), CLOSER),
    ("closer-always-empty", closed_by("(?:)"), closed_by("(?=)<"), CLOSER),
    ("closer-always-empty", closed_by("(?=|x)"), closed_by("(?!@)"), CLOSER),
    ("closer-always-empty", closed_by("|xyz"), closed_by("(?!xyz)"), CLOSER),
    ("closer-always-empty", closed_by(r"(?<=|\w)"), closed_by(r"(?<=\w)"), CLOSER),
    ("closer-always-empty", ended_by("(?:<end>)?"), ended_by("<end>"), f"{CONTENT}/close_pattern"),
    ("implicit-closer-empty", ended_by("(?=;)"), ended_by(";"), f"{CONTENT}/close_pattern"),
    ("implicit-closer-empty", ended_by("(?=;)"), ended_by(";|$"), f"{CONTENT}/close_pattern"),
    ("implicit-closer-empty", ended_by("(?=;)"), closed_by("(?=;)"), f"{CONTENT}/close_pattern"),
    ("implicit-closer-empty", ended_by("(?!xyz)"), ended_by("xyz"), f"{CONTENT}/close_pattern"),
    ("opener-always-matches", opened_by(r"\s*"), opened_by(r"\s+"), OPENER),
    ("opener-always-matches", opened_by("(?:<a>)?"), opened_by("(?:<a>)"), OPENER),
    ("opener-always-matches", opened_by("."), opened_by("<"), OPENER),
    ("zero-width-delimiter", closed_by("(?=<)"), closed_by("<"), CLOSER),
    ("zero-width-delimiter", closed_by("$"), closed_by("<"), CLOSER),
    ("zero-width-delimiter", closed_by("(?!xyz)"), closed_by("(?:)"), CLOSER),
    ("zero-width-delimiter", opened_by("^"), opened_by("^<"), OPENER),
    ("zero-width-delimiter", opened_by("(?=<a>)"), opened_by(r"\s*"), OPENER),
    # Of the end beside a text, another rule speaks.
    ("zero-width-delimiter", closed_by(r"\Z"), closed_by(r"</a>|\Z"), CLOSER),
    # And of what never ends, too.
    (
        "zero-width-delimiter",
        of({"open_pattern": "(?=x)", "close_pattern": "</a>"}),
        of({"open_pattern": "(?=x)", "close_pattern": "(?=x)"}),
        OPENER,
    ),
]

SPELLING: Final[list[Row]] = [
    (
        "pattern-as-literal",
        tagged(close=r"<\|im_end\|>"),
        tagged(close="<|im_end|>"),
        part(f"{A}/close", r"\|"),
    ),
    ("pattern-as-literal", tagged(open=r"\s*<a>"), tagged(open=r"\t<a>"), part(f"{A}/open", r"\s")),
    (
        "pattern-as-literal",
        tagged(close=["x", "(?:a|b)"]),
        tagged(close=["x", "(a|b)"]),
        part(f"{A}/close/1", "(?:"),
    ),
    ("pattern-as-literal", tagged(open="<a.*?>"), tagged(open="<a.?>"), part(f"{A}/open", ".*")),
    ("pattern-as-literal", tagged(open="<a.+>"), tagged(open="<a...>"), part(f"{A}/open", ".+")),
    ("pattern-as-literal", tagged(open="<a[^>]+>"), tagged(open="<a[^>]>"), part(f"{A}/open", "[^>]+")),
    (
        "pattern-as-literal",
        fields(content={**TEXT, "close": r"\n\n"}),
        fields(content={**TEXT, "close": "\n\n"}),
        part(f"{CONTENT}/close", r"\n"),
    ),
    ("unescaped-bar", closed_by("<|im_end|>"), closed_by(r"<\|im_end\|>"), part(CLOSER, "<|im_end|>")),
    ("unescaped-bar", opened_by(r"\s*<|a|>x"), opened_by(r"\s*<|a>x"), part(OPENER, "<|a|>")),
    ("unescaped-bar", opened_by("<|a|>"), opened_by("<|a|b>"), part(OPENER, "<|a|>")),
    ("unescaped-bar", opened_by("<|a|>"), opened_by("<|(?:a)|>"), part(OPENER, "<|a|>")),
    ("unescaped-bar", opened_by("<|a|>"), opened_by("<[|]a[|]>"), part(OPENER, "<|a|>")),
    (
        "unescaped-bar",
        anchored_by("<|bot|>"),
        anchored_by(r"<\|bot\|>"),
        part("/start_anchor_pattern", "<|bot|>"),
    ),
    (
        "unescaped-bar",
        tags(r"<|p|>(?P<key>\w+)=(?P<value>\w*)"),
        tags(r"<\|p\|>(?P<key>\w+)=(?P<value>\w*)"),
        part(f"{A}/content_args/tag_pattern", "<|p|>"),
    ),
    (
        "narrow-tool-name",
        calls_opened_by(r"<f=(?P<name>\w+)>"),
        calls_opened_by(r"<f=(?P<name>[\w.\-]+)>"),
        part(CALLS, r"\w+"),
    ),
    (
        "narrow-tool-name",
        calls_opened_by(r"<f=(?P<tool>\w+)>", "{tool}"),
        calls_opened_by(r"<f id=(?P<name>\w+) (?P<tool>[^>]+)>", "{tool}"),
        part(CALLS, r"\w+"),
    ),
    (
        "narrow-tool-name",
        calls_opened_by(r"<f=(?<name>\w*)>"),
        calls_opened_by(r"<f=(?<name>\S*)>"),
        part(CALLS, r"\w*"),
    ),
    (
        "narrow-tool-name",
        calls_opened_by(r"<f=(?P<name>\w+?)>"),
        calls_opened_by(r"<f=(?P<name>\w+?x)>"),
        part(CALLS, r"\w+?"),
    ),
    (
        "narrow-tool-name",
        calls_opened_by(r"<f=(?P<name>[A-Za-z_]\w*)>"),
        calls_opened_by(r"<f=(?P<name>[A-Za-z_][\w.]*)>"),
        part(CALLS, r"[A-Za-z_]\w*"),
    ),
    (
        "narrow-tool-name",
        calls_opened_by(r"<f=(?P<name>[A-Za-z0-9_]+)>"),
        calls_opened_by(r"<f=(?P<name>[A-Za-z0-9_-]+)>"),
        part(CALLS, r"[A-Za-z0-9_]+"),
    ),
    # A field of calls has its names in the group `name` whatever the transform; other fields say so in theirs.
    (
        "narrow-tool-name",
        fields(tool_calls={"open_pattern": r"(?P<name>\w+):", "transform": ["{name}", "{content}"]}),
        fields(a={"open_pattern": r"(?P<name>\w+):", "transform": ["{name}", "{content}"]}),
        part(CALLS, r"\w+"),
    ),
    (
        "narrow-tool-name",
        opened_by(r"(?P<name>\w+):", transform=CALL),
        opened_by(r"(?P<kind>\w+):(?P<name>[^:]+):", transform=CALL),
        part(OPENER, r"\w+"),
    ),
    (
        "narrow-tool-name",
        closed_by(r":(?P<name>\w+):", transform=CALL),
        closed_by(r":(?P<name>[a-z_]+):", transform=CALL),
        part(CLOSER, r"\w+"),
    ),
]

ROWS: Final[list[Row]] = [*LOSERS, *EMPTY, *SPELLING]
