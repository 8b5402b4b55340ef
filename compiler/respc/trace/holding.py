"""Why text is held back: the delimiters that may have begun where it starts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from respc.patterns.tokens import Kind, tokens_of
from respc.trace.model import Held, Suspect
from respc_runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from respc.ir import Delimiter, ParserIR, State, Watch
    from respc.trace.model import Sentence


def held_in(ir: ParserIR, field: str | None, text: str, start: int, care: Sentence) -> Held:
    """Tell why known text is held back.

    Args:
        ir: the template.
        field: the field whose region is open; None for none.
        text: all known text.
        start: where it is held back from.
        care: what a careful parser waits for besides.
    """
    watched = ir.delimiters(_state_of(ir, field))
    suspects = (_suspect(watch, delimiter, text, start) for watch, delimiter in watched)
    return Held(start, len(text), text[start:], tuple(each for each in suspects if each is not None), care)


def _state_of(ir: ParserIR, field: str | None) -> State:
    outside = ir.states[0]
    if field is None or field == ir.implicit:
        return outside
    return next(state for state in ir.states if state.region == field)


def _suspect(watch: Watch, delimiter: Delimiter, text: str, start: int) -> Suspect | None:
    """Tell whether a delimiter may have begun at a place, with what the known text lets it still become."""
    held = text[start:]
    found = _compiled(delimiter.pattern).match(text, start, partial=True)
    if found is None:
        return None
    # What matches before the end of the text is held where another way to match goes before it, and is not decided.
    is_whole = not found.partial and found.end() == len(text)
    literals = delimiter.declared
    if literals is None:
        parts = tuple(part for part in _alternatives(delimiter.pattern) if _may_match(part, text, start))
        texts = parts or (delimiter.pattern,)
        return Suspect(watch.field, watch.opens, texts, is_pattern=True, is_whole=is_whole)
    longer = tuple(literal for literal in literals if literal.startswith(held) and literal != held)
    if not longer and not (is_whole and delimiter.waits):
        return None
    return Suspect(watch.field, watch.opens, longer, is_pattern=False, is_whole=is_whole)


def _may_match(pattern: str, text: str, start: int) -> bool:
    return _compiled(pattern).match(text, start, partial=True) is not None


@lru_cache
def _alternatives(pattern: str) -> tuple[str, ...]:
    """Give the parts of a pattern that is a choice; the whole where parts mean something else by themselves."""
    tokens = tokens_of(pattern)
    if any(token.kind in (Kind.REFERENCE, Kind.FLAGS) for token in tokens):
        return (pattern,)
    bars = [token for token in tokens if token.kind is Kind.BAR and not token.depth]
    edges = [0, *(edge for bar in bars for edge in (bar.start, bar.end)), len(pattern)]
    return tuple(pattern[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


@lru_cache
def _compiled(pattern: str) -> Any:
    return compile_pattern(pattern)
