"""Grammars of what a model may write, for engines that constrain it: all of it is read back by the parser."""

from respc.grammars.api import FORMATS, THINKING, grammar
from respc.grammars.errors import GrammarError
from respc.grammars.spelling import Spelling

__all__ = ["FORMATS", "THINKING", "GrammarError", "Spelling", "grammar"]
