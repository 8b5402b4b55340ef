"""What follows a turn of the model: models stop at the beginning of another turn where no mark ends their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.inferring.probes import CONTENT, FIRST_NAME, FULL_CALL, ONE_CALL, OTHER_CALL, QUESTION, RESULT
from respc.inferring.tokens import marks, units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.probes import Probes

_LONGEST_ROLE: Final = 20
_NEXT: Final = "Vnextq asks"
_ASKED: Final = {"role": "user", "content": _NEXT}
_OWN: Final = ({"content": CONTENT}, {"tool_calls": [FULL_CALL, OTHER_CALL]}, {"tool_calls": [ONE_CALL]})
"""What shows which marks a turn of the model has itself."""
_ANSWERED: Final = {"role": "tool", "name": FIRST_NAME, "content": RESULT}


def find_followers(probes: Probes) -> list[str]:
    """Give what begins the turns that follow those of the model.

    Args:
        probes: of the chat template.
    """
    found: list[str] = []
    for message, follower, word in (
        ({"content": CONTENT}, _ASKED, _NEXT),
        ({"tool_calls": [ONE_CALL]}, _ANSWERED, RESULT),
    ):
        found += _of(probes, message, follower, word)
    own = [sight.text for message in _OWN for sight in probes.see("call", message)]
    return [each for each in dict.fromkeys(found) if not any(marks(each)[0] in text for text in own)]


def _of(probes: Probes, message: dict[str, Any], follower: dict[str, Any], word: str) -> Iterator[str]:
    sight = probes.first("answer" if "content" in message else "call", message)
    if sight is None:
        return
    own = (sight.text + sight.ending).rstrip()
    try:
        whole = probes.render(
            [QUESTION, {"role": "assistant", **message}, follower], has_tools="tool_calls" in message
        )
    except NotRenderedError:
        return
    place, end = whole.rfind(sight.text.rstrip()), whole.rfind(word)
    if place < 0 or end < place:
        return
    at = place + len(own) if whole.startswith(own, place) else place + len(sight.text.rstrip())
    first = next(iter(units(whole[at:end])), "")
    if not first:
        return
    mark = marks(first)[0]
    # Words behind it may be of one conversation alone, as the name of a tool.
    is_plain = first.startswith(mark) and FIRST_NAME not in first and len(first) - len(mark) < _LONGEST_ROLE
    yield first if is_plain else mark
