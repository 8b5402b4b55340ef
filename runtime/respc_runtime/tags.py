"""The tags of ``xml-inline``: from one segment of a tag to the next, without looking at any text twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc_runtime.strict_bodies import strict_tag_pairs, strict_tags
from respc_runtime.tag_ways import Closing, Tags, next_opening, next_tag, text_closing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc_runtime.searches import Found


def tag_pairs(
    body: str,
    opening: Any,
    closing: str | Closing,
    blanks: str = "",
    *,
    newline: bool = False,
    strict: bool = False,
    merged: bool = False,
) -> Iterator[tuple[str, str]]:
    """Iterate over the keys and values of tags.

    Args:
        body: the body.
        opening: compiled; finds a tag up to its value, with the key in its group.
        closing: what ends the value; if it is a text,
        blanks: the characters that do not belong to the value before it,
        newline: and whether one newline does not.
        strict: whether all that is no tag is refused, and a key that comes twice unless ``merged``.
        merged: whether the values of one key are kept beside each other.
    """
    if strict:
        pairs = None if merged else _plain_pairs(body, opening, closing, blanks, newline)
        if pairs is None:
            find_end = (
                closing.find if isinstance(closing, Closing) else text_closing(closing, blanks, newline)
            )
            yield from strict_tag_pairs(Tags(body, [(opening, find_end)]), merged)
        else:
            yield from pairs
        return
    match = next_tag(opening, body, 0)
    if isinstance(closing, Closing):
        while match is not None:
            start = match.end()
            ends = closing.find(body, start)
            if ends is None:
                return
            yield match["key"], body[start : ends[0]]
            match = next_tag(opening, body, ends[1])
        return
    while match is not None:
        start = match.end()
        end = body.find(closing, start)
        if end < 0:
            return
        value = body[start:end]
        yield match["key"], value.removesuffix("\n") if newline else value.rstrip(blanks) if blanks else value
        match = next_tag(opening, body, end + len(closing))


def _plain_pairs(
    body: str, opening: Any, closing: str | Closing, blanks: str, newline: bool
) -> list[tuple[str, str]] | None:
    """Give the pairs of a body in which nothing is to be refused, nor in doubt; else None."""
    pairs: dict[str, str] = {}
    place = count = 0
    match = opening.search(body, 0)
    while match is not None:
        start, after, key = match.start(), match.end(), match["key"]
        if key is None or (start > place and not body[place:start].isspace()):
            return None
        if isinstance(closing, Closing):
            ends = closing.find(body, after)
            if ends is None or not ends[2]:
                return None
            end, place = ends[:2]
            value = body[after:end]
        else:
            end = body.find(closing, after)
            if end < 0:
                return None
            value, place = body[after:end], end + len(closing)
            if newline:
                value = value.removesuffix("\n")
            elif blanks:
                value = value.rstrip(blanks)
        if opening.search(body, after, end) is not None:
            return None
        pairs[key] = value
        count += 1
        match = opening.search(body, place)
    is_whole = len(pairs) == count and not body[place:].strip()
    return list(pairs.items()) if is_whole else None


def tag_pairs_of_ways(
    body: str, ways: Sequence[tuple[Any, Closing]], *, strict: bool = False, merged: bool = False
) -> Iterator[tuple[str, str]]:
    """Iterate over the keys and values of tags that are written in several ways, the preferred ones first.

    The arguments are those of `tag_pairs`, an opening and a closing for each way.
    """
    tags = Tags(body, [(opening, closing.find) for opening, closing in ways])
    if strict:
        yield from strict_tag_pairs(tags, merged)
        return
    place = 0
    while (tag := tags.next(place)) is not None:
        start = tag.value_start
        ends = tag.find_end(body, tag.after)
        if ends is None:
            tags.drop(tag)
            continue
        yield tag.key, body[start : ends[0]]
        place = ends[1]


def checked_tags(
    body: str, tags: Iterator[Any], strict: bool, *, openings: Sequence[Any] = (), merged: bool = False
) -> Iterator[Any]:
    """Iterate over tags; if ``strict``, as `strict_tags` does."""
    return strict_tags(body, tags, openings, merged) if strict else tags


def found_tags(body: str, ways: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Iterate over the keys and values of tags.

    Args:
        body: the body.
        ways: the ways to write a tag, the preferred ones first: its compiled segments. Where one is not found, it comes
            nowhere later either, so that way is not tried again.
    """
    place = 0
    left: list[tuple[Sequence[Any], Any]] = [(way, None) for way in ways]
    while True:
        # A way is searched again only where its next place is passed.
        known = [
            (
                way,
                match if match is not None and match.start() >= place else next_opening(way[0], body, place),
            )
            for way, match in left
        ]
        left = [(way, match) for way, match in known if match is not None]
        if not left:
            return
        start: int = min(match.start() for _, match in left)
        place = start + 1
        for way, match in list(left):
            if match.start() != start:
                continue
            matches = _segments(body, way, match)
            if matches is None:
                left.remove((way, match))
                continue
            place = max(matches[-1].end(), place)
            yield {**_spans(body, matches), "span": (start, matches[-1].end())}
            break


def _segments(body: str, way: Sequence[Any], first: Found) -> list[Found] | None:
    matches = [first]
    for segment in way[1:]:
        match = segment.search(body, matches[-1].end())
        if match is None:
            return None
        matches.append(match)
    return matches


def _spans(body: str, matches: Sequence[Any]) -> dict[str, Any]:
    """Put together what the groups took."""
    taken: dict[str, Any] = {"key": None, "value": None}
    started: dict[str, int] = {}
    for match in matches:
        for group, text in match.groupdict().items():
            if text is None:
                continue
            if group in taken:
                taken[group] = text
            elif group.endswith("_start"):
                started[group.removesuffix("_start")] = match.end(group)
            else:
                name = group.removesuffix("_end")
                taken[name] = body[started[name] : match.start(group)]
    return taken
