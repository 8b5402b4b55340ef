"""No parser is timed before it was seen to give what the interpreter gives: types, key order and all."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from respc.measuring.engines import Engine, Parser
    from respc.measuring.samples import Sample

_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Raised:
    """In place of a result: the nearest built-in class of what was raised."""

    error: str


@dataclass(frozen=True, slots=True)
class Recording:
    """All that a caller sees of one stream; ``error`` is the nearest built-in class of what ended it."""

    initial_events: Any
    feeds: list[Any]
    error: str | None = None
    final_events: Any = None
    message: Any = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two values first differ, with what there is, shortened."""

    place: str
    expected: str
    actual: str


def chunks_of(text: str, size: int) -> list[str]:
    """Cut a text into chunks."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def compare(expected: Engine, actual: Engine, sample: Sample, chunk_size: int) -> str | None:
    """Tell where two parsers first differ on a sample, or give None where they do not."""
    chunks = chunks_of(sample.text, chunk_size)
    found = first_difference_of_streams(
        record(lambda: expected.open(sample), chunks), record(lambda: actual.open(sample), chunks)
    ) or first_difference(
        outcome(lambda: expected.whole(sample)),
        outcome(lambda: actual.whole(sample)),
        "message of whole text",
    )
    if found is None:
        return None
    return f"{found.place}: {found.expected} from the interpreter, {found.actual} from the compiled parser"


def failure_of(engine: Engine, sample: Sample, chunk_size: int) -> str | None:
    """Say what a parser raises on a sample, streamed or at once, or give None."""
    try:
        parser = engine.open(sample)
        for chunk in chunks_of(sample.text, chunk_size):
            parser.feed(chunk)
        parser.finalize()
        engine.whole(sample)
    except Exception as error:
        return f"{_built_in(error)}: {error}"
    return None


def record(open_parser: Callable[[], Parser], chunks: Sequence[str]) -> Recording:
    """Stream the chunks through a new parser, and keep what it gives."""
    initial: Any = None
    feeds: list[Any] = []
    try:
        parser = open_parser()
        initial = parser.initial_events
        feeds.extend(map(parser.feed, chunks))
        message, events = parser.finalize()
    except Exception as error:
        return Recording(initial, feeds, _built_in(error))
    return Recording(initial, feeds, None, events, message)


def outcome(work: Callable[[], object]) -> object:
    """Call, and give the result or what stands for what was raised."""
    try:
        return work()
    except Exception as error:
        return Raised(_built_in(error))


def _built_in(error: BaseException) -> str:
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def first_difference_of_streams(expected: Recording, actual: Recording) -> Difference | None:
    """Find where two streams first differ, in the order in which a caller sees them."""
    for part in fields(Recording):
        place = part.name.replace("_", " ")
        found = first_difference(getattr(expected, part.name), getattr(actual, part.name), place)
        if found is not None:
            return found
    return None


def first_difference(expected: Any, actual: Any, place: str) -> Difference | None:
    """Find where two values first differ, be it in a type or in the order of keys.

    The walk keeps its own stack: values can be nested deeper than Python may recurse.
    """
    waiting: list[tuple[Any, Any, str]] = [(expected, actual, place)]
    while waiting:
        one, other, at = waiting.pop()
        if type(one) is not type(other):
            return _unequal(one, other, at)
        if is_object(one):
            if list(one) != list(other):
                return _unequal(list(one), list(other), f"{at}, keys")
            waiting.extend((one[key], other[key], f"{at}[{key!r}]") for key in reversed(one))
        elif is_list(one):
            pairs = list(zip(one, other, strict=False))
            if len(one) != len(other):
                if not one or not other:
                    return _unequal(one, other, at)
                # The places that both have come first, then what only one has.
                waiting.append((one[len(pairs) :], other[len(pairs) :], f"{at}[{len(pairs)}:]"))
            waiting.extend((*pair, f"{at}[{index}]") for index, pair in reversed(list(enumerate(pairs))))
        # A float's repr is the same for every NaN, and tells 0.0 from -0.0.
        elif repr(one) != repr(other) if isinstance(one, float) else one != other:
            return _unequal(one, other, at)
    return None


def _unequal(one: object, other: object, place: str) -> Difference:
    return Difference(place, _shown(one), _shown(other))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
