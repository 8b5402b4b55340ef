"""Questions about two delimiters, answered by reading texts with the automata of both at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.scan.language import NOWHERE, Places, reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.scan.language import Language

MOST_PAIRS = 20_000


def pairs_of(
    one: Language, other: Language, starts: Iterable[tuple[Places, Places]] | None = None
) -> Iterator[tuple[Places, Places]]:
    """Read texts by two automata at once, from their starts or other places, and give those that both come to."""

    def onward(pair: tuple[Places, Places]) -> Iterator[tuple[Places, Places]]:
        after = other.after(pair[1])
        for character, reached in one.after(pair[0]).items():
            if character in after:
                yield reached, after[character]

    return reachable([(one.start, other.start)] if starts is None else starts, onward, MOST_PAIRS)


def grows_into(one: Language, other: Language, character: str = "") -> bool:
    """Tell whether a text that is one delimiter can go on to be another, or does so by some character."""
    return any(
        one.accepts(here) and (after := other.after(there)) and (not character or character in after)
        for here, there in pairs_of(one, other)
    )


def one_while_other(one: Language, other: Language) -> bool:
    """Tell whether a text can be one delimiter while it has begun to be another, or a longer text of that."""
    if one.text is not None and other.text is not None:
        return one.text != other.text and other.text.startswith(one.text)
    return any(
        one.accepts(here) and (other.after(there) or one.after(here) or not other.accepts(there))
        for here, there in pairs_of(one, other)
    )


def both_whole(one: Language, other: Language) -> bool:
    """Tell whether a text can be either of two delimiters."""
    if one.text is not None and other.text is not None:
        return one.text == other.text
    return any(one.accepts(here) and other.accepts(there) for here, there in pairs_of(one, other))


def stands_where_begun(one: Language, other: Language) -> bool:
    """Tell whether a text can be one delimiter, and is another one or has begun to be it."""
    return any(one.accepts(here) for here, _ in pairs_of(one, other))


def meet(one: Language, other: Language) -> bool:
    """Tell whether a text can be one of two delimiters, and is the other one or has begun to be it."""
    return stands_where_begun(one, other) or stands_where_begun(other, one)


def can_overlap(one: Language, further: Language) -> bool:
    """Tell whether another delimiter can begin in the text by which one goes on that already was whole."""

    def onward(reading: tuple[Places, Places, bool]) -> Iterator[tuple[Places, Places, bool]]:
        here, there, is_found = reading
        after = further.after(there | further.start)
        for character, reached in one.after(here).items():
            inside = after.get(character, NOWHERE)
            yield reached, inside, is_found or further.accepts(inside)

    starts = [(places, NOWHERE, False) for places in one.whole()]
    readings = reachable(starts, onward, MOST_PAIRS)
    return any(one.accepts(here) and (there or is_found) for here, there, is_found in readings)


def holds_one_inside(language: Language, further: Language) -> bool:
    """Tell whether what has begun to be a delimiter, and was none so far, can hold a whole one further on.

    Args:
        language: the texts of the delimiter,
        further: and those that can stand further on, where some are only at the start of the message.
    """
    first = further.after(further.start).keys()
    if language.accepts(language.start):
        return False  # it matches everywhere
    if language is further and language.text is not None:
        return False  # one inside would be as long

    def onward(places: Places) -> list[Places]:
        return [reached for reached in language.after(places).values() if not language.accepts(reached)]

    begun = reachable(onward(language.start), onward)
    inside = [(places, further.start) for places in begun if first & language.after(places).keys()]
    return any(
        further.accepts(inner) and not language.accepts(outer) and language.after(outer)
        for outer, inner in pairs_of(language, further, inside)
    )
