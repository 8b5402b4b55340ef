"""Random response templates, most of which the interpreter accepts, and texts that trouble them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from support.patterns import ALPHABET, BLANKS, NAMES, Delimiter, matches_empty, random_delimiter, vocabulary

if TYPE_CHECKING:
    from support.choosing import Chooser

FIELD_NAMES = (
    "content",
    "tool_calls",
    "thinking",
    "a",
    "b",
    "class",
    "__init__",
    "é",
    "",
    "x y",
    "role",
    "self",
)
LONGEST_TEXT = 110

OPENERS = ((9, "literal"), (3, "list"), (8, "pattern"))
CLOSERS = ((10, "literal"), (4, "list"), (7, "pattern"))
ANCHORS = ((6, "literal"), (2, "list"), (2, "pattern"))

TOOLS: tuple[Any, ...] = (
    None,
    [
        {
            "type": "function",
            "function": {
                "name": "f",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "integer"},
                        "b": {"type": ["null", "boolean", "number"]},
                        "k": {
                            "anyOf": [{"type": "array"}, {"oneOf": [{"type": "object"}]}],
                            "nullable": True,
                        },
                    },
                },
            },
        },
        {"name": "ab", "parameters": {"properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}}},
    ],
    [],
)

JSON_BODIES = (
    "{}",
    '{"a": 1}',
    '[{"a": 1}, {"name": "f", "b": [true]}]',
    '{"name": "f", "arguments": {"a": "7", "b": "true", "k": "[1]"}}',
    '{"a": {"b": "x"}, "a": null}',
    '"a<b"',
    "[1, -0.0, 1e3, NaN]",
    "null",
    "0",
    "false",
    "{a: 1, b: <a>}",
    '{"a": [a:b:a, "x"]}',
    "{a:1,a : [2],}",
    "[",
    "{'a': 1}",
    '{"é": "\\u00e9\\n🦊"}',
    "\x01",
    "12345678901234567890",
)
CALL_BODIES = (
    "[]",
    "[f()]",
    '[f(a=1, b="x")]',
    "[f(a=[1, {'k': None}]), ab(b=true)]",
    "[f(1)]",
    "[f(a=1,)]",
    "f()",
    " [ f ( a = -0.0 ) ] ",
)
LINE_BODIES = ("a: 1\nb: 2", "a:b:a", "a\n\nb: ", " a : 1 |b:x", "a=1|a=2", ":", "")
NUMBER_BODIES = ("1", " 42 ", "-1_0", "٣", "1.5", "nan", "1e3", "true", "TRUE ", "", "0", "x")
TEXT_BODIES = ("a", "b a", " a ", "\na\n", "", "é🦊", "a<b", "ab" * 4, "\x1c", "   ")

VALUE_PARSERS: tuple[Any, ...] = (
    {"name": "json", "args": {"allow_non_json": True}},
    {"name": "text"},
    {},
    {"name": "int"},
    {"name": "text", "args": {"strip": False}},
    {"name": "kv-lines", "args": {"kv_sep": "=", "line_sep": "|", "value_parser": {"name": "bool"}}},
    {"name": "json"},
    {"name": "xml-inline", "args": {"tag_pattern": r"(?P<key>\w)(?P<value>.)"}},
    {"name": "python-call-list", "args": {}},
    None,
)
TAG_PATTERNS = (
    r"<(?P<key>\w+)>(?P<value>.*?)</\w+>",
    r"(?P<key>\w+)=(?P<value>[^|]*)",
    r"<(?P<key>\w+)>\s*(?P<value>.*?)\s*</(?P=key)>",
    r"(?P<key>[ab])(?P<value>:)?",
    r"#(?P<key>\w+)",
    r"(?P<value>\w+)",
    r"(?P<key>a)?(?P<value>.)",
)
TAG_BODIES = (
    "<a>1</a><b>x</b>",
    "<a>1</a><a>2</a><a></a>",
    "a=1|b= x |a=3",
    "<a>",
    "#a#b#a",
    "ab:a",
    "<a>{}</a>\n<k>[1]</k>",
)

BODIES = {
    "text": TEXT_BODIES,
    "int": NUMBER_BODIES,
    "float": NUMBER_BODIES,
    "bool": NUMBER_BODIES,
    "json": JSON_BODIES,
    "xml-inline": TAG_BODIES,
    "kv-lines": LINE_BODIES,
    "python-call-list": CALL_BODIES,
}
CONTENTS = (
    (14, "text"),
    (5, "json"),
    (2, "xml-inline"),
    (2, "kv-lines"),
    (2, "python-call-list"),
    (1, "int"),
    (1, "float"),
    (1, "bool"),
)
TRANSFORMS: tuple[Any, ...] = (
    "{content}",
    {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    {"type": "function", "function": "{content}"},
    {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.arguments}"}},
    ["{content}", 1, None, True, 1.5, "plain", "{", "{}", "{ a}"],
    {"a": "{content.a}", "deep": {"list": [["{content.a.b}"]]}},
    {"id": "{id}", "kind": "{kind}", "content": "{content}"},
    "{content.a}",
    "plain",
    {},
    0,
)
EACH_TRANSFORMS: tuple[Any, ...] = (
    {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
    "{a}",
    ["{name}", {"a": "{a}"}],
    {"fixed": []},
)
DEFAULTS: tuple[Any, ...] = ("assistant", None, "", [], ["d"], {}, {"k": [{}]}, 0, False, 1.5)


@dataclass
class GeneratedTemplate:
    """A template, with what texts for it are made of."""

    template: dict[str, Any]
    words: list[str]
    anchors: list[str] = field(default_factory=list)
    openers: list[tuple[str, str]] = field(default_factory=list)
    closers: dict[str, list[str]] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)


def declare(spec: dict[str, Any], delimiter: Delimiter, key: str) -> None:
    """Put a delimiter under its key, or under the key of its pattern."""
    spec[f"{key}_pattern" if delimiter.is_pattern else key] = delimiter.value


def content_args(chooser: Chooser, content: str, words: list[str]) -> dict[str, Any]:
    """Return arguments for a content parser, odd values now and then."""
    args: dict[str, Any] = {}
    if content in ("text", "int", "float", "bool", "kv-lines", "json") and chooser.percent(25):
        args["strip"] = chooser.weighted(((4, False), (2, True), (1, 0), (1, None), (1, "no")))
    if content == "json":
        if chooser.percent(35):
            args["allow_non_json"] = chooser.weighted(((6, True), (1, False), (1, 1)))
        if chooser.percent(30):
            args["unquoted_keys"] = chooser.weighted(((6, True), (1, False), (1, "x")))
        if chooser.percent(25):
            pairs = [[chooser.pick(words), chooser.pick(words)] for _ in range(chooser.integer(0, 2))]
            args["string_delims"] = chooser.weighted(((6, pairs), (1, [["", ""]]), (1, ["ab"]), (1, [["a"]])))
    if content == "xml-inline":
        if not chooser.percent(4):
            args["tag_pattern"] = chooser.pick(TAG_PATTERNS)
        if chooser.percent(40):
            args["merge_duplicates"] = chooser.pick((True, 1, False))
    if content == "kv-lines":
        if chooser.percent(40):
            args["line_sep"] = chooser.pick(("|", "\n\n", " ", *words))
        if chooser.percent(40):
            args["kv_sep"] = chooser.pick(("=", " ", "::", *words))
    if content in ("xml-inline", "kv-lines") and chooser.percent(60):
        args["value_parser"] = chooser.pick(VALUE_PARSERS)
    return args


def random_defaults(chooser: Chooser, names: list[str]) -> dict[str, Any]:
    """Return defaults for some of the fields and for keys that are no field."""
    defaults: dict[str, Any] = {}
    if chooser.percent(60):
        defaults["role"] = chooser.weighted(((8, "assistant"), (1, None)))
    for name in names:
        if chooser.percent(12):
            defaults[name] = chooser.pick(DEFAULTS)
    return defaults


def add_values(chooser: Chooser, spec: dict[str, Any], groups: list[str], words: list[str]) -> str:
    """Add what becomes of a region's text: content parser, arguments, transform, repeats, join, optional."""
    content = chooser.weighted(CONTENTS)
    if content != "text" or chooser.percent(30):
        spec["content"] = content
    args = content_args(chooser, content, words)
    if args or chooser.percent(10):
        spec["content_args"] = args
    if (groups and not chooser.percent(4)) or chooser.percent(20):
        if content in ("json", "python-call-list") and chooser.percent(40):
            spec["transform"], spec["transform_each"] = chooser.pick(EACH_TRANSFORMS), True
        elif groups and chooser.percent(60):
            spec["transform"] = {"content": "{content}", **{name: f"{{{name}}}" for name in groups}}
        else:
            spec["transform"] = chooser.pick(TRANSFORMS)
    if chooser.percent(45):
        spec["repeats"] = chooser.weighted(((16, True), (1, 1), (1, "yes"), (1, 0), (1, None)))
        if spec["repeats"] and chooser.percent(35):
            spec["join"] = chooser.weighted(((3, ""), (3, "\n"), (2, "|"), (1, None)))
    if chooser.percent(7):
        spec["optional"] = chooser.pick((False, 0, True, None))
    return content


