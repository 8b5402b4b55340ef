"""Answers that follow the grammar of their request, by vLLM's own backend of structured outputs."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from support.grammar_walks import Walker

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class _Tokens:
    tokens: list[bytes]
    special: list[int]

    tokenizer: Any

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids


class WalkedAnswers:
    """Walks grammars with the tokens of a checkpoint.

    Args:
        vllm_config: the configuration of the engine.
        tokenizer: the tokenizer of the checkpoint.
        end: the token that ends an answer.
        endings: what ends free texts in the format.
    """

    def __init__(self, vllm_config: Any, tokenizer: Any, end: int, endings: Iterable[str]) -> None:
        import xgrammar
        from vllm.v1.structured_output.backend_xgrammar import XgrammarBackend

        size = vllm_config.model_config.get_vocab_size()
        self.backend = XgrammarBackend(vllm_config, tokenizer=tokenizer, vocab_size=size)
        tokens = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=size).decoded_vocab
        self._walker = Walker(_Tokens(tokens, [end], tokenizer), endings)
        self._grammar: Any = None
        self._end = end

    def ids(self, sampling: Any, seed: int) -> list[int]:
        """Give the tokens of an answer that follows the grammar of a request."""
        from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar
        from vllm.v1.structured_output.request import get_structured_output_key

        validate_xgrammar_grammar(sampling)
        kind, written = get_structured_output_key(sampling.structured_outputs)
        self._grammar = self.backend.compile_grammar(kind, written, {self._end})
        return [*self._walker.walk(self, Random(seed)), self._end]

    def matcher(self) -> _Matcher:
        """Begin a text."""
        return _Matcher(self._grammar, self.backend.allocate_token_bitmask(1), self.backend.vocab_size)


@dataclass(frozen=True)
class _Matcher:
    grammar: Any
    mask: Any
    size: int

    def allowed(self) -> Any:
        import numpy as np

        self.mask.fill_(-1)
        self.grammar.fill_bitmask(self.mask, 0)
        bits = np.unpackbits(self.mask[0].numpy().view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[: self.size])

    def accept(self, token: int) -> bool:
        return bool(self.grammar.accept_tokens("request", [token]))
