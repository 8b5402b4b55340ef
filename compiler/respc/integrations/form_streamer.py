"""A streamer for `generate` that gives what a server sends: token ids to deltas in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from respc.integrations.token_streamer import TokenStreamer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from respc.integrations.tokenizer_templates import Tokenizer


class Form(Protocol):
    """What turns the text of one generation into what a server sends, as `ChatCompletionParser` does.

    What comes before the first text is in `initial_deltas` or `initial_events`.
    """

    def feed(self, text: str, /) -> Sequence[Any]:
        """Take the next chunk of the generation and give what it leads to."""
        ...

    def finalize(self, *, length: bool = False, stopped: bool = False) -> Sequence[Any]:
        """End the generation and give what is left."""
        ...


FormT = TypeVar("FormT", bound=Form)


class FormStreamer(TokenStreamer[dict[str, Any]], Generic[FormT]):
    """Gives the deltas of a generation while `generate(..., streamer=...)` runs, or whatever else a form makes of it.

    Iterate over it in another thread than that of `generate`, or give `on_delta`. What the form has of the prompt
    comes first. A server with an engine of its own calls `put` and `end` itself.

    Args:
        tokenizer: decodes, with special tokens; or a processor that has the tokenizer.
        make_form: makes the form of a generation from its prompt, such as
            ``lambda prompt: ChatCompletionParser("qwen3", prompt)``.
        skip_prompt: whether the first ids that are put are the prompt, as `generate` does it. Without `prefix`
            they are the prefix. If false, all ids are what the model wrote, and `prefix` is required.
        timeout: how many seconds an iteration waits; None for as long as it takes.
        prefix: the prompt, as text or token ids, where it is not what is put first or is known as text.
        on_delta: is called with each of them, in the thread of `generate`; nothing is left to iterate over then.
        stop_ids: the tokens by which the model ends its turn. With them, a generation whose last token is one of
            them was stopped by the model, and any other was cut off by a limit; without, nothing is known of that.

    Attributes:
        form: the form of the generation that runs, or ran last; None before the first.

    Raises:
        MissingPrefixError: `skip_prompt` is false and there is no `prefix`.
        ValueError: `prefix` has several sequences.
        TypeError: there is no tokenizer, or `prefix` is neither text nor token ids.
    """

    _takes_items = "on_delta"
    form: FormT | None

    def __init__(
        self,
        tokenizer: Tokenizer,
        make_form: Callable[[str], FormT],
        skip_prompt: bool = True,
        timeout: float | None = None,
        *,
        prefix: Any = None,
        on_delta: Callable[[dict[str, Any]], object] | None = None,
        stop_ids: Collection[int] = (),
    ) -> None:
        super().__init__(tokenizer, skip_prompt, timeout, prefix, on_delta)
        self.form = None
        self._make_form = make_form
        self._stop_ids = frozenset(stop_ids)
        self._last: int | None = None
        self._reasons = {"length": False, "stopped": False}

    def end(self, *, length: bool | None = None, stopped: bool | None = None) -> None:
        """Take that the generation is over.

        Args:
            length: whether a limit cut it off; None for what the last token tells.
            stopped: whether the model ended its turn itself; None for what the last token tells.

        Raises:
            ResponseError: a required field is missing.
        """
        is_known = bool(self._stop_ids) and self._last is not None
        is_stopped = self._last in self._stop_ids
        self._reasons = {
            "length": is_known and not is_stopped if length is None else length,
            "stopped": is_known and is_stopped if stopped is None else stopped,
        }
        super().end()

    def _see(self, ids: list[int]) -> None:
        if ids:
            self._last = ids[-1]

    def _open(self, prefix: str) -> Iterable[dict[str, Any]]:
        self._last = None
        form = self.form = self._make_form(prefix)
        initial: Iterable[dict[str, Any]] | None = getattr(form, "initial_deltas", None)
        return getattr(form, "initial_events", ()) if initial is None else initial

    def _feed(self, text: str) -> Iterable[dict[str, Any]]:
        return () if self.form is None else self.form.feed(text)

    def _close(self) -> Iterable[dict[str, Any]]:
        return () if self.form is None else self.form.finalize(**self._reasons)
