"""Bodies of tags and lines in which nothing is passed over: what is no tag, and a key that comes twice, is a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from respc_runtime.errors import EXCERPT_LIMIT, clipped
from respc_runtime.late_expressions import LateExpression
from respc_runtime.tag_ways import next_opening

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from respc_runtime.tag_ways import End, Tag, Tags

_BLANKS: Final = LateExpression(r"\s*")


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
        start, end = _span(tag)
        refuse_text(body, place, start)
        for opening in openings:
            if next_opening(opening, tag["value"] or "", 0) is not None:
                refuse_open(tag["key"])
        if not merged:
            refuse_second(tag["key"], keys)
            keys.add(tag["key"])
        yield tag
        place = end
    refuse_text(body, place, len(body))


def _span(tag: Any) -> tuple[int, int]:
    span: Any = getattr(tag, "span", None)  # of a match; `found_tags` gives a dict
    place: tuple[int, int] = tag["span"] if span is None else span()
    return place


def strict_tag_pairs(tags: Tags, merged: bool) -> Iterator[tuple[str, str]]:
    """Iterate over the keys and values of tags, and refuse what they leave over.

    Text that ends a value counts only before another tag or the end of the body, if that can be told: else it is a
    part of the value.

    Args:
        tags: of the body.
        merged: whether keys may come twice.

    Raises:
        ValueError: text is no tag, a tag is not closed, a value holds another tag, or a key comes twice.
    """
    body, place = tags.body, 0
    keys: set[str] = set()
    while (tag := tags.next(place)) is not None:
        refuse_text(body, place, tag.start)
        key, start, opened = tag.key, tag.value_start, tag.start
        first = tag.find_end(body, tag.after)
        if first is None:
            tags.drop(tag)
            other = tags.next(place)
            if other is None or other.start > opened:
                refuse_open(key)
            continue
        end, place, _ = _value_end(tags, tag, key, first)
        if not merged:
            refuse_second(key, keys)
            keys.add(key)
        yield key, body[start:end]
    refuse_text(body, place, len(body))


def refuse_open(key: Any) -> NoReturn:
    """Refuse a tag without its end.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"the value of {clipped(str(key), EXCERPT_LIMIT)!r} is not closed")


def _value_end(tags: Tags, tag: Tag, key: str, first: End) -> End:
    """Give the end of a value: the first that a tag or nothing follows, before another tag begins.

    Args:
        tags: of the body.
        tag: how the tag is written.
        key: its key.
        first: the first end, which counts where none is so.

    Raises:
        ValueError: another tag begins before any of them.
    """
    body, find_end, place = tags.body, tag.find_end, tag.after
    found: End | None = first
    closed = False
    while found is not None:
        end, after, is_text = found
        following = tags.next(place)
        if following is not None and following.start < after and following.after > end:
            following = tags.next(after)  # what ends the value looks like a tag itself
        if following is not None and following.after <= end:
            if found is first:
                refuse_open(key)
            break
        behind = _behind_blanks(body, after)
        if is_text or not closed:  # behind text that ends it, what comes next is no end of it
            if behind == len(body) or (following is not None and following.start == behind):
                return found
            closed = is_text
        place = after
        found = find_end(body, max(after, end + 1))
    return first


def _behind_blanks(body: str, place: int) -> int:
    blanks = _BLANKS.made.match(body, place)
    return place if blanks is None else blanks.end()


def refuse_line(line: str, body: str, separator: str | None) -> None:
    """Refuse the first line of a body that has no key, unless it is blank.

    Args:
        line: that one.
        body: the body,
        separator: and what stands between its lines, None for blanks.

    Raises:
        ValueError: it is not blank.
    """
    if not line.strip():
        return
    place = 0
    for other in body.split(separator):
        place = body.index(other, place)
        if other == line:
            break
        place += len(other) + len(separator or "")
    refuse_text(body, place, place + len(line))
