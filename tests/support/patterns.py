"""Random literals and patterns over an alphabet so small that they collide, with texts that they match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from support.choosing import Chooser

ALPHABET = "<>/ab|[]: \n"
GROUP_NAMES = ("name", "id", "kind", "content")
MORE_WORDS = ("<a>", "</a>", "<|b|>", "[a]", "aba", "aa", "\n\n", "：é", "<🦊>")
BLANKS = ("", " ", "\n", " \n ")
MOST_OPEN_ENDED = 3
NAMES = ("f", "ab", "a_1", "é")


@dataclass
class Delimiter:
    """The keys of a field that declare one of its delimiters, and texts that it matches."""

    value: str | list[str]
    is_pattern: bool
    examples: list[str]
    groups: list[str] = field(default_factory=list)


def vocabulary(chooser: Chooser) -> list[str]:
    """Return the words of one template: some drawn, some made of others, so that they overlap."""
    words: list[str] = []
    for _ in range(chooser.integer(2, 4)):
        if chooser.percent(40):
            words.append(chooser.pick(MORE_WORDS))
        else:
            words.append("".join(chooser.pick(ALPHABET) for _ in range(chooser.integer(1, 4))))
    for _ in range(chooser.integer(0, 4)):
        word, other = chooser.pick(words), chooser.pick(words)
        cut = chooser.integer(0, len(word))
        made = chooser.pick(
            (word[:cut], word[cut:], word + other, word + word, word[:cut] + other + word[cut:])
        )
        if 0 < len(made) <= 12:
            words.append(made)
    return words


class PatternMaker:
    """Builds one pattern of pieces; keeps its named groups, and a text that matches."""

    def __init__(self, chooser: Chooser, words: list[str]) -> None:
        self.chooser = chooser
        self.words = words
        self.groups: list[str] = []
        self.open_ended = 0

    def literal(self) -> tuple[str, str]:
        word = self.chooser.pick(self.words)
        return regex.escape(word), word

    def character_class(self) -> tuple[str, str]:
        chooser = self.chooser
        source, texts = chooser.pick(
            (
                (r"\w", ("a", "b", "é")),
                (r"\s", (" ", "\n")),
                (r"[^<]", ("a", ":", "\n")),
                (r"[^>]", ("b", "|")),
                (r"[^\n]", ("a", "]")),
                (r"[ab]", ("a", "b")),
                (r"[a-z|:]", ("a", "|")),
                (r"\S", ("<", "a")),
                (r"\d", ("1", "٣")),
                (r".", ("a", "\n")),
            )
        )
        return source, chooser.pick(texts)

    def may_be_open_ended(self) -> bool:
        """Count a part without an end; more than a few in one pattern backtrack for hours."""
        self.open_ended += 1
        return self.open_ended <= MOST_OPEN_ENDED

    def repeated(self) -> tuple[str, str]:
        source, text = self.character_class()
        quantifier, count = self.chooser.weighted(
            (
                (4, ("*", 0)),
                (4, ("+", 1)),
                (2, ("?", 1)),
                (2, ("*?", 1)),
                (2, ("+?", 2)),
                (1, ("??", 0)),
                (1, ("{1,3}", 2)),
                (1, ("{2}", 2)),
                (1, ("{0,2}?", 1)),
                (1, ("++", 1)),
            )
        )
        return source + quantifier, text * count

    def gap(self) -> tuple[str, str]:
        if not self.may_be_open_ended():
            return self.literal()
        source, word = self.literal()
        reach, filling = self.chooser.pick(
            ((".*?", ""), (".*?", "a "), (".+?", "b"), (r"[\s\S]*?", "\n"), (".*", "ab"))
        )
        return reach + source, filling + word

    def assertion(self, depth: int) -> tuple[str, str]:
        chooser = self.chooser
        kind = chooser.integer(0, 9)
        if kind < 6:
            return chooser.pick(("$", r"\b", "^", r"\Z", r"\A", r"\B")), ""
        if kind == 6:
            source, _ = self.gap()
            return f"(?={source})", ""
        source, _ = self.piece(depth + 1) if kind == 7 else self.literal()
        return chooser.pick((f"(?={source})", f"(?!{source})", f"(?<={source})", f"(?<!{source})")), ""

    def grouped(self, depth: int) -> tuple[str, str]:
        chooser = self.chooser
        source, text = self.sequence(depth + 1, 2)
        kind = chooser.integer(0, 9)
        if kind < 4:
            return f"(?:{source})?", text if chooser.percent(60) else ""
        if kind < 8:
            other, other_text = self.sequence(depth + 1, 2)
            return f"(?:{source}|{other})", chooser.pick((text, other_text))
        if not self.may_be_open_ended():
            return f"(?i:{source})", text.upper()
        return chooser.pick(
            (
                (f"(?:{source})*", text),
                (f"(?:{source})+", text * 2),
                (f"(?i:{source})", text.upper()),
                (f"(?>{source})", text),
            )
        )

    def named(self, depth: int) -> tuple[str, str]:
        free = [name for name in GROUP_NAMES if name not in self.groups]
        if not free:
            return self.literal()
        name = self.chooser.pick(free)
        if self.chooser.percent(60):
            source, text = self.chooser.pick(
                ((r"\w+", "ab"), (r"[^<]+", "a b"), (r"[a-z]*", "f"), (r"\S+?", "f"))
            )
        else:
            source, text = self.sequence(depth + 1, 2)
        self.groups.append(name)
        tail = f"(?P={name})" if self.chooser.percent(5) else ""
        optional = "?" if not tail and self.chooser.percent(20) else ""
        return f"(?P<{name}>{source}){optional}{tail}", text + (text if tail else "")

    def piece(self, depth: int) -> tuple[str, str]:
        kind = self.chooser.weighted(
            (
                (10, "literal"),
                (4, "blanks"),
                (5, "repeated"),
                (3, "gap"),
                (2, "named"),
                (3, "grouped"),
                (3, "assertion"),
            )
        )
        if kind == "literal" or depth > 2:
            return self.literal()
        if kind == "blanks":
            return self.chooser.pick((r"\s*", r"\s*", r"\s+", r"\n?", " *")), self.chooser.pick(BLANKS)
        if kind == "repeated":
            return self.repeated() if self.may_be_open_ended() else self.literal()
        if kind == "gap":
            return self.gap()
        if kind == "named":
            return self.named(depth)
        return self.grouped(depth) if kind == "grouped" else self.assertion(depth)

    def sequence(self, depth: int, longest: int) -> tuple[str, str]:
        pieces = [self.piece(depth) for _ in range(self.chooser.integer(1, longest))]
        return "".join(source for source, _ in pieces), "".join(text for _, text in pieces)

    def pattern(self) -> tuple[str, list[str]]:
        source, text = self.sequence(0, 4)
        if self.chooser.percent(20):
            other, other_text = self.sequence(0, 2)
            return f"{source}|{other}", [text, other_text]
        if self.chooser.percent(12):
            return f"{source}|{self.chooser.pick(('$', chr(92) + 'Z', '^'))}", [text]
        return source, [text]


def random_delimiter(chooser: Chooser, words: list[str], kinds: tuple[tuple[int, str], ...]) -> Delimiter:
    """Return a delimiter of one of the weighted kinds: literal, list, pattern."""
    kind = chooser.weighted(kinds)
    if kind == "literal":
        word = chooser.pick(words)
        return Delimiter(word, False, [word])
    if kind == "list":
        several = [chooser.pick(words) for _ in range(chooser.integer(1, 3))]
        return Delimiter(several, False, several)
    maker = PatternMaker(chooser, words)
    source, examples = maker.pattern()
    return Delimiter(source, True, examples, maker.groups)


def matches_empty(delimiter: Delimiter) -> bool:
    """Return whether the delimiter matches nothing at some place of some short text."""
    if not delimiter.is_pattern or not isinstance(delimiter.value, str):
        return False
    try:
        pattern = regex.compile(delimiter.value, regex.DOTALL)
    except regex.error:
        return False
    texts = ["", "a", "\n", " ", "<a>b\n", "ab ab|[]:/\n\n", *delimiter.examples]
    return any(match.start() == match.end() for text in texts for match in pattern.finditer(text))
