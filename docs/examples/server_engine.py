"""What generates the text behind `server.py`: an engine, and what every server does around it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable

End: TypeAlias = Literal["stop token", "stop string", "length"]


@dataclass(frozen=True)
class Piece:
    """Text that the detokeniser gave, special tokens included; the last one says why the generation ended."""

    text: str
    tokens: int = 1
    ended: End | None = None
    stop_string: str | None = None


class Engine(Protocol):
    """Replace this by your own. Closing the generator has to stop the generation: nobody reads it any more."""

    def generate(self, prompt: str, max_tokens: int | None) -> AsyncGenerator[Piece, None]:
        """Generate what follows on the prompt."""

    def count_tokens(self, prompt: str) -> int:
        """Count the tokens of a prompt."""


class ScriptedEngine:
    """Writes what a function makes of the prompt, four characters a token, so that the server runs without a model."""

    def __init__(self, write: Callable[[str], Iterable[str]], pause: float = 0) -> None:
        self._write = write
        self._pause = pause
        self.running = 0
        """How many generations go on."""

    async def generate(self, prompt: str, max_tokens: int | None) -> AsyncGenerator[Piece, None]:
        """Generate what follows on the prompt."""
        self.running += 1
        tokens = 0
        try:
            for text in self._write(prompt):
                for start in range(0, len(text), 4):
                    if tokens == max_tokens:
                        yield Piece("", 0, "length")
                        return
                    await asyncio.sleep(self._pause)
                    tokens += 1
                    yield Piece(text[start : start + 4])
            yield Piece("", 1, "stop token")
        finally:
            self.running -= 1

    def count_tokens(self, prompt: str) -> int:
        """Count the tokens of a prompt."""
        return -(-len(prompt) // 4)


class TransformersEngine:
    """Generates with a model of transformers, a thread for each request.

    `skip_special_tokens=False` is what matters: most delimiters of reasoning and calls are special tokens.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer

    async def generate(self, prompt: str, max_tokens: int | None) -> AsyncGenerator[Piece, None]:
        """Generate what follows on the prompt."""
        from transformers import AsyncTextIteratorStreamer

        inputs = self._tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
        streamer: Any
        streamer = AsyncTextIteratorStreamer(self._tokenizer, skip_prompt=True, skip_special_tokens=False)
        stopping = threading.Event()
        most = max_tokens or 4096

        def run() -> End:
            try:
                [tokens] = self._model.generate(
                    **inputs,
                    streamer=streamer,
                    max_new_tokens=most,
                    stopping_criteria=[lambda ids, scores, **_: stopping.is_set()],
                )
            except Exception:
                # Whoever waits for text hears that there is no more; what went wrong, the task says.
                streamer.end()
                raise
            new = len(tokens) - inputs["input_ids"].shape[1]
            return "length" if new >= most and int(tokens[-1]) not in self._end_tokens() else "stop token"

        task = asyncio.create_task(asyncio.to_thread(run))
        try:
            async for text in streamer:
                if text:
                    yield Piece(text)
            yield Piece("", 0, await task)
        finally:
            stopping.set()

    def count_tokens(self, prompt: str) -> int:
        """Count the tokens of a prompt."""
        return len(self._tokenizer(prompt, add_special_tokens=False)["input_ids"])

    def _end_tokens(self) -> list[int]:
        ends = self._model.generation_config.eos_token_id
        return list(ends) if isinstance(ends, list) else [ends]


async def until_stop_string(
    pieces: AsyncGenerator[Piece, None], stop: list[str]
) -> AsyncGenerator[Piece, None]:
    """Give pieces up to a stop string, without it. What can become one is held back."""
    held = ""
    longest = max(map(len, stop), default=1)
    async with aclosing(pieces):
        async for piece in pieces:
            text = held + piece.text
            found = [(text.find(each), each) for each in stop if each in text]
            if found:
                place, string = min(found)
                yield Piece(text[:place], piece.tokens, "stop string", string)
                return
            kept = len(text) if piece.ended else max(len(text) - longest + 1, 0)
            held = text[kept:]
            yield replace(piece, text=text[:kept])
