"""Words that were perhaps misspelt: which known one was meant, and the mend where that is certain."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from respc.diagnostics.fixes import Fix, RenameKey

if TYPE_CHECKING:
    from collections.abc import Collection

_CERTAIN: Final = 0.8
"""How alike two words are of which one is certainly the other, misspelt."""


def closest(word: object, known: Collection[str]) -> str | None:
    """Give the known word that was perhaps meant."""
    matches = get_close_matches(word, known, n=1) if isinstance(word, str) else []
    return matches[0] if matches else None


def rename_fix(
    key: str, pointer: str, known: Collection[str], members: Collection[str], *, changes: str = "`{}` counts"
) -> Fix | None:
    """Mend a misspelt key.

    Args:
        key: as it is written.
        pointer: where the member is.
        known: the keys that there are.
        members: the keys of the object.
        changes: what is different then, with a place for the key that was meant.

    Returns:
        None where it is not certain which key was meant, or where that one, or the other way to write it, is there too.
    """
    matches = get_close_matches(key, known, n=1, cutoff=_CERTAIN)
    if not matches:
        return None
    meant = matches[0]
    rival = meant.removesuffix("_pattern") if meant.endswith("_pattern") else f"{meant}_pattern"
    if meant in members or rival in members:
        return None
    return Fix(changes.format(meant), (RenameKey(pointer, meant),))
