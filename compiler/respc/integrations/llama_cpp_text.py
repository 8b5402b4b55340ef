"""The text that a model of llama-cpp-python writes, with its control tokens, and why it ends."""

from __future__ import annotations

import codecs
import random
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Ending: TypeAlias = Literal["stop token", "stop string", "length"]

_LARGEST_SEED: Final = 2**32


class GeneratedText:
    """Runs one generation; iterate over it for the text.

    Everything else of llama-cpp-python drops control tokens from the text, which are what formats are made of.

    Args:
        llama: the model.
        prompt: its tokens.
        stop: texts at which the generation ends; they are no part of its text.
        max_tokens: how many tokens are written at most; None or 0 for as many as there is room for.
        seed: of the sampling; None for one that follows on that of the model.
        sampling: further arguments of the method `generate`.

    Attributes:
        ending: why the generation ended; None before.
        tokens: how many tokens were written.

    Raises:
        ValueError: there is no room for another token.
    """

    ending: Ending | None

    def __init__(
        self,
        llama: Any,
        prompt: list[int],
        *,
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
        seed: int | None = None,
        sampling: dict[str, Any],
    ) -> None:
        room = llama.n_ctx() - len(prompt)
        if room <= 0:
            raise ValueError(
                f"the prompt has {len(prompt)} tokens, and the context window only {llama.n_ctx()}"
            )
        self.ending = None
        self.tokens = 0
        self._llama = llama
        self._prompt = prompt
        self._stop = StopStrings(stop)
        self._most = room if max_tokens is None or max_tokens <= 0 else min(max_tokens, room)
        # As the package does it itself, so that what a model with a seed writes can be had again.
        self._seed = random.Random(llama._seed).randint(0, _LARGEST_SEED) if seed is None else seed
        self._sampling = sampling

    def __iter__(self) -> Iterator[str]:
        library: Any = import_module("llama_cpp")
        vocabulary = library.llama_model_get_vocab(self._llama.model)
        # A character can be several tokens.
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        known = list(self._prompt)
        self._llama.set_seed(self._seed)
        self.ending = "length"
        for token in self._llama.generate(self._prompt, **self._sampling):
            if library.llama_vocab_is_eog(vocabulary, token):
                self.ending = "stop token"
                break
            self.tokens += 1
            text = decoder.decode(self._llama.detokenize([token], prev_tokens=known, special=True))
            known.append(token)
            if text := self._stop.take(text):
                yield text
            if self._stop.found:
                self.ending = "stop string"
                return
            if self.tokens >= self._most:
                break
        if text := self._stop.take(decoder.decode(b"", final=True)) + self._stop.end():
            yield text


class StopStrings:
    """Cuts a text at the first of some strings, and holds back what could become one.

    Attributes:
        found: whether one was found.
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self.found = False
        self._strings = [string for string in strings if string]
        self._held: str = ""

    def take(self, text: str) -> str:
        """Take more text, and give what can go out."""
        if self.found:
            return ""
        text = self._held + text
        self._held = ""
        places = [place for string in self._strings if (place := text.find(string)) >= 0]
        if places:
            self.found = True
            return text[: min(places)]
        begun = max((_begun(text, string) for string in self._strings), default=0)
        self._held = text[len(text) - begun :]
        return text[: len(text) - begun]

    def end(self) -> str:
        """Give what was held back."""
        held, self._held = self._held, ""
        return "" if self.found else held


def _begun(text: str, string: str) -> int:
    """Tell how many characters at the end of a text begin a string."""
    for length in range(min(len(string) - 1, len(text)), 0, -1):
        if text.endswith(string[:length]):
            return length
    return 0
