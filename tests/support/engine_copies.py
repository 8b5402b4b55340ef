"""Compares serving modules with the copies of the interpreter that serving engines have, event by event."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.engine_amendments import amended, combinations_of, described, reasons_for
from support.oracle import INTERPRETER_SECONDS, NEVER_ENDS, NeverEndsError, builtin_class, limited, watchdog
from support.serving import without_care
from support.strictness import first_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from support.chunking import Chunking
    from support.engine_amendments import Copy


@dataclass(frozen=True)
class Generation:
    """What a parser is given; the text may come in any chunks."""

    template: dict[str, Any]
    prefix: str
    text: str
    tools: Any


def plain(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event as both sides have it: an error is its built-in class, and `closed` is ours alone."""
    kept = {key: value for key, value in event.items() if key != "closed"}
    if "error" in kept:
        kept["error"] = builtin_class(kept["error"])
    return deepcopy(kept)


def seen_of(make_parser: Callable[[], Any], chunks: list[str]) -> list[Any]:
    """Return all that a caller sees of one generation, up to the first exception."""
    seen: list[Any] = []
    try:
        parser = make_parser()
        seen.append([list(map(plain, parser.initial_events)), parser.input_text])
        seen += [list(map(plain, parser.feed(chunk))) for chunk in chunks]
        message, events = parser.finalize()
        seen.append([deepcopy(message), list(map(plain, events)), parser.input_text])
    except NeverEndsError:
        seen.append(NEVER_ENDS)
    except Exception as error:
        seen.append(f"raised {builtin_class(error)}")
    return seen


def of_copy(copy: Copy, generation: Generation, chunks: list[str]) -> list[Any]:
    """Return what a caller of a copy sees."""
    parser_class = limited(copy.parser.ResponseParser)
    template, tools = deepcopy(generation.template), deepcopy(generation.tools)
    with watchdog(INTERPRETER_SECONDS):
        return seen_of(lambda: parser_class(template, generation.prefix, tools=tools), chunks)


def of_module(module: ModuleType, generation: Generation, chunks: list[str]) -> list[Any]:
    """Return what a caller of a serving module sees."""
    tools = deepcopy(generation.tools)
    plain_module = without_care(module)
    return seen_of(lambda: plain_module.ResponseParser(generation.prefix, tools=tools), chunks)


def compare(
    copy: Copy, module: ModuleType, generation: Generation, chunkings: Iterable[Chunking]
) -> Counter[str]:
    """Assert that a serving module gives what a copy does, or differs for reasons that are known; count these."""
    found: Counter[str] = Counter()
    for name, chunks in chunkings:
        actual = of_module(module, generation, chunks)
        expected = of_copy(copy, generation, chunks)
        difference = first_difference(expected, actual, "seen")
        if difference is None:
            found["the same"] += 1
            continue
        explanation = _explained(copy, generation, chunks, actual)
        assert explanation, f"{copy.engine}, {name}: {difference}\n{described(generation, chunks)}"
        found.update(explanation)
    return found


def _explained(copy: Copy, generation: Generation, chunks: list[str], actual: list[Any]) -> list[str]:
    """Name the fewest reasons with which a copy gives the same; none if nothing explains the difference."""
    for reasons in combinations_of(reasons_for(generation, copy.engine)):
        with amended(copy, reasons):
            expected = of_copy(copy, generation, chunks)
        if first_difference(expected, actual) is None:
            return [reason.name for reason in reasons]
    return []
