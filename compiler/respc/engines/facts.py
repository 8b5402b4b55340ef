"""What serving engines take, at the releases named here: facts of their adapters of response templates.

The tests compare them with the engines' own validators, out of their wheels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

THINKING: Final = "thinking"
CONTENT: Final = "content"
CALLS: Final = "tool_calls"

_CONTENT_PARSERS: Final = ("text", "int", "float", "bool", "json", "xml-inline", "kv-lines")


@dataclass(frozen=True, slots=True)
class Engine:
    """A release of a serving engine.

    Attributes:
        name: as commands take it.
        title: as people write it.
        version: the release that all else here is about.
        fields: the fields of a message that the adapter sends.
        defaults: the keys that `defaults` may have.
        content_parsers: those of the engine's copy of the interpreter.
        needs_openers: whether calls, and reasoning beside content with an opener, need one too.
        repeats_hide_the_end: whether reasoning that repeats is never over for the engine.
        pattern_closer: what becomes of structured outputs where the closer of the reasoning is no literal.
        reads_on: whether then the engine parses what was generated, rather than look for the tokens of the closer.
        several_closers: whether each literal closer of the reasoning counts, or the first alone.
    """

    name: str
    title: str
    version: str
    needs_openers: bool
    repeats_hide_the_end: bool
    pattern_closer: str
    reads_on: bool
    several_closers: bool
    fields: tuple[str, ...] = (THINKING, CONTENT, CALLS)
    defaults: tuple[str, ...] = ("role",)
    content_parsers: tuple[str, ...] = _CONTENT_PARSERS


VLLM: Final = Engine(
    name="vllm",
    title="vLLM",
    version="0.33.0",
    needs_openers=False,
    repeats_hide_the_end=True,
    pattern_closer="the whole output is decoded and parsed again for each token, up to the end of the reasoning",
    reads_on=True,
    several_closers=True,
)
SGLANG: Final = Engine(
    name="sglang",
    title="SGLang",
    version="0.5.23",
    needs_openers=True,
    repeats_hide_the_end=False,
    pattern_closer="the grammar is enforced from the first token on, in the reasoning too",
    reads_on=False,
    several_closers=False,
)

ENGINES: Final = {engine.name: engine for engine in (VLLM, SGLANG)}
"""The engines by name."""


def engine_named(name: str) -> Engine:
    """Give the engine of this name.

    Raises:
        ValueError: there is none.
    """
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}: give {' or '.join(map(repr, ENGINES))}")
    return ENGINES[name]
