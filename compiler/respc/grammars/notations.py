"""What the notations of grammars have in common: rules are written on their own, and put together to a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.grammars.nodes import Rules


class Written(NamedTuple):
    """Rules as they are written.

    Attributes:
        rules: their lines.
        texts: the lines of each free text in them, which others have as well.
    """

    rules: str
    texts: tuple[str, ...]


class Notation(Protocol):
    """How grammars are written.

    Attributes:
        has_lexer: whether its engines take the longest text that they know, and never go back.
    """

    has_lexer: bool

    def written(self, rules: Rules) -> Written:
        """Write rules.

        Raises:
            GrammarError: the notation needs to know more.
        """
        ...


def joined(parts: Iterable[Written]) -> str:
    """Write a grammar: the rules of each part once, and behind them those of free texts."""
    distinct = [*dict.fromkeys(parts)]
    texts = dict.fromkeys(text for each in distinct for text in each.texts)
    return "\n".join((*(each.rules for each in distinct), *texts)) + "\n"
