"""For programs: a finding as a record that JSON can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from respc.diagnostics.model import Diagnostic


def record(diagnostic: Diagnostic, name: str) -> dict[str, Any]:
    """Return what is known of a finding about the template called ``name``; the four places are null without a text."""
    span = diagnostic.span
    return {
        "code": diagnostic.code.code,
        "slug": diagnostic.code.slug,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "pointer": diagnostic.pointer,
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "end_line": None if span is None else span.end_line,
        "end_column": None if span is None else span.end_column,
        "help": diagnostic.help,
        "file": name,
    }
