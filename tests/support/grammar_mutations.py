"""Texts that are nearly those of a grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_PIECE: Final = re.compile(r"\w+|\s+|[^\w\s]")
_PUT_IN: Final = ("x", " ", "\n", '"', "{", "}", ",", "]", "<", "0", "null", "ä", "\\", "</", "true", "-1")


def mutated(text: str, others: Sequence[str], random: Random) -> str:
    """Change a text in one place, or put the end of another one behind its beginning."""
    pieces = _PIECE.findall(text)
    at = random.randrange(len(pieces))
    kind = random.randrange(6)
    if kind == 0:
        del pieces[at]
    elif kind == 1:
        pieces.insert(at, random.choice(_PUT_IN))
    elif kind == 2:
        pieces[at] = random.choice(_PUT_IN)
    elif kind == 3:
        pieces.insert(at, pieces[at])
    elif kind == 4:
        del pieces[at:]
    else:
        other = _PIECE.findall(random.choice(others))
        pieces[at:] = other[min(at, len(other)) :]
    return "".join(pieces)