def random_template(chooser: Chooser) -> GeneratedTemplate:
    """Return a template over a small vocabulary, so that its delimiters collide."""
    words = vocabulary(chooser)
    anchor = random_delimiter(chooser, words, ANCHORS)
    anchor.groups.clear()
    made = GeneratedTemplate({}, words, anchors=list(anchor.examples))
    names: list[str] = []
    for _ in range(chooser.integer(1, 4)):
        name = chooser.pick(FIELD_NAMES)
        if name not in names:
            names.append(name)
    implicit = names[chooser.integer(0, len(names) - 1)] if chooser.percent(75) else None
    fields: dict[str, Any] = {}
    for name in names:
        spec: dict[str, Any] = {}
        groups: list[str] = []
        opener: Delimiter | None = None
        if name != implicit:
            opener = random_delimiter(chooser, words, OPENERS)
            declare(spec, opener, "open")
            groups += opener.groups
            made.openers += [(name, example) for example in opener.examples]
        if not chooser.percent(15):
            closer = random_delimiter(chooser, words, CLOSERS)
            if opener and matches_empty(opener) and matches_empty(closer) and not chooser.percent(25):
                closer = random_delimiter(chooser, words, ((1, "literal"),))
            declare(spec, closer, "close")
            groups += closer.groups
            made.closers[name] = list(closer.examples)
        made.contents[name] = add_values(chooser, spec, groups, words)
        fields[name] = spec
    if chooser.percent(65):
        made.template["defaults"] = random_defaults(chooser, names)
    declare(made.template, anchor, "start_anchor")
    made.template["fields"] = fields
    if chooser.percent(3):
        made.template["version"] = chooser.pick((1, 1.0, True))
    return made


