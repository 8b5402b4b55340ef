"""One finding about a response template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.diagnostics.codes import code_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.diagnostics.codes import Code, Severity
    from respc.diagnostics.fixes import Fix
    from respc.source.spans import Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what, where, and how to fix it.

    ``pointer`` is the JSON pointer inside the template, ``span`` the place in its text if it has one,
    ``label`` what is said beside the underlined place, ``builtin`` the class that the interpreter raises,
    ``fix`` what can be done about it in the template. ``severity`` is its code's unless someone wanted another.
    """

    code: Code
    severity: Severity
    message: str
    pointer: str = ""
    span: Span | None = None
    label: str | None = None
    help: str | None = None
    notes: tuple[str, ...] = ()
    builtin: type[Exception] = ValueError
    fix: Fix | None = None

    def is_fixed(self, *, unsafe: bool) -> bool:
        """Tell whether there is a fix that is made: a safe one, or with ``unsafe`` any."""
        return self.fix is not None and (unsafe or self.fix.is_safe)


def diagnose(
    name: str,
    message: str,
    pointer: str = "",
    span: Span | None = None,
    *,
    label: str | None = None,
    help: str | None = None,  # noqa: A002 - as the attribute it fills
    notes: tuple[str, ...] = (),
    builtin: type[Exception] = ValueError,
    fix: Fix | None = None,
) -> Diagnostic:
    """Return a finding of the code with this code or slug; KeyError when the table has none."""
    code = code_named(name)
    return Diagnostic(code, code.severity, message, pointer, span, label, help, notes, builtin, fix)


def by_place(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Put findings in the order of the text, as commands show them; last those without a place."""
    return tuple(
        sorted(
            diagnostics,
            key=lambda each: (1, 0, 0) if each.span is None else (0, each.span.line, each.span.column),
        )
    )
