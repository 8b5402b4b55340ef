"""Questions about two delimiters, answered by reading texts with the automata of both at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.scan.language import Places, TooManyPlacesError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.scan.language import Language

MOST_PAIRS = 20_000


def pairs_of(
    one: Language, other: Language, waiting: list[tuple[Places, Places]]
) -> Iterator[tuple[Places, Places]]:
    """Read texts by two automata at once, and give the places that both come to."""
    seen = set(waiting)
    while waiting:
        here, there = waiting.pop()
        yield here, there
        if len(seen) > MOST_PAIRS:
            raise TooManyPlacesError("too many pairs")
        after = other.after(there)
        for character, reached in one.after(here).items():
            if character in after and (pair := (reached, after[character])) not in seen:
                seen.add(pair)
                waiting.append(pair)


def grows_into(one: Language, other: Language, character: str = "") -> bool:
    """Tell whether a text that is one delimiter can go on to be another, or does so by some character."""
    return any(
        one.accepts(here) and (character in after if character else after)
        for here, after in (
            (here, other.after(there)) for here, there in pairs_of(one, other, [(one.start, other.start)])
        )
    )


def one_while_other(one: Language, other: Language) -> bool:
    """Tell whether a text can be one delimiter while it has begun to be another, or a longer text of that."""
    if one.text is not None and other.text is not None:
        return one.text != other.text and other.text.startswith(one.text)
    return any(
        one.accepts(here) and (other.after(there) or one.after(here) or not other.accepts(there))
        for here, there in pairs_of(one, other, [(one.start, other.start)])
    )


def both_whole(one: Language, other: Language) -> bool:
    """Tell whether a text can be either of two delimiters."""
    if one.text is not None and other.text is not None:
        return one.text == other.text
    return any(
        one.accepts(here) and other.accepts(there)
        for here, there in pairs_of(one, other, [(one.start, other.start)])
    )


def can_overlap(one: Language, further: Language) -> bool:
    """Tell whether another delimiter can begin in the text by which one goes on that already was whole."""
    waiting = [(places, further.start, False) for places in one.states() if one.accepts(places)]
    seen = set(waiting)
    while waiting:
        here, there, is_found = waiting.pop()
        after = further.after(there)
        for character, reached in one.after(here).items():
            inside = after.get(character, frozenset[int]())
            found = is_found or further.accepts(inside)
            if one.accepts(reached) and (found or inside):
                return True
            each = reached, inside | further.start, found
            if each not in seen:
                seen.add(each)
                waiting.append(each)
        if len(seen) > MOST_PAIRS:
            raise TooManyPlacesError("too many pairs")
    return False


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
    begun, waiting = set[Places](), [language.start]
    while waiting:
        for reached in language.after(waiting.pop()).values():
            if reached not in begun and not language.accepts(reached):
                begun.add(reached)
                waiting.append(reached)
    inside = [places for places in begun if first & language.after(places).keys()]
    return any(
        further.accepts(inner) and not language.accepts(outer) and language.after(outer)
        for outer, inner in pairs_of(language, further, [(places, further.start) for places in inside])
    )
