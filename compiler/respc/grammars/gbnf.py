"""Grammars as llama.cpp reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.grammars.ebnf import ebnf

if TYPE_CHECKING:
    from respc.grammars.nodes import Grammar


def gbnf(grammar: Grammar) -> str:
    """Write a grammar for llama.cpp."""
    return ebnf(grammar)
