"""Grammars of what a model may write, for engines that constrain it: all of it is read back by the parser."""

from respc.grammars.api import FORMATS, THINKING, grammar
from respc.grammars.errors import GrammarError
from respc.grammars.formats import is_ready_made
from respc.grammars.special_tokens import special_tokens_of_text
from respc.grammars.spelling import Spelling

__all__ = [
    "FORMATS",
    "THINKING",
    "GrammarError",
    "Spelling",
    "grammar",
    "is_ready_made",
    "special_tokens_of_text",
]
