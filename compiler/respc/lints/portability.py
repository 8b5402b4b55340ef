"""Pattern syntax that other implementations of response templates do not have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from respc.lints.delimiters import placed_patterns
from respc.patterns.tokens import Kind, Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_LOOK_AROUND: Final = {
    "(?=": "a look-ahead",
    "(?!": "a look-ahead for what must not be there",
    "(?<=": "a look-behind",
    "(?<!": "a look-behind for what must not be there",
}
_OWN_ESCAPES: Final = {
    r"\K": "a match that starts later than it was found",
    r"\G": "the place where the search began",
    r"\m": "the start of a word",
    r"\M": "the end of a word",
    r"\R": "any line break",
    r"\h": "a horizontal blank",
    r"\X": "a grapheme",
}
_NAMED_CLASS: Final = re.compile(r"\[:\^?\w+:\]")
_SET_OPERATION: Final = re.compile(r"&&|\|\||--|~~")


def check_portability(ir: ParserIR, findings: Findings) -> None:
    """Find the syntax that engines without backtracking, or other languages, refuse; each kind once a pattern."""
    for placed in placed_patterns(ir):
        spoken_of: set[str] = set()
        for slug, what, token in _unusual(tokens_of(placed.pattern)):
            if slug not in spoken_of:
                spoken_of.add(slug)
                findings.add(
                    slug,
                    f"the pattern has {what}",
                    placed.pointer,
                    characters=(token.start, token.end),
                    label="may be refused by parsers in other languages",
                )


def _unusual(tokens: tuple[Token, ...]) -> Iterator[tuple[str, str, Token]]:
    """List what is unusual: the slug of its code, what it is, and where."""
    version_1 = any(token.kind is Kind.FLAGS and "V1" in token.text for token in tokens)
    for token in tokens:
        text = token.text
        match token.kind:
            case Kind.OPEN if text in _LOOK_AROUND:
                yield "look-around", _LOOK_AROUND[text], token
            case Kind.OPEN if text == "(?>":
                yield "atomic-or-possessive", "an atomic group", token
            case Kind.OPEN if text == "(?|":
                yield "regex-only", "groups that share their numbers", token
            case Kind.OPEN if text.startswith("(?("):
                yield "regex-only", "a condition on a group", token
            case Kind.REPEAT if text.endswith("+") and len(text) > 1:
                yield "atomic-or-possessive", "a possessive repeat", token
            case Kind.REFERENCE if text.startswith(("(?P=", "\\")):
                yield "back-reference", "a back-reference", token
            case Kind.REFERENCE:
                yield "regex-only", "a call of a group or a verb", token
            case Kind.FLAGS:
                yield "pattern-flags", f"the flags `{text}`", token
            case Kind.FUZZY:
                yield "regex-only", "a fuzzy match", token
            case Kind.CLASS if _NAMED_CLASS.search(text) or (version_1 and _SET_OPERATION.search(text)):
                yield "regex-only", "a named class or an operation on classes", token
            case Kind.ESCAPE if text in _OWN_ESCAPES:
                yield "regex-only", _OWN_ESCAPES[text], token
            case Kind.ESCAPE if text.startswith((r"\N{", r"\L<")):
                yield "regex-only", "a character or a list by its name", token
            case _:
                pass
