"""Prints figures as tables that can be read as they are and rendered as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.figures import Figures
    from benchmarks.goals import Verdict


def _ratio(value: float | None) -> str:
    """Write a ratio with the digits that mean something."""
    if value is None:
        return "too long"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _small(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _milliseconds(seconds: float) -> str:
    return _small(seconds * 1e3)


def _sequence(values: Sequence[float], write: Callable[[float], str]) -> str:
    return ", ".join(map(write, values))


# For each section a heading, what its rows mean, and its columns.
SECTIONS: dict[str, tuple[str, str, dict[str, Callable[[Any], str]]]] = {
    "streamed": (
        "Streamed",
        "A new parser, a generation in chunks of a token, the message. The floor keeps each chunk and gives "
        "an event for it. Generations end with tool calls if not said otherwise. Dense text has < in every "
        "fifth chunk or so. The interpreter streams 100,000 tokens once.",
        {
            "family": lambda row: row.family,
            "text": lambda row: row.text,
            "tokens": lambda row: _count(row.tokens),
            "chunks with <": lambda row: f"{row.share_with_mark:.1%}",
            "ns a feed": lambda row: _count(row.compiled_nanoseconds),
            "interpreter / compiled": lambda row: _ratio(row.interpreter_over_compiled),
            "compiled / floor": lambda row: _ratio(row.compiled_over_floor),
        },
    ),
    "steadiness": (
        "The end of a stream",
        "What the last tenth of a stream costs over the first; both are the same text.",
        {
            "family": lambda row: row.family,
            "tokens": lambda row: _count(row.tokens),
            "compiled": lambda row: _ratio(row.compiled_last_over_first),
            "interpreter": lambda row: (
                "not run"
                if row.interpreter_last_over_first is None
                else _ratio(row.interpreter_last_over_first)
            ),
        },
    ),
    "near_miss": (
        "Near misses",
        "A chunk that holds the first character of a delimiter, and no delimiter, in floors: the worst of each "
        "ready-made parser, and all states it can be in. Outside of all regions text is dropped, or held back "
        "because an opener has begun.",
        {
            "parser": lambda row: row.parser,
            "worst, floors": lambda row: _ratio(row.floors),
            "in": lambda row: row.worst_state,
            "chunks": lambda row: ", ".join(map(repr, row.worst_chunks)),
            "every state": lambda row: ", ".join(
                f"{state} {_ratio(floors)}" for state, floors in row.states.items()
            ),
        },
    ),
    "prose": (
        "Prose through ready-made parsers",
        "From a new parser to the message, in floors. Dense text has < in every fifth chunk or so.",
        {
            "parser": lambda row: row.parser,
            "field": lambda row: row.field,
            "floors": lambda row: ", ".join(
                f"{text} {_ratio(floors)}" for text, floors in row.floors.items()
            ),
        },
    ),
    "modules": (
        "Modules made in another way",
        "Generations with tool calls, streamed: what respc.load made, what the builder made, and the floor.",
        {
            "family": lambda row: row.family,
            "tokens": lambda row: _count(row.tokens),
            "pure / floor": lambda row: _ratio(row.pure_over_floor),
            "built / floor": lambda row: _ratio(row.built_over_floor),
            "built / pure": lambda row: _ratio(row.built_over_pure),
        },
    ),
    "whole_text": (
        "Whole text",
        "One call with the whole generation. The floor is written by hand for the family and for such a "
        "generation: find for each mark in turn, json.loads for bodies, dict displays.",
        {
            "family": lambda row: row.family,
            "text": lambda row: row.text,
            "tokens": lambda row: _count(row.tokens),
            "µs": lambda row: _small(row.compiled_microseconds),
            "interpreter / compiled": lambda row: _ratio(row.interpreter_over_compiled),
            "compiled / floor": lambda row: _ratio(row.compiled_over_floor),
        },
    ),
    "batches": (
        "Batches",
        "One call with a list of generations, against a loop of calls of the interpreter.",
        {
            "family": lambda row: row.family,
            "texts": lambda row: _count(row.texts),
            "tokens each": lambda row: _count(row.tokens),
            "tools": lambda row: "3" if row.tools else "none",
            "ms": lambda row: _small(row.compiled_milliseconds),
            "interpreter / compiled": lambda row: _ratio(row.interpreter_over_compiled),
        },
    ),
    "serving": (
        "Serving events",
        "A module with serving events over the default one of the same template, whose time is given. Stable "
        "modules hold back what more text could change, as serving ones do if not told otherwise; those that "
        "are not stable commit as the default one does.",
        {
            "family": lambda row: row.family,
            "how": lambda row: row.how,
            "text": lambda row: row.text,
            "tokens": lambda row: _count(row.tokens),
            "default, µs": lambda row: _small(row.default_microseconds),
            "stable / default": lambda row: (
                "cannot be stable" if row.stable_over_default is None else _ratio(row.stable_over_default)
            ),
            "not stable / default": lambda row: _ratio(row.unstable_over_default),
        },
    ),
    "openai_form": (
        "OpenAI form",
        "A generation as deltas of chat completions, over the serving parser that the form stands on, whose time is "
        "given.",
        {
            "family": lambda row: row.family,
            "text": lambda row: row.text,
            "tokens": lambda row: _count(row.tokens),
            "parser, µs": lambda row: _small(row.parser_microseconds),
            "form / parser": lambda row: _ratio(row.form_over_parser),
            "with streamed arguments": lambda row: _ratio(row.streamed_arguments_over_parser),
        },
    ),
    "growth": (
        "Growth",
        "Milliseconds for generations of 1,000 tokens, 2,000, 4,000 and so on. The interpreter stops where a "
        "run takes too long.",
        {
            "family": lambda row: row.family,
            "how": lambda row: row.how,
            "compiled, ms": lambda row: _sequence(row.compiled, _milliseconds),
            "interpreter, ms": lambda row: _sequence(row.interpreter, _milliseconds),
            "worst doubling of compiled": lambda row: _ratio(row.worst_doubling),
        },
    ),
    "hostile": (
        "Hostile texts",
        "The compiled parser on texts made to be slow, in chunks of four characters and at once.",
        {
            "text": lambda row: row.what,
            "family": lambda row: row.family,
            "how": lambda row: row.how,
            "characters": lambda row: _count(row.characters[-1]),
            "ms": lambda row: _milliseconds(row.seconds[-1]),
            "worst doubling": lambda row: _ratio(row.worst_doubling),
        },
    ),
    "shapes": (
        "Hostile shapes",
        "Small templates with delimiters and tags that are slow to search, on texts that show it, in small chunks "
        "and at once.",
        {
            "text": lambda row: row.what,
            "form": lambda row: row.form,
            "how": lambda row: row.how,
            "characters": lambda row: _sequence(row.characters, _count),
            "ms": lambda row: _sequence(row.seconds, _milliseconds),
            "worst doubling": lambda row: (
                "cannot be stable" if row.worst_doubling is None else _ratio(row.worst_doubling)
            ),
        },
    ),
    "memory": (
        "Memory of an open stream",
        "What an open parser holds in the middle of an answer, in kB, and the most that was allocated until "
        "then.",
        {
            "family": lambda row: row.family,
            "tokens": lambda row: _count(row.tokens),
            "interpreter holds": lambda row: _small(row.interpreter_held / 1e3),
            "compiled holds": lambda row: _small(row.compiled_held / 1e3),
            "compiled / interpreter": lambda row: _ratio(row.held_ratio),
            "of the peaks": lambda row: _ratio(row.peak_ratio),
        },
    ),
    "openai_form_memory": (
        "Memory of an open stream of the OpenAI form",
        "What each of many holds in the middle of an answer, in kB, its parser included; and such a parser alone.",
        {
            "family": lambda row: row.family,
            "tokens": lambda row: _count(row.tokens),
            "parser holds": lambda row: _small(row.parser_held / 1e3),
            "form holds": lambda row: _small(row.form_held / 1e3),
            "form / parser": lambda row: _ratio(row.held_ratio),
        },
    ),
    "imports": (
        "Import",
        "What a new process pays for a module; the memory is what Python allocated and kept.",
        {
            "module": lambda row: row.what,
            "ms": lambda row: _small(row.milliseconds),
            "kB": lambda row: _small(row.kilobytes),
            "regex loaded": lambda row: "yes" if row.loads_regex else "no",
        },
    ),
    "compiling": (
        "Compiling",
        "A template to a module's text, in a warm process.",
        {
            "family": lambda row: row.family,
            "ms before black": lambda row: _small(row.milliseconds),
            "ms with black": lambda row: _small(row.milliseconds_with_black),
        },
    ),
    "commands": (
        "The command",
        "Whole processes, beside one that starts Python and does nothing.",
        {
            "process": lambda row: row.what,
            "ms": lambda row: _small(row.milliseconds),
            "over bare Python": lambda row: _ratio(row.over_bare_python),
        },
    ),
    "peer": (
        "Beside openai-harmony",
        "The same tokens through the Rust parser of gpt-oss's format, called from Python. It works on token "
        "ids, checks headers, and leaves the bodies of calls as text; the compiled parser works on text, "
        "gives events, and parses the bodies.",
        {
            "how": lambda row: row.what,
            "tokens": lambda row: _count(row.tokens),
            "harmony, ns a token": lambda row: _count(row.peer_nanoseconds),
            "compiled, ns a token": lambda row: _count(row.compiled_nanoseconds),
            "harmony / compiled": lambda row: _ratio(row.peer_over_compiled),
        },
    ),
}


def section(name: str, rows: Iterable[object]) -> str:
    """Write the table of a section."""
    return table(*SECTIONS[name], rows)


def table(
    heading: str, meaning: str, columns: dict[str, Callable[[Any], str]], rows: Iterable[object]
) -> str:
    """Write rows under a heading, with what they mean."""
    return _headed(
        heading, meaning, list(columns), [[write(row) for write in columns.values()] for row in rows]
    )


def goals(verdicts: Iterable[Verdict]) -> str:
    """Write the table of goals."""
    rows = [
        [
            verdict.goal.what,
            f"{verdict.goal.kind} {verdict.goal.bound:g} {verdict.goal.unit}",
            f"{verdict.measured:.3g} {verdict.goal.unit}",
            "yes" if verdict.met else "NO",
            verdict.worst,
        ]
        for verdict in verdicts
    ]
    meaning = "The measured figure is the worst of all rows, and the last column says whose it is."
    return _headed("Goals", meaning, ["what", "goal", "measured", "met", "worst row"], rows)


def environment(figures: Figures) -> str:
    """Write a line about what the figures depend on."""
    about = figures.environment
    packages = ", ".join(f"{name} {number}" for name, number in about.get("packages", {}).items())
    return f"{about['python']} on {about['system']}, {about['cores']} cores; {packages}."


def _headed(heading: str, meaning: str, columns: list[str], rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    lines = [columns, ["-" * width for width in widths], *rows]
    table = "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in lines
    )
    return f"## {heading}\n\n{meaning}\n\n{table}\n"
