"""Real templates with their delimiters changed a little, and their real texts with pieces put in, left out or moved.

Generated templates have every construct, but none as large as those that serve models; here each of these is a
starting point.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import regex
from hypothesis import strategies as st

from respc.patterns.tokens import tokens_of
from support.choosing import HypothesisChooser
from support.families import families
from support.hostile_texts import delimiters, literals_of
from support.strategies import Example, Generation
from support.templates import (
    corpus_cases,
    corpus_names,
    corpus_template,
    own_names,
    own_samples,
    own_template,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn

    from support.choosing import Chooser

PUT_INTO_PATTERNS: Final = (
    r"\s*", "?", "*", "+", "*?", "+?", "$", "^", r"\Z", r"\A", "|", "<", ">", r"\n", ".", " ?", "(?:a|b)", r"\w+",
    r"\d", "[^<]*", r"[^\n]*", r"\b", "(?=<)", "(?!a)", r"\s+", ".*", ".*?", r"\n$", r"(?:\n|$)", r"\S", "x{1,3}",
)  # fmt: skip
PUT_INTO_TEXTS: Final = (
    "\n",
    " ",
    "\n\n",
    "a",
    "<",
    "\0",
    "é",
    "1",
    ".",
    "  ",
    "\x1c",
    "٣",
    "ſ",
    "<a>",
    "x\n",
)
NAMES: Final = ("x", "close", "close_2", "name", "in_blanks", "rest")
"""Names of fields that mean something to a compiler."""
LONGEST_TEXT: Final = 400


@dataclass(frozen=True)
class Real:
    """A template as it is used, and generations for it: prefix, text and tools of each."""

    template: dict[str, Any]
    rows: tuple[tuple[str, str, Any], ...]


def _real(template: dict[str, Any], rows: list[dict[str, Any]]) -> Real:
    return Real(template, tuple((row["prefix"], row["text"], row["tools"]) for row in rows))


@cache
def real_templates() -> tuple[Real, ...]:
    """Return the templates of the families, of the corpora and the tests' own."""
    return (
        *(_real(family.template, family.samples) for family in families()),
        *(_real(corpus_template(name), corpus_cases(name)) for name in corpus_names()),
        *(_real(own_template(name), own_samples(name)) for name in own_names()),
    )


@cache
def real_rows() -> tuple[tuple[str, str, Any], ...]:
    """Return the generations of all templates."""
    return tuple(row for real in real_templates() for row in real.rows)


def mutated_example(chooser: Chooser, texts: int) -> Example:
    """Return a changed template with that many changed generations."""
    real = chooser.pick(real_templates())
    template: dict[str, Any] = json.loads(json.dumps(real.template))
    for _ in range(chooser.integer(1, 3)):
        _change_template(chooser, template)
    marks = [mark for field in template["fields"].values() for mark in _marks(field)] or ["<"]
    rows = real.rows or real_rows()
    return Example(template, [_changed_row(chooser, rows, marks) for _ in range(texts)])


@st.composite
def mutated_examples(draw: DrawFn, texts: int = 4) -> Example:
    """Changed templates with generations, shrunk towards fewer changes."""
    return mutated_example(HypothesisChooser(draw), texts)


def _patterns(field: dict[str, Any]) -> list[str]:
    """Return the delimiters of a field as patterns."""
    found: list[str] = []
    for key in ("open", "close"):
        found += map(regex.escape, literals_of(field, key))
        found += [field[f"{key}_pattern"]] if field.get(f"{key}_pattern") else []
    return found


def _marks(field: dict[str, Any]) -> list[str]:
    """Return texts that open or close a field, if its patterns can be read."""
    found = []
    for key in ("open", "close"):
        try:
            found += delimiters(field, key)
        except regex.error:
            continue
    return found


