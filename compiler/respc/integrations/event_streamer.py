"""A streamer for `generate` that gives events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc.integrations.token_streamer import TokenStreamer
from respc.integrations.tokenizer_templates import compiled_template_of, new_parser
from respc_runtime.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from respc.api import ResponseParser
    from respc.integrations.tokenizer_templates import Tokenizer
    from respc_runtime.batches import Tools


class EventStreamer(TokenStreamer[Event]):
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

    _takes_items = "on_event"
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
        super().__init__(tokenizer, skip_prompt, timeout, prefix, on_event)
        self.message = None
        self._template = compiled_template_of(self.tokenizer, response_template)
        self._tools = tools
        self._parser: ResponseParser | None = None

    def _open(self, prefix: str) -> Iterable[Event]:
        self.message = None
        self._parser = new_parser(self._template, prefix, self._tools)
        return self._parser.initial_events

    def _feed(self, text: str) -> Iterable[Event]:
        return () if self._parser is None else self._parser.feed(text)

    def _close(self) -> Iterable[Event]:
        if self._parser is None:
            return
        message, events = self._parser.finalize()
        # The message is there once its events were given.
        yield from events
        self.message = message

    def _make_ready(self) -> None:
        super()._make_ready()
        self._parser = None
