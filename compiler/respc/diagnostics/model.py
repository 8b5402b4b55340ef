"""One finding about a response template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.diagnostics.codes import Code, Severity, code_named

if TYPE_CHECKING:
    from respc.source.spans import Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what, where, and how to mend it.

    ``pointer`` is the JSON pointer inside the template, ``span`` the place in its text if it has one,
    ``label`` what is said beside the underlined place, ``builtin`` the class that the interpreter raises.
    """

    code: Code
    message: str
    pointer: str = ""
    span: Span | None = None
    label: str | None = None
    help: str | None = None
    notes: tuple[str, ...] = ()
    builtin: type[Exception] = ValueError

    @property
    def severity(self) -> Severity:
        """The severity of its code."""
        return self.code.severity


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
) -> Diagnostic:
    """Return a finding of the code with this code or slug; KeyError when the table has none."""
    return Diagnostic(code_named(name), message, pointer, span, label, help, notes, builtin)
