"""``kv-lines``: one key and one value a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from respc.contents.model import ContentParser, Expression, ReadContent, Writer, no_object, strips
from respc.contents.nested import read_value_parser, write_value
from respc.ir import Content, Fault, Origin
from respc.source.json_kinds import json_kind


@dataclass(frozen=True, slots=True)
class KvLinesArguments:
    """How lines are cut.

    Attributes:
        line_separator: between lines; None for any run of white space.
        key_separator: between a key and its value; the first one counts.
        strip: whether lines, keys and values are trimmed.
        value: how values are read, None for as they are.
    """

    line_separator: str | Fault | None
    key_separator: str | Fault
    strip: bool
    value: Content | Fault | None

    @property
    def separator_is_trimmed(self) -> bool:
        """Tell whether no key separator is cut when a line is trimmed, so that trimming key and value is enough."""
        return isinstance(self.key_separator, str) and self.key_separator == self.key_separator.strip()


class KvLinesContent(ContentParser):
    """A dict of the lines that have a separator; the others are passed over."""

    name = "kv-lines"
    result = "dict[str, Any]"
    known_arguments = ("line_sep", "kv_sep", "strip", "value_parser")
    flags = ("strip",)

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> KvLinesArguments | Fault:
        """Understand ``line_sep``, ``kv_sep``, ``strip`` and ``value_parser``."""
        if fault := no_object(arguments):
            return fault
        line_separator = arguments.get("line_sep", "\n")
        if line_separator is not None and not isinstance(line_separator, str):
            line_separator = Fault(
                TypeError, f"'line_sep' is {json_kind(line_separator)}, not a string", at="/line_sep"
            )
        elif line_separator == "":
            line_separator = Fault(
                ValueError, "'line_sep' is an empty string", "empty-separator", "/line_sep"
            )
        key_separator = arguments.get("kv_sep", ":")
        if not isinstance(key_separator, str):
            key_separator = Fault(
                TypeError, f"'kv_sep' is {json_kind(key_separator)}, not a string", at="/kv_sep"
            )
        elif not key_separator:
            key_separator = Fault(ValueError, "'kv_sep' is an empty string", "empty-separator", "/kv_sep")
        return KvLinesArguments(
            line_separator,
            key_separator,
            strips(arguments),
            read_value_parser(arguments, origin, read_content),
        )

    def write(self, arguments: Any, operand: str, name: str, writer: Writer) -> Expression:
        """Write a function that loops over the lines."""
        if isinstance(arguments, Fault):
            return writer.fault(arguments)
        if isinstance(arguments.line_separator, Fault):
            return writer.fault(arguments.line_separator)
        values: dict[str, object] = {"arguments": arguments, "separator_fault": None, "value": None}
        if isinstance(arguments.key_separator, Fault):
            values["separator_fault"] = writer.fault(arguments.key_separator).code
        else:
            values["value"] = write_value(arguments.value, "value", name, writer).code
        function = writer.function(name, "kv_lines", "dict[str, Any]", values)
        return Expression(f"{function}({operand})", "dict[str, Any]")
