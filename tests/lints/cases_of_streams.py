"""Delimiters that hold the stream back, or see something else where a chunk ends; patterns that stay patterns."""

from __future__ import annotations

from typing import Final

from lints.building import (
    CLOSER,
    CONTENT,
    OPENER,
    A,
    Row,
    anchored_by,
    closed_by,
    ended_by,
    opened_by,
    part,
    tagged,
    tags,
)

TAG_PATTERN: Final = f"{A}/content_args/tag_pattern"

CUTS: Final[list[Row]] = [
    ("end-or-text", closed_by("</a>|$"), closed_by("</a>"), part(CLOSER, "|$")),
    ("end-or-text", closed_by(r"</a>|\Z"), closed_by(r"\Z"), part(CLOSER, r"|\Z")),
    ("end-or-text", closed_by("(?=</a>|$)"), closed_by("(?=</a>)"), part(CLOSER, "|$")),
    ("end-or-text", closed_by("</a>|$"), closed_by("<|$"), part(CLOSER, "|$")),
    ("end-or-text", closed_by("$|</a>"), closed_by("$"), CLOSER),
    ("end-or-text", opened_by("<a>|$"), opened_by("<a>"), part(OPENER, "|$")),
    ("end-or-text", ended_by("<end>|$"), ended_by("<end>$"), part(f"{CONTENT}/close_pattern", "|$")),
    ("optional-tail", closed_by("</a>(?:<b>)?"), closed_by("</a>(?:<)?"), part(CLOSER, "(?:<b>)?")),
    ("optional-tail", closed_by("(?:ab)+"), closed_by("(?:ab)"), part(CLOSER, "(?:ab)+")),
    ("optional-tail", closed_by(r"</a>(?:\d\d)*"), closed_by(r"</a>\d*"), part(CLOSER, r"(?:\d\d)*")),
    ("optional-tail", closed_by(r"</a>(\n\n)?"), closed_by(r"</a>\n?\n?"), part(CLOSER, r"(\n\n)?")),
    ("optional-tail", opened_by(r"<a>(?:\s*<b>)?"), opened_by(r"<a>\s*"), part(OPENER, r"(?:\s*<b>)?")),
    ("optional-tail", closed_by("x(?:ab){1,2}"), closed_by("x(?:ab){2}"), part(CLOSER, "(?:ab){1,2}")),
    (
        "literals-extend",
        tagged(close=["</t>", "</t><b>"]),
        tagged(close=["</t>", "</t>\n"]),
        f"{A}/close/1",
    ),
    ("literals-extend", tagged(open=["<t>b>", "<t>"]), tagged(open=["<t>b", "<t>"]), f"{A}/open"),
    # Between the two in order stands one that does not begin the longer one.
    ("literals-extend", tagged(close=["x", "xa", "xcd"]), tagged(close=["x", "xa", "xc"]), f"{A}/close/2"),
    # Each step of one character waits for the next.
    ("literals-extend", tagged(close=["x", "xa", "xabc"]), tagged(close=["x", "xa", "xab"]), f"{A}/close/2"),
    ("literals-extend", closed_by("</t><b>|</t>"), closed_by("</t>b|</t>"), CLOSER),
    ("word-edge", closed_by(r"</r>\b"), closed_by(r"</r>"), part(CLOSER, r"\b")),
    ("word-edge", opened_by(r"<call \bname>"), opened_by(r"<call\b name>"), part(OPENER, r"\b")),
    ("word-edge", opened_by(r"<call[^>]*?\bname="), opened_by(r"<call[^>]*?name="), part(OPENER, r"\b")),
    ("word-edge", opened_by(r"<call \mname>"), opened_by(r"<call\M name>"), part(OPENER, r"\m")),
    ("word-edge", opened_by(r"na\Bme>"), opened_by(r"name>\B"), part(OPENER, r"\B")),
]

HOLDS: Final[list[Row]] = [
    ("holds-everything", opened_by("[^<]*<a>"), opened_by("<a>[^<]*"), part(OPENER, "[^<]*")),
    ("holds-everything", opened_by("(?=.*?</a>)"), opened_by("(?=<.*?</a>)"), part(OPENER, "(?=.*?</a>)")),
    ("holds-everything", opened_by(r"(?:\w+ )+<a>"), opened_by(r"(?:\d+ )+<a>"), part(OPENER, r"(?:\w+ )+")),
    ("holds-everything", closed_by(r"[^\n]+\n"), closed_by(r"\n[^\n]+"), part(CLOSER, r"[^\n]+")),
    # A match that the next chunk can make longer is held back as well.
    ("holds-everything", closed_by("[^<]+"), closed_by("[<]+"), part(CLOSER, "[^<]+")),
    ("holds-without-bound", opened_by("<a.*?>"), opened_by("<a[^>]*>"), part(OPENER, ".*?")),
    ("holds-without-bound", opened_by(r"<a[\s\S]*>"), opened_by(r"<a[\s\S]>"), part(OPENER, r"[\s\S]*")),
    ("holds-without-bound", closed_by("</a>.+"), closed_by("</a>."), part(CLOSER, ".+")),
    ("holds-without-bound", closed_by("</a>.*b"), closed_by("</a>.{0,9}b"), part(CLOSER, ".*")),
    ("leading-blanks", opened_by(r"\s*<a>"), opened_by(r"<a>\s*"), part(OPENER, r"\s")),
    ("leading-blanks", closed_by(r"\s+</a>"), closed_by(r"\n\s*</a>"), part(CLOSER, r"\s")),
    ("leading-blanks", opened_by(" <a>"), opened_by("_<a>"), OPENER),
]

