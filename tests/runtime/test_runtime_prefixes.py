"""What is no string, given as a prefix or as a text, is taken or refused as by the interpreter."""

from __future__ import annotations

from collections import UserString
from typing import Any

import pytest

from respc_runtime.errors import MissingPrefixError
from respc_runtime.prefixes import checked_prefix, rest_of_text
from support.oracle import builtin_class, interpret

TEMPLATE = {"start_anchor": "A", "fields": {"f": {"open": "<f>"}, "content": {}}}


class Text(str):
    __slots__ = ()


GIVEN: list[Any] = [
    "Ax", "", Text("Ax"), Text(""), None, ["Ax"], [], ("Ax",), (), {"A": "x"}, {}, 0, 1, 0.0, 2.5, False, True,
    b"Ax", b"", bytearray(b"Ax"), memoryview(b"A"), UserString("Ax"), object(),
]  # fmt: skip


def taken(function: Any, given: Any) -> str | None:
    """Return what the function gives, or the name of the nearest built-in class of what it raises."""
    try:
        text: str = function(given)
    except Exception as error:
        return builtin_class(error)
    assert isinstance(text, str)
    return text


def named(given: object) -> str:
    """Name a value in the same way in every process: without its place in memory."""
    return f"{type(given).__name__}-{'' if ' at 0x' in repr(given) else repr(given)}"


@pytest.mark.parametrize("given", GIVEN, ids=named)
def test_a_prefix(given: Any) -> None:
    expected = interpret(TEMPLATE, given, ["y"])
    if expected.error is not None:
        assert taken(checked_prefix, given) == expected.error
    else:
        text = taken(checked_prefix, given)
        assert expected.message == {"content": f"{text}y".removeprefix("A")}


@pytest.mark.parametrize("given", GIVEN, ids=named)
def test_a_text(given: Any) -> None:
    expected = interpret(TEMPLATE, "", [given])
    if expected.error is not None:
        assert taken(rest_of_text, given) == expected.error
    else:
        text = taken(rest_of_text, given)
        assert expected.message == ({"content": text} if text else {})


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(MissingPrefixError):
        checked_prefix(None)
    with pytest.raises(TypeError, match="the prefix of a parser is a string, not of type list"):
        checked_prefix(["A"])
    with pytest.raises(TypeError, match="text must be a str, not list"):
        rest_of_text(["A"])
