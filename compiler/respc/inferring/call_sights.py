"""Calls as a chat template writes them, ready to be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.inferring.probes import (
    EMPTY_CALL,
    FIRST_KEY,
    FIRST_NAME,
    FULL_CALL,
    ONE_CALL,
    OTHER_CALL,
    SECOND_NAME,
)
from respc.inferring.tokens import lenient, tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.inferring.frame import Frame
    from respc.inferring.probes import Probes, Sight
    from respc.inferring.reasoning import Reasoning

ID: Final = "\ue001"
"""Stands for the id of a call, which is another one in every message."""
INDEX: Final = "\ue002"
"""Stands for a number that counts calls."""
NAME: Final = "\ue003"
"""Stands for the name of the tool where it is written beside the call."""


@dataclass(frozen=True, slots=True)
class IdAround:
    """An id that the name of the tool and a number are parts of.

    Attributes:
        before: what the id has in front of the name.
        after: what it has between the name and the number.
    """

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CallSights:
    """A turn with calls, behind what begins it and without what ends it.

    Attributes:
        one: a call with one argument.
        empty: without arguments; None where the template does not write it.
        full: with two arguments.
        pair: two calls.
        sight: of the call with one argument.
        id_around: how the id is written, where the name is a part of it.
    """

    one: str
    empty: str | None
    full: str | None
    pair: str | None
    sight: Sight
    id_around: IdAround | None = None


def find_calls(probes: Probes, frame: Frame, reasoning: Reasoning | None) -> CallSights | None:
    """Have calls written; None where the template writes none.

    Args:
        probes: of the chat template.
        frame: where messages begin and end.
        reasoning: what may stand, empty, in front of a call.
    """
    sight = probes.first("call", {"tool_calls": [ONE_CALL]})
    if sight is None:
        return None

    def body(feature: str, *calls: dict[str, Any]) -> str | None:
        seen = probes.first(feature, {"tool_calls": list(calls)})
        return None if seen is None else _body(seen, frame, reasoning)

    one, pair = body("call", ONE_CALL), body("several calls", ONE_CALL, OTHER_CALL)
    empty, full = body("no arguments", EMPTY_CALL), body("two arguments", FULL_CALL)
    if one is None or FIRST_NAME not in one:
        return None
    if pair is not None and not (FIRST_NAME in pair and SECOND_NAME in pair):
        pair = None
    plain = _plainly(probes, one, pair)
    texts = (plain(one), empty and plain(empty), full and plain(full), pair and plain(pair))
    return CallSights(*texts, sight, _id_around(probes.written.template.shape.ids, one))


def _id_around(ids: str, one: str) -> IdAround | None:
    """Tell how an id is written that the name is a part of; None where that is not how a call is written.

    Args:
        ids: the form of the ids that messages were given.
        one: a call.
    """
    before, named, rest = ids.partition("{name}")
    after, numbered, end = rest.partition("{number}")
    is_written = named and numbered and not end and ids.format(name=FIRST_NAME, number=0) in one
    return IdAround(before, after) if is_written else None


def _body(sight: Sight, frame: Frame, reasoning: Reasoning | None) -> str:
    rest = frame.behind_anchor(sight.prompt) + sight.text
    if reasoning is None or not reasoning.close:
        return rest
    opener = f"(?:{lenient(reasoning.open)})?" if reasoning.open else ""
    return re.sub(rf"^\s*{opener}\s*{lenient(reasoning.close)}", "", rest)


def _plainly(probes: Probes, one: str, pair: str | None) -> Callable[[str], str]:
    """Put characters of their own in the places of ids, of indexes, and of names that are written twice."""
    shape = probes.written.template.shape
    ids = [
        shape.ids.format(name=name, number=number) for name in (FIRST_NAME, SECOND_NAME) for number in (0, 1)
    ]
    known = [
        each
        for each in dict.fromkeys(ids)
        if (each in one or (pair is not None and each in pair))
        and not {FIRST_NAME, SECOND_NAME} & {*tokens(each)}
    ]

    def without_ids(text: str) -> str:
        for each in known:
            text = text.replace(each, ID)
        return text

    numbers = set(re.findall(r"\d+", without_ids(one)))
    counted = pair is not None and bool(set(re.findall(r"\d+", without_ids(pair))) - numbers)

    def plain(text: str) -> str:
        text = without_ids(text)
        if counted:
            text = re.sub(r"\d+", INDEX, text)
        return _names_beside(text)

    return plain


def _names_beside(text: str) -> str:
    """Replace all names of a call but the one that stands nearest to its arguments."""
    for name in (FIRST_NAME, SECOND_NAME):
        places = [match.start() for match in re.finditer(name, text)]
        key = text.find(FIRST_KEY) if name == FIRST_NAME else -1
        own = [at for at in places if key < 0 or at < key]
        for at in reversed(places):
            if own and at != own[-1]:
                text = text[:at] + NAME + text[at + len(name) :]
    return text
