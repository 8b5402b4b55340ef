"""The table of chat templates: `templates.json` has a row for each that a package in reach has a copy of.

- ``package`` and ``file``: where it is.
- ``model``, whose name gives the parser, or ``family``, where a template asks a model for another format than its own.
- ``given``: see `ChatTemplate`.
- ``without``: what it does not write, and how that shows.
- ``otherwise``: what its history has in another way than the model would write it behind the prompt, and how.
- ``grammars``: what it writes that is no text of its grammar, and why.
- ``spelled``: what messages it spells otherwise than the record of its family, and how.
- ``ends``: what ends a turn beside the token that is known to.
- ``faults``: the kinds of fault that `respc verify` names, and why the parser is left as it is.

``without``, ``otherwise`` and ``grammars`` name conversations, modes, or what conversations need.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from respc_parsers import row_of_model
from support.templates import TESTS

if TYPE_CHECKING:
    from chat_templates.conversations import Conversation

ROWS: Final[list[dict[str, Any]]] = json.loads(
    (TESTS / "chat_templates" / "templates.json").read_text(encoding="utf-8")
)

WRITING_CALLS: Final = [
    row for row in ROWS if "calls" not in {*row.get("without", {}), *row.get("otherwise", {})}
]


def name_of(row: dict[str, Any]) -> str:
    """Give the name of a row."""
    return f"{row['package']}/{row['file'].removesuffix('.jinja')}"


def family_of(row: dict[str, Any]) -> str:
    """Give the family that reads what a template writes."""
    return str(row["family"] if "family" in row else row_of_model(row["model"]).family)


def applies(names: dict[str, str], conversation: Conversation, *modes: str) -> bool:
    """Tell whether names of a row are for a conversation."""
    return not names.keys().isdisjoint({conversation.name, *conversation.needs, *modes})
