"""Grammars as llguidance reads them: Lark, whose terminals are regular expressions with complements."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from respc.grammars.errors import GrammarError
from respc.grammars.nodes import (
    START,
    Characters,
    Choice,
    FreeText,
    Grammar,
    Literal,
    Node,
    Reference,
    Repeat,
    Rules,
    Sequence,
    text_name,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CACHED: Final = 4_096
_ANY: Final = "(?s:.)"
_HEX: Final = "[0-9A-Fa-f]"
_ESCAPES: Final = rf'["\\\/bfnrt]|u(?:[0-9A-CEFa-cef]{_HEX}{{3}}|[Dd][0-7]{_HEX}{{2}})'
_NAMED_TOKEN: Final = re.compile(r"<[^<>\[\]\s\d][^<>\[\]\s]*>")
_PART_OF_NUMBER: Final = re.compile(r"[0-9eE.+-]*")
_ESCAPED: Final = {
    **{ord(character): f"\\{character}" for character in "\\.+*?()|[]{}^$#&-~/\"'"},
    **{character: f"\\x{character:02x}" for character in (*range(0x20), 0x7F)},
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}


def lark(grammar: Grammar, special_tokens: Mapping[str, int | None]) -> str:
    """Write a grammar.

    Args:
        grammar: the grammar.
        special_tokens: the added tokens of the tokenizer, which no text matches, with their ids as far as known.

    Raises:
        GrammarError: the id of a token is needed and not known.
    """
    tokens = tuple(special_tokens.items())
    written = [_write(grammar.start, tokens), *(_write_once(tool, tokens) for tool in grammar.tools)]
    terminals = dict.fromkeys(terminal for each in written for terminal in each.terminals)
    return "\n".join((*(line for each in written for line in each.lines), *terminals)) + "\n"


@dataclass(frozen=True, slots=True)
class _Written:
    """Rules as they are written, and the terminals of their free texts."""

    lines: tuple[str, ...]
    terminals: tuple[str, ...]


def _write(rules: Rules, tokens: tuple[tuple[str, int | None], ...]) -> _Written:
    writer = _Writer(dict(tokens))
    lines = [f"{_rule_name(name)}: {writer.node(node)}" for name, node in rules.nodes.items()]
    return _Written(tuple(lines), tuple(writer.terminals))


# Requests come with the same tools again and again.
_write_once = lru_cache(maxsize=_CACHED)(_write)


@lru_cache
def _pattern_of(tokens: frozenset[str]) -> re.Pattern[str] | None:
    longest_first = sorted(filter(None, tokens), key=lambda each: (-len(each), each))
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a free text leaves to what may stand in its place.

    Attributes:
        begun: what it may not begin with.
        within: what it may not have in it.
    """

    begun: tuple[str, ...]
    within: tuple[str, ...]


