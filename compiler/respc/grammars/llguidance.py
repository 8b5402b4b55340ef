"""Grammars as llguidance reads them: Lark, whose terminals are regular expressions with complements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final

from respc.grammars.errors import GrammarError
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
    text_name,
    times,
)
from respc.grammars.notations import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CACHED: Final = 4_096
_OF_ONE: Final = (Literal, FreeText)
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


class Lark:
    """The notation.

    Args:
        special_tokens: the added tokens of the tokenizer, which no text matches, with their ids as far as known.
    """

    def __init__(self, special_tokens: Mapping[str, int | None]) -> None:
        self._tokens = special_tokens
        longest_first = sorted(filter(None, special_tokens), key=lambda each: (-len(each), each))
        self._special = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None

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
        if self._special is None and text:
            return encode_basestring(text)
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
    def __init__(self, notation: Lark) -> None:
        self._notation = notation
        self.terminals: dict[str, None] = {}

    def node(self, node: Node) -> str:
        """Write a node as it stands in a rule."""
        match node:
            case Literal():
                return self._notation.literal(node.text)
            case FreeText():
                return self._free_text(node)
            case Reference():
                return _rule_name(node.name)
            case KnownChoice():
                return _known(node, self._notation)
            case Repeat(low=0):
                # No terminal is an empty text.
                return self._item(node.item, repeated=True) + times(0, node.high)
            case _ if (pattern := _pattern(node)) is not None:
                return f"/{pattern}/"
            case Sequence():
                return " ".join(self._items(node.items)) or '""'
            case Choice():
                return " | ".join(self._branches(node.branches))
            case Repeat():
                return self._item(node.item, repeated=True) + times(node.low, node.high)
            case Characters():
                return f"/{_class(node.ranges, negated=node.negated)}/"

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
        has_token = len(self._notation.split(beginning)) > 1
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
            if isinstance(item, FreeText):
                yield self._free_text(item, before, taken if not number else None)
                before = ""
            elif not isinstance(item, Literal):
                yield self._item(item)
            elif item.text.isspace() and _is_free(items[number + 1 : number + 2]):
                before = item.text
            else:
                yield self._notation.literal(item.text)

    def _item(self, node: Node, *, repeated: bool = False) -> str:
        written = self.node(node)
        # A text can have tokens in it, and be several items then.
        is_one = isinstance(node, _OF_ONE) and not repeated
        return f"({written})" if " " in written and not is_one else written

    def _free_text(self, node: FreeText, before: str = "", taken: _Taken | None = None) -> str:
        written = _free_text(node, before, taken, self._notation)
        self.terminals[written.terminal] = None
        return written.reference


@lru_cache(maxsize=_CACHED)
def _known(node: KnownChoice, notation: Lark) -> str:
    return _Writer(notation).node(node.choice)


@lru_cache(maxsize=_CACHED)
def _known_pattern(node: KnownChoice) -> str | None:
    return _pattern(node.choice)


def _pattern(node: Node, *, inner: bool = False) -> str | None:
    """Write a node as a regular expression; None where it has other rules or tokens in it, or may be empty."""
    match node:
        case Literal():
            # The lexer takes the longest of all terminals and never goes back: two that begin with the same
            # number must not have more than that in one.
            return (
                _escaped(node.text) if len(node.text) == 1 or _PART_OF_NUMBER.fullmatch(node.text) else None
            )
        case Characters():
            return _class(node.ranges, negated=node.negated)
        case Sequence():
            parts = _patterns(node.items)
            may_be_empty = all(isinstance(item, Repeat) and not item.low for item in node.items)
            return None if parts is None or (may_be_empty and not inner) else "".join(parts)
        case Choice():
            parts = _patterns(node.branches)
            if parts is None or all(isinstance(branch, Literal) for branch in node.branches):
                return None
            return f"(?:{'|'.join(parts)})"
        case KnownChoice():
            return _known_pattern(node)
        case Repeat():
            written = _pattern(node.item, inner=True)
            if written is None:
                return None
            one = written if isinstance(node.item, Characters) else f"(?:{written})"
            return one + times(node.low, node.high)
        case _:
            return None


def _patterns(nodes: Iterable[Node]) -> list[str] | None:
    """Write nodes as regular expressions; None where one cannot be."""
    written: list[str] = []
    for node in nodes:
        pattern = _pattern(node, inner=True)
        if pattern is None:
            return None
        written.append(pattern)
    return written


@dataclass(frozen=True, slots=True)
class _WrittenText:
    """A free text as it is written.

    Attributes:
        reference: what stands in a rule.
        terminal: the terminal that it refers to.
    """

    reference: str
    terminal: str


@lru_cache(maxsize=_CACHED)
def _free_text(node: FreeText, before: str, taken: _Taken | None, notation: Lark) -> _WrittenText:
    """Write a terminal for a text and the part of its end that is text; tokens of the end stand behind it."""
    parts = notation.split(node.end)
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
        pattern = f"({pattern}) {encode_basestring(tail)}"
    reference = name if end or before else f"({name})?"
    if behind:
        reference += f" {notation.literal(behind)}"
    return _WrittenText(reference, f"{name}: {pattern}")


def _first_text(node: Node) -> FreeText | None:
    """Give the free text that begins a node, if one does."""
    first = node.items[0] if isinstance(node, Sequence) and node.items else node
    return first if isinstance(first, FreeText) and first.letters == "any" else None


def _leads(node: Node) -> list[str]:
    """List the texts that a node can begin with, as far as they are known for sure."""
    match node:
        case Literal():
            return [node.text]
        case KnownChoice():
            return _leads(node.choice)
        case Choice():
            return [lead for branch in node.branches for lead in _leads(branch)]
        case Sequence(items=(Literal() as first, Choice() as second, *_)):
            return [first.text + lead for lead in _leads(second)]
        case Sequence(items=(first, *_)):
            return _leads(first)
        case _:
            return []


def _is_free(following: tuple[Node, ...]) -> bool:
    return any(isinstance(node, FreeText) and node.letters == "any" for node in following)


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
