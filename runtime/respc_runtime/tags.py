"""The tags of ``xml-inline`` whose value is the last thing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc_runtime.seeking import found_tags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc_runtime.seeking import Matcher


def tag_pairs(
    body: str, head: str, opening: Any, closing: str, blanks: str, matcher: Matcher
) -> Iterator[tuple[str, str]]:
    """Iterate over the keys and values of a body's tags.

    A tag takes one match and one `find`. Where that fails, for a tag that is none or never ends, the matcher decides,
    and for all that come after it.

    Args:
        body: the body.
        head: what a tag begins with.
        opening: compiled; matches a tag up to its value, with the key in its group.
        closing: what ends the value.
        blanks: the characters that do not belong to the value where they end it.
        matcher: matches a whole tag where its head stands.
    """
    place = body.find(head)
    while place >= 0:
        match = opening.match(body, place)
        end = -1 if match is None else body.find(closing, match.end())
        if match is None or end < 0:
            break
        yield match[1], body[match.end() : end].rstrip(blanks)
        place = body.find(head, end + len(closing))
    else:
        return
    for tag in found_tags(body[place:], head, matcher):
        yield tag["key"], tag["value"]
