"""The ready-made parsers, with samples of what their models write, and ways into each of their states."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from benchmarks.engines import Engine, of_template
from respc.families import families, family_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from benchmarks.families import Template

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "families"
OUTSIDE = "outside"
"""The state in which no region is open: text is dropped, or is held back because an opener has begun."""
_PLAIN = "a b "


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote after a prompt, with the tools that it had."""

    prefix: str
    text: str
    tools: list[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReadyMade:
    """A ready-made parser.

    Attributes:
        name: of the module in `respc_parsers`.
        template: what it was compiled from.
        tokens: what the models' tokenizers have as one token.
        samples: outputs of all kinds.
    """

    name: str
    template: Template
    tokens: tuple[str, ...]
    samples: tuple[Written, ...]

    @property
    def module(self) -> ModuleType:
        """The committed module."""
        return importlib.import_module(f"respc_parsers.{self.name}")


@cache
def ready_made() -> tuple[ReadyMade, ...]:
    """Read all of them, by name."""
    return tuple(
        ReadyMade(name, family_template(name).template, family.tokens, _samples(name))
        for name, family in families().items()
    )


def _samples(name: str) -> tuple[Written, ...]:
    lines = (SAMPLES / name / "samples.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return tuple(Written(row["prefix"], row["text"], row["tools"]) for row in rows)


@cache
def interpreter_of(parser: ReadyMade) -> Engine:
    """Make the interpreter of a parser's template ready."""
    return of_template(parser.template)


class Position:
    """Follows a stream's events: the state is the open field."""

    def __init__(self) -> None:
        self.state = OUTSIDE
        self.changes = 0

    def follow(self, events: Iterable[dict[str, Any]]) -> None:
        """Take the next events."""
        for event in events:
            if event["type"] == "region_open":
                self.state = event["field"]
            elif event["type"] == "region_close":
                self.state = OUTSIDE
            else:
                continue
            self.changes += 1


def ways_in(parser: ReadyMade) -> dict[str, Written]:
    """Give for each state that the samples come to the shortest prompt and text that end in it.

    Plain text goes on in the state. So one that whatever comes next ends is left out: that of a region whose closer was
    read already, or that before any text where there is an implicit field.
    """
    found: dict[str, Written] = {}
    for sample in parser.samples:
        stream, position = parser.module.ResponseParser(sample.prefix), Position()
        position.follow(stream.initial_events)
        for count in range(len(sample.text) + 1):
            if count:
                position.follow(stream.feed(sample.text[count - 1]))
            state = position.state
            way_in = Written(sample.prefix, sample.text[:count])
            shorter = state not in found or count < len(found[state].text)
            if shorter and keeps_its_state(parser, way_in, [_PLAIN]):
                found[state] = way_in
    return found


def keeps_its_state(parser: ReadyMade, way_in: Written, chunks: Sequence[str]) -> bool:
    """Tell whether chunks after a way in open and close nothing.

    A region that they close may also be one that cannot be read.
    """
    stream, position = parser.module.ResponseParser(way_in.prefix), Position()
    position.follow(stream.initial_events)
    position.follow(stream.feed(way_in.text))
    before = position.changes
    try:
        for chunk in chunks:
            position.follow(stream.feed(chunk))
    except (KeyError, TypeError, ValueError):
        return False
    return position.changes == before


def first_characters(template: Template) -> list[str]:
    """Find the characters that a delimiter can begin with; of the blanks, only the line feed."""
    patterns = [regex.compile(pattern, regex.DOTALL) for pattern in _patterns(template)]
    written = {chr(code) for code in range(ord("!"), 0x7F)}
    written.update(character for pattern in patterns for character in pattern.pattern)
    candidates = ["\n", *sorted(each for each in written if each.isprintable() and not each.isspace())]
    # What stands in front keeps anchors from matching.
    return [
        each
        for each in candidates
        if any(pattern.match(f"a{each}", pos=1, partial=True) for pattern in patterns)
    ]


def _patterns(template: Template) -> list[str]:
    found: list[str] = []
    for field in template["fields"].values():
        for key in ("open", "close"):
            literals = field.get(key, [])
            found += map(regex.escape, [literals] if isinstance(literals, str) else literals)
            found += [field[f"{key}_pattern"]] if f"{key}_pattern" in field else []
    return found
