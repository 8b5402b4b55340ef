"""Grammars as llguidance reads them: Lark, whose terminals are regular expressions with complements."""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final

from respc.grammars.errors import GrammarError
from respc.grammars.lark_patterns import class_of, has_only_literals, pattern_of
from respc.grammars.lark_texts import NOTHING, Taken, free_text, leads_of, taken_by
from respc.grammars.nodes import (
    START,
    Characters,
    Choice,
    FreeText,
    KnownChoice,
    Literal,
    Node,
    Reference,
    Repeat,
    Rules,
    Sequence,
    led,
    times,
)
from respc.grammars.notations import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_CACHED: Final = 4_096
_NAMED_TOKEN: Final = re.compile(r"<[^<>\[\]\s\d][^<>\[\]\s]*>")


class Lark:
    """The notation.

    Args:
        special_tokens: the added tokens of the tokenizer, which no text matches, with their ids as far as known.
    """

    has_lexer = True

    def __init__(self, special_tokens: Mapping[str, int | None]) -> None:
        self._tokens = special_tokens
        longest_first = sorted(filter(None, special_tokens), key=lambda each: (-len(each), each))
        self._special = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None

    @property
    def has_tokens(self) -> bool:
        """Whether there are added tokens."""
        return self._special is not None

    def written(self, rules: Rules) -> Written:
        """Write rules.

        Raises:
            GrammarError: the id of a token is needed and not known.
        """
        writer = _Writer(self)
        lines = [f"{_rule_name(name)}: {writer.node(node)}" for name, node in rules.nodes.items()]
        return Written("\n".join(lines), tuple(writer.terminals))

    def literal(self, text: str) -> str:
        """Write a text; an added token in it is one of its own."""
        if self._special is None:
            return encode_basestring(text) if text else ""
        return " ".join(
            self._token(part) if part in self._tokens else encode_basestring(part)
            for part in self.split(text)
            if part
        )

    def _token(self, text: str) -> str:
        number = self._tokens[text]
        if number is not None:
            return f"<[{number}]>"
        if _NAMED_TOKEN.fullmatch(text):
            return text
        raise GrammarError(
            "grammar-special-token",
            f"llguidance needs the id of the special token {text!r}: give the tokenizer's file, or the ids",
        )

    def split(self, text: str) -> list[str]:
        """Split a text at the added tokens in it, which are parts of their own."""
        return self._special.split(text) if self._special else [text]

    def is_cut(self, text: str, following: Node) -> bool:
        """Tell whether an added token begins in a text and ends in what follows it."""
        return self._special is not None and any(
            found.start() < len(text) < found.end()
            for lead in leads_of(following)
            for found in self._special.finditer(text + lead)
        )


class _Writer:
    def __init__(self, notation: Lark) -> None:
        self._notation = notation
        self._literal = notation.literal if notation.has_tokens else encode_basestring
        self.terminals: dict[str, None] = {}

    def node(self, node: Node) -> str:
        """Write a node as it stands in a rule."""
        match node:
            case Literal():
                return self._notation.literal(node.text)
            case Sequence():
                pattern = pattern_of(node)
                return (" ".join(self._items(node.items)) or '""') if pattern is None else f"/{pattern}/"
            case Repeat():
                # No terminal is an empty text.
                pattern = pattern_of(node) if node.low else None
                if pattern is not None:
                    return f"/{pattern}/"
                return self._item(node.item) + times(node.low, node.high)
            case Choice() if has_only_literals(node):
                return " | ".join(map(self.node, node.branches))
            case Choice():
                pattern = pattern_of(node)
                return " | ".join(self._branches(node.branches)) if pattern is None else f"/{pattern}/"
            case FreeText():
                return self._free_text(node)
            case KnownChoice():
                return _known(node, self._notation)
            case Reference():
                return _rule_name(node.name)
            case Characters():
                return f"/{class_of(node.ranges, negated=node.negated)}/"

    def _branches(self, branches: tuple[Node, ...]) -> list[str]:
        taken = taken_by(branches, self._notation)
        return [
            " ".join(self._items(branch.items if isinstance(branch, Sequence) else (branch,), taken[number]))
            if number in taken
            else self.node(branch)
            for number, branch in enumerate(branches)
        ]

    def _items(self, items: Iterable[Node], taken: Taken = NOTHING) -> list[str]:
        """Write items one after another.

        Args:
            items: the items.
            taken: what a free text at the beginning leaves to others.
        """
        written: list[str] = []
        before = ""
        """A text that is not written yet."""
        for number, item in enumerate(items):
            if type(item) is Literal:
                before += item.text
                continue
            if type(item) is FreeText:
                # Blanks on their own would be lost to a longer terminal that begins with them.
                blanks = before if item.letters == "any" and before.isspace() else ""
                if before and not blanks:
                    written.append(self._literal(before))
                written.append(self._free_text(item, blanks, NOTHING if number else taken))
            elif before and type(item) is Choice and self._notation.is_cut(before, item):
                written.append(self._item(Choice(tuple([led(before, branch) for branch in item.branches]))))
            else:
                if before:
                    written.append(self._literal(before))
                written.append(self._item(item))
            before = ""
        if before:
            written.append(self._literal(before))
        return written

    def _item(self, node: Node) -> str:
        written = self.node(node)
        # A text can have tokens in it, and be several items then.
        return f"({written})" if " " in written else written

    def _free_text(self, node: FreeText, before: str = "", taken: Taken = NOTHING) -> str:
        written = free_text(node, before, taken, self._notation)
        self.terminals[written.terminal] = None
        return written.reference


@lru_cache(maxsize=_CACHED)
def _known(node: KnownChoice, notation: Lark) -> str:
    return _Writer(notation).node(node.choice)


def _rule_name(name: str) -> str:
    return "start" if name == START else name.replace("-", "_")
