"""Grammars as structural tags of xgrammar."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from respc.grammars.ebnf import ebnf

if TYPE_CHECKING:
    from respc.grammars.nodes import Grammar


def structural_tag(grammar: Grammar) -> str:
    """Write a structural tag, which is JSON."""
    tag = {"type": "structural_tag", "format": {"type": "grammar", "grammar": ebnf(grammar, dispatch=True)}}
    return json.dumps(tag, ensure_ascii=False)
