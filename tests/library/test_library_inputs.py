"""What is no text, no batch and no tool is refused with a sentence, whatever form the parser has."""

from __future__ import annotations

import functools
import re
from collections import deque
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from respc_runtime.errors import ToolSchemaError
from respc_runtime.openai import ChatCompletionParser
from support.modules import module_of
from support.oracle import interpret

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.protocols import CompiledParser

TEMPLATE: Final[dict[str, Any]] = {
    "start_anchor": "A:",
    "fields": {
        "tool_calls": {
            "open_pattern": r"<(?P<name>\w+)>",
            "close": "</>",
            "content": "kv-lines",
            "repeats": True,
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {},
    },
}
CALL: Final = "Hi.<add>a: 1</>"
DECLARED: Final = {"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}}


def by_template(text: Any, **options: Any) -> Any:
    return respc.parse_response(text, TEMPLATE, **options)


FORMS: Final[dict[str, Callable[..., Any]]] = {
    "a module": respc.load(TEMPLATE).parse_response,
    "a standalone module": module_of(
        respc.compile_template(TEMPLATE, standalone=True, formatted=False).source
    ).parse_response,
    "a serving module": respc.load(TEMPLATE, events="serving").parse_response,
    "a template": by_template,
}
ERRORS: Final = ("raise", "collect")

every_form = pytest.mark.parametrize("form", FORMS)
with_errors = pytest.mark.parametrize("errors", ERRORS)


class NoSequence:
    """Nothing that a text could be."""


@every_form
@with_errors
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (None, "NoneType"),
        (b"Hi.", "bytes"),
        (b"", "bytes"),
        (bytearray(b"Hi."), "bytearray"),
        (memoryview(b"Hi."), "memoryview"),
        (0, "int"),
        (1.5, "float"),
        ({"text": "Hi."}, "dict"),
        ({"Hi."}, "set"),
        (NoSequence(), "NoSequence"),
    ],
)
def test_no_text(form: str, errors: str, text: Any, kind: str) -> None:
    with pytest.raises(TypeError) as raised:
        FORMS[form](text, prefix="", errors=errors)
    assert str(raised.value) == f"text must be a str, or a sequence of them for a batch, not {kind}"


@every_form
@with_errors
@pytest.mark.parametrize("batch", [list, tuple, deque])
def test_no_text_in_a_batch(form: str, errors: str, batch: Callable[[Any], Any]) -> None:
    for wrong, kind in ((None, "NoneType"), (b"", "bytes"), (["Hi."], "list")):
        with pytest.raises(TypeError) as raised:
            FORMS[form](batch(["Hi.", "Ho.", wrong]), prefix="", errors=errors)
        assert str(raised.value) == f"text must be a str, not {kind}, at index 2 of the batch"


@every_form
@pytest.mark.parametrize("batch", [list, tuple, deque])
def test_any_sequence_is_a_batch(form: str, batch: Callable[[Any], Any]) -> None:
    texts = ["Hi.", CALL, ""]
    expected = [FORMS[form](text, prefix="") for text in texts]
    assert [message.get("content") for message in expected] == ["Hi.", "Hi.", None]
    assert FORMS[form](batch(texts), prefix="") == expected
    assert FORMS[form](batch(texts), prefix=batch(["", "", "A:"])) == expected
    assert [parsed.message for parsed in FORMS[form](batch(texts), prefix="", errors="collect")] == expected
    assert FORMS[form](batch([]), prefix="") == []


class Text(str):
    __slots__ = ()


@every_form
def test_a_subclass_of_strings_is_a_text(form: str) -> None:
    assert FORMS[form](Text(CALL), prefix=Text("")) == FORMS[form](CALL, prefix="")


