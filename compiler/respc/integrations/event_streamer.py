"""A streamer for `generate` that gives events."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from respc.integrations.token_text import TokenText, ids_of_one, is_batch
from respc.integrations.tokenizer_templates import compiled_template_of, new_parser, tokenizer_of
from respc_runtime.errors import MissingPrefixError, ParserStateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from respc.api import ResponseParser
    from respc.integrations.tokenizer_templates import Tokenizer
    from respc_runtime.batches import Tools
    from respc_runtime.events import Event


class EventStreamer:
    """Gives the events of a generation while `generate(..., streamer=...)` runs.

    Iterate over it in another thread than that of `generate`, as over a `TextIteratorStreamer`, or give `on_event`.
    The events of what the prompt already wrote of the message come first. Tokens are decoded with the special
    ones, for these are what delimiters are made of, and never cut within a character.

    What the parser raises ends the generation, and the iteration with it. After `end` the streamer is ready for
    another generation, and after a failure too, as soon as `generate` puts the next prompt.

    Args:
        tokenizer: decodes, and has the template; or a processor that has the tokenizer.
        skip_prompt: whether the first ids that are put are the prompt, as `generate` does it. Without `prefix`
            they are the prefix. If false, all ids are what the model wrote, and `prefix` is required.
        prefix: the prompt, as text or token ids, where it is not what is put first or is known as text.
        tools: casts the arguments of tool calls to the types that these declare.
        timeout: how many seconds an iteration waits for an event; None for as long as it takes.
        on_event: is called with every event, in the thread of `generate`; nothing is left to iterate over then.
        response_template: is used in place of that of the tokenizer.

    Attributes:
        message: the message, when the generation is over; None before.

    Raises:
        MissingTemplateError: there is no template.
        TemplateError: the template is refused.
        MissingPrefixError: `skip_prompt` is false and there is no `prefix`.
        ValueError: `prefix` has several sequences.
        TypeError: there is no tokenizer, or `prefix` is neither text nor token ids.
    """

    message: dict[str, Any] | None

    def __init__(
        self,
        tokenizer: Tokenizer,
        skip_prompt: bool = True,
        timeout: float | None = None,
        *,
        prefix: Any = None,
        tools: Tools | None = None,
        on_event: Callable[[Event], object] | None = None,
        response_template: object = None,
    ) -> None:
        if prefix is None and not skip_prompt:
            raise MissingPrefixError
        self.tokenizer = tokenizer_of(tokenizer)
        self.skip_prompt = skip_prompt
        self.timeout = timeout
        self.message = None
        self._template = compiled_template_of(self.tokenizer, response_template)
        text_or_none = prefix is None or isinstance(prefix, str)
        self._prefix: str | None = prefix if text_or_none else self._decode(ids_of_one(prefix))
        self._tools = tools
        self._on_event = on_event
        self._text = TokenText(self._decode)
        self._parser: ResponseParser | None = None
        self._failed = False
        # None says that a generation is over, an exception that it failed.
        self._queue: SimpleQueue[Event | BaseException | None] = SimpleQueue()

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
            if self._parser is None:
                self._begin(ids)
                if self.skip_prompt:
                    return
            self._feed(self._text.take(ids))
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
        if not self._failed and self._on_event is None:
            self._queue.put(error)
        self._failed = True

    def __iter__(self) -> EventStreamer:
        if self._on_event is not None:
            raise TypeError("the events go to `on_event`: nothing is left to iterate over")
        return self

    def __next__(self) -> Event:
        try:
            item = self._queue.get(timeout=self.timeout)
        except Empty:
            raise Empty(f"no event came within {self.timeout} seconds") from None
        if item is None:
            raise StopIteration
        if isinstance(item, BaseException):
            raise item
        return item

    def _decode(self, ids: list[int]) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False)
        return text

    def _make_ready(self) -> None:
        self._parser = None
        self._failed = False

    def _begin(self, ids: list[int]) -> None:
        self.message = None
        self._text = TokenText(self._decode)
        prefix = self._decode(ids) if self._prefix is None else self._prefix
        self._parser = new_parser(self._template, prefix, self._tools)
        self._give(self._parser.initial_events)

    def _feed(self, text: str) -> None:
        if text and self._parser is not None:
            self._give(self._parser.feed(text))

    def _finish(self) -> None:
        if self._parser is not None:
            self._feed(self._text.end())
            message, events = self._parser.finalize()
            self._give(events)
            self.message = message
        if self._on_event is None:
            self._queue.put(None)

    def _give(self, events: Iterable[Event]) -> None:
        give = self._on_event or self._queue.put
        for event in events:
            give(event)
