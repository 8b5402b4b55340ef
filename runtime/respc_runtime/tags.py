"""The tags of ``xml-inline``: from one segment of a tag to the next, without looking at any text twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc_runtime.searches import Found


LONGEST_HEAD: Final = 100
"""So long, at most, is what stands before a run of which something may begin inside it."""


def tag_pairs(
    body: str, opening: Any, closing: str, blanks: str = "", newline: bool = False
) -> Iterator[tuple[str, str]]:
    """Iterate over the keys and values of tags whose value ends at a text.

    Args:
        body: the body.
        opening: compiled; finds a tag up to its value, with the key in its group.
        closing: what ends the value.
        blanks: the characters that do not belong to the value where they end it.
        newline: whether one newline does not, where it ends it.
    """
    match = opening.search(body)
    while match is not None:
        start, key = match.end(), match["key"]
        if key is None:
            # A run led nowhere, nor does what begins in it.
            match = opening.search(body, max(match.start() + 1, start - LONGEST_HEAD))
            continue
        end = body.find(closing, start)
        if end < 0:
            return
        value = body[start:end]
        yield key, value.removesuffix("\n") if newline else value.rstrip(blanks) if blanks else value
        match = opening.search(body, end + len(closing))


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
            (way, match if match is not None and match.start() >= place else way[0].search(body, place))
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
            yield _spans(body, matches)
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
