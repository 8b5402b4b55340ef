# ruff: noqa: F821, PIE796, UP006, UP007, UP045
# The old and the broken ways to write hints are tested too.
# Hints must be objects here, not text, for most of the cases: no `from __future__ import annotations`.
import enum
import functools
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Optional, TypeVar, Union

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from transformers.utils import get_json_schema
from transformers.utils.chat_template_utils import parse_google_format_docstring

from respc_runtime.errors import ToolSchemaError
from respc_runtime.tool_functions import argument_descriptions, function_schema
from support.outcomes import Raised, assert_same_outcome, outcome


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"
    ROUGE = "red"


class Mixed(enum.Enum):
    ONE = 1
    HALF = 0.5
    NOTHING = None
    YES = True


class Rank(enum.IntEnum):
    LOW = 1


class Odd(enum.Enum):
    PAIR = (1, 2)


class Nothing(enum.Enum):
    pass


class Custom:
    pass


Element = TypeVar("Element")

HINTS: list[Any] = [
    int, float, str, bool, None, type(None), list, tuple, dict, Any, object, bytes, set, complex, Custom,
    Path, Colour, Mixed, Rank, Odd, Nothing, enum.Enum, list[int], list[list[str]], list[Any], list[Custom],
    typing.List, typing.List[int], typing.Dict, typing.Dict[str, int], typing.Tuple, typing.Tuple[int, str],
    tuple[int], tuple[int, ...], tuple[int, str], tuple[()], dict[str, int],
    dict[str, dict[str, list[float]]], dict[str, Any], set[int], Sequence[int], Callable[[int], str],
    Optional[int], Optional[list[int]], Optional[Colour], Union[int, str], Union[str, int, None],
    int | None, str | int | float | None, list[int] | str, list | tuple, list | tuple | None, Any | None,
    Union[Any, int], Union[Colour, str], dict | Custom, Literal["a", "b"], Literal[1, "a", None, True],
    Literal["a"] | None, Literal[Colour.RED], Literal[b"x"], Literal, Union, Optional, typing.Generic,
    Element, list[Element], NewType("Identifier", int), Annotated[int, "positive"],
    list[Annotated[int, "positive"]], type[int], typing.ClassVar, types.UnionType, 5, "int", "list[int]",
    "Missing", list["Missing"], [int], {"a": int}, (int, str), ..., int | list[Literal[1, 2]],
    Optional[Optional[int]],
]  # fmt: skip


def without_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    function = schema["function"]
    parameters = function["parameters"]
    properties = {
        name: {key: value for key, value in declared.items() if key != "description"}
        for name, declared in parameters["properties"].items()
    }
    kept = {"name": function["name"], "parameters": {**parameters, "properties": properties}}
    return {**schema, "function": kept}


def agree(function: Any) -> Any:
    expected = outcome(lambda: without_descriptions(get_json_schema(function)))
    assert_same_outcome(expected, outcome(function_schema, function))
    return expected


def hinted(hints: dict[str, Any], docstring: str | None) -> Any:
    """Make a function with these hints on its arguments `a`, `b` and on what it returns."""

    def tool(a, b=3):
        pass

    tool.__annotations__ = hints
    tool.__doc__ = docstring
    return tool


DESCRIBED = "Do it.\n\nArgs:\n    a: first\n    b: second\n"


@pytest.mark.parametrize("hint", HINTS, ids=repr)
def test_hints(hint: Any):
    agree(hinted({"a": hint, "b": int}, DESCRIBED))
    agree(
        hinted({"a": int, "b": Optional[hint] if hint in (int, Colour) else hint, "return": int}, DESCRIBED)
    )


@pytest.mark.parametrize("hint", HINTS, ids=repr)
def test_a_hint_of_what_is_returned_need_not_have_a_schema(hint: Any):
    agree(hinted({"a": int, "b": int, "return": hint}, DESCRIBED))


def test_not_every_hint_is_refused():
    outcomes = [outcome(function_schema, hinted({"a": hint, "b": int}, DESCRIBED)) for hint in HINTS]
    kinds = {result.error for result in outcomes if isinstance(result, Raised)}
    assert kinds == {"Exception", "NameError", "TypeError"}
    assert sum(not isinstance(result, Raised) for result in outcomes) > 40


# --- functions


