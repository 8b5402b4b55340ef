"""The goals of the project, and what a run says about each.

A goal over several rows is measured by the worst of them. Where a run has no row for a goal, nothing is said about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.streaming import VERY_LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from benchmarks.figures import Figures
    from benchmarks.whole_text import WholeTextRow

_EXPENSIVE_BODIES = ("gemma", "cohere")
_TAGS = ("qwen3.5",)
_LONGEST_HOSTILE = 100_000
_LESS_FLOORS = (
    "deepseek_r1", "deepseek_v3", "deepseek_v3_1", "deepseek_v3_2", "glm4_5", "llama3_1", "llama4", "minimax_m2",
    "phi4_mini",
)  # fmt: skip
"""The ready-made parsers for which more is wanted than for all."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that figures shall keep.

    Attributes:
        what: what is bounded.
        kind: whether figures shall stay at or below the bound, or reach it.
        bound: the bound.
        unit: what the figures are in; "×" for ratios.
        figures_of: the figures with their rows' names.
    """

    what: str
    kind: Literal["at most", "at least"]
    bound: float
    unit: str
    figures_of: Callable[[Figures], Iterable[tuple[float, str]]]

    def verdict(self, figures: Figures) -> Verdict | None:
        """Judge by the worst row; None without rows."""
        measured = list(self.figures_of(figures))
        if not measured:
            return None
        value, row = (max if self.kind == "at most" else min)(measured)
        met = value <= self.bound if self.kind == "at most" else value >= self.bound
        return Verdict(self, value, row, met, len(measured))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says about a goal: the worst figure, whose row it is, and of how many."""

    goal: Goal
    measured: float
    worst: str
    met: bool
    rows: int

    def as_json(self) -> dict[str, Any]:
        """Give what is written into the figures' file."""
        return {
            "what": self.goal.what,
            "goal": f"{self.goal.kind} {self.goal.bound:g}",
            "unit": self.goal.unit,
            "measured": self.measured,
            "worst": self.worst,
            "rows": self.rows,
            "met": self.met,
        }


def verdicts(figures: Figures) -> list[Verdict]:
    """Judge all goals that the figures say something about."""
    return [verdict for goal in GOALS if (verdict := goal.verdict(figures)) is not None]


def _stream_over_floor(relaxed: bool) -> Callable[[Figures], Iterable[tuple[float, str]]]:
    return lambda figures: (
        (row.compiled_over_floor, f"{row.family}, {row.tokens} tokens, {row.text}")
        for row in figures.streamed
        if (row.tokens < 1_000 or row.text == "dense") is relaxed
    )


def _prose_over_floor(
    parsers: Collection[str] | None = None,
) -> Callable[[Figures], Iterable[tuple[float, str]]]:
    return lambda figures: (
        (floors, f"{row.parser}, {row.field}, {text}")
        for row in figures.prose
        if parsers is None or row.parser in parsers
        for text, floors in row.floors.items()
        if "dense" not in text
    )


def _over_interpreter(tokens: int) -> Callable[[Figures], Iterable[tuple[float, str]]]:
    return lambda figures: (
        (row.interpreter_over_compiled, row.family)
        for row in figures.streamed
        if row.tokens == tokens and row.text == "ordinary"
    )


def _group(row: WholeTextRow) -> str:
    """Tell which goal of one-shot parsing a row belongs to."""
    if row.text == "mostly calls" and row.family in _EXPENSIVE_BODIES:
        return "expensive bodies"
    if row.text == "mostly calls" and row.family in _TAGS:
        return "tags"
    if row.family == "gpt-oss" and row.tokens >= 10_000:
        return "long gpt-oss"
    return "all others"


def _whole_over_interpreter(group: str) -> Callable[[Figures], Iterable[tuple[float, str]]]:
    return lambda figures: (
        (row.interpreter_over_compiled, f"{row.family}, {row.tokens} tokens, {row.text}")
        for row in figures.whole_text
        if row.interpreter_over_compiled is not None and _group(row) == group
    )


def _whole_over_floor(figures: Figures) -> Iterable[tuple[float, str]]:
    return (
        (row.compiled_over_floor, f"{row.family}, {row.tokens} tokens, {row.text}")
        for row in figures.whole_text
    )


def _serving_over_default(figures: Figures) -> Iterable[tuple[float, str]]:
    for row in figures.serving:
        name = f"{row.family}, {row.how}, {row.tokens} tokens, {row.text}"
        if row.stable_over_default is not None:
            yield row.stable_over_default, f"{name}, stable"
        yield row.unstable_over_default, f"{name}, not stable"


def _imported(
    attribute: Literal["milliseconds", "kilobytes"],
) -> Callable[[Figures], Iterable[tuple[float, str]]]:
    return lambda figures: (
        (getattr(row, attribute), row.what)
        for row in figures.imports
        if row.what.startswith("a module of literals")
    )


def _compiled_in(attribute: str) -> Callable[[Figures], Iterable[tuple[float, str]]]:
    return lambda figures: ((getattr(row, attribute), row.family) for row in figures.compiling)


