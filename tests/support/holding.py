"""Whether a stable parser holds back more than it needs: a hold is needed if some text makes a delimiter of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import regex

from respc.patterns import parse_pattern
from respc.patterns.syntax import Choice, Node, OneOf, Repeat, Text, children
from respc_runtime.errors import ResponseError

if TYPE_CHECKING:
    from types import ModuleType

    from support.oracle import Event, Template

TRIED: Final = 'ab \n"1{<}.)'
MOST_TEXTS: Final = 24
LONG: Final = 24
"""Of text held for longer, only one character in so many is asked about: each costs as much as the text is long."""
FILLER: Final = "\0"
"""Text that is no part of any delimiter: it shows where a closer took text without an event."""

Hold = tuple[int, str]
"""Where text is held back from, and that text."""


def texts_of(node: Node) -> list[str]:
    """Write texts that a pattern matches: each branch of each choice, with and without what may be left out."""
    match node:
        case Text(character):
            return [character]
        case OneOf():
            return [next((each for each in TRIED if node.source and regex.fullmatch(node.source, each)), "a")]
        case Choice(branches):
            return [text for branch in branches for text in texts_of(branch)][:MOST_TEXTS]
        case Repeat(item, low, high):
            texts = [text * max(low, 1) for text in texts_of(item)] if high != 0 else []
            return texts if low else ["", *texts]
        case _:
            texts = [""]
            for child in children(node):
                of_child = texts_of(child)
                varied = [texts[0] + text for text in of_child[1:]]
                texts = [text + of_child[0] for text in texts] + varied
            return texts[:MOST_TEXTS]


def delimiter_texts(template: Template) -> list[str]:
    """Give texts of all delimiters of a template."""
    texts: set[str] = set()
    for field in template["fields"].values():
        for key in ("open", "close"):
            literals = field.get(key, [])
            texts.update([literals] if isinstance(literals, str) else literals)
            if f"{key}_pattern" in field:
                texts.update(texts_of(parse_pattern(field[f"{key}_pattern"])))
    return sorted(text for text in texts if text)


def continuations(texts: list[str], held: str) -> list[str]:
    """Give what could follow a held text: the rest of a delimiter that it begins comes first."""
    rest = [text[len(held) :] for text in texts if text.startswith(held)]
    tails = {text[start:] for text in texts for start in range(len(text) + 1)}
    first = rest + sorted(tails, key=lambda tail: (-len(tail), tail))
    return first + [more + FILLER for more in first]


def place_after(place: int, events: list[Event]) -> int:
    """Tell up to where the text has come out, or gone into delimiters, after some events."""
    for event in events:
        place = place + len(event["text"]) if event["type"] == "region_chunk" else event["end"]
    return place


def is_text(events: list[Event], place: int) -> bool:
    """Tell whether the character at a place came out as text of a region; it may also have gone into a delimiter.

    A closer of the implicit field takes text without an event where no region is open.
    """
    reached = 0
    for event in events:
        if event["type"] == "region_chunk":
            reached += len(event["text"])
            if reached > place:
                return True
            continue
        reached = event["end"]
        if reached > place or (event["start"] == place and matches_there(event)):
            return False
    return False


def matches_there(event: Event) -> bool:
    """Tell whether the mark of an event is a delimiter, and no implicit boundary."""
    return "captures" in event if event["type"] == "region_open" else bool(event.get("closed"))


def is_needed(module: ModuleType, before: str, held: str, texts: list[str]) -> bool:
    """Tell whether some text after what is held back makes that the beginning of a delimiter.

    The module is asked itself, with everything at once: other tests tell that this is the interpreter's answer.
    """
    for more in continuations(texts, held):
        parser = module.ResponseParser("")
        events: list[Event] = []
        try:
            events += parser.feed(before + held + more)
            events += parser.finalize()[1]
        except ResponseError:
            # What was not found before, or the value of a region, is no matter here.
            if place_after(0, events) <= len(before):
                continue
        if not is_text(events, len(before)):
            return True
    return False


def unneeded_holds(template: Template, module: Any, whole: str, needed: dict[Any, bool]) -> list[Hold]:
    """Feed a text in characters, and give what is held back after each without need.

    ``needed`` keeps the answers for one template: they depend on the open region and on the held text alone.
    """
    texts = delimiter_texts(template)
    parser = module.ResponseParser("")
    place, region = 0, None
    found: list[Hold] = []
    for fed, character in enumerate(whole, 1):
        events = parser.feed(character)
        place = place_after(place, events)
        for event in events:
            if event["type"] != "region_chunk":
                region = event["field"] if event["type"] == "region_open" else None
        if place == fed or (fed - place > LONG and fed % LONG):
            continue
        held = whole[place:fed]
        key = (region, place == 0, held)
        if key not in needed:
            needed[key] = is_needed(module, whole[:place], held, texts)
        if not needed[key]:
            found.append((place, held))
    return found
