"""The package `regex`, which is only imported for parsers that need it, and may be missing until one does."""

from __future__ import annotations

__all__ = ["regex"]

try:
    import regex
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "this parser has patterns that Python's `re` reads in another way, and the package regex is not installed: "
        "`pip install regex`",
        name=error.name,
    ) from error
