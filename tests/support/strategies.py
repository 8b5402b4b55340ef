"""Hypothesis strategies over the generators of templates and texts."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from support.choosing import Chooser, HypothesisChooser
from support.chunking import few
from support.generation import TOOLS, random_prefix, random_template, random_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

ASKED_FOR = os.environ.get("RESPC_EXAMPLES")
"""How many examples are asked for; then they are new ones."""


def generated(most: int) -> settings:
    """Return the settings of a test that tries so many examples if no number is asked for.

    The usual run tries the same on every machine.
    """
    return settings(
        max_examples=int(ASKED_FOR or most),
        derandomize=ASKED_FOR is None,
        database=None,
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            # What a fixture gives here is the same for every example.
            HealthCheck.function_scoped_fixture,
        ],
    )


@dataclass(frozen=True)
class Generation:
    """One prefix, one text and one list of tools; ``seed`` decides the random chunkings."""

    prefix: str
    text: str
    tools: Any
    seed: int

    def chunkings(self, count: int = 2) -> Iterator[tuple[str, list[str]]]:
        """Yield the chunkings to try, always the same ones."""
        return few(self.text, Random(self.seed), count)


@dataclass(frozen=True)
class Example:
    """A template and generations to run through it."""

    template: dict[str, Any]
    generations: list[Generation]


def random_example(chooser: Chooser, texts: int) -> Example:
    """Return a template with that many generations."""
    made = random_template(chooser)
    generations = [
        Generation(
            random_prefix(chooser, made),
            random_text(chooser, made),
            chooser.weighted(((5, TOOLS[0]), (3, TOOLS[1]), (1, TOOLS[2]))),
            chooser.integer(0, 999),
        )
        for _ in range(texts)
    ]
    # Through JSON, as templates are read: one list in two places would be one value to the interpreter.
    return Example(json.loads(json.dumps(made.template)), generations)


@st.composite
def examples(draw: DrawFn, texts: int = 4) -> Example:
    """Templates with generations, shrunk towards fewer fields, literals and shorter texts."""
    return random_example(HypothesisChooser(draw), texts)
