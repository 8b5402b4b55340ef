"""Names made of what a template calls its fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from respc_runtime.states import CLOSE

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 40


def identifier_part(text: str) -> str:
    """Make a part of an identifier of any text: ASCII, lower case, short. Different texts may give the same."""
    part = re.sub(r"[^0-9a-z]+", "_", text.casefold(), flags=re.ASCII).strip("_")
    return part[:_LONGEST].rstrip("_") or "field"


def group_names(fields: Iterable[str]) -> dict[str, str]:
    """Name the groups behind the openers of fields: distinct, and unlike those of anything else."""
    names: dict[str, str] = {}
    taken = {CLOSE}
    for field in fields:
        wanted = identifier_part(field)
        if not wanted[0].isalpha() or wanted.startswith(("in_", "at_once_", "kept", "skip")):
            wanted = f"field_{wanted}"
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(name)
        names[field] = name
    return names
