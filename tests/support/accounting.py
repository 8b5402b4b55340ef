"""Accounts for every character of a generation by the serving events that its parser gave."""

from __future__ import annotations

from itertools import chain
from typing import Any

import regex

Event = dict[str, Any]


def account(
    template: dict[str, Any], text: str, events: list[Event], prompt: int, marks: dict[str, tuple[str, ...]]
) -> list[Event]:
    """Assert that each character is part of one delimiter, one body, or text that is told to be outside of regions.

    A delimiter without an event is the closer of the implicit field, met where that is not open.

    Args:
        template: the response template.
        text: all that the parser was given.
        events: all that it gave.
        prompt: how much of the text is the prompt's; what of that is in no chunk yet stays out of them.
        marks: what openers begin with, by field.

    Returns:
        The events with the text of each region in one piece, as they are for any way to cut the text.
    """
    closer = silent_closer(template)
    place, body = 0, ""
    region: Event | None = None
    joined: list[Event] = []
    for event in events:
        kind = event["type"]
        if kind == "region_chunk":
            assert region is not None, event
            assert event["field"] == region["field"], event
            if not body:
                place = max(behind_openers(text, place, region), prompt)
            assert text.startswith(event["text"], place), event
            place += len(event["text"])
            body += event["text"]
            continue
        if region is not None:
            assert kind in ("region_close", "region_malformed"), event
            if not body and place < event["start"]:
                place = max(behind_openers(text, place, region), min(prompt, event["start"]))
            assert place == event["start"], event
            joined.append({"type": "body", "text": body})
            region, body = None, ""
        else:
            assert place <= event["start"], event
            assert is_silent(closer, text, place, event["start"]), (text[place : event["start"]], event)
            if kind == "text_outside":
                assert text[event["start"] : event["end"]] == event["text"] != "", event
                if joined and goes_on(joined[-1], event):
                    event = {
                        **event,
                        "start": joined[-1]["start"],
                        "text": joined.pop()["text"] + event["text"],
                    }
            else:
                assert kind == "region_open", event
                region = {**event, "marks": marks.get(event["field"], ())}
        joined.append(without_objects(event))
        place = event["end"]
    assert region is None
    assert is_silent(closer, text, place, len(text)), text[place:]
    return joined


def is_silent(closer: regex.Pattern[str] | None, text: str, place: int, end: int) -> bool:
    """Tell whether text is one closer of the implicit field after another; they may look at what follows it."""
    while place < end:
        if closer is None:
            return False
        if closer.fullmatch(text, place, end):
            return True
        found = closer.match(text, place)
        if found is None or not place < found.end() <= end:
            return False
        place = found.end()
    return True


def behind_openers(text: str, place: int, region: Event) -> int:
    """Go past an opener that is written once more at the start of its region."""
    opener = text[region["start"] : region["end"]].strip()
    while opener in region["marks"] and text[place:].lstrip().startswith(opener):
        place = text.index(opener, place) + len(opener)
    return place


def goes_on(last: Event, event: Event) -> bool:
    """Tell whether text outside of regions goes on where an event before ended."""
    return last["type"] == "text_outside" and all(
        last[key] == value for key, value in {"end": event["start"], "reason": event["reason"]}.items()
    )


def silent_closer(template: dict[str, Any]) -> regex.Pattern[str] | None:
    """Give what matches a closer of the implicit field."""
    for field in template["fields"].values():
        if "open" in field or "open_pattern" in field:
            continue
        literals = field.get("close", [])
        patterns = [regex.escape(each) for each in ([literals] if isinstance(literals, str) else literals)]
        patterns += [field["close_pattern"]] if "close_pattern" in field else []
        return regex.compile("|".join(patterns), regex.DOTALL) if patterns else None
    return None


def without_objects(event: Event) -> Event:
    """Give an event in which errors are texts, to be compared."""
    return {key: str(value) if key == "error" else value for key, value in event.items()}


def all_events(parser: Any, chunks: list[str]) -> list[Event]:
    """Feed a parser, and give all of its events."""
    fed = [parser.feed(chunk) for chunk in chunks]
    return [*parser.initial_events, *chain.from_iterable(fed), *parser.finalize()[1]]
