"""Vocabularies for grammars: bytes with the marks of a format, and tokens that were trained as those of models are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from string import ascii_lowercase
from typing import Any, Final

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

END: Final = "<|end of the answer|>"
_RARE: Final = 0.05
"""How many words have a mark in front, or behind."""
_ENDS: Final = '":>\\'
_TRAINED_ON: Final = (
    'The weather in Bergen is rainy. {"name": "get_weather", "arguments": {"city": "Bergen", "days": 2}} '
    '<function=search>\n<parameter=query>\nif a < b: return "x"</parameter>\n</function>\n' * 20
)


@dataclass(frozen=True)
class ByteVocabulary:
    """All bytes.

    Attributes:
        marks: further tokens, which are special: a text that has one of them has its token.
    """

    marks: tuple[str, ...] = ()

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each token."""
        return [*(bytes([value]) for value in range(256)), *(mark.encode() for mark in (*self.marks, END))]

    @property
    def special(self) -> list[int]:
        """The marks, and what ends an answer."""
        return [*range(256, len(self.tokens))]

    def encode(self, text: str) -> list[int]:
        """Give the tokens of a text: special ones for marks, else bytes."""
        if not self.marks:
            return [*text.encode()]
        ids: list[int] = []
        for number, piece in enumerate(self._marks.split(text)):
            # Between two texts is the mark that was found there.
            ids += [256 + self.marks.index(piece)] if number % 2 else piece.encode()
        return ids

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        longest_first = sorted(self.marks, key=len, reverse=True)
        return re.compile(f"({'|'.join(map(re.escape, longest_first))})")


@dataclass(frozen=True)
class TrainedVocabulary:
    """Byte-pair tokens, as models have them.

    Attributes:
        marks: special tokens.
    """

    marks: tuple[str, ...] = ()

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = Tokenizer.from_str(_trained())
        added = [AddedToken(mark, special=True, normalized=False) for mark in (*self.marks, END)]
        tokenizer.add_special_tokens(added)
        return tokenizer

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each token."""
        special = {*self.special}
        found: list[bytes] = []
        for token in range(self._tokenizer.get_vocab_size()):
            text: str = self._tokenizer.id_to_token(token)
            found.append(text.encode() if token in special else bytes(_bytes_of()[letter] for letter in text))
        return found

    @cached_property
    def special(self) -> list[int]:
        """The marks, and what ends an answer."""
        return [self._tokenizer.token_to_id(mark) for mark in (*self.marks, END)]

    def encode(self, text: str) -> list[int]:
        """Give the tokens of a text."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


@cache
def _trained() -> str:
    tokenizer: Any = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([_TRAINED_ON], trainer)
    written: str = tokenizer.to_str()
    return written


@cache
def _bytes_of() -> dict[str, int]:
    """Give the bytes of the letters that stand for them: most for themselves, the others from 256 on."""
    shown = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


@dataclass(frozen=True)
class LargeVocabulary:
    """As many tokens as models have: those that were trained, and made up words, most with a blank in front or none.

    Attributes:
        size: how many words are made up.
    """

    size: int = 100_000

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each token."""
        random = Random(self.size)
        words: dict[bytes, None] = {}
        while len(words) < self.size:
            letters = "".join(random.choices(ascii_lowercase, k=random.randint(1, 8)))
            before = random.choice("_\"\n.(['-/<") if random.random() < _RARE else random.choice((" ", ""))
            words[f"{before}{letters}{random.choice(_ENDS) if random.random() < _RARE else ''}".encode()] = (
                None
            )
        return [*TrainedVocabulary().tokens, *words]

    @property
    def special(self) -> list[int]:
        """What ends an answer."""
        return TrainedVocabulary().special

    def encode(self, text: str) -> list[int]:
        """Give the tokens of a text, all trained."""
        return TrainedVocabulary().encode(text)
