"""A streamer for `generate`: token ids in, and out what is made of their text, in another thread or by a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from respc.integrations.token_text import TokenText, ids_of_one, is_batch
from respc.integrations.tokenizer_templates import tokenizer_of
from respc_runtime.errors import MissingPrefixError, ParserStateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from respc.integrations.tokenizer_templates import Tokenizer

ItemT = TypeVar("ItemT")


class TokenStreamer(ABC, Generic[ItemT]):
    """Gives items of a generation while `generate(..., streamer=...)` runs; a subclass says what is made of the text.

    Args:
        tokenizer: decodes, or a processor that has the tokenizer.
        skip_prompt: whether the first ids that are put are the prompt.
        timeout: how many seconds an iteration waits for an item; None for as long as it takes.
        prefix: the prompt, as text or token ids, where it is not what is put first or is known as text.
        on_item: is called with every item, in the thread of `generate`; nothing is left to iterate over then.

    Raises:
        MissingPrefixError: `skip_prompt` is false and there is no `prefix`.
        ValueError: `prefix` has several sequences.
        TypeError: there is no tokenizer, or `prefix` is neither text nor token ids.
    """

    _takes_items: ClassVar[str] = "on_item"
    """What the parameter is called that takes items."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        skip_prompt: bool,
        timeout: float | None,
        prefix: Any,
        on_item: Callable[[ItemT], object] | None,
    ) -> None:
        if prefix is None and not skip_prompt:
            raise MissingPrefixError
        self.tokenizer = tokenizer_of(tokenizer)
        self.skip_prompt = skip_prompt
        self.timeout = timeout
        text_or_none = prefix is None or isinstance(prefix, str)
        self._prefix: str | None = prefix if text_or_none else self._decode(ids_of_one(prefix))
        self._on_item = on_item
        self._text = TokenText(self._decode)
        self._is_open = False
        self._failed = False
        # None says that a generation is over, an exception that it failed.
        self._queue: SimpleQueue[ItemT | BaseException | None] = SimpleQueue()

    @abstractmethod
    def _open(self, prefix: str) -> Iterable[ItemT]:
        """Begin a generation behind a prompt."""

    @abstractmethod
    def _feed(self, text: str) -> Iterable[ItemT]:
        """Take text of the generation, some at least."""

    @abstractmethod
    def _close(self) -> Iterable[ItemT]:
        """End the generation."""

    def _see(self, ids: list[int]) -> None:
        """Look at the ids of the next tokens."""

    def put(self, value: Any) -> None:
        """Take the ids of the prompt, or of the next tokens: a tensor, array or list, of one sequence.

        Raises:
            ValueError: there are several sequences, or the text cannot be parsed.
            TypeError: these are no token ids.
            ResponseError: the text cannot be parsed.
            ParserStateError: an earlier call raised, and this is not the batch of one that a prompt comes as.
        """
        if self._failed:
            # `generate` calls no `end` where a call raised, so only its next prompt shows that it is over.
            if not is_batch(value):
                raise ParserStateError(
                    "the generation already failed: call `end` before the next prompt is put"
                )
            self._make_ready()
        try:
            ids = ids_of_one(value)
            if not self._is_open:
                self._begin(ids)
                if self.skip_prompt:
                    return
            self._see(ids)
            self._take(self._text.take(ids))
        except BaseException as error:
            self.fail(error)
            raise

    def end(self) -> None:
        """Take that the generation is over.

        Raises:
            ResponseError: the text cannot be parsed, or a required field is missing.
        """
        try:
            if not self._failed:
                self._finish()
        except BaseException as error:
            self.fail(error)
            raise
        finally:
            self._make_ready()

    def fail(self, error: BaseException) -> None:
        """End the iteration with an exception: for the thread of `generate`, if that raises."""
        if not self._failed and self._on_item is None:
            self._queue.put(error)
        self._failed = True

    def __iter__(self) -> Iterator[ItemT]:
        if self._on_item is not None:
            raise TypeError(f"all goes to `{self._takes_items}`: nothing is left to iterate over")
        return self

    def __next__(self) -> ItemT:
        try:
            item = self._queue.get(timeout=self.timeout)
        except Empty:
            raise Empty(f"nothing came within {self.timeout} seconds") from None
        if item is None:
            raise StopIteration
        if isinstance(item, BaseException):
            raise item
        return item

    def _decode(self, ids: list[int]) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False)
        return text

    def _make_ready(self) -> None:
        self._is_open = False
        self._failed = False

    def _begin(self, ids: list[int]) -> None:
        self._text = TokenText(self._decode)
        items = self._open(self._decode(ids) if self._prefix is None else self._prefix)
        self._is_open = True
        self._give(items)

    def _take(self, text: str) -> None:
        if text:
            self._give(self._feed(text))

    def _finish(self) -> None:
        if self._is_open:
            self._take(self._text.end())
            self._give(self._close())
        if self._on_item is None:
            self._queue.put(None)

    def _give(self, items: Iterable[ItemT]) -> None:
        give = self._on_item or self._queue.put
        for item in items:
            give(item)
