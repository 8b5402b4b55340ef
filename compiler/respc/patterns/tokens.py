"""The tokens of a pattern with their places, for findings that point into it.

The syntax tree comes from the parser of `regex`, which keeps no places. What is asked of tokens is only what stands
where, never what it means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Kind(Enum):
    """What a token is."""

    OPEN = "the beginning of a group"
    CLOSE = "the end of a group"
    BAR = "or"
    REPEAT = "how often"
    CLASS = "a class of characters"
    ESCAPE = "an escape"
    ANCHOR = "the start or the end"
    REFERENCE = "a back-reference or a call"
    FLAGS = "flags"
    COMMENT = "a comment"
    FUZZY = "how many errors"
    TEXT = "a character"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a pattern: ``start`` is its place, ``depth`` the number of groups around it."""

    kind: Kind
    text: str
    start: int
    depth: int

    @property
    def end(self) -> int:
        """Give the place after it."""
        return self.start + len(self.text)


_LONGEST: Final = 10_000
_SYNTAX: Final = r"""
      (?P<COMMENT> \(\?\#(?: \\. | [^)\\] )*\) )
    | (?P<REFERENCE> \(\?P=\w+\) | \(\?(?:P>|&)\w+\) | \(\?(?:R|[+-]?[0-9]+)\)
        | \\g<\w+> | \\[1-9][0-9]? (?![0-7]) | \(\*\w+\) )
    | (?P<FLAGS> \(\?[aefilmprsuwxbLV01]*(?:-[imsx]+)?[:)] (?<!\(\?:) )
    | (?P<OPEN> \( (?: \?P?<\w+> | \?<?[=!] | \?[:>|] | \?\(\w+\) )? )
    | (?P<CLOSE> \) )
    | (?P<BAR> \| )
    | (?P<CLASS> \[\^?\]?(?: \\. | \[[:.=]\^?\w+[:.=]\] | [^\]\\] )*\] )
    | (?P<ESCAPE> \\(?: x[0-9A-Fa-f]{2} | u[0-9A-Fa-f]{4} | U[0-9A-Fa-f]{8} | [NpP]\{[^}()]*\} | L<\w+> | [0-7]{1,3}
        | . ) )
    | (?P<REPEAT> (?: [*+?] | \{[0-9]+(?:,[0-9]*)?\} | \{,[0-9]+\} ) [?+]? )
    | (?P<FUZZY> \{[0-9<=\s]*[eids][0-9<=,+eids\s]*(?::[^}]*)?\} )
    | (?P<ANCHOR> [\^$] )
    | (?P<TEXT> . )
"""
_TOKEN: Final = re.compile(_SYNTAX, re.VERBOSE | re.DOTALL)
_VERBOSE_TOKEN: Final = re.compile(rf"(?P<LINE> \#[^\n]* ) | {_SYNTAX}", re.VERBOSE | re.DOTALL)


def tokens_of(pattern: str) -> tuple[Token, ...]:
    """Cut a pattern that `regex` accepts into tokens, which together are the pattern; one that is too long has none."""
    if len(pattern) > _LONGEST:
        return ()
    tokens: list[Token] = []
    depth = 0
    token = _TOKEN
    while match := token.match(pattern, tokens[-1].end if tokens else 0):
        kind = Kind.COMMENT if match.lastgroup == "LINE" else Kind[match.lastgroup or "TEXT"]
        if kind is Kind.CLOSE:
            depth = max(depth - 1, 0)
        tokens.append(Token(kind, match[0], match.start(), depth))
        if kind is Kind.OPEN or (kind is Kind.FLAGS and match[0].endswith(":")):
            depth += 1
        if kind is Kind.FLAGS and "x" in match[0].partition("-")[0]:
            token = _VERBOSE_TOKEN
    return tuple(tokens)


def group_end(tokens: tuple[Token, ...], opening: int) -> int:
    """Give the number of the token that closes the group which the token ``opening`` opens."""
    depth = tokens[opening].depth
    closing = (
        number
        for number in range(opening + 1, len(tokens))
        if tokens[number].kind is Kind.CLOSE and tokens[number].depth == depth
    )
    # Where verbose flags end is not followed, so that a bracket can be hidden in what only looks like a comment.
    return next(closing, len(tokens) - 1)
