"""Feeds a text to a parser, and keeps what each chunk led to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.source.json_kinds import is_list
from respc.trace.holding import held_in
from respc.trace.model import Failure, Mark, Step, Trace
from respc.trace.watching import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from respc.ir import ParserIR
    from respc.trace.model import StepKind
    from respc_runtime.batches import Tools

MOST_STEPS: Final = 400
"""More chunks are taken together, so many to a step that there are no more steps."""


class Recording:
    """Records the trace of one text.

    Args:
        ir: the template.
        module: what it was compiled to.
        prefix: the prompt that the text continues.
        tools: what arguments are cast by.

    Attributes:
        anchor_found: whether the prompt has a start anchor; None for an empty one, or where it raised.
    """

    def __init__(self, ir: ParserIR, module: ModuleType, prefix: str, tools: Tools | None) -> None:
        self._ir = ir
        self._parser = watched(module.ResponseParser)(prefix, tools=tools)
        self._text = self._parser.from_prompt
        self._passed_length = len(prefix) - len(self._text)
        self._steps: list[Step] = []
        self._message: dict[str, Any] = {}
        self._failure = self._parser.failure
        self.anchor_found = None if self._failure is not None else self._parser.anchor_found

    def of(self, text: str, ends: Sequence[int], *, title: str, events_form: str) -> Trace:
        """Feed a text, cut at these places, and give the trace."""
        begun, prompt = self._failure is None, self._text
        if prompt:
            self._add("prompt", 0, 0, self._parser.initial_events if begun else ())
        together = -(-len(ends) // MOST_STEPS) or 1
        start = 0
        for first in range(0, len(ends), together):
            if self._failure is None:
                group = ends[first : first + together]
                told = _fed(self._parser.feed, text, start, group)
                self._step("chunks", len(group), text[start : group[-1]], told)
                start = group[-1]
        message = self._finalized() if self._failure is None else None
        self._text = prompt + text
        return Trace(
            title=title,
            events_form=events_form,
            text=self._text,
            prompt_length=len(prompt),
            passed_length=self._passed_length,
            chunk_count=len(ends),
            fields=tuple(region.name for region in self._ir.regions),
            marks=tuple(self._all_marks()),
            steps=tuple(self._steps),
            message=message,
            failure=None if self._failure is None else _failure(self._failure),
        )

    def _finalized(self) -> Any:
        message: Any = None

        def finalized() -> Iterator[list[Any]]:
            nonlocal message
            message, events = self._parser.finalize()
            yield events

        self._step("end", 0, "", finalized())
        return message

    def _step(self, kind: StepKind, chunks: int, text: str, told: Iterator[list[Any]]) -> None:
        """Take a step, and remember what it raises."""
        start = len(self._text)
        self._text += text
        events: list[Any] = []
        try:
            for some in told:
                events += some
        except Exception as error:  # whatever the interpreter raises, too
            self._failure = error
        self._add(kind, chunks, start, events)

    def _add(self, kind: StepKind, chunks: int, start: int, events: Sequence[Any]) -> None:
        parser, known = self._parser, len(self._text)
        is_over = kind == "end" or self._failure is not None
        held_text = "" if is_over else parser.held_text
        decided = known - len(held_text)
        if self._failure is not None:
            before = self._steps[-1].decided if self._steps else 0
            decided = max(before, parser.decisions[-1].end if parser.decisions else 0)
        if not self._message or any(event["type"] == "region_close" for event in events):
            # A parser adds to its lists, and changes no value that is in the message.
            self._message = {
                key: [*value] if is_list(value) else value for key, value in parser.message.items()
            }
        step = Step(
            number=len(self._steps),
            kind=kind,
            chunks=chunks,
            start=start,
            known=known,
            decided=decided,
            held=held_in(self._ir, parser.field, self._text, decided, parser.care) if held_text else None,
            events=tuple(events),
            field=None if is_over else parser.field,
            message=self._message,
        )
        self._steps.append(step)

    def _all_marks(self) -> Iterator[Mark]:
        """Give a mark for every character of the text; what the parser did not come to is unread."""
        place = 0
        before: Mark | None = None
        for mark in self._parser.decisions:
            if mark.start > place:
                # What stands before a body is the opener, which the model wrote once more.
                yield Mark("opener", mark.field, place, mark.start)
            yield mark
            place, before = mark.end, mark
        # A region whose end the parser did not come to.
        decided = self._steps[-1].decided if self._steps else 0
        if before is not None and before.kind == "opener" and place < decided:
            yield Mark("body", before.field, place, decided)
            place = decided
        if place < len(self._text):
            yield Mark("unread", None, place, len(self._text), "the parser had stopped before it")


def _fed(feed: Callable[[str], list[Any]], text: str, start: int, ends: Sequence[int]) -> Iterator[list[Any]]:
    for end in ends:
        yield feed(text[start:end])
        start = end


def _failure(error: Exception) -> Failure:
    reason: str = getattr(error, "reason", "") or str(error)
    return Failure(
        type(error).__name__, reason, getattr(error, "field", None), getattr(error, "position", None)
    )
