"""Grammars as structural tags of xgrammar."""

from __future__ import annotations

import json


def structural_tag(grammar: str) -> str:
    """Write a structural tag, which is JSON, of a grammar in EBNF."""
    tag = {"type": "structural_tag", "format": {"type": "grammar", "grammar": grammar}}
    return json.dumps(tag, ensure_ascii=False)