PARSERS: Final[dict[str, Callable[[], Any]]] = {
    "default": lambda: respc.load(TEMPLATE).ResponseParser(""),
    "serving": lambda: respc.load(TEMPLATE).ServingParser(""),
    "closers in strings": lambda: respc.load(TEMPLATE, closers_in_strings=True).ResponseParser(""),
    "searched by patterns": lambda: respc.load(TEMPLATE, passes=()).ResponseParser(""),
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("before", ["", "a\n<", "<add>a: 1\n<"])
@pytest.mark.parametrize("way", ["feed", "finish"])
def test_no_text_in_a_stream(parser: str, before: str, way: str) -> None:
    for wrong, kind in ((b"x<", "bytes"), (5, "int"), (["x<"], "list")):
        begun: CompiledParser = PARSERS[parser]()
        begun.feed(before)
        with pytest.raises(TypeError, match=rf"^text must be a str, not {kind}$"):
            getattr(begun, way)(wrong)


@pytest.mark.parametrize("parser", PARSERS)
def test_the_rest_of_a_stream_may_be_nothing(parser: str) -> None:
    """As for the interpreter a chunk may be: servers have chunks without text."""
    begun = PARSERS[parser]()
    assert begun.feed(None) == []
    begun.feed(CALL)
    assert begun.finish(None)["content"] == "Hi."


def test_no_text_in_the_form_for_servers() -> None:
    form = ChatCompletionParser(respc.load(TEMPLATE).ServingParser, "")
    with pytest.raises(TypeError, match=r"^text must be a str, not bytes$"):
        form.feed(b"x")  # type: ignore[arg-type]


def taker_of(form: str, errors: str) -> Callable[[Any], Any]:
    return lambda tools: FORMS[form](CALL, prefix="", tools=tools, errors=errors)


TAKERS: Final[dict[str, Callable[[Any], Any]]] = {
    **{f"{form}, {errors}": taker_of(form, errors) for form in FORMS for errors in ERRORS},
    "a stream": lambda tools: respc.load(TEMPLATE).ResponseParser("", tools=tools),
    "a stream for servers": lambda tools: respc.load(TEMPLATE).ServingParser("", tools=tools),
    "prepared": respc.prepare_tools,
}
every_taker = pytest.mark.parametrize("taker", TAKERS)


def named(value: object) -> str:
    """Name a case; where an object is says nothing, and is another in each process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def function(a: int) -> int:
    return a


@every_taker
@pytest.mark.parametrize(
    ("tools", "kind"),
    [
        ("add", "str"),
        ('[{"name": "add"}]', "str"),
        (b"add", "bytes"),
        (DECLARED, "dict"),
        ({"type": "function", "function": DECLARED}, "dict"),
        (MappingProxyType(DECLARED), "mappingproxy"),
        (function, "function"),
        (5, "int"),
    ],
    ids=named,
)
def test_no_list_of_tools(taker: str, tools: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=rf"^tools must be a list of tools, not {kind}: "):
        TAKERS[taker](tools)


@every_taker
@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("add", "str"),
        (None, "NoneType"),
        (5, "int"),
        ([DECLARED], "list"),
        (MappingProxyType(DECLARED), "mappingproxy"),
        (functools.partial(function, 1), "partial"),
        (NoSequence, "type"),
        (len, "builtin_function_or_method"),
    ],
    ids=named,
)
def test_no_tool(taker: str, tool: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=rf"^tools\[1\] is of type {kind}, but a tool is a dict, such as "):
        TAKERS[taker]([DECLARED, tool])


@every_taker
@pytest.mark.parametrize(
    "tool",
    [
        {},
        {"nope": 1},
        {"name": 5},
        {"name": None},
        {"type": "function"},
        {"type": "function", "function": {"nope": 1}},
        {"type": "function", "function": None},
        {"type": "object", "properties": {"a": {}}},
        {"type": 5},
        {"add": DECLARED},
    ],
    ids=named,
)
def test_a_tool_without_a_name(taker: str, tool: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"^tools\[2\] has no name: a tool is a dict such as ") as raised:
        TAKERS[taker](iter([DECLARED, {"function": DECLARED}, tool]))
    # A standalone module has a class of its own.
    assert type(raised.value).__name__ == ToolSchemaError.__name__


def documented(a: int) -> int:
    """Add.

    Args:
        a: a number.
    """
    return a


@every_taker
@pytest.mark.parametrize(
    "tools",
    [
        None,
        [],
        (),
        "",
        {},
        [DECLARED],
        (DECLARED,),
        deque([DECLARED]),
        [{"type": "function", "function": DECLARED}],
        [{"type": "custom", "function": DECLARED}],
        [{**DECLARED, "type": "function"}],
        [documented],
        [{"name": "add"}],
        [{"name": "add", "parameters": "none"}],
        [{"type": "web_search", "max_uses": 3}, {"type": "code_interpreter", "container": {}}],
    ],
    ids=named,
)
def test_nothing_is_refused_that_the_interpreter_takes_with_an_effect(taker: str, tools: Any) -> None:
    TAKERS[taker](tools)


NAMELESS: Final[list[Any]] = [
    "add",
    None,
    {"nope": 1},
    {"name": 5},
    {"type": "function", "function": {}},
    len,
]


@pytest.mark.parametrize("tool", NAMELESS, ids=named)
def test_what_is_refused_has_no_effect_in_the_interpreter(tool: Any) -> None:
    without = interpret(TEMPLATE, "", [CALL], [DECLARED])
    assert without.message is not None
    assert without.message["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert interpret(TEMPLATE, "", [CALL], [DECLARED, tool]).message == without.message
