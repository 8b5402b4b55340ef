"""One line a finding, for editors and for searching."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics.wording import visible

if TYPE_CHECKING:
    from respc.diagnostics.model import Diagnostic


def concise_line(diagnostic: Diagnostic, name: str, encoding: str = "utf-8") -> str:
    """Return ``file:line:column: severity[code] message``, or the JSON pointer where there is no place."""
    span = diagnostic.span
    place = "" if span is None else f":{span.line}:{span.column}"
    pointer = f" (at {diagnostic.pointer})" if span is None and diagnostic.pointer else ""
    kind = f"{diagnostic.severity.value}[{diagnostic.code.code}]"
    return visible(f"{name}{place}: {kind} {diagnostic.message}{pointer}", encoding)
