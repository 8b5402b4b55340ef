"""What commands show a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.source import SourceText


def print_findings(diagnostics: tuple[Diagnostic, ...], name: str, text: SourceText | None) -> None:
    """Print findings to standard error, in colour where the terminal has it."""
    if not diagnostics:
        return
    # Imported here because most runs have nothing to show.
    from rich.console import Console

    from respc.diagnostics.render.text import print_text

    print_text(Console(stderr=True), diagnostics, name, text)