def random_body(chooser: Chooser, content: str) -> str:
    """Return a body for a content parser, cut or padded now and then."""
    body = chooser.pick(BODIES[content])
    if chooser.percent(12):
        body = body[: chooser.integer(0, len(body))]
    if chooser.percent(20):
        body = chooser.pick(BLANKS) + body + chooser.pick(BLANKS)
    return body


def random_region(chooser: Chooser, made: GeneratedTemplate) -> str:
    """Return an opener, a body for its field and a closer, the last two not always."""
    if not made.openers:
        return ""
    name, opener = chooser.pick(made.openers)
    text = opener + random_body(chooser, made.contents[name])
    closers = made.closers.get(name)
    return text + chooser.pick(closers) if closers and chooser.percent(85) else text


def random_piece(chooser: Chooser, made: GeneratedTemplate) -> str:
    """Return a piece of a text: a region, a delimiter whole, cut or doubled, a body, single characters."""
    kind = chooser.integer(0, 11)
    if kind <= 5:
        return random_region(chooser, made)
    if kind <= 7:
        delimiters = (
            made.words
            + [text for _, text in made.openers]
            + [t for texts in made.closers.values() for t in texts]
        )
        word = chooser.pick(delimiters)
        how = chooser.integer(0, 4)
        if how >= 3:
            cut = chooser.integer(0, len(word))
            return word[:cut] if how == 3 else word[cut:]
        return word * 2 if how == 2 else word
    if kind == 8:
        return random_body(chooser, chooser.pick(tuple(made.contents.values())))
    if kind == 9:
        return chooser.pick((*TEXT_BODIES, *NAMES))
    return "".join(chooser.pick(ALPHABET) for _ in range(chooser.integer(1, 5)))


def random_text(chooser: Chooser, made: GeneratedTemplate) -> str:
    """Return a short text made of pieces."""
    text = "".join(random_piece(chooser, made) for _ in range(chooser.integer(0, 7)))
    return text[:LONGEST_TEXT]


def random_prefix(chooser: Chooser, made: GeneratedTemplate) -> str:
    """Return a prefix: none, an anchor once or twice, the message begun after it."""
    kind = chooser.integer(0, 5)
    if kind <= 1:
        return ""
    anchor = chooser.pick(made.anchors)
    if kind == 2:
        return anchor
    begun = "".join(random_piece(chooser, made) for _ in range(chooser.integer(0, 2)))[:40]
    if kind == 3:
        return begun
    return random_piece(chooser, made)[:20] + anchor * chooser.integer(1, 2) + begun