def plain(a: int, b: str = "x", *, c: float | None = None) -> list[Custom]:
    """Do it.

    Args:
        a (int): first
            over two lines
        b (str, optional): second: with a colon
        c: third

    Returns:
        what it does
    """


def starred(*args: int, **kwargs: str):
    """Do it.

    Args:
        args: many
        kwargs: named
    """


def no_arguments():
    """Do it."""


def no_docstring(a: int):
    pass


def blank_docstring(a: int):
    """ """


def no_hint(a, b: int):
    """Do it.

    Args:
        a: first
        b: second
    """


def no_description(a: int, b: int):
    """Do it.

    Args:
        a: first
    """


def no_section(a: int):
    """Do it with a: the first."""


def self_with_hint(self: int, a: int):
    """Do it.

    Args:
        self: no receiver
        a: first
    """


def self_last(a: int, self):
    """Do it.

    Args:
        a: first
        self: no receiver
    """


def good_choices(a: str, b: int = 1):
    """Do it.

    Args:
        a: which (choices: ["tea ", "coffee"])
        b: how many (Choices:  [1, 2])
    """


def bad_choices(a: str):
    """Do it.

    Args:
        a: which (choices: tea, coffee)
    """


def scalar_choices(a: str):
    """Do it.

    Args:
        a: which (choices: 5)
    """


def choices_in_the_middle(a: str):
    """Do it.

    Args:
        a: which (choices: tea) of these
    """


def choices_twice(a: str):
    """Do it.

    Args:
        a: which (choices: ["a"]) or (choices: ["b"])
    """


def object_choices(a: str):
    """Do it.

    Args:
        a: which (choices: {"a": 1,
            "b": 2})
    """


class Service:
    def method(self, a: int) -> None:
        """Do it.

        Args:
            a: first
        """

    @classmethod
    def of_class(cls, a: int) -> None:
        """Do it.

        Args:
            a: first
        """

    @staticmethod
    def of_none(a: int) -> None:
        """Do it.

        Args:
            a: first
        """

    def __call__(self, a: int) -> None:
        """Do it.

        Args:
            a: first
        """


class Heir(Service):
    def method(self, a: int) -> None:
        pass


@functools.wraps(plain)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return plain(*args, **kwargs)


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("cannot be compared")

    __hash__ = None


def odd_default(a: int = Incomparable()):
    """Do it.

    Args:
        a: first
    """


FUNCTIONS = [
    plain, starred, no_arguments, no_docstring, blank_docstring, no_hint, no_description, no_section,
    self_with_hint, self_last, good_choices, bad_choices, scalar_choices, choices_in_the_middle,
    choices_twice, object_choices, Service.method, Service().method, Service.of_class, Service.of_none,
    Service().of_none, Service().__call__, Heir.method, Heir().method, wrapped, odd_default, lambda a: a,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__qualname__)
def test_functions(function: Any):
    agree(function)


def test_the_schema_of_a_function():
    assert function_schema(plain) == {
        "type": "function",
        "function": {
            "name": "plain",
            "parameters": {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": "string"},
                    "c": {"type": "number", "nullable": True},
                },
                "required": ["a"],
            },
        },
    }


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_docstring, "the tool 'no_docstring' has no docstring"),
        (no_hint, "the argument 'a' of the tool 'no_hint' has no type hint"),
        (no_description, "the docstring of the tool 'no_description' does not describe 'b'"),
        (hinted({"a": Custom, "b": int}, DESCRIBED), "Custom'> has no JSON schema"),
        (hinted({"a": Odd, "b": int}, DESCRIBED), r"Odd'> has no JSON scalar: \(1, 2\)"),
        (hinted({"a": Nothing, "b": int}, DESCRIBED), "Nothing'> has no values"),
        (hinted({"a": tuple[int], "b": int}, DESCRIBED), "use a list"),
    ],
)
def test_messages(function: Any, message: str):
    with pytest.raises(ToolSchemaError, match=message.replace("<enum ", ".*")):
        function_schema(function)


