"""The grammars of ready-made families for the tools of the tests, compiled by an engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.grammars.formats import family_spelling
from respc.grammars.spelling import HOLES, NAME
from respc.grammars.writing import write_calls
from support.families import Family, families
from support.grammar_cases import tools_of_kinds, valid_calls
from support.grammar_vocabularies import ByteVocabulary, TrainedVocabulary
from support.grammar_walks import Walker, endings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.grammars.api import GrammarFormat
    from respc.grammars.spelling import Spelling
    from support.grammar_cases import Call
    from support.grammar_engines import Engine, Held, Vocabulary


_OFTEN: Final = 10


@dataclass(frozen=True)
class HeldFormat:
    """A grammar of a family in an engine.

    Attributes:
        held: what the engine has compiled.
        vocabulary: the tokens that it was compiled for.
    """

    held: Held
    vocabulary: Vocabulary


@cache
def formats() -> list[Family]:
    """Return the families that have calls: each has a grammar."""
    return [family for family in families() if family.writes["calls"] != "none"]


def written_by(family: Family, *calls: Call) -> str:
    """Write calls as the grammars of a family have them."""
    return write_calls(calls, spelling_of(family).calls)


@cache
def spelling_of(family: Family) -> Spelling:
    """Return how the calls of a family are spelled."""
    spelling = family_spelling(family.name)
    assert spelling is not None
    return spelling


def grammar_of(family: Family, form: GrammarFormat, *, tools: list[Any] | None = None, **options: Any) -> str:
    """Write the grammar of a family, for the tools of the tests or others.

    Raises:
        GrammarError: there is none.
    """
    tools = tools_of_kinds(kinds_of(family)) if tools is None else tools
    written: str = respc.grammar(family.template, tools, format=form, **options)
    return written


def kinds_of(family: Family) -> tuple[str, ...]:
    """Return the kinds of arguments that a family's grammars can have."""
    return spelling_of(family).calls.arguments.kinds


def valid_of(family: Family) -> list[Call]:
    """Return calls that a family can write."""
    return valid_calls(kinds_of(family))


def held_format(engine: Engine, family: Family, *, tokens: str = "bytes", **options: Any) -> HeldFormat:
    """Compile the grammar of a family.

    Args:
        engine: by which.
        family: of which.
        tokens: "bytes", "marks" where the marks of the format are special tokens, or "trained", where they are too.
        options: further ones of `respc.grammar`.
    """
    marks = () if tokens == "bytes" else marks_of(family)
    vocabulary = TrainedVocabulary(marks) if tokens == "trained" else ByteVocabulary(marks)
    ids = dict(zip(marks, vocabulary.special, strict=False))
    grammar = grammar_of(family, engine.name, special_tokens=ids, **options)
    return HeldFormat(engine.compiled(grammar, vocabulary), vocabulary)


def walker_of(family: Family, vocabulary: Vocabulary) -> Walker:
    """Make what walks the grammars of a family."""
    endings: set[str] = set()
    for name, arguments in valid_of(family):
        values = [value for value in arguments.values() if isinstance(value, str)]
        if values:
            endings |= endings_of(written_by(family, (name, arguments)), values)
    # What ends values is much, and these are few.
    return Walker(
        vocabulary,
        [*sorted(endings), *(_OFTEN * [*_ends_of_texts(spelling_of(family))])],
    )


def _ends_of_texts(spelling: Spelling) -> Iterator[str]:
    """Yield what ends reasoning and content."""
    opening = f"{spelling.calls.section_open}{spelling.calls.before}".removeprefix(spelling.calls.dropped)
    opening = (
        opening[: min(opening.index(hole) for hole in HOLES if hole in opening)]
        if NAME in opening
        else opening
    )
    parts = (spelling.content, *((spelling.reasoning,) if spelling.reasoning else ()))
    yield from (part.before_call + opening for part in parts if part.before_call)
    yield from filter(None, (spelling.content.closes, getattr(spelling.reasoning, "before_content", None)))


@cache
def marks_of(family: Family) -> tuple[str, ...]:
    """Return the marks of a format that a tokenizer can have as tokens; of others only the beginning is known."""
    marks = [
        mark for mark in dict.fromkeys(family.writes.get("marks", ())) if mark[0] in "<[" and mark[-1] in ">]"
    ]
    # What is made of several is no token.
    return tuple(mark for mark in marks if not any(other in mark for other in marks if other != mark))
