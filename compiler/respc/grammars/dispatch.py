"""Free texts as xgrammar's own rules for them: one automaton of the engine, where a rule for each state costs far more.

Such a rule leaves out texts that are in the text as a whole. What could begin in the text and end in what ends it, it
cannot leave out, and then there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.grammars.automaton import CONTROL, HEX_DIGITS
from respc.grammars.strings import CONTROLS, SHORT_ESCAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.grammars.nodes import FreeText

_CONTROL_CHARACTERS: Final = tuple(map(chr, range(ord(CONTROLS[1]) + 1)))


def excluded_texts(text: FreeText) -> tuple[str, ...] | None:
    """List the texts that may not be in a free text, without what ends it.

    Returns:
        None where to leave them out says less than the free text does.
    """
    if text.unlike:
        return None
    if text.letters == "any":
        words = tuple(dict.fromkeys((*text.without, *((text.end,) if text.end else ()))))
        return None if _reach_into(text.end, words) else _shortest(words)
    words = tuple(each for each in text.without if not CONTROL.search(each))
    if _reach_into(text.end, words):
        return None
    if text.letters == "plain":
        return _shortest((text.end[0], "\\", *words, *_CONTROL_CHARACTERS))
    inside_escapes = {*SHORT_ESCAPES, *HEX_DIGITS, text.end[0]}
    if any("\\" in each or each[0] in inside_escapes for each in words):
        return None
    return _shortest((text.end[0], *words, *_CONTROL_CHARACTERS))


def _shortest(words: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what has another one of the texts in it: xgrammar 0.2.7 sees the shorter one nowhere else then."""
    return tuple(word for word in words if not any(other in word for other in words if other != word))


def _reach_into(end: str, words: Iterable[str]) -> bool:
    """Tell whether a text can be that begins in front of an end and is whole within it."""
    return any(
        end.startswith(word[at:]) and not any(each in word[:at] for each in words)
        for word in words
        for at in range(1, len(word))
    )
