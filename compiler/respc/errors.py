"""What the compiler raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.source.spans import SourceText


class TemplateError(Exception):
    """A template was refused.

    What is raised is also a ValueError or a TypeError, whichever the interpreter raises for the template.

    Attributes:
        diagnostics: every finding, the errors and the others, in the order of the interpreter's checks.
        name: what messages call the template.
        text: the text that the findings' places belong to; None for a template that came as a dict.
    """

    def __init__(
        self, diagnostics: tuple[Diagnostic, ...], name: str, text: SourceText | None = None
    ) -> None:
        self.diagnostics = diagnostics
        self.name = name
        self.text = text
        super().__init__(_summary(diagnostics, name))

    def __reduce__(self) -> tuple[type[TemplateError], tuple[object, ...]]:
        return type(self), (self.diagnostics, self.name, self.text)


class InvalidTemplateError(TemplateError, ValueError):
    """The template is not one, or its values cannot work."""


class WrongTypeInTemplateError(TemplateError, TypeError):
    """A value of the template has a type that the interpreter stumbles over."""


class InternalError(Exception):
    """The compiler made something that is not right; nothing was written. Please report it with the template."""


def refusal(diagnostics: tuple[Diagnostic, ...], name: str, text: SourceText | None = None) -> TemplateError:
    """Make the error for findings of which at least one is an error; the first one decides its class."""
    first = next(diagnostic for diagnostic in diagnostics if diagnostic.severity == "error")
    kind = WrongTypeInTemplateError if issubclass(first.builtin, TypeError) else InvalidTemplateError
    return kind(diagnostics, name, text)


def _summary(diagnostics: tuple[Diagnostic, ...], name: str) -> str:
    lines: list[str] = []
    for diagnostic in diagnostics:
        place = (
            f"{diagnostic.span.line}:{diagnostic.span.column}"
            if diagnostic.span
            else diagnostic.pointer or "/"
        )
        lines.append(
            f"{name}:{place}: {diagnostic.severity.value}[{diagnostic.code.code}] {diagnostic.message}"
        )
        if diagnostic.help:
            lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)
