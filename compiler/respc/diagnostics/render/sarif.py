"""SARIF 2.1.0, which code scanning reads: one run with its rules and results.

Source of the form: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", an OASIS standard.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from respc.diagnostics.explanations import explanation_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.diagnostics.codes import Code
    from respc.diagnostics.render.reported import Reported
    from respc.source.spans import Span

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_VERSION: Final = "2.1.0"


def sarif_log(findings: Sequence[Reported], version: str) -> dict[str, Any]:
    """Return the log of a run of this version of the compiler; a severity is a level of the same name."""
    links = {each.diagnostic.code: each.url for each in findings}
    codes = sorted(links, key=lambda code: code.code)
    rules = [_rule(code, links[code]) for code in codes]
    results = [_result(each, codes.index(each.diagnostic.code)) for each in findings]
    driver = {"name": "respc", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": _VERSION, "runs": [run]}


def _rule(code: Code, url: str | None) -> dict[str, Any]:
    explanation = explanation_of(code.code)
    # What is only on this machine is no link for those who read the log.
    link = {} if url is None or url.startswith("file:") else {"helpUri": url}
    return {
        "id": code.code,
        "name": code.slug,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": explanation.why},
        "help": {"text": explanation.why, "markdown": explanation.text},
        "defaultConfiguration": {"level": code.severity.value},
        **link,
    }


def _result(reported: Reported, rule: int) -> dict[str, Any]:
    diagnostic = reported.diagnostic
    artifact = {"uri": _uri(reported.name)}
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if diagnostic.span is not None:
        physical["region"] = _region(diagnostic.span)
    location: dict[str, Any] = {"physicalLocation": physical}
    if diagnostic.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": diagnostic.pointer}]
    told = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}"
    result: dict[str, Any] = {
        "ruleId": diagnostic.code.code,
        "ruleIndex": rule,
        "level": diagnostic.severity.value,
        "message": {"text": told},
        "locations": [location],
    }
    if diagnostic.fix is not None and reported.edits:
        replacements = [
            {"deletedRegion": _region(span), "insertedContent": {"text": text}}
            for span, text in reported.edits
        ]
        change = {"artifactLocation": artifact, "replacements": replacements}
        result["fixes"] = [{"description": {"text": diagnostic.fix.changes}, "artifactChanges": [change]}]
    return result


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _uri(name: str) -> str:
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
