"""Bodies of tags and lines in which nothing is passed over: what is no tag, and a key that comes twice, is a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from respc_runtime.errors import EXCERPT_LIMIT, clipped
from respc_runtime.searches import compiled

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_BLANKS: Final = compiled(r"\s*")


def refuse_text(body: str, start: int, end: int) -> None:
    """Refuse what stands between two places, unless it is blank.

    Raises:
        ValueError: it is not.
    """
    text = body[start:end].lstrip()
    if text:
        place = end - len(text)
        raise ValueError(
            f"at character {place} of the body, {clipped(text, EXCERPT_LIMIT)!r} is no part of it"
        )


def refuse_second(key: Any, known: Container[Any]) -> None:
    """Refuse a key that there was.

    Raises:
        ValueError: it is one.
    """
    if key in known:
        raise ValueError(f"the key {clipped(str(key), EXCERPT_LIMIT)!r} comes twice")


def strict_tags(body: str, tags: Iterator[Any], openings: Any, merged: bool) -> Iterator[Any]:
    """Iterate over tags, and refuse what they leave over.

    Args:
        body: the body.
        tags: matches, or what `found_tags` gives.
        openings: expressions for the beginning of a tag, which no value may hold: its own tag lacks its end then.
        merged: whether keys may come twice.

    Raises:
        ValueError: text is no tag, a value holds one, or a key comes twice.
    """
    place = 0
    keys: set[Any] = set()
    for tag in tags:
        start, end = tag["span"] if isinstance(tag, dict) else tag.span()
        refuse_text(body, place, start)
        for opening in openings:
            if opening.search(tag["value"] or ""):
                refuse_open(tag["key"])
        if not merged:
            refuse_second(tag["key"], keys)
            keys.add(tag["key"])
        yield tag
        place = end
    refuse_text(body, place, len(body))


def strict_tag_pairs(
    body: str, opening: Any, closing: str, next_place: Any, merged: bool
) -> Iterator[tuple[str, str]]:
    """Iterate over the keys of tags and their values, blanks and all, and refuse what they leave over.

    What ends a value counts only before another tag or the end of the body, if that can be told: else it is a part of
    the value.

    Args:
        body: the body.
        opening: compiled; finds a tag up to its value, with the key in its group.
        closing: what ends the value.
        next_place: tells from a match without a key where to look next.
        merged: whether keys may come twice.

    Raises:
        ValueError: text is no tag, a tag is not closed, a value holds another tag, or a key comes twice.
    """
    place = 0
    keys: set[str] = set()
    match = opening.search(body)
    while match is not None:
        start, key = match.end(), match["key"]
        if key is None:
            match = opening.search(body, next_place(match))
            continue
        refuse_text(body, place, match.start())
        end = _value_end(body, start, opening, closing)
        if end < 0 or _begins_in(body, start, end, opening):
            refuse_open(key)
        if not merged:
            refuse_second(key, keys)
            keys.add(key)
        yield key, body[start:end]
        place = end + len(closing)
        match = opening.search(body, place)
    refuse_text(body, place, len(body))


def refuse_open(key: Any) -> NoReturn:
    """Refuse a tag without its end.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"the value of {clipped(str(key), EXCERPT_LIMIT)!r} is not closed")


def _value_end(body: str, start: int, opening: Any, closing: str) -> int:
    """Give the place of what ends a value: the first that a tag or nothing follows, before another tag begins."""
    first = end = body.find(closing, start)
    while end >= 0:
        behind = end + len(closing)
        blanks = _BLANKS.match(body, behind)
        after = behind if blanks is None else blanks.end()
        following = None if after == len(body) else opening.match(body, after)
        if after == len(body) or (following is not None and following["key"] is not None):
            return end
        end = body.find(closing, behind)
        if end < 0 or _begins_in(body, behind, end, opening):
            break
    return first


def _begins_in(body: str, start: int, end: int, opening: Any) -> bool:
    match = opening.search(body, start, end)
    return match is not None and match["key"] is not None
