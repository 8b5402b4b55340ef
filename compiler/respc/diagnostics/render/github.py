"""For GitHub: a workflow command a finding, which shows it beside the changed lines.

Source of the form: "Workflow commands for GitHub Actions" in GitHub's documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.diagnostics.codes import Severity
from respc.diagnostics.wording import visible

if TYPE_CHECKING:
    from respc.diagnostics.model import Diagnostic

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def annotation(diagnostic: Diagnostic, name: str) -> str:
    """Return the workflow command for a finding about the template called ``name``."""
    span = diagnostic.span
    properties = {"file": name}
    if span is not None:
        properties |= {"line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:  # over several lines, GitHub has no columns
            properties |= {"col": str(span.column), "endColumn": str(span.end_column)}
    properties["title"] = f"{diagnostic.code.code} {diagnostic.code.slug}"
    help_line = "" if diagnostic.help is None else f"\nhelp: {visible(diagnostic.help)}"
    message = visible(diagnostic.message) + help_line
    return workflow_command(_COMMANDS[diagnostic.severity], properties, message)


def workflow_command(name: str, properties: dict[str, str], message: str) -> str:
    """Write a workflow command with its properties, and a message that shows in a terminal."""
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # Escaped first, so that a line break is still the one that GitHub knows.
    return visible(_message(text).replace(":", "%3A").replace(",", "%2C"))