ENDS_OF_TURN: Final[list[Row]] = [
    # A run of anything that ends an alternative, behind texts, says that the message is over.
    ("holds-without-bound", closed_by("</a>.+"), closed_by("</a>.*"), part(CLOSER, ".+")),
    (
        "holds-without-bound",
        closed_by(r"</a>|(?:<end>|<eot>)[\s\S]+"),
        closed_by(r"</a>|(?:<end>|<eot>)[\s\S]*"),
        part(CLOSER, r"[\s\S]+"),
    ),
    (
        "holds-without-bound",
        closed_by(r"</a[\s\S]*>|<eot>[\s\S]*"),
        closed_by(r"</a[^<>]*>|<eot>[\s\S]*"),
        part(CLOSER, r"[\s\S]*"),
    ),
    (
        "holds-without-bound",
        closed_by(r"<eot>[\s\S]*|</a.*?>"),
        closed_by(r"(?:<eot>[\s\S]*)|</a>"),
        part(CLOSER, ".*?"),
    ),
    (
        "holds-without-bound",
        closed_by(r"<\d+>[\s\S]*"),
        closed_by(r"(?:</a>\s*)?(?:<end>|<\|eot\|>)[\s\S]*"),
        part(CLOSER, r"[\s\S]*"),
    ),
]

KEPT: Final[list[Row]] = [
    ("slow-pattern", opened_by(r"<call\b[^>]*>"), opened_by("<call[^>]*>"), part(OPENER, r"\b")),
    ("slow-pattern", opened_by(r"<call\b[^>]*>"), opened_by(r"<call\b>"), part(OPENER, r"\b")),
    ("slow-pattern", opened_by("x[^<]++<a>"), opened_by("x[^<]+<a>"), part(OPENER, "++")),
    ("slow-pattern", closed_by("(?:ab)+x"), closed_by("(?:ab)x"), CLOSER),
    ("slow-pattern", opened_by("(?:ab){e<=1}"), opened_by("(?:ab)"), part(OPENER, "{e<=1}")),
    (
        "slow-pattern",
        tags(r"<(?P<key>\w+)>(?P<value>[^<]*)</(?P=key)>"),
        tags(r"<(?P<key>\w+)>(?P<value>[^<]*)</>"),
        part(TAG_PATTERN, "(?P=key)"),
    ),
    (
        "slow-pattern",
        tags(r"<(?P<key>\w+)>(?P<value>[^<]*)</(?P=key)>"),
        tags(r"<(?P<key>\w+)>(?P<value>.*?)</>"),
        part(TAG_PATTERN, "(?P=key)"),
    ),
    (
        "slow-pattern",
        anchored_by(r"<bot>(?!\s*x)"),
        anchored_by(r"<bot>\s*"),
        part("/start_anchor_pattern", "(?!"),
    ),
    ("pattern-left-to-regex", opened_by("(?<=b)<c>"), opened_by("b<c>"), part(OPENER, "(?<=")),
    ("pattern-left-to-regex", opened_by("<c>(?!x)"), opened_by("<c>(?:x)"), part(OPENER, "(?!")),
    ("pattern-left-to-regex", closed_by("x(?>ab)"), closed_by("x(?:ab)"), part(CLOSER, "(?>")),
    ("pattern-left-to-regex", closed_by("a{1,3}+x"), closed_by("a{1,3}x"), part(CLOSER, "{1,3}+")),
    ("pattern-left-to-regex", closed_by(r"x\b"), closed_by(r"x\n"), part(CLOSER, r"\b")),
    ("pattern-left-to-regex", closed_by("(?:ab){1,2}x"), closed_by("(?:ab)?x"), CLOSER),
    ("pattern-left-to-regex", closed_by("(?:ab){2}x"), closed_by("a{2}x"), CLOSER),
    ("pattern-left-to-regex", closed_by("(?:ab)??x"), closed_by("(?:ab)?x"), CLOSER),
    ("pattern-left-to-regex", closed_by(r"x\Z"), closed_by(r"x|\Z"), CLOSER),
    ("slow-pattern", closed_by("x[^y]*?[yz]"), closed_by("x[^yz]*[yz]"), CLOSER),
    ("slow-pattern", closed_by("x.*?y.*?z"), closed_by("x.*?yz"), CLOSER),
    # It has its expressions, and is slow nevertheless: it can begin again inside its own runs.
    ("slow-pattern", opened_by(r"<b>(?:[\s\S]*x|\d)<m>"), opened_by(r"<b>(?:[\s\S]*|\d)<m>"), OPENER),
    # What another one begins with can stand in its run, so that the run is tried again after each.
    ("slow-pattern", opened_by(r"to=[^\s<]+<m>|x=u;"), opened_by(r"to=[^\s<]+<m>|<u>"), OPENER),
]

