"""Messages as a spelling has them, to compare spellings by what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.grammars.spelling import style_of
from respc.grammars.writing import write_behind, write_calls, write_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.grammars.spelling import Spelling

_CALL: Final = ("read_gauge", {"days": 2, "station": "Ulvik"})
_TEXT: Final = "It stands low."
_OF_KINDS: Final[dict[str, Any]] = {
    "number": 6.5,
    "boolean": True,
    "null": None,
    "object": {"a": ["b's", 1, False]},
    "array": ["b", 2.5, {"a": True}],
}


def written_cases(spelling: Spelling) -> Iterator[tuple[str, str]]:
    """Yield messages as a spelling has them, as far as it has them: what each shows, and the text."""
    calls, content, reasoning = spelling.calls, spelling.content, spelling.reasoning
    yield "call", write_calls([_CALL], calls)
    yield "no arguments", write_calls([("sound_horn", {})], calls)
    if calls.separator is not None:
        yield "several calls", write_calls([_CALL, _CALL], calls)
    yield "text", content.opens + _TEXT + content.closes
    if content.before_call is not None:
        opens = content.opens if content.opens_before_call is None else content.opens_before_call
        yield "text and call", write_behind(opens + _TEXT + content.before_call, [_CALL], calls)
    if reasoning is not None:
        # Some prompts open it, and others leave that to the model.
        yield "reasoning and call", write_behind(_TEXT + reasoning.before_call, [_CALL], calls)
        if reasoning.before_content is not None:
            yield "reasoning and text", _TEXT + reasoning.before_content
    for kind, value in _OF_KINDS.items():
        if kind in calls.arguments.kinds:
            yield kind, write_value(value, style_of(calls.arguments, kind))


def differing_cases(one: Spelling, other: Spelling) -> dict[str, tuple[str, str]]:
    """List what two spellings both have, and write in two ways; blanks at the end of a turn count for nothing."""
    texts = dict(written_cases(other))
    return {
        name: (text, texts[name])
        for name, text in written_cases(one)
        if name in texts and text.rstrip() != texts[name].rstrip()
    }
