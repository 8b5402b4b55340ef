"""Small templates whose delimiters and tags are of shapes that are slow to search, each with the text that shows it.

A shape here is one that published templates have, or that came up where templates were generated. Nothing in a text
matches where a search would have to begin again, or look at all that came before, for every character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.families import Template

PROMPT = "<begin>"


@dataclass(frozen=True, slots=True)
class Shape:
    """A template, and a text for it: what stands before, what is repeated, and what stands after it.

    Attributes:
        what: what tables call it.
        template: the template.
        repeated: what fills the text up to a length.
        before: what stands in front of that.
        after: what stands behind it.
        chunk: how many characters a chunk of a stream has.
    """

    what: str
    template: Template
    repeated: str
    before: str = ""
    after: str = ""
    chunk: int = 4

    def write(self, characters: int) -> str:
        """Give a text of about so many characters."""
        free = characters - len(self.before) - len(self.after)
        return self.before + self.repeated * max(1, free // len(self.repeated)) + self.after


def _template(**fields: Any) -> Template:
    return {"start_anchor": PROMPT, "fields": fields}


def _tags(tag_pattern: str) -> Template:
    args = {"tag_pattern": tag_pattern}
    calls = {
        "open": "<call>",
        "close": "</call>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": args,
    }
    return _template(tool_calls=calls, content={})


def _opener(open_pattern: str, close: str = "<end>") -> Template:
    return _template(notes={"open_pattern": open_pattern, "close": close, "repeats": True}, content={})


def _beside(open_pattern: str, other_pattern: str) -> Template:
    other = {"open_pattern": other_pattern, "close": "<end>"}
    return _template(notes={"open_pattern": open_pattern, "close": "<end>"}, other=other, content={})


def _closer(close_pattern: str) -> Template:
    return _template(content={"close_pattern": close_pattern, "repeats": True})


def _in_a_call(what: str, tag_pattern: str, repeated: str) -> Shape:
    return Shape(what, _tags(tag_pattern), repeated, "<call>", "</call>")


_PAIR = r"<name>(?P<key>.*?)</name>\s*<is>(?P<value>.*?)</is>"
_ATTRIBUTE = r'<set\b[^>]*?\bname="(?P<key>[^"]+)"[^>]*?>(?P<value>.*?)</set>'
_WRAPPED = r'<set name="(?P<key>[^"]+)">(?:<!\[CDATA\[)?(?P<value>.*?)(?:\]\]>)?</set>'

SHAPES = (
    _in_a_call("names without values", _PAIR, "<name>a</name>\n"),
    _in_a_call("empty names, values begun", _PAIR, "<name></name><is></is"),
    _in_a_call("tags begun, no attribute", _ATTRIBUTE, "<set\n"),
    _in_a_call("wrapped values never closed", _WRAPPED, '<set name="a">aa</set'),
    Shape(
        "a lazy name, then two words", _opener(r"use:(\S+?)<with>in\s+json<body>"), "use:a<with>", chunk=1
    ),
    Shape("a choice, then a lazy name", _opener(r"(?:to|for)=\S+?<body>"), "to=", chunk=1),
    Shape("a greedy part that may be missing", _opener(r"b>([\s\S]*>)?>"), "|>b</b>", "</b>"),
    # Two at a time, for the last one opens what the next one closes.
    Shape("all up to a mark that also closes", _opener(r"[^<]*<", close="<"), "<b><b>"),
    Shape("everything", _beside(r"^[\s\S]*", r"\|x"), '|"'),
    Shape("everything, behind one of two letters", _opener(r"(>)\|b(a)?[\s\S]*"), "<", "b"),
    Shape("a greedy closer beside blanks", _closer(r"\n*a[\s\S]*\ [^\n]?|\n*<a(?:b)?(?=\s*<)"), "{{a:", chunk=1),
    Shape("line ends, or blanks before a closer", _closer(r"\s*</d>|\n"), "\n"),
    Shape("line ends, or blanks before an opener", _opener(r"\s*</d>|\n", close="\n"), "\n"),
    Shape("blanks before one of two closers", _closer(r"\s*>|<"), " ", "a"),
    Shape("everything or a digit, then a mark", _opener(r"<b>(?:[\s\S]*|\d)<m>"), "x", "<b>"),
    Shape("the same, begun again and again", _opener(r"<b>(?:[\s\S]*|\d)<m>"), "<b>"),
)  # fmt: skip
