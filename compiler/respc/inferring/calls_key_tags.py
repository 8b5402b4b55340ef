"""Calls whose arguments are tags that are named after their keys, so that the closer names the key again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from respc.inferring.calls_tags import tag_calls
from respc.inferring.probes import FIRST_KEY, FIRST_VALUE, SECOND_KEY, SECOND_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_formats import CallFormat
    from respc.inferring.call_sights import CallSights
    from respc.inferring.probes import Probes

_KEY_AGAIN: Final = "\ue004"
"""Stands for the key of an argument where it is written behind the value."""


def key_tag_calls(sights: CallSights, probes: Probes) -> Iterator[CallFormat]:
    """Yield the ways to read calls whose arguments are closed by their keys.

    Args:
        sights: calls as they are written.
        probes: of the chat template.
    """
    marked = replace(
        sights,
        one=_marked(sights.one),
        full=sights.full and _marked(sights.full),
        pair=sights.pair and _marked(sights.pair),
    )
    if marked.one == sights.one:
        return
    for found in tag_calls(marked, probes):
        # A response template cannot say that the second key is the first.
        pattern = found.content_args["tag_pattern"].replace(_KEY_AGAIN, r"[^<>\s]+")
        args = {**found.content_args, "tag_pattern": pattern}
        yield replace(found, kind="a tag named after each argument", content_args=args)


def _marked(text: str) -> str:
    """Put a sign in the place of each key behind its value."""
    for key, value in ((FIRST_KEY, FIRST_VALUE), (SECOND_KEY, SECOND_VALUE)):
        before, found, behind = text.partition(value)
        if found and key in before:
            text = before + found + behind.replace(key, _KEY_AGAIN, 1)
    return text
