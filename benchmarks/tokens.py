"""A tokenizer trained on the workload, and texts cut as a server that decodes token after token would hand them on."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.decoders import DecodeStream
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from benchmarks.families import FAMILIES
from benchmarks.workload import write, write_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

VOCABULARY = 4_000
_CHARACTERS_TO_LEARN_FROM = 300_000
_CALLS_TO_LEARN_FROM = 200


def train(texts: Sequence[str], marks: Sequence[str], vocabulary: int = VOCABULARY) -> Tokenizer:
    """Train a byte-level BPE tokenizer in which each mark is one token. The same texts give the same tokenizer."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(marks),
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


@lru_cache(maxsize=1)
def workload_tokenizer() -> Tokenizer:
    """Train on ordinary and dense text and on calls in every family's format, whichever families are measured."""
    texts = [write("ordinary", _CHARACTERS_TO_LEARN_FROM), write("dense", _CHARACTERS_TO_LEARN_FROM // 4)]
    texts += [family.write_calls(write_calls(_CALLS_TO_LEARN_FROM)) for family in FAMILIES]
    marks = dict.fromkeys(mark for family in FAMILIES for mark in family.marks)
    return train(texts, list(marks))


def cut(text: str, tokenizer: Tokenizer | None = None) -> list[str]:
    """Cut a text into the strings of its tokens; tokens that split a character are joined until they are text."""
    tokenizer = tokenizer or workload_tokenizer()
    stream = DecodeStream(skip_special_tokens=False)
    pieces = [stream.step(tokenizer, token) for token in tokenizer.encode(text).ids]
    chunks = [piece for piece in pieces if piece]
    if "".join(chunks) != text:
        raise ValueError("the tokens of a text do not give the text")
    return chunks
