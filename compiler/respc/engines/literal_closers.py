"""Literals in the place of a pattern that closes a region: what engines look for is tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from respc.patterns import parse_pattern
from respc.patterns.syntax import Atomic, Choice, Group, OneOf, Repeat, Sequence, Text
from respc.patterns.tokens import Kind, group_end, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.patterns.syntax import Node
    from respc.patterns.tokens import Token

_MOST: Final = 64
_LARGEST_CLASS: Final = 8
_LINE_ENDS: Final = ("", "\n", "\n\n")
"""What a model writes between its reasoning and what follows, as far as literals can take it too."""


@dataclass(frozen=True, slots=True)
class LiteralClosers:
    """What can stand in the place of a closer that is a pattern.

    Attributes:
        texts: the literals, the first of them that which the pattern has first.
        ends: those after which the pattern takes all the rest, as after the end of a turn.
        blanks: whether the pattern takes blanks behind some of them.
        lost: the alternatives of the pattern that are no literals, as written.
    """

    texts: tuple[str, ...]
    ends: tuple[str, ...]
    blanks: bool
    lost: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        """Give the literals as a field has them: line ends behind them are taken where the pattern takes blanks."""
        behind = _LINE_ENDS if self.blanks else _LINE_ENDS[:1]
        return list(dict.fromkeys([text + end for end in behind for text in self.texts] + [*self.ends]))


def literal_closers(pattern: str) -> LiteralClosers | None:
    """Make literals of a closer.

    An alternative of it is one if it is text, and after it perhaps blanks or all the rest. None where no alternative
    is a closer by itself: what only looks ahead for another field, or only ends with the turn, is none. None too where
    there would be very many.
    """
    if sets_flags(pattern):
        return None
    texts: dict[str, None] = {}
    ends: dict[str, None] = {}
    blanks = False
    lost: list[str] = []
    for written in alternatives_as_written(pattern):
        for leaves in _alternatives(parse_pattern(written)):
            text, rest = _split(leaves)
            if not text:
                lost.append(written)
            elif not rest or _is_run(rest, blanks_only=True):
                texts[text] = None
                blanks = blanks or bool(rest)
            elif _is_run(rest, blanks_only=False):
                ends[text] = None
            else:
                lost.append(written)
    if not texts or len(texts) + len(ends) > _MOST:
        return None
    return LiteralClosers(
        tuple(texts), tuple(end for end in ends if end not in texts), blanks, tuple(dict.fromkeys(lost))
    )


def texts_of(alternative: str) -> list[str]:
    """List the texts that an alternative takes, without blanks behind them; none if it can take others too."""
    split = [_split(leaves) for leaves in _alternatives(parse_pattern(alternative))]
    if any(rest and not _is_run(rest, blanks_only=True) for _, rest in split):
        return []
    return [text for text, _ in split]


def are_words(closers: Iterable[str]) -> bool:
    """Tell whether one of some closers is words, which are several tokens, and not always the same."""
    return any(any(map(str.isspace, closer.strip())) for closer in closers)


def sets_flags(pattern: str) -> bool:
    """Tell whether a pattern sets flags, so that a piece of it can mean something else alone."""
    return any(token.kind is Kind.FLAGS for token in tokens_of(pattern))


def alternatives_as_written(pattern: str) -> list[str]:
    """Cut a pattern at its bars, those of a group that it or an alternative begins with too."""
    written: list[str] = []
    for alternative in _cut(pattern, tokens_of(pattern)):
        tokens = tokens_of(alternative)
        if not tokens or tokens[0].text != "(?:":
            written.append(alternative)
            continue
        last = group_end(tokens, 0)
        inside, rest = alternative[tokens[0].end : tokens[last].start], alternative[tokens[last].end :]
        if last + 1 < len(tokens) and tokens[last + 1].kind is Kind.REPEAT:
            written.append(alternative)
        else:
            written += [each + rest for each in alternatives_as_written(inside)]
    return written


def _cut(pattern: str, tokens: tuple[Token, ...]) -> list[str]:
    bars = [token for token in tokens if token.kind is Kind.BAR and token.depth == 0]
    starts = [0, *(bar.end for bar in bars)]
    ends = [*(bar.start for bar in bars), len(pattern)]
    return [pattern[start:end] for start, end in zip(starts, ends, strict=True)]


def _alternatives(node: Node) -> list[tuple[Node, ...]]:
    """Multiply out what a pattern can be, as far as that is not much; what has no end stays as it is."""
    match node:
        case Sequence(items):
            made: list[tuple[Node, ...]] = [()]
            for item in items:
                made = [before + after for before in made for after in _alternatives(item)]
                if len(made) > _MOST:
                    return [(node,)]
            return made
        case Choice(branches):
            return [leaves for branch in branches for leaves in _alternatives(branch)]
        case Repeat(item, 0, 1):
            written = _alternatives(item)
            # With one that cannot be written out, the text around is not a whole closer either.
            return [(), *written] if all(map(_is_text, written)) else [(node,)]
        case Group(item) | Atomic(item):
            return _alternatives(item)
        case OneOf(characters, False) if characters is not None and len(characters) <= _LARGEST_CLASS:
            return [(Text(character),) for character in sorted(characters)]
        case _:
            return [(node,)]


def _is_text(leaves: tuple[Node, ...]) -> bool:
    return all(isinstance(leaf, Text) for leaf in leaves)


def _split(leaves: tuple[Node, ...]) -> tuple[str, tuple[Node, ...]]:
    """Split an alternative into the text that it begins with, and the rest."""
    text = ""
    for number, leaf in enumerate(leaves):
        if not isinstance(leaf, Text):
            return text, leaves[number:]
        text += leaf.character
    return text, ()


def _is_run(rest: tuple[Node, ...], *, blanks_only: bool) -> bool:
    r"""Tell whether what follows a text is `\s*`, or `[\s\S]*`."""
    match rest:
        case (Repeat(OneOf() as item, 0, None),):
            return item.is_blanks if blanks_only else _is_anything(item)
        case _:
            return False


def _is_anything(item: OneOf) -> bool:
    return (item.members == "" and item.negated) or (item.members == r"\s\S" and not item.negated)
