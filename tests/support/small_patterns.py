"""Random delimiters over a few characters, mostly of what the compiler finds by expressions."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import regex

from support.choosing import Chooser, RandomChooser

if TYPE_CHECKING:
    from support.scanning import Spec

LETTERS = "ab<"


class PatternWriter:
    """Writes patterns; knows the characters that tell their texts apart."""

    def __init__(self, chooser: Chooser) -> None:
        self.chooser = chooser
        self.named = 0

    def pattern(self) -> str:
        """Write a pattern."""
        self.named = 0
        chooser = self.chooser
        kind = chooser.integer(0, 19)
        if kind == 0:
            return chooser.pick(("$", r"\Z"))
        branches = [self.branch() for _ in range(chooser.pick((1, 1, 1, 1, 2, 2, 3)))]
        if kind <= 2:
            branches.append(chooser.pick(("$", r"\Z", "^")))
        elif kind == 3:
            branches.insert(chooser.integer(0, len(branches)), f"(?={self.sequence(1)})")
        return "|".join(branches)

    def branch(self) -> str:
        chooser = self.chooser
        begin = chooser.pick(("", "", "", "", "", "", r"\s*", "^", "^", r"^\s*", "(?:^|a)", "(?:a|^)"))
        end = chooser.pick(("",) * 9 + (r"\s*", ".*?" + self.letter(), f"(?={self.sequence(1)})"))
        return begin + self.sequence(0) + end

    def sequence(self, depth: int) -> str:
        return "".join(self.piece(depth) for _ in range(self.chooser.pick((1, 1, 2, 2, 3))))

    def piece(self, depth: int) -> str:
        chooser = self.chooser
        kind = chooser.integer(0, 11)
        if kind < 6 or depth > 2:
            return self.letter()
        if kind < 9:
            return self.one() + self.count()
        if kind == 9:
            return f"(?:{self.sequence(depth + 1)})?"
        if kind == 10:
            branches = [self.sequence(depth + 1) for _ in range(chooser.pick((2, 2, 3)))]
            return f"(?:{'|'.join(branches)})" + chooser.pick(("", "", "?"))
        self.named += 1
        return f"(?P<n{self.named}>{self.sequence(depth + 1)})"

    def letter(self) -> str:
        return self.chooser.pick(LETTERS)

    def one(self) -> str:
        return self.chooser.pick(("a", "b", "[ab]", "[^a]", "[^<]", "[^b<]", ".", r"\s", r"\w", r"\S"))

    def count(self) -> str:
        return self.chooser.pick(("?", "*", "*", "+", "+", "{2}", "{1,2}", "{2,}", "{0,2}", "*?", "+?", "??"))

    def literals(self) -> tuple[str, ...]:
        """Write literals."""
        chooser = self.chooser
        return tuple(
            "".join(self.letter() for _ in range(chooser.pick((1, 2, 2, 3))))
            for _ in range(chooser.pick((1, 1, 1, 2, 3)))
        )

    def delimiter(self) -> Spec:
        """Write literals or a pattern that `regex` accepts."""
        if self.chooser.integer(0, 2) == 0:
            return self.literals()
        return self.pattern()


def random_state(chooser: Chooser) -> tuple[tuple[Spec, ...], Spec | None]:
    """Write the openers of a template, and the closer of its implicit field or None."""
    writer = PatternWriter(chooser)
    openers = tuple(writer.delimiter() for _ in range(chooser.pick((1, 1, 2, 2, 3))))
    return openers, writer.delimiter() if chooser.integer(0, 2) == 0 else None


def characters_of(specs: tuple[Spec, ...], most: int = 4) -> str:
    """Choose the characters that delimiters are about, and another one."""
    written = "".join(spec if isinstance(spec, str) else "".join(spec) for spec in specs)
    named = [letter for letter in LETTERS if letter in regex.sub(r"\(\?P<n\d>|\\.", "", written)]
    blanks = ["\n"] if "$" in written or r"\Z" in written or r"\s" in written else []
    others = ["x"] if len(named) < 3 else []
    return "".join([*named, *blanks, *others][:most])


def state_of_seed(seed: int) -> tuple[tuple[Spec, ...], Spec | None, str]:
    """Write a state of a seed, with the characters that its texts are made of."""
    openers, closer = random_state(RandomChooser(Random(seed)))
    specs = openers if closer is None else (*openers, closer)
    return openers, closer, characters_of(specs)
