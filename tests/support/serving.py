"""What the events of serving modules have to be, told from the default form and from the text."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

from respc_runtime import serving
from respc_runtime.batches import ParseResponse
from support.oracle import Trace, builtin_class

Event = dict[str, Any]

MALFORMED_CLASSES = ("KeyError", "TypeError", "ValueError", "RecursionError")
ONLY_IN_SERVING = ("start", "end", "captures", "closed")


def without_care(module: ModuleType) -> ModuleType:
    """Give a module with serving events whose parser reads as the interpreter does.

    What serving parsers do with more care than that is tested apart; all else is the interpreter's.
    """
    plain = serving.without_care(module.ResponseParser)
    given = ModuleType(module.__name__)
    vars(given).update(vars(module), ResponseParser=plain, parse_response=ParseResponse(plain))
    return given


def as_default(serving: Trace) -> Trace:
    """Turn the trace of a serving parser into that of the default form, which raises where a region is malformed."""
    calls = [("construct", serving.initial_events)]
    calls += [(f"feed {index}", events) for index, events in enumerate(serving.feeds)]
    calls.append(("finalize", serving.final_events))
    for index, (call, events) in enumerate(calls):
        for event in events or ():
            if event["type"] == "region_malformed":
                return Trace(
                    _reduced(serving.initial_events) if index else None,
                    [_reduced(feed) or [] for feed in serving.feeds[: max(index - 1, 0)]],
                    error=builtin_class(event["error"]),
                    failed_at=call,
                    failure=event["error"],
                )
    return replace(
        serving,
        initial_events=_reduced(serving.initial_events),
        feeds=[_reduced(feed) or [] for feed in serving.feeds],
        final_events=_reduced(serving.final_events),
    )


def _reduced(events: list[Event] | None) -> list[Event] | None:
    if events is None:
        return None
    return [
        {key: value for key, value in event.items() if key not in ONLY_IN_SERVING}
        for event in events
        if event["type"] != "text_outside"
    ]


def without_prompt(default: Trace, serving: Trace, generated: int) -> Trace:
    """Take out of a trace of the default form what was held back at the end of the prompt.

    The default form gives it with the generated text. The serving form says where regions begin, and up to
    ``generated`` the input is prompt.
    """
    calls = [serving.initial_events or [], *serving.feeds, serving.final_events or []]
    bodies = iter([event["end"] for events in calls for event in events if event["type"] == "region_open"])
    place = 0

    def cut(events: list[Event], before: int) -> list[Event]:
        nonlocal place
        kept: list[Event] = []
        for event in events:
            if event["type"] == "region_open":
                # Those of a call that raised are not known, nor compared.
                place = next(bodies, len(kept))
            if event["type"] == "region_chunk":
                text = event["text"][max(before - place, 0) :]
                place += len(event["text"])
                if text:
                    kept.append({**event, "text": text})
            else:
                kept.append(event)
        return kept

    initial = None if default.initial_events is None else cut(default.initial_events, 0)
    feeds = [cut(events, generated) for events in default.feeds]
    final = None if default.final_events is None else cut(default.final_events, generated)
    return replace(default, initial_events=initial, feeds=feeds, final_events=final)


def hiding_what_was_lost(default: Trace, serving: Trace) -> Trace:
    """Give the error of a malformed region for another one that came after it in the same call.

    The call raises, and so its events, with the malformed region among them, are lost.
    """
    if serving.error is None or default.failed_at != serving.failed_at:
        return serving
    if default.error in MALFORMED_CLASSES:
        return replace(serving, error=default.error)
    return serving


def check_places(trace: Trace, input_text: str, generated: int) -> None:
    """Assert that places are in the order of the text, and that the text of each region is what lies between them."""
    calls = [trace.initial_events or [], *trace.feeds, trace.final_events or []]
    place, body, text, prompted = 0, 0, "", 0
    region: Event | None = None
    for number, events in enumerate(calls):
        for event in events:
            if event["type"] == "region_chunk":
                assert region is not None
                assert event["field"] == region["field"]
                assert event["text"]
                text += event["text"]
                continue
            assert place <= event["start"] <= event["end"] <= len(input_text)
            place = event["end"]
            if event["type"] == "text_outside":
                assert region is None
                assert event["text"] == input_text[event["start"] : event["end"]]
                continue
            if event["type"] == "region_open":
                assert region is None
                region, body, text, prompted = event, event["end"], "", 0
                assert ("captures" in event) or event["start"] == event["end"]
                continue
            assert region is not None
            assert event["field"] == region["field"]
            given = body + prompted
            own = (
                input_text[body:given]
                + input_text[max(given, min(generated, event["start"])) : event["start"]]
            )
            assert text == (input_text[body : event["start"]] if number == 0 else own)
            if event["type"] == "region_close" and not event["closed"]:
                assert events is calls[-1]
                assert event is [each for each in events if each["type"] != "text_outside"][-1]
                assert event["start"] == event["end"]
            region = None
        if number == 0:
            prompted = len(text)
    assert region is None


def input_texts(module: ModuleType, prefix: str, chunks: list[str], tools: Any) -> list[str]:
    """Return what ``input_text`` is before the first chunk, after each, and at the end, up to an exception."""
    seen = []
    try:
        parser = module.ResponseParser(prefix, tools=tools)
        seen.append(parser.input_text)
        for chunk in chunks:
            parser.feed(chunk)
            seen.append(parser.input_text)
        parser.finalize()
        seen.append(parser.input_text)
    except Exception:
        return seen
    return seen
