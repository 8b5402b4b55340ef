"""Runs the interpreter and compiled modules over the same input, into traces that can be compared."""

from __future__ import annotations

import json
import signal
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from transformers.utils.chat_parsing.response_parser import ResponseParser as Interpreter
from transformers.utils.chat_parsing.response_templates import load_response_template

import respc
from support.strictness import first_difference, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType, ModuleType

Event = dict[str, Any]
Template = dict[str, Any]

NEVER_ENDS = "never ends"
ALLOWED_IN_PLACE_OF_A_LOOP = ("RuntimeError", "ValueError")
STEPS_WITHOUT_PROGRESS = 60
INTERPRETER_SECONDS = 5.0
COMPILED_SECONDS = 60.0
ERROR_ATTRIBUTES = ("field", "position", "reason", "excerpt")
TOO_SLOW = "too slow"


class NeverEndsError(BaseException):
    """Raised out of a parser that goes round without consuming anything.

    Not an ``Exception``, so that no handler of a parser under test can swallow it.
    """


class TooSlowError(BaseException):
    """Raised by the watchdog: a pattern that backtracks for ever, or a loop that nothing else noticed."""


class ParserLike(Protocol):
    """The part of a response parser that a trace needs."""

    initial_events: list[Event]

    def feed(self, text: str, /) -> list[Event]: ...

    def finalize(self) -> tuple[Event, list[Event]]: ...


def limited(parser_class: Any) -> Any:
    """Return the class of an interpreter, or of a copy of one, that stops where it would loop for ever."""

    class Limited(parser_class):
        _progress: tuple[int, int] = (-1, -1)
        _steps = 0

        def _process(self, events: list[Event], eos: bool) -> None:
            self._steps = 0
            super()._process(events, eos)

        def _scan(self, watch: Any, eos: bool) -> Any:
            progress = (self._pos, len(self._buffer))
            self._steps = self._steps + 1 if progress == self._progress else 0
            self._progress = progress
            if self._steps > STEPS_WITHOUT_PROGRESS:
                raise NeverEndsError
            return super()._scan(watch, eos)

    return Limited


LimitedInterpreter = limited(Interpreter)


@dataclass(frozen=True)
class Trace:
    """Everything that a caller of a parser can see, up to its first exception.

    ``error`` is the nearest built-in class of the exception and ``failed_at`` the call that raised it:
    "construct", "feed 0", "feed 1", … or "finalize". What a failed call would have given is None, and
    ``feeds`` ends before it. ``failure`` is the exception itself, and ``of_whole_text`` says how
    ``parse_response`` of a compiled module differs from all this, if it does.
    """

    initial_events: list[Event] | None = None
    feeds: list[list[Event]] = field(default_factory=list)
    final_events: list[Event] | None = None
    message: Event | None = None
    error: str | None = None
    failed_at: str | None = None
    failure: BaseException | None = field(default=None, compare=False)
    of_whole_text: str | None = field(default=None, compare=False)

    @property
    def never_ends(self) -> bool:
        return self.error == NEVER_ENDS


@dataclass(frozen=True)
class Refusal:
    """A template that was not accepted; ``error`` is the nearest built-in class of the exception."""

    error: str
    reason: str = field(compare=False, default="")


def builtin_class(error: BaseException) -> str:
    """Return the name of the nearest built-in class in the method resolution order of an exception."""
    return next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Raise TooSlowError out of what takes more time of the processor; without effect where nothing counts it."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def bite(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, bite)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def snapshot(events: list[Event]) -> list[Event]:
    """Copy events as they are now; only the value of a close can be changed later behind our back."""
    if type(events) is not list:
        return events
    return [
        {key: deepcopy(value) if key == "value" else value for key, value in event.items()}
        for event in events
    ]


def record(make_parser: Callable[[], ParserLike], chunks: Sequence[str]) -> Trace:
    """Run one parser over the chunks and return its trace.

    Events are copied when they are given out; a parser that later changes one that it gave out fails.
    """
    initial: list[Event] | None = None
    feeds: list[list[Event]] = []
    given: list[tuple[list[Event], list[Event]]] = []
    call = "construct"
    try:
        parser = make_parser()
        initial = snapshot(parser.initial_events)
        given.append((initial, parser.initial_events))
        for index, chunk in enumerate(chunks):
            call = f"feed {index}"
            events = parser.feed(chunk)
            feeds.append(snapshot(events))
            given.append((feeds[-1], events))
        call = "finalize"
        message, events = parser.finalize()
    except NeverEndsError:
        return Trace(initial, feeds, error=NEVER_ENDS, failed_at=call)
    except Exception as error:
        return Trace(initial, feeds, error=builtin_class(error), failed_at=call, failure=error)
    for then, now in given:
        difference = first_difference(then, now, "event")
        assert difference is None, f"an event changed after it was given out: {difference}"
    return Trace(initial, feeds, snapshot(events), deepcopy(message))


def interpret(template: Template, prefix: str, chunks: Sequence[str], tools: Any = None) -> Trace:
    """Return the trace of the interpreter over copies of the template and the tools.

    Raises:
        TooSlowError: a pattern of the template backtracks for longer than it is worth waiting.
    """
    with watchdog(INTERPRETER_SECONDS):
        return record(lambda: LimitedInterpreter(deepcopy(template), prefix, tools=deepcopy(tools)), chunks)


