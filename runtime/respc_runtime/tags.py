"""The tags of ``xml-inline``: from one segment of a tag to the next, without looking at any text twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc_runtime.strict_bodies import strict_tag_pairs, strict_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc_runtime.searches import Found


LONGEST_HEAD: Final = 100
"""So long, at most, is what stands before a run of which something may begin inside it."""


def tag_pairs(
    body: str,
    opening: Any,
    closing: str,
    blanks: str = "",
    *,
    newline: bool = False,
    strict: bool = False,
    merged: bool = False,
) -> Iterator[tuple[str, str]]:
    """Iterate over the keys and values of tags whose value ends at a text.

    Args:
        body: the body.
        opening: compiled; finds a tag up to its value, with the key in its group.
        closing: what ends the value.
        blanks: the characters that do not belong to the value where they end it.
        newline: whether one newline does not, where it ends it.
        strict: whether all that is no tag is refused, and a key that comes twice unless ``merged``.
        merged: whether the values of one key are kept beside each other.
    """
    if strict:
        for key, value in strict_tag_pairs(body, opening, closing, _behind_run, merged):
            yield key, _trimmed(value, blanks, newline)
        return
    match = opening.search(body)
    while match is not None:
        start, key = match.end(), match["key"]
        if key is None:
            match = opening.search(body, _behind_run(match))
            continue
        end = body.find(closing, start)
        if end < 0:
            return
        yield key, _trimmed(body[start:end], blanks, newline)
        match = opening.search(body, end + len(closing))


def _trimmed(value: str, blanks: str, newline: bool) -> str:
    return value.removesuffix("\n") if newline else value.rstrip(blanks) if blanks else value


def _behind_run(match: Found) -> int:
    """Tell where to look next if a run led nowhere: nor does what begins in it."""
    return max(match.start() + 1, match.end() - LONGEST_HEAD)


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
