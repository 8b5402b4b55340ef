"""Targets for fuzzing, and what they are fed: what only resembles a template, and texts that no model writes."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

import respc
from respc_runtime.errors import ParserStateError, ResponseError
from support.choosing import HypothesisChooser
from support.families import families
from support.generation import TOOLS, random_template
from support.hostile_texts import delimiters, tags
from support.oracle import TooSlowError, watchdog
from support.templates import own_names, own_template

if TYPE_CHECKING:
    from types import ModuleType

    from hypothesis.strategies import DrawFn

FORMS: Final = (("default", False), ("default", True), ("serving", False), ("serving", True))
TEMPLATE_SECONDS: Final = 60.0
TEXT_SECONDS: Final = 20.0
"""A text of some thousand characters takes milliseconds; what takes so long would never end."""
NAMES: Final = (
    "fields",
    "start_anchor",
    "start_anchor_pattern",
    "defaults",
    "version",
    "open",
    "close",
    "open_pattern",
    "close_pattern",
    "content",
    "content_args",
    "transform",
    "transform_each",
    "repeats",
    "join",
    "optional",
    "strip",
    "unquoted_keys",
    "string_delims",
    "allow_non_json",
    "tag_pattern",
    "value_parser",
    "merge_duplicates",
    "line_sep",
    "kv_sep",
    "name",
    "args",
    "unknown",
)
PATTERNS: Final = (
    "(",
    "[",
    "*",
    "(?P<name>",
    "(?P<name>a)(?P<name>b)",
    "(?R)",
    "(?P<a>(?P>a))",
    "(a*)*b",
    r"\b",
    r"\1",
    "(?<=a)b",
    "(?!a)",
    "(?>a+)b",
    "a++",
    "$",
    "^",
    "",
    r"\s*",
    "(?=x)",
    ".*?",
    "(?i)A",
    "(?x) a # b",
    "(?:a){2000}",
    "a{99999999999}",
    "(?:" * 60 + "a" + ")*" * 60,
    "|".join(map(str, range(300))),
    r"\p{Nonsense}",
    r"\N{LATIN SMALL LETTER A}",
    r"(?P<class>\w+)",
    r"[[a-z]&&[aeiou]]",
)
STRINGS: Final = (
    "\0",
    "\ud800",
    "\udfff\ud800",
    "\n",
    "a" * 3000,
    "{content}",
    "{content.a.b}",
    "{" * 50,
    "{}",
    "json",
    "python-call-list",
    "xml-inline",
    "__class__",
    "\u2028",
    "'''\"\"\"\\",
)
NUMBERS: Final = (0, 1, -1, 10**30, -(10**400), 1e308, float("inf"), float("nan"), -0.0, 2**63)
PIECES: Final = (
    '{"a": 1}',
    '{"name": "f", "arguments": {}}',
    "[f(a=1)]",
    "\0",
    "\ud800",
    "\udfff",
    "\x01\x02",
    "\r\n",
    "\u2028",
    "\ufeff",
    "🦊",
    '"\\ud800"',
    '"\\',
    "1e999",
    "-",
    "NaN",
    "٣",
    "9" * 400,
    "a: b\n",
    "<",
    "</",
    "<|",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
)


def nested(depth: int, kind: str) -> Any:
    """Return a value that is nested so deep."""
    value: Any = "{content}"
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


@cache
def bases() -> list[str]:
    """Return the templates to begin with, as JSON."""
    own = [own_template(name) for name in own_names()]
    return [json.dumps(template) for template in (*own, *(family.template for family in families()))]


HOSTILE: Final[st.SearchStrategy[Any]] = st.one_of(
    st.sampled_from((None, True, False, [], {}, [[]], [None], {"": ""}, *NUMBERS)),
    st.sampled_from(PATTERNS),
    st.sampled_from(STRINGS),
    st.sampled_from(NAMES),
    st.text(max_size=12),
    st.builds(nested, st.sampled_from((3, 90, 400, 3000)), st.sampled_from(("list", "dict"))),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=10,
    ),
)


def places(value: Any, most: int = 400) -> list[tuple[Any, Any]]:
    """Return the containers of a value, each with each of its keys."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < most:
        container = waiting.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], dict | list):
                waiting.append(container[key])
    return found


def json_of(value: Any) -> str:
    """Return a value as JSON; nothing where it is nested too deep for that."""
    try:
        return json.dumps(value)
    except RecursionError:
        return ""


