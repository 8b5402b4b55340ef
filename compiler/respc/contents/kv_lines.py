"""``kv-lines``: one key and one value a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from respc.contents.arguments import Flag, PlainArgument, ValueParser
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
from respc.contents.nested import read_value_parser, working, write_value, write_value_example
from respc.ir import Content, Fault, Origin
from respc.source.json_kinds import json_kind

LINE_SEPARATOR: Final = "\n"
KEY_SEPARATOR: Final = ":"


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


class KvLinesContent(ContentParser[KvLinesArguments | Fault]):
    """A dict of the lines that have a separator; the others are passed over."""

    name = "kv-lines"
    makes = "An object made of lines with a key and a value each, such as `city: Paris`."
    result = "dict[str, Any]"
    takes = (
        PlainArgument(
            "line_sep",
            "What stands between lines. Null: any run of white space.",
            {"type": ["string", "null"]},
            {"default": LINE_SEPARATOR},
        ),
        PlainArgument(
            "kv_sep",
            "What stands between a key and its value; the first one in a line counts.",
            {"type": "string", "minLength": 1},
            {"default": KEY_SEPARATOR},
        ),
        Flag("strip", "Whether blanks around lines, keys and values are removed.", True),
        ValueParser(),
    )

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> KvLinesArguments | Fault:
        """Understand ``line_sep``, ``kv_sep``, ``strip`` and ``value_parser``."""
        if fault := no_object(arguments):
            return fault
        line_separator = arguments.get("line_sep", LINE_SEPARATOR)
        if line_separator is not None and not isinstance(line_separator, str):
            line_separator = Fault(
                TypeError, f"'line_sep' is {json_kind(line_separator)}, not a string", at="/line_sep"
            )
        elif line_separator == "":
            line_separator = Fault(
                ValueError, "'line_sep' is an empty string", "empty-separator", "/line_sep"
            )
        key_separator = arguments.get("kv_sep", KEY_SEPARATOR)
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

    def write(
        self, arguments: KvLinesArguments | Fault, operand: str, name: str, writer: Writer
    ) -> Expression:
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
        return Expression(f"{function}(parser, {operand})", "dict[str, Any]")

    def write_example(
        self, arguments: KvLinesArguments | Fault, wanted: Wanted, write_inner: WriteExample
    ) -> str:
        """Write a line for each pair."""
        if isinstance(arguments, Fault):
            return wanted.prose
        lines, keys = arguments.line_separator, arguments.key_separator
        between = keys if isinstance(keys, str) else KEY_SEPARATOR
        return (lines if isinstance(lines, str) else LINE_SEPARATOR).join(
            f"{key}{between}{write_value_example(arguments.value, key, value, write_inner)}"
            for key, value in wanted.pairs.items()
        )

    def can_hide(self, arguments: KvLinesArguments | Fault, text: str) -> bool:
        """Tell whether a text can stand in a line."""
        separator = None if isinstance(arguments, Fault) else arguments.line_separator
        return isinstance(separator, str) and separator not in text

    def can_read(self, arguments: KvLinesArguments | Fault) -> bool:
        """Tell whether the separators and the value parser can work."""
        if isinstance(arguments, Fault):
            return False
        parts = (arguments.line_separator, arguments.key_separator, arguments.value)
        return not any(isinstance(part, Fault) for part in parts)

    def reads_anything(self, arguments: KvLinesArguments | Fault) -> bool:
        """Say yes: lines without a separator are passed over."""
        return self.can_read(arguments)

    def drops(self, arguments: KvLinesArguments | Fault, text: str) -> bool:
        """Tell whether a text is a line without a separator."""
        separator = None if isinstance(arguments, Fault) else arguments.key_separator
        return self.can_read(arguments) and isinstance(separator, str) and separator not in text

    def value_content(self, arguments: KvLinesArguments | Fault) -> Content | None:
        """Give what ``value_parser`` names."""
        return None if isinstance(arguments, Fault) else working(arguments.value)
