"""``text``: the body, trimmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.contents.scalar import ScalarArguments, ScalarContent
from respc.ir import Fault

if TYPE_CHECKING:
    from respc.contents.model import Wanted, WriteExample


class TextContent(ScalarContent):
    """The body, trimmed unless ``strip`` is false."""

    name = "text"
    makes = "The text itself, trimmed unless `strip` is false."
    result = "str"
    wrapped = "{}"

    def write_example(
        self, arguments: ScalarArguments | Fault, wanted: Wanted, write_inner: WriteExample
    ) -> str:
        """Write prose."""
        return wanted.prose

    def can_fail(self, arguments: ScalarArguments | Fault) -> bool:
        """Tell that every body is text."""
        return isinstance(arguments, Fault)

    def trims_text(self, arguments: ScalarArguments | Fault) -> bool | None:
        """Tell what ``strip`` says."""
        return None if isinstance(arguments, Fault) else arguments.strip
