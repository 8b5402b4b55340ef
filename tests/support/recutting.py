"""What a stable module may not depend on: the same text cut elsewhere, with the end of the prefix moved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from support.chunking import few, single_cuts, telling_cuts
from support.oracle import Trace, builtin_class
from support.serving import as_default, check_places, without_care
from support.stability import after_anchor, response_at_once, response_of, stable_module
from support.strictness import first_difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random
    from types import ModuleType

    from support.oracle import Event, Template
    from support.stability import Response

Run = tuple[str, list[str]]
"""A prefix, and the chunks after it."""

LONGEST_BY_EVERY_CUT = 400


@dataclass(frozen=True)
class Instability:
    """A run whose outcome is another one than that of the whole text at once."""

    difference: str
    events: str
    prefix: str
    chunks: list[str]


@dataclass(frozen=True)
class Marks:
    """What a serving parser tells besides the text of its regions, which lies between these places."""

    error: str | None
    events: tuple[dict[str, Any], ...]
    message: Any
    input_text: str


def recut(
    template: Template, prefix: str, text: str, random: Random | None = None, *, moved_by: int = 1
) -> Iterator[Run]:
    """Yield runs that come to the same whole text.

    Every single cut, or of long texts the telling ones; random chunks; and the end of the prefix moved into the text,
    by steps of ``moved_by``, and to the front of what is left of the prefix.
    """
    kept = after_anchor(template, prefix)
    whole = kept + text
    cuts = single_cuts(whole) if len(whole) <= LONGEST_BY_EVERY_CUT else telling_cuts(whole, every=40)
    for _, chunks in cuts:
        yield "", chunks
    if random is not None:
        yield from ((prefix, chunks) for _, chunks in few(text, random))
    for place in range(0, min(len(text), LONGEST_BY_EVERY_CUT) + 1, moved_by):
        begun = prefix + text[:place]
        # A start anchor in the text counts only in the prefix.
        if after_anchor(template, begun) == kept + text[:place]:
            yield begun, [text[place:]]


def first_instability(
    template: Template, prefix: str, text: str, tools: Any, runs: Iterable[Run], *, serving_every: int = 1
) -> Instability | None:
    """Return the first run that comes to something else than the interpreter given everything at once.

    Args:
        template: as all that follow, of the generation.
        prefix: its prompt.
        text: what was generated.
        tools: its tools.
        runs: how it is cut.
        serving_every: which of the runs are done in the serving form too, whose checks take longest.

    Returns:
        None where all come to the same, or where the interpreter never ends.
    """
    default, serving = stable_module(template), stable_module(template, "serving")
    assert default is not None
    assert serving is not None
    serving = without_care(serving)
    expected = response_at_once(template, prefix, text, tools)
    if expected is None:
        return None
    whole = after_anchor(template, prefix) + text
    _, marks = run_of(serving, "", [whole], 0, tools)
    for number, (begun, chunks) in enumerate(runs):
        found = difference_of_default(default, expected, begun, chunks, tools)
        if found is not None:
            return Instability(found, "default", begun, chunks)
        if number % serving_every:
            continue
        found = difference_of_serving(template, serving, expected, marks, begun, chunks, tools)
        if found is not None:
            return Instability(found, "serving", begun, chunks)
    return None


def difference_of_default(
    module: ModuleType, expected: Response, prefix: str, chunks: list[str], tools: Any
) -> str | None:
    """Return how a run of the default form differs from what is expected, or None."""
    actual = response_of(quick_trace(module, prefix, chunks, tools)[0])
    return None if repr(actual) == repr(expected) else expected.difference(actual)


def difference_of_serving(
    template: Template,
    module: ModuleType,
    expected: Response,
    marks: Marks,
    prefix: str,
    chunks: list[str],
    tools: Any,
) -> str | None:
    """Return how a run of the serving form differs from what is expected, or None."""
    generated = len(after_anchor(template, prefix)) if prefix else 0
    try:
        trace, actual = run_of(module, prefix, chunks, generated, tools)
    except AssertionError as error:
        return f"places: {error}"
    if repr(marks) != repr(actual):
        return first_difference(vars(marks), vars(actual), "marks")
    if trace.error is not None:
        # The default form may have raised before, where this one tells of a malformed region.
        return None if expected.error is not None else f"raised {trace.error}"
    if prefix:
        # What of the prefix was held back is not given as text: the places tell the regions' text in its stead.
        return None
    response = response_of(as_default(trace))
    return None if repr(response) == repr(expected) else expected.difference(response)


def run_of(
    module: ModuleType, prefix: str, chunks: list[str], generated: int, tools: Any
) -> tuple[Trace, Marks]:
    """Run a serving parser, and check that the text of its regions is what their places say."""
    trace, parser = quick_trace(module, prefix, chunks, tools)
    if trace.error is not None:
        return trace, Marks(trace.error, (), None, "")
    check_places(trace, parser.input_text, generated)
    marks = [
        _comparable(event)
        for event in events_of(trace)
        if event["type"] not in ("region_chunk", "text_outside")
    ]
    return trace, Marks(None, tuple(marks), list((trace.message or {}).items()), parser.input_text)


def quick_trace(module: ModuleType, prefix: str, chunks: list[str], tools: Any) -> tuple[Trace, Any]:
    """Return the trace of a parser, and it; without the copies that `record` makes, which take most of its time."""
    initial: list[Event] | None = None
    feeds: list[list[Event]] = []
    parser = None
    try:
        parser = module.ResponseParser(prefix, tools=tools)
        initial = parser.initial_events
        feeds.extend(map(parser.feed, chunks))
        message, events = parser.finalize()
    except Exception as error:
        return Trace(initial, feeds, error=builtin_class(error)), parser
    return Trace(initial, feeds, events, message), parser


def events_of(trace: Trace) -> list[Event]:
    """Return the events of all calls."""
    return [*(trace.initial_events or []), *chain.from_iterable(trace.feeds), *(trace.final_events or [])]


def _comparable(event: Event) -> dict[str, Any]:
    if event["type"] != "region_malformed":
        return event
    error = event["error"]
    return {**event, "error": (builtin_class(error), str(error), error.field, error.position)}


def described(template: Template, prefix: str, text: str, tools: Any, found: Instability) -> str:
    """Return an instability as one line of JSON, ready to be run again."""
    return json.dumps(
        {
            "difference": found.difference,
            "events": found.events,
            "run": [found.prefix, found.chunks],
            "template": template,
            "prefix": prefix,
            "text": text,
            "tools": tools,
        },
        default=repr,
    )
