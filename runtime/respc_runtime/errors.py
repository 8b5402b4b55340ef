"""The exceptions of generated parsers.

Each one also derives from the builtin class that the interpreter (transformers 5.24.0) raises in its place,
so that code which catches `ValueError` or `KeyError` there catches the same faults here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable

# A message quotes at most these many characters of the body: it ends up in logs, and bodies can be megabytes.
REASON_LIMIT = 110
EXCERPT_LIMIT = 80


class ResponseError(Exception):
    """A response that could not be parsed.

    Attributes:
        reason: what went wrong.
        field: the field whose region it was, if it was one.
        position: the offset, in characters, of the body that could not be parsed, in the text that the parser
            sees: the prefix after its start anchor, then the generation.
        excerpt: the start of that body.
    """

    def __init__(
        self,
        reason: str,
        *,
        field: str | None = None,
        position: int | None = None,
        excerpt: str | None = None,
    ) -> None:
        place = [] if field is None else [f"field {field!r}"]
        if position is not None:
            place.append(f"region at character {position}")
        message = f"{', '.join(place)}: {reason}" if place else reason
        if excerpt is not None:
            message = f"{message}; the body begins {excerpt!r}"
        super().__init__(message)
        self.reason = reason
        self.field = field
        self.position = position
        self.excerpt = excerpt

    def __str__(self) -> str:
        # Not inherited, because KeyError's would show the repr of the message.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with the finished message, which is no class's argument here.
        return type(self).__new__, (type(self), *self.args), self.__dict__


class ResponseValueError(ResponseError, ValueError):
    """A `ResponseError` that is a `ValueError`."""


class ResponseKeyError(ResponseError, KeyError):
    """A `ResponseError` that is a `KeyError`."""


class ResponseTypeError(ResponseError, TypeError):
    """A `ResponseError` that is a `TypeError`."""


class ResponseAttributeError(ResponseError, AttributeError):
    """A `ResponseError` that is an `AttributeError`."""


class ResponseRecursionError(ResponseError, RecursionError):
    """A `ResponseError` that is a `RecursionError`."""


class ResponseOverflowError(ResponseError, OverflowError):
    """A `ResponseError` that is an `OverflowError`."""


class MissingPrefixError(ResponseValueError):
    """No prefix was given."""

    def __init__(self) -> None:
        super().__init__(
            "a prefix is required: the prompt may already have opened a region of the message (such as "
            '`<think>`), so pass the prompt as `prefix`, or `prefix=""` if the text is the whole message'
        )


class MissingAnchorError(ResponseValueError):
    """A prefix has no start anchor, so that nobody can say where in it the message starts."""

    def __init__(self) -> None:
        super().__init__(
            "the prefix has no start anchor of the template, so all of it, earlier turns too, would be taken for a "
            "part of the message: pass the prompt as the chat template writes it, with the start of the answer "
            "(`add_generation_prompt=True`)"
        )


class MissingFieldError(ResponseValueError):
    """Required fields are missing from the message.

    Attributes:
        fields: their names.
    """

    def __init__(self, fields: Iterable[str]) -> None:
        self.fields = tuple(fields)
        names = ", ".join(map(repr, self.fields))
        super().__init__(f"the response ended without its required fields: {names}")


class ParserStateError(ResponseError, RuntimeError):
    """A call that a parser can no longer take."""

    @classmethod
    def finalized(cls) -> ParserStateError:
        """Make the error of a parser whose `finalize` was called."""
        return cls("the parser is already finalized: make a new parser for each generation")

    @classmethod
    def failed(cls) -> ParserStateError:
        """Make the error of a parser one of whose calls raised."""
        return cls("an earlier call raised, so the state of the parser is lost: make a new parser")


class ToolSchemaError(ResponseError):
    """A tool has no name, or is a Python function without a usable docstring or type hints."""


REGION_ERRORS: dict[type, type[ResponseError]] = {
    ValueError: ResponseValueError,
    KeyError: ResponseKeyError,
    TypeError: ResponseTypeError,
    AttributeError: ResponseAttributeError,
    RecursionError: ResponseRecursionError,
    OverflowError: ResponseOverflowError,
}


def clipped(text: str, limit: int) -> str:
    """Shorten `text` to `limit` characters; the last one is then an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def reason_of(cause: Exception) -> str:
    """Say on one line, and shortly, why `cause` was raised."""
    if isinstance(cause, ResponseError):
        text = cause.reason
    elif isinstance(cause, KeyError) and len(cause.args) == 1 and isinstance(cause.args[0], str):
        text = cause.args[0]
    else:
        text = str(cause)
    # A lone surrogate quoted from the body would make the message one that no log can encode.
    encodable = " ".join(text.split()).encode("utf-8", "backslashreplace").decode("utf-8")
    return clipped(encodable or type(cause).__name__, REASON_LIMIT)


def region_error(cause: Exception, field: str, position: int, body: str) -> ResponseError:
    """Make the error to raise from `cause`, which a region's body raised.

    Args:
        cause: what the content parser, the transform or the cast of tool arguments raised.
        field: the field of the region.
        position: where the body begins.
        body: the body.

    Returns:
        A `ResponseError` that derives from the same builtin class as `cause`.
    """
    # What Python says of a value can quote all of it, and a log shows the cause as well.
    if len(cause.args) == 1 and isinstance(cause.args[0], str):
        cause.args = (clipped(cause.args[0], REASON_LIMIT),)
    kinds = (REGION_ERRORS[base] for base in type(cause).__mro__ if base in REGION_ERRORS)
    kind = next(kinds, ResponseError)
    return kind(reason_of(cause), field=field, position=position, excerpt=clipped(body, EXCERPT_LIMIT))


MALFORMED: Final = (KeyError, TypeError, ValueError, RecursionError)
"""What is raised for a region whose value cannot be read; serving events tell it, and parsing goes on."""


def malformed_error(cause: Exception, field: str, position: int, body: str) -> ResponseError:
    """Make the error that an event carries; arguments and result as of `region_error`.

    It keeps its cause without tracebacks, whose frames would keep the parser and all of its text alive, and without
    the document that a `json.JSONDecodeError` has.
    """
    error = region_error(cause, field, position, body)
    error.__cause__ = cause
    raised: BaseException | None = cause
    while raised is not None:
        if "doc" in vars(raised):
            vars(raised)["doc"] = error.excerpt
        raised = raised.with_traceback(None).__context__
    return error


def fail(kind: type[Exception], reason: str) -> NoReturn:
    """Raise `kind(reason)`, where generated code needs that in an expression."""
    raise kind(reason)


def endless_error(field: str, position: int) -> ResponseError:
    """Make the error for a region that opened and closed at one place, which the interpreter would do for ever."""
    return ResponseValueError(
        "the region opened and closed without taking any text, and would do so again for ever: "
        "the template's opener and closer both match nothing there",
        field=field,
        position=position,
    )
