"""What a content parser is to the compiler."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from respc.ir import Content, Fault, Origin
from respc.source.json_kinds import is_object, json_kind

if TYPE_CHECKING:
    from respc.patterns.steps import Alternative


@dataclass(frozen=True, slots=True)
class Expression:
    """Python source that gives a value, and the type of that value as an annotation."""

    code: str
    type: str


class Writer(Protocol):
    """Where a content parser puts what its expression needs."""

    def runtime(self, name: str) -> str:
        """Import a name of the runtime and give it back."""
        ...

    def pattern(self, name: str, pattern: str) -> str:
        """Add a compiled pattern as a constant and give its name."""
        ...

    def tags(self, name: str, ways: tuple[Alternative, ...], groups: frozenset[str]) -> tuple[str, bool]:
        """Add functions that match a tag, and write the call that finds all tags of ``body``.

        Tells too whether the call gives pairs of a key and a value, or matches with such groups.
        """
        ...

    def function(self, name: str, template: str, result: str, values: Mapping[str, object]) -> str:
        """Add a function of the body, made from a code template, and give its name."""
        ...

    def content(self, content: Content, operand: str, name: str) -> Expression:
        """Write the content parser of a part of the body."""
        ...

    def fault(self, fault: Fault) -> Expression:
        """Write what raises a fault when it is reached."""
        ...


ReadContent = Callable[[object, Any, Origin], Content | Fault]
"""Reads ``(name, arguments, place)`` of a nested content parser."""


class ContentParser(ABC):
    """One content parser.

    Attributes:
        name: what templates call it.
        streams: whether chunks of its regions are pieces of the value (they are not dirty).
        result: the Python type of its values.
        known_arguments: the keys of ``content_args`` that it looks at.
        flags: those of them that are read by their truth.
    """

    name: ClassVar[str]
    streams: ClassVar[bool] = False
    result: ClassVar[str] = "Any"
    known_arguments: ClassVar[tuple[str, ...]] = ()
    flags: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> object:
        """Understand ``content_args``: a frozen value of the parser's own, or a `Fault` when they cannot work."""

    @abstractmethod
    def write(self, arguments: Any, operand: str, name: str, writer: Writer) -> Expression:
        """Write the expression that reads a body.

        Args:
            arguments: what `read` gave.
            operand: a Python expression for the body, evaluated once.
            name: a valid part of an identifier, for functions and constants.
            writer: where those go.
        """


def no_object(arguments: object) -> Fault | None:
    """Give the fault of arguments that are no object: the interpreter asks them for a key at the first body."""
    if is_object(arguments):
        return None
    reason = f"the arguments of the content parser are {json_kind(arguments)}, not an object"
    return Fault(AttributeError, reason, "content-args-not-object")


def strips(arguments: Mapping[str, object]) -> bool:
    """Tell whether a body is trimmed: by truth, and by default."""
    return bool(arguments.get("strip", True))
