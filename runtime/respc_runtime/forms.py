"""What is known of the values of a field before its regions end, as serving modules declare it."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

Source: TypeAlias = tuple[str, ...]
"""Where a part of a call comes from.

``("captures", name)``: a named group of the opener; ``("content", key, …)``: the keys by which it is found in the body,
none for all of it; ``("constant", text)``: the text itself.
"""


class CallForm(TypedDict):
    """How the regions of a field become calls, in ``ResponseParser.calls``.

    A part is None where only the value of the region has it. ``arguments`` are known only where they are a part of
    a body that is plain JSON; ``each`` says that the body is a list of calls, and keys are those of an element.
    """

    name: Source | None
    id: Source | None
    arguments: Source | None
    each: bool


class TextForm(TypedDict):
    """How the regions of a field become text, in ``ResponseParser.texts``.

    ``join`` stands between two regions, None where they are not joined; ``strip`` tells whether a region's text loses
    its surrounding blanks.
    """

    join: str | None
    strip: bool
