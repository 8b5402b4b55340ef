"""``python-call-list``: a list of calls with keyword arguments, ``[f(a=1), g(b="x")]``."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from respc.contents.model import (
    Calls,
    ContentParser,
    Expression,
    ReadContent,
    Wanted,
    WriteExample,
    Writer,
    stands_in_strings,
)

if TYPE_CHECKING:
    from respc.ir import Origin


class PythonCallListContent(ContentParser[None]):
    """Records of ``name`` and ``arguments``. Takes no arguments, and does not look at them."""

    name = "python-call-list"
    makes = 'Calls as Python writes them, `[f(a=1, b="x")]`: a list of records of name and arguments.'
    result = "list[dict[str, Any]]"
    element_types = MappingProxyType({"name": "str", "arguments": "dict[str, Any]"})
    calls = Calls.LIST
    shows_end = True

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> None:
        """Accept anything, as the interpreter does."""

    def write(self, arguments: None, operand: str, name: str, writer: Writer) -> Expression:
        """Write a call of the runtime's parser."""
        return Expression(f"parse_call_list({operand})", "list[dict[str, Any]]")

    def write_example(self, arguments: None, wanted: Wanted, write_inner: WriteExample) -> str:
        """Write one call."""
        return '[look_up(city="Bergen", days=3)]'

    def can_hide(self, arguments: None, text: str) -> bool:
        """Tell whether a text can stand in a string."""
        return stands_in_strings(text)
