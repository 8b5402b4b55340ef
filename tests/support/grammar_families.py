"""The grammars of ready-made families for the tools of the tests, compiled by an engine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import respc
from support.families import Family, families
from support.grammar_cases import TOOLS, VALID, message_of
from support.grammar_vocabularies import ByteVocabulary, TrainedVocabulary
from support.grammar_walks import Walker, endings_of

if TYPE_CHECKING:
    from support.grammar_engines import Engine, Held, Vocabulary


_WORD: Final = "Bergen"


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


def written_by(family: Family, message: dict[str, Any], *, opened: bool = False) -> str:
    """Write a message as the models of a family do, without what ends the turn."""
    if family.writes["arguments"] == "strings":
        calls = [_with_texts(call) for call in message.get("tool_calls", ())]
        message = {**message, "tool_calls": calls}
    end = family.render({"role": "assistant", "content": _WORD}, opened=False).rpartition(_WORD)[2]
    return family.render(message, opened=opened).removesuffix(end)


def _with_texts(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in function["arguments"].items()
    }
    return {**call, "function": {**function, "arguments": arguments}}


def grammar_of(family: Family, form: str, **options: Any) -> str:
    """Write the grammar of a family for the tools of the tests.

    Raises:
        GrammarError: there is none.
    """
    written: str = respc.grammar(family.template, TOOLS, format=form, **options)
    return written


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
    for name, arguments in VALID:
        values = [value for value in arguments.values() if isinstance(value, str)]
        if values:
            endings |= endings_of(written_by(family, message_of((name, arguments))), values)
    return Walker(vocabulary, endings)


@cache
def marks_of(family: Family) -> tuple[str, ...]:
    """Return the marks of a format that a tokenizer can have as tokens; of others only the beginning is known."""
    marks = dict.fromkeys(family.writes.get("marks", ()))
    return tuple(mark for mark in marks if mark[0] in "<[" and mark[-1] in ">]")
