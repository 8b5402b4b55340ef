"""What automata say of the texts of delimiters, against all short texts of a few characters by `regex`."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

import pytest
import regex

from respc.patterns import parse_pattern
from respc.scan.language import (
    Language,
    alphabet_of,
    can_end_by,
    can_grow,
    grows_through,
    outgrows,
    outgrows_by,
)
from respc.scan.preference import prefers_shorter
from respc.scan.spelling import NotSpelledError
from respc.scan.two_languages import (
    both_whole,
    grows_into,
    holds_one_inside,
    meet,
    one_while_other,
    stands_where_begun,
)
from support.choosing import RandomChooser
from support.scanning import texts_of
from support.small_patterns import LETTERS, PatternWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

CHARACTERS = "ab<x"
LONGEST = 6


class Texts:
    """The texts of a pattern up to a length: whole ones, and those that go on to one."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.compiled = regex.compile(pattern, regex.DOTALL)
        self.language = Language(parse_pattern(pattern), alphabet_of(map(parse_pattern, (pattern, "[ab<x]"))))

    @cached_property
    def whole(self) -> set[str]:
        return {text for text in texts_of(CHARACTERS, LONGEST) if self.compiled.fullmatch(text)}

    @cached_property
    def going_on(self) -> set[str]:
        """The texts that more characters can make whole (again)."""
        alive = {
            text for text in texts_of(CHARACTERS, LONGEST) if self.compiled.fullmatch(text, partial=True)
        }
        return {
            text
            for text in texts_of(CHARACTERS, LONGEST - 1)
            if text in alive and any(text + more in alive for more in CHARACTERS)
        }

    def after(self, text: str) -> Iterator[str]:
        """Iterate over a text with one character more, where it is whole then or goes on."""
        for more in CHARACTERS:
            if text + more in self.whole or text + more in self.going_on:
                yield text + more


def short_patterns(seed: int) -> tuple[str, str]:
    """Write two patterns without assertions, lazy parts and what matches nothing, and whose texts are short."""
    random = Random(seed)
    found: list[str] = []
    while len(found) < 2:
        writer = PatternWriter(RandomChooser(random))
        pattern = "|".join(writer.sequence(1) for _ in range(random.choice((1, 2))))
        tree = parse_pattern(pattern)
        plain = not regex.search(r"\{2,\}|[*+?]\?|\\s|\{0,2\}\{", pattern) and len(pattern) < 25
        if plain and not regex.fullmatch(pattern, "") and _is_short(Language(tree, alphabet_of((tree,)))):
            found.append(pattern)
    return found[0], found[1]


def _is_short(language: Language) -> bool:
    """Tell whether short texts show all that there is to the language: it has few places."""
    return len(list(language.states())) <= LONGEST - 1


SEEDS = range(400)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_language(seed: int) -> None:
    texts = Texts(short_patterns(seed)[0])
    language, whole = texts.language, texts.whole
    short = {text for text in whole if len(text) < LONGEST - 1}
    assert can_grow(language) == bool(short & texts.going_on)
    assert outgrows(language) == any(longer not in whole for text in short for longer in texts.after(text))
    for character in CHARACTERS:
        assert can_end_by(language, character) == any(text.endswith(character) for text in whole)
        assert outgrows_by(language, character) == any(
            text + character in whole
            and text not in whole
            and any(text[:length] in whole for length in range(1, len(text)))
            for text in texts.going_on
        )
        assert grows_through(language, frozenset(character)) == any(
            any(text[:length] in whole and character in text[length:] for length in range(1, len(text)))
            for text in texts.going_on | whole
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_one_inside_another_of_the_same(seed: int) -> None:
    texts = Texts(short_patterns(seed)[0])
    begun = texts.going_on - texts.whole
    inside = any(
        text[:place] in begun
        and text[place:] in texts.whole
        and not any(text[:length] in texts.whole for length in range(1, place + 1))
        for text in begun
        for place in range(1, len(text))
    )
    assert holds_one_inside(texts.language, texts.language) == inside


@pytest.mark.parametrize("seed", SEEDS)
def test_two_languages(seed: int) -> None:
    patterns = short_patterns(seed)
    alphabet = alphabet_of(map(parse_pattern, patterns))
    one, other = map(Texts, patterns)
    languages = [Language(parse_pattern(pattern), alphabet) for pattern in patterns]
    assert both_whole(*languages) == bool(one.whole & other.whole)
    meeting = {text for text in one.whole if text in other.whole or text in other.going_on}
    assert one_while_other(*languages) == any(
        text in other.going_on or text in one.going_on or text not in other.whole for text in meeting
    )
    assert grows_into(*languages) == bool(meeting & other.going_on)
    assert stands_where_begun(*languages) == bool(meeting)
    assert meet(*languages) == bool(meeting | (other.whole & one.going_on))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_longest_is_taken_unless_a_shorter_one_is_preferred(seed: int) -> None:
    for pattern in short_patterns(seed):
        tree = parse_pattern(pattern)
        if prefers_shorter(tree, alphabet_of((tree,))):
            continue
        texts = Texts(pattern)
        for text in texts_of(CHARACTERS, LONGEST - 1):
            taken = texts.compiled.match(text)
            longest = max(
                (length for length in range(1, len(text) + 1) if text[:length] in texts.whole), default=0
            )
            assert (taken.end() if taken else 0) == longest, text


@pytest.mark.parametrize(
    ("pattern", "shorter"),
    [
        ("ab|a", False),
        ("a|ab", True),
        ("(?:a|ab)c", False),
        ("(?:ab|a)b?", False),
        ("(?:ab|a)(?:bc)?", True),
        (r"<[^<]*\s*", False),
        ("<a*(?:ab)?<?", True),
        ("(?:<a|<)(?:ab)?<?", True),
        (r"a\s*\n<", False),
        ("a.*?b", True),
        ("<(?P<name>[^>]+)>", False),
    ],
)
def test_shorter_ones_that_are_preferred(pattern: str, shorter: bool) -> None:
    tree = parse_pattern(pattern)
    assert prefers_shorter(tree, alphabet_of((tree,))) == shorter


def test_what_stands_further_on_is_another_language_where_branches_are_for_the_start() -> None:
    alphabet = alphabet_of([parse_pattern("<a<|a")])
    everywhere, further = (Language(parse_pattern(pattern), alphabet) for pattern in ("<a<|a", "<a<"))
    assert holds_one_inside(everywhere, everywhere)
    assert not holds_one_inside(further, further)
    assert holds_one_inside(further, everywhere)


def test_questions_are_bounded() -> None:
    tree = parse_pattern("[ab]*a[ab]{12}<")
    with pytest.raises(NotSpelledError, match="too many"):
        outgrows(Language(tree, alphabet_of((tree,))))


def test_letters_of_patterns_are_among_the_characters() -> None:
    assert set(LETTERS) < set(CHARACTERS)
