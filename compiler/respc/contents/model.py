"""What a content parser is to the compiler."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

from respc.ir import Content, Fault, Origin
from respc.source.json_kinds import is_object, json_kind

if TYPE_CHECKING:
    from respc.contents.arguments import Argument
    from respc.scan.tags import TagPlan

DEFAULT_PARSER: Final = "text"
"""Reads what has no content parser named."""

_NEVER_IN_STRINGS = frozenset('"') | frozenset(map(chr, range(0x20)))


@dataclass(frozen=True, slots=True)
class Expression:
    """Python source that gives a value, and the type of that value as an annotation."""

    code: str
    type: str


class Writer(Protocol):
    """Where a content parser puts what its expression needs."""

    def pattern(self, name: str, pattern: str) -> str:
        """Add a compiled pattern as a constant and give its name."""
        ...

    def tags(self, name: str, plan: TagPlan, *, merged: bool) -> str:
        """Add the segments of tags, and write the call that finds all tags of ``body``."""
        ...

    def checked(self, tags: str, *, merged: bool, openings: str | None = None) -> str:
        """Write the check of tags that code gives, for parsers that pass nothing over."""
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


class Calls(Enum):
    """How the value of a body is what a model calls."""

    ONE = "one call"
    LIST = "a list of calls"


CALL_KEYS: Final = ("name", "arguments")
"""The keys of each call in a list of them."""


@dataclass(frozen=True, slots=True)
class BodyPattern:
    """A pattern that finds parts of a body.

    Attributes:
        argument: the key in ``content_args`` that it is written under.
        pattern: as it is written.
        in_segments: whether what it matches is found from one of its texts to the next, without `regex`.
    """

    argument: str
    pattern: str
    in_segments: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an example of a body is to say; each content parser takes of it what it can write.

    Attributes:
        prose: a text for a reader.
        pairs: keys and values, such as the arguments of a call.
        value: a JSON value that has what the transform takes from it.
    """

    prose: str
    pairs: Mapping[str, object]
    value: object


ArgumentsT = TypeVar("ArgumentsT")
"""The arguments of a content parser, as it understands them."""

WriteExample = Callable[[Content, Wanted], str]
"""Writes an example for a content parser inside another."""


class ContentParser(ABC, Generic[ArgumentsT]):
    """One content parser, and all that is known of it.

    Attributes:
        name: what templates call it.
        makes: what it makes of a region, in a sentence.
        streams: whether chunks of its regions are pieces of the value (they are not dirty).
        result: the Python type of its values; ``Any`` for all that JSON has.
        element_types: the Python types of what the records of a list have, by their keys, where that is sure.
        takes: the arguments that it looks at, in the order in which they are told of.
        examples: arguments that work together.
        calls: how its values are calls where its field has those, if they surely are.
        shows_end: whether a body that is cut off cannot be read, so that one that can is whole.
    """

    name: ClassVar[str]
    makes: ClassVar[str]
    streams: ClassVar[bool] = False
    result: ClassVar[str] = "Any"
    element_types: ClassVar[Mapping[str, str]] = MappingProxyType({})
    takes: ClassVar[tuple[Argument, ...]] = ()
    examples: ClassVar[tuple[Mapping[str, object], ...]] = ()
    calls: ClassVar[Calls | None] = None
    shows_end: ClassVar[bool] = False

    @abstractmethod
    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> ArgumentsT:
        """Understand ``content_args``: a frozen value of the parser's own, or a `Fault` when they cannot work.

        All other methods are given what this one gave.
        """

    @abstractmethod
    def write(self, arguments: ArgumentsT, operand: str, name: str, writer: Writer) -> Expression:
        """Write the expression that reads a body.

        Args:
            arguments: what `read` gave.
            operand: a Python expression for the body, evaluated once.
            name: a valid part of an identifier, for functions and constants.
            writer: where those go.
        """

    @abstractmethod
    def write_example(self, arguments: ArgumentsT, wanted: Wanted, write_inner: WriteExample) -> str:
        """Write a body that the parser can read."""

    @abstractmethod
    def can_hide(self, arguments: ArgumentsT, text: str) -> bool:
        """Tell whether a text can stand in a string or a value inside a body, where it is no delimiter to the model."""

    def can_fail(self, arguments: ArgumentsT) -> bool:
        """Tell whether there are bodies that cannot be read."""
        return True

    def can_read(self, arguments: ArgumentsT) -> bool:
        """Tell whether there are bodies that can be read: whether the arguments can work."""
        return not isinstance(arguments, Fault)

    def reads_anything(self, arguments: ArgumentsT) -> bool:
        """Tell whether there is no body that it refuses, whatever else stands in it."""
        return not self.can_fail(arguments)

    def drops(self, arguments: ArgumentsT, text: str) -> bool:
        """Tell whether a text between the parts of a body is passed over."""
        return False

    def is_json(self, arguments: ArgumentsT) -> bool:
        """Tell whether the text of a body is the JSON of its value."""
        return False

    def quotes(self, arguments: ArgumentsT) -> tuple[tuple[str, str], ...]:
        """List what stands before and after a string of a body, where a closer may be a part of that."""
        return ()

    def trims_text(self, arguments: ArgumentsT) -> bool | None:
        """Tell whether blanks at both ends are cut off a body that is text; None where it is not."""
        return None

    def value_content(self, arguments: ArgumentsT) -> Content | None:
        """Give the content parser of the values inside a body, where the template names one that can work."""
        return None

    def patterns(self, arguments: ArgumentsT) -> tuple[BodyPattern, ...]:
        """List the patterns among the arguments."""
        return ()


def no_object(arguments: object) -> Fault | None:
    """Give the fault of arguments that are no object: the interpreter asks them for a key at the first body."""
    if is_object(arguments):
        return None
    reason = f"the arguments of the content parser are {json_kind(arguments)}, not an object"
    return Fault(AttributeError, reason, "content-args-not-object")


def strips(arguments: Mapping[str, object]) -> bool:
    """Tell whether a body is trimmed: by truth, and by default."""
    return bool(arguments.get("strip", True))


def stands_in_strings(text: str) -> bool:
    """Tell whether a text can stand in a string of JSON without an escape."""
    return not _NEVER_IN_STRINGS.intersection(text)
