"""Events and final objects are what the types of both packages say, read strictly, with no key too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from anthropic import types
from anthropic.types import shared
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter

from forms.forms_of_tests import (
    MESSAGE_OBJECTS,
    RESPONSE_OBJECTS,
    USAGE,
    as_message,
    as_response,
    chat_parser,
)
from forms.test_forms_responses import LISTS, NAMED, WHOLE_CALL
from openai_form.completions_of_tests import TEMPLATE
from respc_runtime.responses import ResponseObjects, ResponseStream
from support.chunking import characters

if TYPE_CHECKING:
    from collections.abc import Iterator

RESPONSE_EVENTS: Final = TypeAdapter[Any](ResponseStreamEvent)
TEXTS: Final = [
    "",
    "Hi, Åse.<end>",
    f"<think>Hm.</think>So:{WHOLE_CALL}{WHOLE_CALL}Done.",
    "<call>oops</call>Sorry.",
    '<think>Hm.</think><call>{"name": "add", "argu',
]
CASES: Final = [
    *((TEMPLATE, text) for text in TEXTS),
    (NAMED, 'So:<call add>{"a": 1}</call><call add>oops</call>'),
    (LISTS, '<calls>[{"name": "add", "arguments": null}, {"name": "end", "arguments": {}}]</calls>'),
]
OPTIONS: Final = [{}, {"stream_arguments": True}, {"whole_calls": True}]


def unknown_keys(value: object) -> Iterator[str]:
    """Give the keys that a type of a package does not have."""
    if isinstance(value, BaseModel):
        yield from value.model_extra or {}
        for name in type(value).model_fields:
            yield from unknown_keys(getattr(value, name))
    elif isinstance(value, list):
        for element in value:
            yield from unknown_keys(element)


def assert_is(adapter: TypeAdapter[Any], value: dict[str, Any]) -> None:
    # The package has no `name` there yet, and the API does.
    known = {"name"} if value["type"] == "response.function_call_arguments.done" else set[str]()
    assert set(unknown_keys(adapter.validate_python(value, strict=True))) <= known


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("template", "text"), CASES)
@pytest.mark.parametrize("reasoning", ["summary", "text"])
@pytest.mark.parametrize("length", [False, True])
def test_responses(
    template: dict[str, Any], text: str, reasoning: Any, length: bool, options: dict[str, Any]
) -> None:
    stream, events = as_response(template, characters(text), reasoning=reasoning, length=length, **options)
    for event in events:
        assert_is(RESPONSE_EVENTS, event)
    response = Response.model_validate(stream.response, strict=True)
    assert not list(unknown_keys(response))
    assert response.status == ("incomplete" if length else "completed")


def test_a_response_that_failed() -> None:
    stream = ResponseStream(chat_parser(TEMPLATE), RESPONSE_OBJECTS)
    for event in [*stream.initial_events, *stream.feed("Hi"), *stream.fail("no", usage=USAGE)]:
        assert_is(RESPONSE_EVENTS, event)


def test_what_a_response_repeats() -> None:
    tool = {"type": "function", "name": "add", "parameters": {"type": "object"}, "strict": True}
    request = {
        "instructions": "Be short.",
        "max_output_tokens": 5,
        "metadata": {"a": "b"},
        "parallel_tool_calls": False,
        "reasoning": {"effort": "low"},
        "temperature": 0.5,
        "tool_choice": {"type": "function", "name": "add"},
        "tools": [tool],
    }
    made = ResponseObjects("resp_1", "a-model", 1, request).response("completed", [], usage=USAGE)
    response = Response.model_validate(made, strict=True)
    assert response.model_dump(mode="json", exclude_unset=True) == made


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("template", "text"), CASES)
@pytest.mark.parametrize("end", [{}, {"length": True}, {"stop_sequence": "STOP"}])
def test_messages(template: dict[str, Any], text: str, end: dict[str, Any], options: dict[str, Any]) -> None:
    adapter = TypeAdapter[Any](types.RawMessageStreamEvent)
    stream, events = as_message(template, characters(text), **end, **options)
    for event in events:
        assert_is(adapter, event)
    message = types.Message.model_validate(stream.message, strict=True)
    assert not list(unknown_keys(message))


@pytest.mark.parametrize(
    "kind", ["invalid_request_error", "not_found_error", "rate_limit_error", "api_error", "overloaded_error"]
)
def test_errors_of_messages(kind: str) -> None:
    error = shared.ErrorResponse.model_validate(MESSAGE_OBJECTS.error(kind, "no"), strict=True)
    assert (error.error.type, error.error.message) == (kind, "no")
    assert not list(unknown_keys(error))