GOALS: tuple[Goal, ...] = (
    Goal("stream over the literal floor, 1,000 tokens and more", "at most", 1.4, "×", _stream_over_floor(False)),
    Goal("stream over the literal floor, 100 tokens or dense text", "at most", 1.6, "×", _stream_over_floor(True)),
    Goal(
        "a near miss over the literal floor",
        "at most",
        5,
        "×",
        lambda figures: ((row.floors, f"{row.parser}, {row.worst_state}") for row in figures.near_miss),
    ),
    Goal("prose over the literal floor, ready-made parsers", "at most", 3, "×", _prose_over_floor()),
    Goal("the same, those with patterns as delimiters", "at most", 2.5, "×", _prose_over_floor(_LESS_FLOORS)),
    Goal(
        "stream of a module made in another way over the literal floor",
        "at most",
        1.3,
        "×",
        lambda figures: ((row.built_over_floor, f"{row.family}, {row.tokens} tokens") for row in figures.modules),
    ),
    Goal("interpreter over compiled, stream of 1,000 tokens", "at least", 10, "×", _over_interpreter(1_000)),
    Goal("interpreter over compiled, stream of 10,000 tokens", "at least", 18, "×", _over_interpreter(10_000)),
    Goal("interpreter over compiled, stream of 100,000 tokens", "at least", 150, "×", _over_interpreter(VERY_LONG)),
    Goal(
        "last tenth of a stream over its first",
        "at most",
        1.3,
        "×",
        lambda figures: (
            (row.compiled_last_over_first, f"{row.family}, {row.tokens} tokens") for row in figures.steadiness
        ),
    ),
    Goal("whole text over find, json and dicts", "at most", 1.25, "×", _whole_over_floor),
    Goal("interpreter over compiled, whole text", "at least", 5, "×", _whole_over_interpreter("all others")),
    Goal("the same, gpt-oss from 10,000 tokens on", "at least", 3.5, "×", _whole_over_interpreter("long gpt-oss")),
    Goal("the same, bodies of Gemma and Cohere", "at least", 2.5, "×", _whole_over_interpreter("expensive bodies")),
    Goal("the same, bodies of Qwen", "at least", 8, "×", _whole_over_interpreter("tags")),
    Goal("serving events over the default ones", "at most", 1.2, "×", _serving_over_default),
    Goal(
        "OpenAI form over the serving parser, ordinary text of 1,000 tokens",
        "at most",
        2.2,
        "×",
        lambda figures: (
            (row.form_over_parser, row.family)
            for row in figures.openai_form
            if row.tokens == 1_000 and row.text == "ordinary"
        ),
    ),
    Goal(
        "memory of an open stream of the OpenAI form at 10,000 tokens over the serving parser's",
        "at most",
        1.5,
        "×",
        lambda figures: (
            (row.held_ratio, row.family) for row in figures.openai_form_memory if row.tokens == 10_000
        ),
    ),
    Goal(
        "time when an ordinary generation doubles",
        "at most",
        2.4,
        "×",
        lambda figures: ((row.worst_doubling, f"{row.family}, {row.how}") for row in figures.growth),
    ),
    Goal(
        "time when a hostile text doubles",
        "at most",
        2.4,
        "×",
        lambda figures: ((row.worst_doubling, f"{row.what} ({row.family}), {row.how}") for row in figures.hostile),
    ),
    Goal(
        "time when the text of a hostile shape doubles",
        "at most",
        2.4,
        "×",
        lambda figures: (
            (row.worst_doubling, f"{row.what}, {row.form}, {row.how}")
            for row in figures.shapes
            if row.worst_doubling is not None
        ),
    ),
    Goal(
        "100,000 hostile characters",
        "at most",
        1,
        "s",
        lambda figures: (
            (row.seconds[-1], f"{row.what} ({row.family}), {row.how}")
            for row in figures.hostile
            if row.seconds[-1] > 1 or row.characters[-1] == _LONGEST_HOSTILE
        ),
    ),
    Goal(
        "memory of an open stream at 10,000 tokens over the interpreter's",
        "at most",
        0.6,
        "×",
        lambda figures: ((row.held_ratio, row.family) for row in figures.memory if row.tokens == 10_000),
    ),
    Goal("import of a module of literals, beyond json", "at most", 1, "ms", _imported("milliseconds")),
    Goal("memory of that import", "at most", 200, "kB", _imported("kilobytes")),
    Goal(
        "modules of literals that load regex",
        "at most",
        0,
        "modules",
        lambda figures: (
            (float(row.loads_regex), row.what) for row in figures.imports if "module of literals" in row.what
        ),
    ),
    Goal("compiling, before black", "at most", 25, "ms", _compiled_in("milliseconds")),
    Goal("compiling, with black", "at most", 350, "ms", _compiled_in("milliseconds_with_black")),
    Goal(
        "respc --help over a bare start of Python",
        "at most",
        4,
        "×",
        lambda figures: (
            (row.over_bare_python, row.what) for row in figures.commands if row.what == "respc --help"
        ),
    ),
)  # fmt: skip