def _change_template(chooser: Chooser, template: dict[str, Any]) -> None:
    fields: dict[str, dict[str, Any]] = template["fields"]
    name = chooser.pick(list(fields))
    field = fields[name]
    change = chooser.weighted(
        ((70, "delimiter"), (10, "closer of another"), (6, "order"), (6, "repeats"), (8, "a twin"))
    )
    if change == "delimiter":
        _change_delimiter(chooser, template, field)
    elif change == "closer of another":
        other = fields[chooser.pick(list(fields))]
        closers: dict[str, Any] = {key: other[key] for key in ("close", "close_pattern") if key in other}
        for key in ("close", "close_pattern"):
            field.pop(key, None)
        field.update(closers)
    elif change == "order":
        template["fields"] = dict([*list(fields.items())[1:], next(iter(fields.items()))])
    elif change == "repeats":
        field["repeats"] = not field.get("repeats", False)
    else:
        fields.setdefault(chooser.pick(NAMES), json.loads(json.dumps(field)))


def _change_delimiter(chooser: Chooser, template: dict[str, Any], field: dict[str, Any]) -> None:
    others = [each for other in template["fields"].values() for each in _patterns(other)]
    if chooser.percent(30):
        foreign = chooser.pick(real_templates()).template["fields"]
        others += [each for other in foreign.values() for each in _patterns(other)]
    key = chooser.pick(("open", "close"))
    literals = literals_of(field, key)
    if literals and chooser.percent(30):
        field[key] = [*literals, "<b"]
        return
    pattern: str | None = field.get(f"{key}_pattern")
    if literals:
        del field[key]
        pattern = "|".join(map(regex.escape, literals))
    if pattern:
        field[f"{key}_pattern"] = _changed_pattern(chooser, pattern, others or ["<a>"])
    elif key == "close" and others:
        field["close_pattern"] = chooser.pick(others)


def _changed_pattern(chooser: Chooser, pattern: str, others: Sequence[str]) -> str:
    tokens = [token.text for token in tokens_of(pattern)]
    for _ in range(chooser.weighted(((3, 1), (1, 2), (1, 3)))):
        place = chooser.integer(0, len(tokens) - 1) if tokens else 0
        change = chooser.weighted(
            (
                (35, "put in"),
                (25, "leave out"),
                (15, "twice"),
                (10, "replace"),
                (8, "a piece of another"),
                (7, "or another"),
            )
        )
        if change == "put in":
            tokens.insert(place, chooser.pick(PUT_INTO_PATTERNS))
        elif change == "or another":
            tokens = [*tokens, "|", chooser.pick(others)]
        elif change == "a piece of another":
            piece = [token.text for token in tokens_of(chooser.pick(others))]
            start = chooser.integer(0, max(len(piece) - 1, 0))
            tokens[place:place] = piece[start : start + chooser.integer(1, 5)]
        elif tokens:
            tokens[place] = {"leave out": "", "twice": tokens[place] * 2}.get(
                change, chooser.pick(PUT_INTO_PATTERNS)
            )
    return "".join(tokens)


def _changed_row(chooser: Chooser, rows: Sequence[tuple[str, str, Any]], marks: Sequence[str]) -> Generation:
    prefix, text, tools = chooser.pick(rows if chooser.percent(80) else real_rows())
    start = chooser.integer(0, max(len(text) - LONGEST_TEXT, 0))
    text = text[start : start + LONGEST_TEXT]
    for _ in range(chooser.integer(0, 6)):
        place, other = chooser.integer(0, len(text)), chooser.integer(0, len(text))
        change = chooser.weighted(
            ((50, "mark"), (15, "character"), (15, "leave out"), (20, "piece of itself"))
        )
        if change == "leave out":
            text = text[:place] + text[place + chooser.integer(1, 8) :]
            continue
        put = {
            "mark": chooser.pick(marks),
            "character": chooser.pick(PUT_INTO_TEXTS),
            "piece of itself": text[other : other + chooser.integer(1, 20)],
        }[change]
        text = text[:place] + put + text[place:]
    if chooser.percent(20):
        text = text[: chooser.integer(0, len(text))]
    return Generation(prefix if chooser.percent(40) else "", text, tools, chooser.integer(0, 999))
