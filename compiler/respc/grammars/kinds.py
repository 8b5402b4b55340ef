"""How arguments of each kind are written: by texts that show it, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.grammars.locating import locate
from respc.grammars.spelling import KINDS, ObjectArguments
from respc.grammars.writing import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.grammars.learning import Example
    from respc.grammars.spelling import Arguments, ValueStyle


def shown_styles(
    examples: Sequence[Example], arguments: Arguments, styles: Iterable[ValueStyle], after_value: str = ""
) -> tuple[Arguments, tuple[str, ...]]:
    """Find the style of arguments of each kind.

    Args:
        examples: texts with calls.
        arguments: how they are written for the most part.
        styles: in which other styles values can be.
        after_value: what stands behind a value in a tag.

    Returns:
        The same with the style of each kind, and the kinds that a text shows: with all that can be in a value.
    """
    candidates = tuple(dict.fromkeys((arguments.style, *styles)))
    found: dict[str, ValueStyle] = {}
    for kind in KINDS:
        showing = [each for each in examples if len(each.calls) == 1 and _shows(each, kind, found)]
        for style in candidates if showing else ():
            trial = _in_styles(arguments, {**found, kind: style})
            if all(locate(each, trial, after_value) is not None for each in showing):
                found[kind] = style
                break
    return _in_styles(arguments, found), tuple(found)


def only_shown(
    examples: Sequence[Example], arguments: ObjectArguments, styles: Iterable[ValueStyle]
) -> ObjectArguments:
    """Leave out the kinds of arguments that no text shows."""
    found, kinds = shown_styles(examples, arguments, styles)
    return replace(arguments, styles=found.styles, kinds=kinds)


def _shows(example: Example, kind: str, known: Iterable[str]) -> bool:
    """Tell whether a text has arguments of a kind, and else only such that are known."""
    (call,) = example.calls
    kinds = {kind_of(value) for value in call[1].values()}
    return kind in kinds and kinds <= {*known, kind}


def _in_styles(arguments: Arguments, styles: dict[str, ValueStyle]) -> Arguments:
    others = {kind: style for kind, style in styles.items() if style != arguments.style}
    return replace(arguments, styles=others)
