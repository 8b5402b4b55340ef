"""``python-call-list``: a list of calls with keyword arguments, ``[f(a=1), g(b="x")]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc.contents.model import ContentParser, Expression, ReadContent, Writer

if TYPE_CHECKING:
    from respc.ir import Origin


class PythonCallListContent(ContentParser):
    """Records of ``name`` and ``arguments``. Takes no arguments, and does not look at them."""

    name = "python-call-list"
    result = "list[dict[str, Any]]"

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> None:
        """Accept anything, as the interpreter does."""

    def write(self, arguments: Any, operand: str, name: str, writer: Writer) -> Expression:
        """Write a call of the runtime's parser."""
        return Expression(f"{writer.runtime('parse_call_list')}({operand})", "list[dict[str, Any]]")
