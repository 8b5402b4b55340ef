"""Ids of calls beside the name: around it, or behind a mark of their own that models leave out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from respc.inferring.call_formats import call_transform, pattern_with_ids
from respc.inferring.call_sights import ID, INDEX
from respc.inferring.tokens import MARK, lenient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_formats import CallFormat
    from respc.inferring.call_sights import CallSights

_NAME_GROUP: Final = re.compile(r"\(\?P<name>[^()]*\)")

_LONGEST_NAME: Final = 200


def with_ids(written: CallFormat, sights: CallSights, behind_name: str) -> Iterator[CallFormat]:
    """Yield a format with its ids read as models write them, where it has some, and as it is.

    Args:
        written: the format, whose head begins with the name.
        sights: calls as they are written.
        behind_name: what is between the name and the arguments.
    """
    around = _with_id_around(written, sights, behind_name)
    if around is not None:
        yield around
    optional = _with_optional_id(written, behind_name)
    if optional is not None:
        yield optional
    yield written


def _with_id_around(written: CallFormat, sights: CallSights, behind_name: str) -> CallFormat | None:
    """Read the id that the name is a part of."""
    around = sights.id_around
    opener = written.envelope.open
    if around is None or not opener.endswith(around.before) or not behind_name.startswith(around.after):
        return None
    name = _NAME_GROUP.match(written.head)
    number = re.match(rf"{re.escape(around.after)}(?:{INDEX}|\d+)", behind_name)
    if name is None or number is None:
        return None
    rest = pattern_with_ids(behind_name[number.end() :])
    head = rf"(?P<id>{lenient(around.before)}{name[0]}{lenient(around.after)}\d+)\s*{rest}"
    lead = lenient(opener[: len(opener) - len(around.before)]) + r"\s*"
    transform = call_transform(written.transform["function"], "{id}")
    return replace(written, head=head, lead=lead, transform=transform)


def _with_optional_id(written: CallFormat, behind_name: str) -> CallFormat | None:
    """Read a call whose id has been left out, with the marks around it: its id is empty then."""
    before, found, after = behind_name.partition(ID)
    marks = [before.strip(), after.strip()]
    name = _NAME_GROUP.match(written.head)
    if not found or name is None or not all(MARK.fullmatch(mark) for mark in marks):
        return None
    own, behind = (rf"(?:{lenient(mark)})?" for mark in marks)
    # With no mark between them, a name without end could be cut everywhere.
    bounded = f"{name[0].removesuffix('+)')}{{1,{_LONGEST_NAME}}})"
    head = rf"{bounded}\s*{own}(?P<id>[^\s<>\[\]{{}},\"']*){behind}(?={written.begins})"
    return replace(written, head=head)
