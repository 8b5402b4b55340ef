"""For programs: a finding as a record that JSON can hold.

Lines and columns count from 1, columns in characters (code points), and an end is the place behind the last character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc.diagnostics.explanations import explanation_of

if TYPE_CHECKING:
    from respc.diagnostics.render.reported import Reported
    from respc.source.spans import Span


def record(reported: Reported) -> dict[str, Any]:
    """Return what is known of a finding; the four places are null without a text."""
    diagnostic = reported.diagnostic
    return {
        "code": diagnostic.code.code,
        "slug": diagnostic.code.slug,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "pointer": diagnostic.pointer,
        **_place(diagnostic.span),
        "help": diagnostic.help,
        "why": explanation_of(diagnostic.code.code).why,
        "url": reported.url,
        "fix": _fix(reported),
        "file": reported.name,
    }


def _fix(reported: Reported) -> dict[str, Any] | None:
    fix = reported.diagnostic.fix
    if fix is None or reported.edits is None:
        return None
    return {
        "applicability": "safe" if fix.is_safe else "unsafe",
        "message": fix.changes,
        "edits": [{**_place(span), "content": text} for span, text in reported.edits],
    }


def _place(span: Span | None) -> dict[str, int | None]:
    return {
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "end_line": None if span is None else span.end_line,
        "end_column": None if span is None else span.end_column,
    }
