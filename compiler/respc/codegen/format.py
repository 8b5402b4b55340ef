"""Formats a module as black does."""

from __future__ import annotations

LINE_LENGTH = 100
MOST_PARTS = 20_000
"""Lines and elements of displays together; black takes some ten seconds for so many."""


def is_too_large(source: str) -> bool:
    """Tell whether formatting would take longer than anyone wants to wait."""
    return source.count("\n") + source.count(", ") > MOST_PARTS


def format_source(source: str) -> str:
    """Format Python source.

    Raises:
        black.InvalidInput: it is not Python.
    """
    # Imported here because it takes longer than compiling a template.
    from black import Mode, format_str
    from black.mode import TargetVersion

    return format_str(source, mode=Mode(target_versions={TargetVersion.PY310}, line_length=LINE_LENGTH))
