from __future__ import annotations

import copy
import json
import pickle

import pytest

from respc_runtime.errors import (
    MissingFieldError,
    MissingPrefixError,
    ParserStateError,
    ResponseAttributeError,
    ResponseError,
    ResponseKeyError,
    ResponseOverflowError,
    ResponseRecursionError,
    ResponseTypeError,
    ResponseValueError,
    ToolSchemaError,
    fail,
    region_error,
)


def caught(text: str) -> Exception:
    try:
        json.loads(text)
    except ValueError as error:
        return error
    raise AssertionError("it is JSON")


def decoding_fault() -> Exception:
    return UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


class OddError(Exception):
    pass


class OddValueError(OddError, ValueError):
    pass


EVERY_KIND = [
    region_error(ValueError("not a number"), "age", 12, "abc"),
    region_error(KeyError("no such group"), "tool_calls", 0, ""),
    region_error(AttributeError("no attribute"), "x", 1, "y"),
    MissingPrefixError(),
    MissingFieldError(["a", "b"]),
    ParserStateError.finalized(),
    ParserStateError.failed(),
    ToolSchemaError("no docstring"),
    ResponseError("plain"),
]


def test_the_message_says_what_and_where_and_shows_the_body():
    body = '{"name": look_up, "arguments": {' + "x" * 100
    error = region_error(
        ValueError("not JSON: Expecting value: line 1 column 10 (char 9)"), "tool_calls", 41, body
    )
    assert str(error) == (
        "field 'tool_calls', region at character 41: not JSON: Expecting value: line 1 column 10 (char 9); "
        f"the body begins '{body[:79]}…'"
    )
    assert (error.field, error.position, error.excerpt) == ("tool_calls", 41, body[:79] + "…")
    assert error.reason == "not JSON: Expecting value: line 1 column 10 (char 9)"


def test_a_short_body_is_shown_whole():
    assert region_error(ValueError("bad"), "n", 3, "four").excerpt == "four"


@pytest.mark.parametrize("kind", [ValueError, KeyError, TypeError])
def test_at_most_two_hundred_characters_of_the_body_are_quoted(kind: type[Exception]):
    body = "ß" * 10_000
    error = region_error(kind(f"cannot read {body}"), "n", 0, body)
    assert 100 < str(error).count("ß") <= 200
    assert "…" in error.reason


def test_the_message_is_one_encodable_line():
    error = region_error(ValueError("first\nsecond\u2028third \udc80"), "n", 0, "a\nb\u2028c\udc80")
    assert len(str(error).splitlines()) == 1
    assert "first second third" in str(error).encode("utf-8").decode("utf-8")


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (ValueError("v"), ResponseValueError),
        (caught("{"), ResponseValueError),
        (decoding_fault(), ResponseValueError),
        (OddValueError("v"), ResponseValueError),
        (KeyError("k"), ResponseKeyError),
        (TypeError("t"), ResponseTypeError),
        (AttributeError("a"), ResponseAttributeError),
        (RecursionError("r"), ResponseRecursionError),
        (OverflowError("o"), ResponseOverflowError),
        (ResponseKeyError("k"), ResponseKeyError),
        (OddError("e"), ResponseError),
        (ToolSchemaError("s"), ResponseError),
    ],
)
def test_a_region_error_has_the_builtin_class_of_its_cause(cause: Exception, kind: type[ResponseError]):
    assert type(region_error(cause, "f", 0, "")) is kind


def test_the_reason_of_a_key_error_is_not_the_repr_of_its_text():
    assert region_error(KeyError("nothing defines 'x'"), "f", 0, "").reason == "nothing defines 'x'"
    assert str(ResponseKeyError("it's gone")) == "it's gone"


def test_the_reason_of_our_own_error_is_not_its_whole_message():
    cause = ResponseValueError("bad", field="inner", position=1, excerpt="x")
    assert (
        str(region_error(cause, "f", 0, "y")) == "field 'f', region at character 0: bad; the body begins 'y'"
    )


def test_a_cause_without_text_is_named():
    assert region_error(OverflowError(), "f", 0, "").reason == "OverflowError"


@pytest.mark.parametrize("error", EVERY_KIND, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_survive_pickling(error: ResponseError, protocol: int):
    again = pickle.loads(pickle.dumps(error, protocol))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("error", EVERY_KIND, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_errors_survive_copying(error: ResponseError, duplicate: type[copy.copy]):
    again = duplicate(error)
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    again.reason = "another"
    assert error.reason != "another"


def test_a_missing_prefix_is_a_value_error_that_says_what_to_do():
    with pytest.raises(ValueError, match=r'<think>.*prefix=""'):
        raise MissingPrefixError


def test_missing_fields_are_named():
    error = MissingFieldError(name for name in ["tool_calls", "content"])
    assert isinstance(error, ValueError)
    assert error.fields == ("tool_calls", "content")
    assert str(error).endswith("'tool_calls', 'content'")


def test_parser_states_are_runtime_errors():
    with pytest.raises(RuntimeError, match="already finalized"):
        raise ParserStateError.finalized()
    with pytest.raises(RuntimeError, match=r"earlier call raised.*make a new parser"):
        raise ParserStateError.failed()


def test_a_tool_schema_error_is_no_value_error():
    assert not issubclass(ToolSchemaError, (ValueError, TypeError, LookupError, RuntimeError))


@pytest.mark.parametrize("kind", [ValueError, TypeError, KeyError])
def test_fail_raises_what_it_is_told(kind: type[Exception]):
    with pytest.raises(kind, match="because"):
        fail(kind, "because")
