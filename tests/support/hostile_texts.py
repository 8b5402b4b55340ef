"""Texts that are hard on a template: its own delimiters, whole and cut off, over and over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import regex

from respc.patterns import parse_pattern
from respc.patterns.syntax import Choice, Node, OneOf, Repeat, Sequence, Text, children, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRIED = 'ab \n"1{<}'
FILLINGS = {
    "prose": "the quick brown fox ",
    "blanks": " ",
    "newlines": "\n",
    "angles": "<",
    "half tags": ' \n word <b> "q" {x: 1} ',
    "escaped quotes": '\\"',
    "brackets": "[{",
}


def example(node: Node, *, optional: bool) -> str:
    """Write a text that a pattern matches, with or without what it may leave out."""
    match node:
        case Text(character):
            return character
        case OneOf():
            return next((each for each in TRIED if node.source and regex.fullmatch(node.source, each)), "a")
        case Choice(branches):
            return example(branches[0], optional=optional)
        case Repeat(item, low, high):
            return example(item, optional=optional) * max(low, int(optional and high != 0))
        case _:
            return "".join(example(child, optional=optional) for child in children(node))


def examples(pattern: str) -> list[str]:
    """Write the shortest texts of a pattern, with and without what it may leave out."""
    tree = parse_pattern(pattern)
    return [text for text in (example(tree, optional=False), example(tree, optional=True)) if text]


def delimiters(field: dict[str, Any], key: str) -> list[str]:
    """Give texts that open or close a field."""
    if f"{key}_pattern" in field:
        return examples(field[f"{key}_pattern"])
    return literals_of(field, key)


def literals_of(field: dict[str, Any], key: str) -> list[str]:
    """Give the literals that open or close a field."""
    literals = field.get(key) or []
    return [literals] if isinstance(literals, str) else literals


def begun_runs(pattern: str) -> set[tuple[str, str]]:
    """Give for each run without bound in a pattern a text that comes before it, and a character of the run."""
    return {
        (example(Sequence(before), optional=True), example(run.item, optional=False))
        for before, run, _, _ in parts_of(parse_pattern(pattern))
        if isinstance(run, Repeat) and run.high is None
    }


def tags(arguments: Any) -> Iterator[str]:
    """Give tags of a field's body."""
    if isinstance(arguments, dict):
        if isinstance(arguments.get("tag_pattern"), str):
            yield from examples(arguments["tag_pattern"])
        for value in arguments.values():
            yield from tags(value)


def hostile_texts(template: dict[str, Any]) -> dict[str, Callable[[int], str]]:
    """Give functions from a length to a text of about that length, by what it is."""
    repeated: dict[str, str] = dict(FILLINGS)
    begun: dict[str, str] = {}
    for name, field in template["fields"].items():
        opening, closing = delimiters(field, "open"), delimiters(field, "close")
        for text in [*opening, *closing, *tags(field.get("content_args"))]:
            repeated[f"{text!r} over and over"] = text
            repeated[f"{text!r} cut off, over and over"] = text[: len(text) * 2 // 3] + " "
            repeated[f"the last of {text!r} missing, over and over"] = text[:-1] or text
            begun[f"{text!r} cut off"] = text[:-1]
        if opening and closing:
            repeated[f"regions of {name!r}"] = f"{opening[0]} x {closing[0]}"
        begun |= {f"{name!r} open, then {text!r}": opening[0] + text for text in closing[1:] if opening}
    texts = {what: repeat(text) for what, text in repeated.items() if text}
    for what, beginning in begun.items():
        texts[f"{what}, then anything"] = repeat(FILLINGS["half tags"], beginning)
    for name, field in template["fields"].items():
        for before, text in begun_runs(field.get("open_pattern", "")):
            texts[f"{text!r} over and over, after {before!r}"] = repeat(text, before)
        for opener in delimiters(field, "open")[:1] or [""]:
            for before, text in begun_runs(field.get("close_pattern", "")):
                texts[f"{text!r} over and over, after {before!r} in {name!r}"] = repeat(text, opener + before)
    for field in template["fields"].values():
        for opener in delimiters(field, "open")[:1]:
            for tag in tags(field.get("content_args")):
                for length in (len(tag) // 2, len(tag) - 1):
                    what = f"{tag[:length]!r} over and over, after {opener!r}"
                    texts[what] = repeat(tag[:length] or tag, opener)
    return texts


def repeat(text: str, beginning: str = "") -> Callable[[int], str]:
    """Make a function from a length to a text over and over, after a beginning."""
    return lambda length: beginning + (text * (length // len(text) + 1))[:length]
