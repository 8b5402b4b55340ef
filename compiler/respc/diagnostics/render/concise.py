"""One line a finding, for editors and for searching."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics.wording import visible

if TYPE_CHECKING:
    from respc.diagnostics.model import Diagnostic


def concise_line(
    diagnostic: Diagnostic, name: str, encoding: str = "utf-8", *, unsafe_fixes: bool = False
) -> str:
    """Return ``file:line:column: severity[code] message``, or the JSON pointer where there is no place.

    What has a fix, a safe one or with ``unsafe_fixes`` any, is marked with ``[*]``.
    """
    span = diagnostic.span
    place = "" if span is None else f":{span.line}:{span.column}"
    pointer = f" (at {diagnostic.pointer})" if span is None and diagnostic.pointer else ""
    mark = " [*]" if diagnostic.is_fixed(unsafe=unsafe_fixes) else ""
    kind = f"{diagnostic.severity.value}[{diagnostic.code.code}]{mark}"
    return visible(f"{name}{place}: {kind} {diagnostic.message}{pointer}", encoding)