def run_compiled(module: ModuleType, prefix: str, chunks: Sequence[str], tools: Any = None) -> Trace:
    """Return the trace of a compiled module over a copy of the tools.

    Where the text comes in one chunk, ``parse_response`` has to give the same.
    """
    try:
        with watchdog(COMPILED_SECONDS):
            trace = record(lambda: module.ResponseParser(prefix, tools=deepcopy(tools)), chunks)
            if len(chunks) != 1:
                return trace
            return replace(
                trace, of_whole_text=whole_text_difference(module, prefix, chunks[0], tools, trace)
            )
    except TooSlowError:
        return Trace(error=TOO_SLOW)


def whole_text_difference(module: ModuleType, prefix: str, text: str, tools: Any, trace: Trace) -> str | None:
    """Return how ``parse_response`` differs from the trace of a stream that was given the text at once, or None."""
    try:
        message = module.parse_response(text, prefix=prefix, tools=deepcopy(tools))
    except Exception as error:
        if trace.failure is None:
            return f"parse_response raised {error!r}"
        pairs: list[tuple[Any, Any]] = [(repr(trace.failure), repr(error))]
        pairs += [
            (getattr(trace.failure, name, None), getattr(error, name, None)) for name in ERROR_ATTRIBUTES
        ]
        return next((f"parse_response raised {two!r}, not {one!r}" for one, two in pairs if one != two), None)
    if trace.failure is not None:
        return f"parse_response gave {shorten(message)}, but a stream raises {trace.failure!r}"
    return first_difference(trace.message, message, "message of parse_response")


def refused_by_interpreter(template: Any) -> Refusal | None:
    """Return how the interpreter refuses a template, or None if it accepts it."""
    try:
        load_response_template(deepcopy(template))
    except Exception as error:
        return Refusal(builtin_class(error), str(error))
    return None


def compile_or_refuse(template: Any, passes: tuple[str, ...] | None = None) -> ModuleType | Refusal:
    """Return the compiled module, or how the compiler refuses the template; other exceptions pass."""
    own = deepcopy(template)
    try:
        module = respc.load(own, passes=passes)
    except respc.TemplateError as error:
        return Refusal(builtin_class(error), str(error))
    finally:
        difference = first_difference(template, own, "template")
        assert difference is None, f"the compiler changed the template: {difference}"
    return module


@lru_cache(maxsize=512)
def _compiled(text: str, passes: tuple[str, ...] | None) -> ModuleType:
    module = compile_or_refuse(json.loads(text), passes)
    assert not isinstance(module, Refusal), f"refused with {module.error}: {module.reason}"
    return module


def compiled(template: Template, passes: tuple[str, ...] | None = None) -> ModuleType:
    """Return the compiled module of a template that must be accepted, compiled once per process."""
    return _compiled(json.dumps(template), passes)


def difference_between(expected: Trace, actual: Trace) -> str | None:
    """Return how a trace differs from the oracle's, or None.

    Where the interpreter never ends, the compiled parser must raise one of
    ``ALLOWED_IN_PLACE_OF_A_LOOP``, and agree with it in all calls that both completed.
    """
    if actual.error == TOO_SLOW:
        return "the compiled parser is too slow, or never ends, where the interpreter comes to an end"
    if expected.never_ends and actual.error in ALLOWED_IN_PLACE_OF_A_LOOP:
        both = min(len(expected.feeds), len(actual.feeds))
        return first_difference(expected.feeds[:both], actual.feeds[:both], "feeds")
    if actual.of_whole_text is not None:
        return actual.of_whole_text
    pairs = {
        "initial_events": (expected.initial_events, actual.initial_events),
        "feeds": (expected.feeds, actual.feeds),
        "failed_at": (expected.failed_at, actual.failed_at),
        "error": (expected.error, actual.error),
        "final_events": (expected.final_events, actual.final_events),
        "message": (expected.message, actual.message),
    }
    if expected.never_ends:
        return f"the interpreter never ends; the compiled parser must raise, but: {shorten(actual)}"
    # The calls that both completed come first: the first event that differs says more than a later error.
    both = min(len(expected.feeds), len(actual.feeds))
    early = first_difference(expected.feeds[:both], actual.feeds[:both], "feeds")
    if early is not None:
        return early
    for name in ("initial_events", "failed_at", "error", "feeds", "final_events", "message"):
        difference = first_difference(*pairs[name], path=name)
        if difference is not None:
            return difference
    return None


def assert_same(expected: Trace, actual: Trace, context: str = "") -> None:
    """Fail readably when a trace differs from the oracle's."""
    difference = difference_between(expected, actual)
    if difference is None:
        return
    lines = [context, difference, f"interpreter: {expected.error or 'no error'} at {expected.failed_at}"]
    lines.append(f"compiled:    {actual.error or 'no error'} at {actual.failed_at}")
    for index in range(max(len(expected.feeds), len(actual.feeds))):
        left = expected.feeds[index] if index < len(expected.feeds) else None
        right = actual.feeds[index] if index < len(actual.feeds) else None
        if first_difference(left, right) is not None:
            lines += [
                f"feed {index}, interpreter: {shorten(left)}",
                f"feed {index}, compiled:    {shorten(right)}",
            ]
            break
    lines += [f"messages: {shorten(expected.message)}", f"          {shorten(actual.message)}"]
    raise AssertionError("\n".join(lines))