@st.composite
def near_templates(draw: DrawFn) -> Any:
    """Return a template with something done to it, or what is none at all."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(HOSTILE)
    if kind <= 3:
        template = json.loads(json.dumps(random_template(HypothesisChooser(draw)).template))
    else:
        template = json.loads(draw(st.sampled_from(bases())))
    for _ in range(draw(st.integers(0 if kind == 1 else 1, 3))):
        choices = places(template)
        if not choices:
            break
        container, key = draw(st.sampled_from(range(len(choices))).map(choices.__getitem__))
        other, its_key = draw(st.sampled_from(range(len(choices))).map(choices.__getitem__))
        how = draw(st.integers(0, 5))
        if how <= 1:
            container[key] = draw(HOSTILE)
        elif how == 2 and isinstance(container, dict):
            container[draw(st.sampled_from(NAMES) | st.sampled_from(STRINGS))] = draw(HOSTILE)
        elif how == 2:
            container.insert(0, draw(HOSTILE))
        elif how == 3:
            del container[key]
        elif written := json_of(other[its_key]):
            copied = json.loads(written)
            if how == 4 and isinstance(container, dict):
                container[draw(st.sampled_from(NAMES))] = copied
            else:
                container[key] = copied
    return template


@st.composite
def texts(draw: DrawFn, words: tuple[str, ...] = ()) -> str:
    """Return a text of delimiters, whole and nearly so, deep or broken JSON, odd characters, bytes, long runs."""
    made: list[str] = []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.integers(0, 9))
        if words and kind <= 4:
            word = draw(st.sampled_from(words))
            cut = draw(st.integers(0, len(word)))
            made.append(
                draw(st.sampled_from((word, word, word[:cut], word[cut:], word[:cut] + word[cut + 1 :])))
            )
        elif kind <= 6:
            made.append(draw(st.sampled_from(PIECES)))
        elif kind == 7:
            piece = draw(st.sampled_from(("[", '{"a":', "f(", "<a>", " ", "a", "\n", '"', "\\", "x=1,")))
            made.append(piece * draw(st.sampled_from((2, 60, 1100, 4000))))
        elif kind == 8:
            made.append(
                draw(st.binary(max_size=24)).decode(
                    "utf-8", draw(st.sampled_from(("replace", "surrogateescape")))
                )
            )
        else:
            made.append(draw(st.text(max_size=12)))
    return "".join(made)


def words_of(template: dict[str, Any]) -> tuple[str, ...]:
    """Return the texts of a template that means something: of delimiters and of tags."""
    words: set[str] = set()
    for field in template["fields"].values():
        for key in ("open", "close"):
            words.update(delimiters(field, key))
        words.update(tags(field.get("content_args")))
    return tuple(sorted(filter(None, words))) or ("<a>",)


@st.composite
def streams(draw: DrawFn) -> tuple[int, int, str, list[Any], Any]:
    """Return which template and form, a prefix, chunks, and tools; of the chunks one may be no text."""
    number = draw(st.integers(0, len(bases()) - 1))
    template = json.loads(bases()[number])
    words = words_of(template)
    anchor = template.get("start_anchor", "")
    anchor = anchor if isinstance(anchor, str) else "".join(anchor)
    prefix = draw(st.sampled_from(("", anchor, anchor * 2, "x" + anchor[:-1]))) + draw(
        st.just("") | texts(words)
    )
    text = draw(texts(words))
    chunks: list[Any] = [text]
    if text and draw(st.booleans()):
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
        chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    if draw(st.integers(0, 19)) == 0:
        chunks.insert(
            draw(st.integers(0, len(chunks))), draw(st.sampled_from((None, b"x", 7, ["x"], 0, b"")))
        )
    tools = draw(st.sampled_from((*TOOLS, [{"name": "f", "parameters": 7}], [None, "x"], "x", 7, {"a": 1})))
    return number, draw(st.integers(0, 3)), prefix, chunks, tools


@cache
def module_of_base(number: int, form: int) -> ModuleType | None:
    """Return the module of one of the templates in one form; None if that is refused."""
    events, stable = FORMS[form]
    try:
        return respc.load(json.loads(bases()[number]), events=events, stable=stable)
    except respc.TemplateError:
        assert stable, "only stability refuses these"
        return None


def try_template(template: Any, text: str = "") -> str:
    """Compile what may be a template in all forms, and run what it becomes over a text; raise what is undocumented.

    Returns:
        What became of it.
    """
    outcome = "refused"
    with watchdog(TEMPLATE_SECONDS):
        respc.check_template(template)
        for events, stable in FORMS:
            try:
                module = respc.load(template, events=events, stable=stable)
            except respc.TemplateError:
                continue
            outcome = "compiled"
            try:
                with_text(module, "", [text], None)
            except TooSlowError:
                if stable:
                    raise
                # Patterns that are left to `regex` may go back without end, and the compiler warns of it.
                return "too slow"
    return outcome


def with_text(module: Any, prefix: str, chunks: list[Any], tools: Any) -> str:
    """Run a parser, and raise what is undocumented.

    Returns:
        What became of it.
    """
    parser = None
    # A standalone module has the errors of its own.
    documented = getattr(module, "ResponseError", ResponseError), ResponseError
    refused = getattr(module, "ParserStateError", ParserStateError)
    try:
        parser = module.ResponseParser(prefix, tools=tools)
        for chunk in chunks:
            parser.feed(chunk)
        parser.finalize()
    except documented as error:
        must_refuse(parser, refused)
        return type(error).__name__
    except TypeError:
        if all(isinstance(chunk, str) for chunk in chunks) and well_formed(tools):
            raise
        # A chunk that is no text is told before anything is done with it, or fails the parser.
        return "TypeError"
    must_refuse(parser, refused)
    return "message"


def well_formed(tools: Any) -> bool:
    """Tell whether tools are a list of such, or none at all."""
    return tools is None or (isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools))


def must_refuse(parser: Any, refused: type[Exception] = ParserStateError) -> None:
    """Assert that a parser that ended or failed takes nothing more."""
    if parser is None:
        return
    for call in (lambda: parser.feed("x"), parser.finalize):
        try:
            call()
        except refused:
            continue
        raise AssertionError("a parser that ended or failed took another call")


def try_stream(stream: tuple[int, int, str, list[Any], Any]) -> str:
    """Run one stream; raise what is undocumented."""
    number, form, prefix, chunks, tools = stream
    module = module_of_base(number, form)
    if module is None:
        return "refused"
    with watchdog(TEXT_SECONDS):
        return with_text(module, prefix, chunks, tools)
