"""Names made of what a template calls its fields."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from respc_runtime.states import CLOSE

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 40


def identifier_part(text: str) -> str:
    """Make a part of an identifier of any text: ASCII, lower case, short. Different texts may give the same."""
    part = re.sub(r"[^0-9a-z]+", "_", text.casefold(), flags=re.ASCII).strip("_")
    return part[:_LONGEST].rstrip("_") or "field"


class Names:
    """Hands out identifiers, each one once.

    Args:
        reserved: identifiers that are never handed out.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {*reserved}
        self._numbers = defaultdict[str, "count[int]"](lambda: count(2))

    def take(self, wanted: str, endings: Iterable[str] = ()) -> str:
        """Give ``wanted``, or with an ending or a number behind it if it is taken."""
        endings = chain(endings, map(str, self._numbers[wanted]))
        names = chain((wanted,), (f"{wanted}_{ending}" for ending in endings))
        name = next(name for name in names if name not in self._taken)
        self._taken.add(name)
        return name


_OTHERS: Final = ("in_", "at_once_", "kept", "lingers", "skip")
"""What groups of expressions begin with that stand behind no opener."""


def group_names(fields: Iterable[str]) -> dict[str, str]:
    """Name the groups behind the openers of fields: distinct, and unlike those of anything else.

    None of them ends with an underscore and a number: so do the further groups that a delimiter has in an expression.
    """
    names: dict[str, str] = {}
    taken = {CLOSE}
    for field in fields:
        wanted = identifier_part(field)
        if not wanted[0].isalpha() or wanted.startswith(_OTHERS):
            wanted = f"field_{wanted}"
        wanted = re.sub("_(?=[0-9_]+$)", "", wanted)
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}{number}"
        taken.add(name)
        names[field] = name
    return names
