"""The rules for how large the parts of a template may be, which come before all that takes time by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.patterns.written_out import written_out_length
from respc.source import child_pointer
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.findings import Findings

MAX_FIELDS: Final = 500
"""A template may have this many fields: all of them are compared with each other."""

MAX_DELIMITER_CHARACTERS: Final = 50_000
"""All delimiters and tag patterns may have this many characters together, counted repeats written out.

Every character of a pattern is tried out, which takes some 60 microseconds; the delimiters of a model have a hundred.
"""

_LITERALS: Final = ("open", "close", "start_anchor")
_PATTERNS: Final = ("open_pattern", "close_pattern", "start_anchor_pattern", "tag_pattern")


def check_sizes(template: dict[str, Any], findings: Findings) -> None:
    """Find what makes a template too large to be looked at further."""
    fields = template.get("fields")
    if is_object(fields) and len(fields) > MAX_FIELDS:
        findings.add(
            "template-too-large",
            f"the template has {len(fields):,} fields: it may have {MAX_FIELDS}",
            "/fields",
            at_key=True,
            help="leave out those that no model writes",
        )
        return
    total = 0
    for pointer, key, length in _lengths(template):
        total += length
        if total > MAX_DELIMITER_CHARACTERS:
            findings.add(
                "delimiters-too-long",
                _message(key, length, total),
                pointer,
                help="a delimiter is what the model writes around a text, not the text",
            )
            return


def _message(key: str, length: int, total: int) -> str:
    repeats = ", counted repeats written out" if key in _PATTERNS else ""
    if length > MAX_DELIMITER_CHARACTERS:
        has = f"'{key}' has {length:,} characters{repeats}"
    else:
        has = f"with '{key}' the delimiters have {total:,} characters{repeats}"
    return f"{has}: all delimiters together may have {MAX_DELIMITER_CHARACTERS:,}"


def _lengths(template: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Give the place, the key and the length of every delimiter and every tag pattern."""
    yield from _lengths_in(template, "")
    fields = template.get("fields")
    for name, field in fields.items() if is_object(fields) else ():
        if is_object(field):
            pointer = child_pointer("/fields", name)
            yield from _lengths_in(field, pointer)
            yield from _lengths_of_tags(field, pointer)


def _lengths_in(holder: dict[str, Any], pointer: str) -> Iterator[tuple[str, str, int]]:
    for key in _LITERALS:
        value = holder.get(key)
        texts: list[Any] = value if is_list(value) else [value]
        yield f"{pointer}/{key}", key, sum(len(text) for text in texts if isinstance(text, str))
    for key in _PATTERNS:
        if isinstance(pattern := holder.get(key), str):
            yield f"{pointer}/{key}", key, written_out_length(pattern)


def _lengths_of_tags(field: dict[str, Any], pointer: str) -> Iterator[tuple[str, str, int]]:
    """Look at the arguments of the content parser, and at those of the value parsers in them."""
    arguments, pointer = field.get("content_args"), f"{pointer}/content_args"
    while is_object(arguments):
        yield from _lengths_in({"tag_pattern": arguments.get("tag_pattern")}, pointer)
        inner = arguments.get("value_parser")
        arguments, pointer = inner.get("args") if is_object(inner) else None, f"{pointer}/value_parser/args"
