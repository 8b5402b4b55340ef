"""The rules for openers, closers and start anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import regex

from respc.diagnostics import Fix, quoted
from respc.diagnostics.fixes import Remove
from respc.patterns.parse import place_of_error
from respc.source import child_pointer
from respc.source.json_kinds import is_list, json_kind

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings

LOADS: Final = "the interpreter loads the template"
"""What is different once a template is no longer refused."""


def check_delimiter(
    holder: dict[str, Any], pointer: str, keys: tuple[str, str], findings: Findings
) -> frozenset[str]:
    """Check a delimiter that is written under one of two keys.

    Args:
        holder: the field, or the template for its anchor.
        pointer: the place of the holder.
        keys: the key for literals and the key for a pattern.
        findings: where findings go.

    Returns:
        The names of the pattern's capture groups.
    """
    literal_key, pattern_key = keys
    if literal_key in holder and pattern_key in holder:
        findings.add(
            "both-start-anchors" if literal_key == "start_anchor" else "literal-and-pattern",
            f"'{literal_key}' and '{pattern_key}' are both there (a key counts even if its value is null)",
            f"{pointer}/{pattern_key}",
            at_key=True,
            help="remove one of them",
        )
    elif literal_key in holder:
        _check_literals(holder[literal_key], f"{pointer}/{literal_key}", literal_key, findings)
    elif pattern_key in holder:
        return _check_pattern(holder[pattern_key], f"{pointer}/{pattern_key}", pattern_key, findings)
    return frozenset()


def _check_literals(literals: object, pointer: str, key: str, findings: Findings) -> None:
    if not (isinstance(literals, str) or is_list(literals)):
        kind = json_kind(literals)
        findings.add(
            "literal-wrong-type",
            f"'{key}' is {kind}, not a string or a list of strings",
            pointer,
            help=f"remove the key '{key}'" if literals is None else f'write "{key}": "<text>"',
            fix=Fix(LOADS, (Remove(pointer),), is_safe=True) if literals is None and key == "close" else None,
        )
        return
    if literals == []:
        findings.add(
            "literal-list-empty",
            f"'{key}' is an empty list, which nothing can match",
            pointer,
            help=f"list at least one text, or remove the key '{key}'",
        )
    texts: list[Any] = [literals] if isinstance(literals, str) else literals
    for number, text in enumerate(texts):
        place = pointer if isinstance(literals, str) else child_pointer(pointer, str(number))
        if not isinstance(text, str):
            message = f"'{key}' lists {json_kind(text)}, not a string"
            findings.add("literal-not-string", message, place, help="put it in quotes, or remove it")
        elif not text:
            message = f"a literal of '{key}' is empty: it would match everywhere"
            advice = (
                "remove it; a field without an opener takes the text that no region claims"
                if key == "open"
                else "remove it; a region without a closer runs to the end"
                if key == "close"
                else "write what the chat template puts before the assistant's message"
            )
            findings.add("literal-empty", message, place, help=advice)


def _check_pattern(pattern: object, pointer: str, key: str, findings: Findings) -> frozenset[str]:
    if not isinstance(pattern, str):
        findings.add(
            "pattern-not-string",
            f"'{key}' is {json_kind(pattern)}, not a regular expression in a string",
            pointer,
            builtin=TypeError,
            help="alternatives of a pattern are written `one|other`" if isinstance(pattern, list) else None,
        )
        return frozenset()
    try:
        return frozenset(regex.compile(pattern, regex.DOTALL).groupindex)
    except regex.error as error:
        shown = place_of_error(error, pattern)
        findings.add(
            "invalid-pattern",
            f"'{key}' is no regular expression: {getattr(error, 'msg', error)}",
            pointer,
            characters=shown,
            label="here",
            help="plain text that is meant as it is goes under "
            f"'{key.removesuffix('_pattern')}', or is escaped with \\",
        )
    except RecursionError:
        findings.add(
            "invalid-pattern", f"'{key}' is nested too deep", pointer, help="write it with fewer groups"
        )
    except ValueError as error:
        findings.add(
            "invalid-pattern", f"'{key}' is no regular expression: {quoted(str(error), 200)}", pointer
        )
    return frozenset()
