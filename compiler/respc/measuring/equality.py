"""No parser is timed before it was seen to give what the interpreter gives: types, key order and all."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from respc.contents.model import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from respc.measuring.engines import Engine
    from respc.measuring.samples import Sample

_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class _Recording:
    """All that a caller sees of one stream; ``error`` is the nearest built-in class of what ended it."""

    initial_events: Any
    feeds: list[Any]
    error: str | None
    final_events: Any
    message: Any
    message_of_whole_text: Any


def chunks_of(text: str, size: int) -> list[str]:
    """Cut a text into chunks."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def compare(expected: Engine, actual: Engine, sample: Sample, chunk_size: int) -> str | None:
    """Tell where two parsers first differ on a sample, or give None where they do not."""
    chunks = chunks_of(sample.text, chunk_size)
    one, other = _record(expected, sample, chunks), _record(actual, sample, chunks)
    for part in fields(_Recording):
        place = part.name.replace("_", " ")
        difference = _difference(getattr(one, part.name), getattr(other, part.name), place)
        if difference is not None:
            return difference
    return None


def failure_of(engine: Engine, sample: Sample, chunk_size: int) -> str | None:
    """Name what a parser raises on a sample, streamed or at once, or give None."""
    recording = _record(engine, sample, chunks_of(sample.text, chunk_size))
    whole = recording.message_of_whole_text
    return recording.error or (whole.error if isinstance(whole, _Raised) else None)


@dataclass(frozen=True, slots=True)
class _Raised:
    """In place of a message: the nearest built-in class of what was raised."""

    error: str


def _record(engine: Engine, sample: Sample, chunks: Sequence[str]) -> _Recording:
    initial: Any = None
    feeds: list[Any] = []
    whole = _outcome(lambda: engine.whole(sample))
    try:
        parser = engine.open(sample)
        initial = parser.initial_events
        feeds.extend(map(parser.feed, chunks))
        message, events = parser.finalize()
    except Exception as error:
        return _Recording(initial, feeds, _built_in(error), None, None, whole)
    return _Recording(initial, feeds, None, events, message, whole)


def _outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except Exception as error:
        return _Raised(_built_in(error))


def _built_in(error: BaseException) -> str:
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def _difference(expected: Any, actual: Any, path: str) -> str | None:
    """Find the first difference. The walk keeps its own stack: values can be nested deeper than Python may recurse."""
    waiting: list[tuple[Any, Any, str]] = [(expected, actual, path)]
    while waiting:
        one, other, place = waiting.pop()
        if type(one) is not type(other):
            return _unequal(one, other, place)
        if is_object(one):
            if list(one) != list(other):
                return _unequal(list(one), list(other), f"{place}, keys")
            waiting.extend((one[key], other[key], f"{place}[{key!r}]") for key in reversed(one))
        elif is_list(one):
            pairs = list(zip(one, other, strict=False))
            if len(one) != len(other):
                if not one or not other:
                    return _unequal(one, other, place)
                # The places that both have come first, then what only one has.
                waiting.append((one[len(pairs) :], other[len(pairs) :], f"{place}[{len(pairs)}:]"))
            waiting.extend((*pair, f"{place}[{index}]") for index, pair in reversed(list(enumerate(pairs))))
        # A float's repr is the same for every NaN, and tells 0.0 from -0.0.
        elif repr(one) != repr(other) if isinstance(one, float) else one != other:
            return _unequal(one, other, place)
    return None


def _unequal(one: object, other: object, place: str) -> str:
    return f"{place}: {_shown(one)} from the interpreter, {_shown(other)} from the compiled parser"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
