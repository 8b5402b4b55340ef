"""What is raised where there is no sound grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics import code_named

if TYPE_CHECKING:
    from respc.diagnostics import Code


class GrammarError(ValueError):
    """There is no grammar whose texts are all read back.

    Attributes:
        code: the row of the table of diagnostics.
        reason: why, and what to do.
        path: where in the tools the reason is, as a JSON pointer; "" where it is in the format.
    """

    def __init__(self, slug: str, reason: str, path: str = "") -> None:
        self.code: Code = code_named(slug)
        self.reason = reason
        self.path = path
        at = f"{path}: " if path else ""
        super().__init__(f"{self.code.code} {at}{reason}")

    def __reduce__(self) -> tuple[type[GrammarError], tuple[str, str, str]]:
        return type(self), (self.code.slug, self.reason, self.path)
