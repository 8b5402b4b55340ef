"""Note the characters at which a delimiter can begin, where they are few."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Delimiter, LiteralSearch, ParserIR, PatternSearch, StepSearch
from respc.patterns.steps import Ahead, Here, Steps

_FEW = 4


def first_characters(ir: ParserIR) -> ParserIR:
    """Give every delimiter that cannot be empty its first characters: no match, whole or partial, begins elsewhere.

    Of a pattern with blanks in front, the blanks count only where they end the text: before anything else they are no
    beginning of their own.
    """
    return ir.map_delimiters(lambda delimiter: _note(delimiter, ir.stable))


def _note(delimiter: Delimiter, stable: bool) -> Delimiter:
    match delimiter.search:
        case LiteralSearch(literals):
            return _with_first(delimiter, frozenset(text[0] for text in literals))
        case StepSearch(steps):
            return _note_steps(delimiter, steps, stable)
        case PatternSearch():
            return _with_first(delimiter, delimiter.facts.first)


def _with_first(delimiter: Delimiter, first: frozenset[str] | None) -> Delimiter:
    return delimiter if first is None or len(first) > _FEW else replace(delimiter, first=first)


def _note_steps(delimiter: Delimiter, steps: Steps, stable: bool) -> Delimiter:
    first: set[str] = set()
    run: set[str] = set()
    for alternative in steps.alternatives:
        if alternative.anchored:
            continue
        before = alternative.before
        if before is not None:
            if before.negated or before.characters is None:
                return delimiter
            run |= before.characters
        head = alternative.steps[1] if isinstance(alternative.steps[0], Ahead) else alternative.steps[0]
        if not isinstance(head, Here):
            return delimiter
        first.add(head.text[0])
    if steps.end is not None:
        delimiter = replace(delimiter, newline=steps.end.before_newline)
        if not stable:
            # It matches at the end of every text, which hides what has begun: only a newline is ever held back.
            run.clear()
    return _with_first(replace(delimiter, run=frozenset(run)), frozenset(first))
