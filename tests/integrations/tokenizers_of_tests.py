"""Real tokenizers, trained here on a few texts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from support.templates import own_names, own_samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from transformers import PreTrainedTokenizerBase

SPECIAL = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]
PROMPT = "<|im_start|>user\nWhich weather has Ålesund?<|im_end|>\n<|im_start|>assistant\n"
TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "repeats": True, "join": "\n"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": "<|im_end|>", "repeats": True, "join": "\n"},
    },
}
CALL = '<tool_call>{"name": "look_up", "arguments": {"count": "3", "place": "Tromsø"}}</tool_call>'
ANSWERS = [
    "It rains.<|im_end|>",
    "<think>Rain, or 雪?</think>It snows: 🌨️❄ and more — 猫が好き。<|im_end|>",
    f"Let me look.{CALL}<|im_end|>",
    f"<think>\ntwo calls\n</think>\n{CALL}\n{CALL}",
    "",
    "cut off <thi",
]
TEXTS = [*ANSWERS, PROMPT, "it rains in the north and it snows in the south", "日本語の文字 雪 猫"]


def _byte_level() -> Tokenizer:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(TEXTS, trainer)
    return backend


def _byte_fallback() -> Tokenizer:
    """A tokenizer in the manner of SentencePiece: spaces are marks, characters it does not know are bytes."""
    backend = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    backend.normalizer = normalizers.Replace(" ", "▁")
    backend.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    backend.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(content=" ", left=1, right=0),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *SPECIAL],
        show_progress=False,
    )
    latin = [text for text in TEXTS if text.isascii()]
    backend.train_from_iterator(
        [text.replace(" ", "▁") for text in [*latin, "abcdefghijklmnopqrstuvwxyz"]], trainer
    )
    # Bytes are no special tokens: only the delimiters are.
    backend.add_special_tokens([AddedToken(token, normalized=False) for token in SPECIAL])
    return backend


def _marked_words() -> Tokenizer:
    """A tokenizer whose decoder takes the space before the first word away, and no other."""
    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=[*SPECIAL, "<unk>"], unk_token="<unk>", show_progress=False
    )
    backend.train_from_iterator(TEXTS * 3, trainer)
    return backend


def _spaced_words() -> Tokenizer:
    """A tokenizer without a decoder: a space goes between any two tokens."""
    return Tokenizer(models.WordLevel({"a": 0, "b": 1, "<think>": 2}, unk_token="a"))


def _word_pieces() -> Tokenizer:
    vocabulary = ["a", "##b", "c", "n", "'", "t", "."]
    backend = Tokenizer(models.WordPiece({word: n for n, word in enumerate(vocabulary)}, unk_token="a"))
    backend.decoder = decoders.WordPiece(cleanup=False)
    return backend


OTHER_BACKENDS = {"marked words": _marked_words, "spaced words": _spaced_words, "word pieces": _word_pieces}
BACKENDS: dict[str, Callable[[], Tokenizer]] = {"byte-level": _byte_level, "byte-fallback": _byte_fallback}


@cache
def _serialized(kind: str) -> str:
    serialized: str = BACKENDS[kind]().to_str()
    return serialized


def tokenizer_of(
    kind: str = "byte-level", template: Any = TEMPLATE, **options: Any
) -> PreTrainedTokenizerBase:
    """Return a new tokenizer, with a response template unless that is None."""
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(_serialized(kind)),
        eos_token="<|im_end|>",
        additional_special_tokens=SPECIAL,
        response_template=template,
        **options,
    )


def ids_of(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def own_rows() -> list[tuple[str, dict[str, Any]]]:
    """Return the tests' own templates with each of their samples."""
    return [(name, row) for name in own_names() for row in own_samples(name)]