class _Writer:
    def __init__(self, special_tokens: Mapping[str, int | None]) -> None:
        self._tokens = special_tokens
        self._special = _pattern_of(frozenset(special_tokens))
        self.terminals: dict[str, None] = {}

    def node(self, node: Node) -> str:
        """Write a node as it stands in a rule."""
        may_be_empty = isinstance(node, Repeat) and not node.low
        if (
            not isinstance(node, Literal)
            and not may_be_empty
            and (pattern := self._pattern(node)) is not None
        ):
            return f"/{pattern}/"
        match node:
            case Literal(text):
                return self._literal(text)
            case Sequence(items):
                return " ".join(self._items(items)) or '""'
            case Choice(branches):
                return " | ".join(self._branches(branches))
            case Repeat(item, low, high):
                return self._item(item, repeated=True) + times(low, high)
            case FreeText():
                return self._free_text(node)
            case Reference(name):
                return _rule_name(name)
            case Characters(ranges, negated):
                return f"/{_class(ranges, negated=negated)}/"

    def _branches(self, branches: tuple[Node, ...]) -> Iterator[str]:
        """Write branches; a free text that begins one leaves the others their beginnings.

        The lexer takes the longest terminal. A text that goes on behind what begins a call would take that, too.
        """
        leads = [lead for branch in branches for lead in _leads(branch)]
        texts = [_first_text(branch) for branch in branches]
        for branch, text in zip(branches, texts, strict=True):
            if text is None:
                yield self.node(branch)
                continue
            begun = [lead for lead in leads if self._is_taken(lead, text)]
            ends = [other.end for other in texts if other is not None and other != text]
            within = [end for end in ends if self._is_taken(end, text)]
            items = branch.items if isinstance(branch, Sequence) else (branch,)
            if begun or within:
                yield " ".join(self._items(items, _Taken(tuple(begun), tuple(within))))
            else:
                yield self.node(branch)

    def _is_taken(self, beginning: str, text: FreeText) -> bool:
        """Tell whether a free text can go on behind what begins something else."""
        words = (*text.without, *filter(None, (text.end,)))
        has_token = self._special is not None and self._special.search(beginning)
        return bool(beginning.strip()) and not has_token and not any(word in beginning for word in words)

    def _items(self, items: tuple[Node, ...], taken: _Taken | None = None) -> Iterator[str]:
        """Write items one after another; blanks that begin a free text are in its terminal.

        On their own they would be lost to a longer terminal that begins with them.

        Args:
            items: the items.
            taken: what a free text at the beginning leaves to others.
        """
        before = ""
        for number, item in enumerate(items):
            following = items[number + 1] if number + 1 < len(items) else None
            if isinstance(item, Literal) and item.text.isspace() and _is_free(following):
                before = item.text
            elif isinstance(item, FreeText):
                yield self._free_text(item, before, taken if not number else None)
                before = ""
            else:
                yield self._item(item)

    def _item(self, node: Node, *, repeated: bool = False) -> str:
        written = self.node(node)
        # A text can have tokens in it, and be several items then.
        is_one = isinstance(node, Literal | FreeText) and not repeated
        return f"({written})" if " " in written and not is_one else written

    def _literal(self, text: str) -> str:
        """Write a text; an added token in it is one of its own."""
        parts = self._special.split(text) if self._special else [text]
        return " ".join(
            self._token(part) if part in self._tokens else json.dumps(part, ensure_ascii=False)
            for part in parts
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

    def _pattern(self, node: Node) -> str | None:
        """Write a node as a regular expression; None where it has other rules or tokens in it."""
        match node:
            case Literal(text):
                # The lexer takes the longest of all terminals and never goes back: two that begin with the same
                # number must not have more than that in one.
                return _escaped(text) if _PART_OF_NUMBER.fullmatch(text) or len(text) == 1 else None
            case Characters(ranges, negated):
                return _class(ranges, negated=negated)
            case Sequence(items) if not all(isinstance(item, Repeat) and not item.low for item in items):
                parts = self._patterns(items)
                return None if parts is None else "".join(parts)
            case Choice(branches) if not all(isinstance(branch, Literal) for branch in branches):
                parts = self._patterns(branches)
                return None if parts is None else f"(?:{'|'.join(parts)})"
            case Repeat(item, low, high):
                inner = self._pattern(item)
                if inner is None:
                    return None
                return (inner if isinstance(item, Characters) else f"(?:{inner})") + times(low, high)
            case _:
                return None

    def _patterns(self, nodes: Iterable[Node]) -> list[str] | None:
        """Write nodes as regular expressions; None where one cannot be."""
        written: list[str] = []
        for node in nodes:
            pattern = self._pattern(node)
            if pattern is None:
                return None
            written.append(pattern)
        return written

    def _free_text(self, node: FreeText, before: str = "", taken: _Taken | None = None) -> str:
        """Write a terminal for a text and the part of its end that is text; tokens of the end stand behind it."""
        parts = self._special.split(node.end) if self._special else [node.end]
        end, behind = parts[0], "".join(parts[1:])
        without = node.without if taken is None else (*node.without, *taken.within)
        if node.letters == "any" and end and not any(text in end for text in without) and not behind:
            without = (*without, end)
        head = _before_first(end, without)
        body = _letters(node, head + before)
        conditions = [f"~/{_ANY}*(?:{'|'.join(map(_escaped, without))}){_ANY}*/"] if without else []
        if node.unlike:
            conditions.append(f"~/(?:{'|'.join(map(_escaped, node.unlike))}){_escaped(head)}/")
        if taken is not None and taken.begun:
            conditions.append(f"~/(?:{'|'.join(map(_escaped, taken.begun))}){_ANY}*/")
        tail = end[len(head) :]
        name = text_name(node, before if taken is None else f"{before}{taken}").upper().replace("-", "_")
        pattern = " & ".join((f"/{_escaped(before)}{body}{_escaped(head)}/", *conditions))
        if tail and behind and head:
            # A terminal of two parts and a token behind it is more than the lexer bears: it panics.
            behind = tail + behind
        elif tail:
            pattern = f"({pattern}) {json.dumps(tail, ensure_ascii=False)}"
        self.terminals[f"{name}: {pattern}"] = None
        if end or before:
            return f"{name} {self._literal(behind)}" if behind else name
        return f"({name})? {self._literal(behind)}" if behind else f"({name})?"


def _first_text(node: Node) -> FreeText | None:
    """Give the free text that begins a node, if one does."""
    first = node.items[0] if isinstance(node, Sequence) and node.items else node
    return first if isinstance(first, FreeText) and first.letters == "any" else None


def _leads(node: Node) -> list[str]:
    """List the texts that a node can begin with, as far as they are known for sure."""
    match node:
        case Literal(text):
            return [text]
        case Choice(branches):
            return [lead for branch in branches for lead in _leads(branch)]
        case Sequence((first, Choice() as second, *_)) if isinstance(first, Literal):
            return [first.text + lead for lead in _leads(second)]
        case Sequence((first, *_)):
            return _leads(first)
        case _:
            return []


def _is_free(node: Node | None) -> bool:
    return isinstance(node, FreeText) and node.letters == "any"


def _before_first(end: str, without: Iterable[str]) -> str:
    """Give what of an end comes before the last character of the first text in it that may not begin in the text."""
    for length in range(1, len(end) + 1):
        if any(text in end[:length] for text in without):
            return end[: length - 1]
    return end


def _letters(node: FreeText, head: str) -> str:
    times = "*" if node.end or head else "+"
    if node.letters == "any":
        return _ANY + times
    quote = _escaped(node.end[0])
    plain = rf"[^{quote}\\\x00-\x1f]"
    if node.letters == "plain":
        return f"{plain}{times}"
    escapes = _ESCAPES if node.end[0] == '"' else rf"{_ESCAPES}|{quote}"
    return rf"(?:{plain}|\\(?:{escapes})){times}"


def _rule_name(name: str) -> str:
    return "start" if name == START else name.replace("-", "_")


def _class(ranges: Iterable[tuple[str, str]], *, negated: bool) -> str:
    members = "".join(
        _escaped(first) + ("" if first == last else f"-{_escaped(last)}") for first, last in ranges
    )
    return f"[{'^' if negated else ''}{members}]"


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)