@pytest.mark.parametrize(
    ("module", "name", "type_name"), [("PIL.Image", "Image", "image"), ("torch", "Tensor", "audio")]
)
def test_images_and_tensors_are_known_by_name(module: str, name: str, type_name: str):
    hint = type(name, (), {"__module__": module})
    schema = function_schema(hinted({"a": list[hint], "b": Optional[hint]}, DESCRIBED))
    assert schema["function"]["parameters"]["properties"] == {
        "a": {"type": "array", "items": {"type": type_name}},
        "b": {"type": type_name, "nullable": True},
    }
    other = type(name, (), {"__module__": "elsewhere"})
    assert outcome(function_schema, hinted({"a": other, "b": int}, DESCRIBED)) == Raised("Exception")


# --- docstrings

HEADINGS = [
    "Args:",
    "Args:",
    "Args: ",
    "Arguments:",
    "  Args:",
    "Args:x",
    "Returns:",
    "Raises:",
    "Returns: an int",
]
ENTRIES = [
    "a: first", "b: second", "a:", "b:", "a (int): first", "b(str, optional):second", "a (dict(str)): x",
    "a : first", "*a: first", "a b: first", "a (x) (y): z", "c: third", "note: see https://example.org",
    "- a: item", "a () : x", "a (int:", "b [int]: second", "é: accent", "a\xa0: x", "\xa0a: x",
    "a: Returns: b", "and more", "", "   ", ":", "(a): x", 'a: which (choices: ["x", "y"])',
    "a: which (choices: x)", "b: (CHOICES: [1])", '(choices: ["z"])', "a:\x0b", "a: 5)",
]  # fmt: skip
indents = st.sampled_from(["", "", "    ", "    ", "    ", "        ", "  ", "\t", "     "])
lines = st.builds("{}{}".format, indents, st.sampled_from(ENTRIES) | st.sampled_from(HEADINGS))
entry_lines = st.builds("{}{}".format, st.sampled_from(["    ", "    ", "      "]), st.sampled_from(ENTRIES))
docstrings = st.builds(
    "{}\n{}\n{}\n{}".format,
    st.sampled_from(["Do it.", "Do it.\n", "", "Args:", "Do it. Args:"]),
    st.sampled_from(["Args:", "    Args:", "Args:\n", "", "Returns:\n    x\nArgs:"]),
    st.lists(entry_lines, max_size=6).map("\n".join),
    st.lists(lines, max_size=3).map("\n".join),
)


@given(docstrings)
@example("x\nArgs:\n a: 1\n\n\n  more  \n\t b (int) : 2\n b: 3")
def test_docstrings_are_read_as_the_interpreters(docstring: str):
    clean = docstring.strip()
    assert argument_descriptions(clean) == parse_google_format_docstring(clean)[1]
    agree(hinted({"a": int, "b": str}, docstring))
    agree(hinted({"a": int, "b": str}, textwrap.indent(docstring, "    ")))


@pytest.mark.parametrize(
    ("section", "described"),
    [
        ("a: 1\nb: 2", True),
        ("a:\n    1\nb:\n    2", True),
        ("a:\nb: swallowed", False),
        ("a: 1\n    b: deeper", False),
        ("    a: 1\nb: less deep", True),
        ("text before\na: 1\nb: 2\ntext after", True),
        ("b: 2\n\n\na: 1\n\nReturns:\n    x", True),
        ("a: 1, but not Returns: so\nb: 2", False),
        ("a: 1\nb", False),
        ("a (x): 1\nb (x(y): 2", False),
    ],
)
def test_which_arguments_a_section_describes(section: str, described: bool):
    docstring = "Do it.\n\nArgs:\n" + textwrap.indent(section, "    ")
    result = agree(hinted({"a": int, "b": int}, docstring))
    assert isinstance(result, Raised) is not described


def test_text_hints_are_resolved(tmp_path: Path):
    source = '''
        from __future__ import annotations
        from typing import Optional

        def tool(a: int, b: Optional[list[str]] = None) -> Missing:
            """Do it.

            Args:
                a: first
                b: second
            """

        def found(a: int | None, b: "dict[str, int]" = {}) -> None:
            """Do it.

            Args:
                a: first
                b: second
            """
    '''
    module = types.ModuleType("text_hints")
    sys.modules[module.__name__] = module
    try:
        exec(textwrap.dedent(source), vars(module))
        assert agree(module.tool) == Raised("NameError")
        assert not isinstance(agree(module.found), Raised)
    finally:
        del sys.modules[module.__name__]
