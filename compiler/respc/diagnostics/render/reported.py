"""A finding with all that programs are told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.diagnostics.model import Diagnostic
    from respc.source.spans import Span


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding.

    Attributes:
        diagnostic: what was found.
        name: the file, or what the template is called.
        url: where its code is explained, if that has an address.
        edits: what its fix writes, and in the place of what; None where there is no fix, or no text.
    """

    diagnostic: Diagnostic
    name: str
    url: str | None = None
    edits: tuple[tuple[Span, str], ...] | None = None
