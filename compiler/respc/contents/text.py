"""``text``: the body, trimmed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from respc.contents.model import ContentParser, Expression, ReadContent, Writer, no_object, strips
from respc.ir import Fault, Origin


@dataclass(frozen=True, slots=True)
class TextArguments:
    """What the parsers of one plain value take."""

    strip: bool


class TextContent(ContentParser):
    """The body, trimmed unless ``strip`` is false."""

    name = "text"
    streams = True
    known_arguments = ("strip",)
    flags = ("strip",)
    wrapped = "{}"
    result = "str"

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> TextArguments | Fault:
        """Understand ``strip``."""
        return no_object(arguments) or TextArguments(strips(arguments))

    def write(self, arguments: Any, operand: str, name: str, writer: Writer) -> Expression:
        """Write a call of `str.strip`, and around it what the value is made with."""
        if isinstance(arguments, Fault):
            return writer.fault(arguments)
        text = f"{operand}.strip()" if arguments.strip else operand
        return Expression(self.wrapped.format(text), self.result)