PORTABILITY: Final[list[Row]] = [
    ("look-around", closed_by("x(?=a)"), closed_by("x(?:a)"), part(CLOSER, "(?=")),
    ("look-around", closed_by("x(?!a)"), closed_by(r"x\(?!a"), part(CLOSER, "(?!")),
    (
        "look-around",
        closed_by("(?<=a)x"),
        closed_by("(?<a>x)", transform=["{a}", "{content}"]),
        part(CLOSER, "(?<="),
    ),
    ("look-around", closed_by("(?<!a)x(?=b)"), closed_by("[(?<!a]x"), part(CLOSER, "(?<!")),
    (
        "back-reference",
        opened_by("(?P<q>[ab])x(?P=q)", transform=["{q}", "{content}"]),
        opened_by("(?P<q>[ab])x(?:q)", transform=["{q}", "{content}"]),
        part(OPENER, "(?P=q)"),
    ),
    ("back-reference", closed_by(r"([ab])x\1"), closed_by(r"([ab])x\01"), part(CLOSER, r"\1")),
    ("back-reference", closed_by(r"([ab])x\g<1>"), closed_by(r"([ab])x\\g<1>"), part(CLOSER, r"\g<1>")),
    ("pattern-flags", closed_by("(?i)x"), closed_by("(?:i)x"), part(CLOSER, "(?i)")),
    ("pattern-flags", closed_by("<(?i:x)>"), closed_by("<(i:x)>"), part(CLOSER, "(?i:")),
    ("pattern-flags", closed_by("(?-s:.)x"), closed_by("(?:-s.)x"), part(CLOSER, "(?-s:")),
    ("pattern-flags", closed_by("(?xi) x"), closed_by("(?#xi) x"), part(CLOSER, "(?xi)")),
    ("atomic-or-possessive", closed_by("(?>ab)x"), closed_by("(?:ab)x"), part(CLOSER, "(?>")),
    ("atomic-or-possessive", closed_by("a++x"), closed_by(r"a\++x"), part(CLOSER, "++")),
    ("atomic-or-possessive", closed_by("a{1,2}+x"), closed_by("a{1,2}?x"), part(CLOSER, "{1,2}+")),
    ("regex-only", closed_by("(?|(a)|(b))x"), closed_by("(?:(a)|(b))x"), part(CLOSER, "(?|")),
    ("regex-only", closed_by("(a)?(?(1)b|c)"), closed_by("(a)?(?:b|c)"), part(CLOSER, "(?(1)")),
    ("regex-only", closed_by("<(?:a|(?R))>"), closed_by("<(?:a|R)>"), part(CLOSER, "(?R)")),
    ("regex-only", closed_by("(a|b)x(?1)"), closed_by("(a|b)x(?:1)"), part(CLOSER, "(?1)")),
    ("regex-only", closed_by("x(*FAIL)"), closed_by(r"x\(*FAIL\)"), part(CLOSER, "(*FAIL)")),
    ("regex-only", closed_by("(?:tool){e<=1}"), closed_by("(?:tool){1}"), part(CLOSER, "{e<=1}")),
    ("regex-only", closed_by("<[[:alpha:]]>"), closed_by("<[[:a]>"), part(CLOSER, "[[:alpha:]]")),
    ("regex-only", closed_by("(?V1)<[a-z--x]>"), closed_by("(?V0)<[a-z--x]>"), part(CLOSER, "[a-z--x]")),
    ("regex-only", closed_by(r"<\Kx"), closed_by(r"<\\Kx"), part(CLOSER, r"\K")),
    ("regex-only", closed_by(r"x\G"), closed_by(r"x\w"), part(CLOSER, r"\G")),
    ("regex-only", closed_by(r"\mx"), closed_by(r"\bx"), part(CLOSER, r"\m")),
    ("regex-only", closed_by(r"x\M"), closed_by(r"x\b"), part(CLOSER, r"\M")),
    ("regex-only", closed_by(r"x\R"), closed_by(r"x\r"), part(CLOSER, r"\R")),
    ("regex-only", closed_by(r"x\h"), closed_by(r"x\s"), part(CLOSER, r"\h")),
    ("regex-only", closed_by(r"x\X"), closed_by(r"x\x41"), part(CLOSER, r"\X")),
    (
        "regex-only",
        closed_by(r"\N{LESS-THAN SIGN}x"),
        closed_by(r"\x3cx"),
        part(CLOSER, r"\N{LESS-THAN SIGN}"),
    ),
    (
        "regex-only",
        tags(r"(?P<key>\h)(?P<value>a)"),
        tags(r"(?P<key>\s)(?P<value>a)"),
        part(TAG_PATTERN, r"\h"),
    ),
]

ROWS: Final[list[Row]] = [*CUTS, *HOLDS, *ENDS_OF_TURN, *KEPT, *PORTABILITY]
