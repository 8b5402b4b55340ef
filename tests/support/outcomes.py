"""What one call came to, for comparing a function of the runtime with its counterpart in the interpreter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.strictness import first_difference

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Raised:
    """That a call raised; ``error`` is the nearest built-in class of the exception."""

    error: str


def outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call the function and return its result, or that it raised."""
    try:
        return function(*arguments, **named)
    except Exception as error:
        return Raised(next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins"))


def assert_same_outcome(expected: Any, actual: Any) -> None:
    """Fail readably when the outcomes of two calls differ."""
    difference = first_difference(expected, actual)
    assert difference is None, difference
