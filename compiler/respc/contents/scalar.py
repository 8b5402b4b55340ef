"""What the parsers of one plain value have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from respc.contents.arguments import Flag
from respc.contents.model import (
    ContentParser,
    Expression,
    ReadContent,
    Wanted,
    WriteExample,
    Writer,
    no_object,
    strips,
)
from respc.ir import Fault, Origin


@dataclass(frozen=True, slots=True)
class ScalarArguments:
    """What the parsers of one plain value take."""

    strip: bool


class ScalarContent(ContentParser[ScalarArguments | Fault]):
    """The body, trimmed unless ``strip`` is false, and what is made of that.

    Attributes:
        wrapped: the expression of the value, with a place for that of the text.
        example: a body.
    """

    streams = True
    takes = (Flag("strip", "Whether blanks at both ends are removed.", True),)
    wrapped: ClassVar[str]
    example: ClassVar[str]

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> ScalarArguments | Fault:
        """Understand ``strip``."""
        return no_object(arguments) or ScalarArguments(strips(arguments))

    def write(
        self, arguments: ScalarArguments | Fault, operand: str, name: str, writer: Writer
    ) -> Expression:
        """Write a call of `str.strip`, and around it what the value is made with."""
        if isinstance(arguments, Fault):
            return writer.fault(arguments)
        text = f"{operand}.strip()" if arguments.strip else operand
        return Expression(self.wrapped.format(text), self.result)

    def write_example(
        self, arguments: ScalarArguments | Fault, wanted: Wanted, write_inner: WriteExample
    ) -> str:
        """Write a value that does not depend on what is wanted."""
        return self.example

    def can_hide(self, arguments: ScalarArguments | Fault, text: str) -> bool:
        """Say no: the body is one value, with nothing inside it."""
        return False
