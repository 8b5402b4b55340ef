"""What a standalone module needs beside the standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.diagnostics import quoted
from respc.lints.delimiters import placed_patterns
from respc.patterns import parse_pattern
from respc.patterns.tokens import Kind, Token, tokens_of
from respc.scan.spelling import NotSpelledError, Spelling

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_INSTEAD: Final = {
    r"\w": "[A-Za-z0-9_]",
    r"\W": "[^A-Za-z0-9_]",
    r"\d": "[0-9]",
    r"\D": "[^0-9]",
    r"\S": r"[^\s]",
}
"""For classes whose characters `re` and `regex` do not agree on: those that a model writes in names and numbers."""


def check_standalone_needs(ir: ParserIR, findings: Findings) -> None:
    """Find the classes of characters for which expressions are compiled by `regex`, and not by `re`."""
    for placed in placed_patterns(ir):
        spelling = Spelling()
        try:
            spelling.write(parse_pattern(placed.pattern))
        except NotSpelledError:  # it stays with `regex` as a whole, which another rule says
            continue
        if not spelling.needs_regex:
            continue
        for token in tokens_of(placed.pattern):
            shorthand = _shorthand_in(token)
            if shorthand is not None:
                alone = token.kind is Kind.ESCAPE
                findings.add(
                    "standalone-regex",
                    f"because of {quoted(shorthand)}, a standalone module imports `regex`",
                    placed.pointer,
                    characters=(token.start, token.end),
                    label="has characters that `re` does not count alike",
                    help=f"write `{_INSTEAD[shorthand] if alone else _INSTEAD[shorthand][1:-1]}`"
                    f"{'' if alone else ' in it'}, if that is all there can be",
                )
                break


def _shorthand_in(token: Token) -> str | None:
    """Give the name of a class that a token is, or has among its members."""
    if token.kind not in (Kind.ESCAPE, Kind.CLASS):
        return None
    return next((each for each in _INSTEAD if each in token.text.replace(r"\\", "")), None)
