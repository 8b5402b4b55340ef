"""Patterns that say something else than what was perhaps meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import regex

from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import ReplaceText, SetValue
from respc.lints.call_shape import function_name_group
from respc.lints.delimiters import PlacedPattern, placed_delimiters, placed_patterns
from respc.patterns import parse_pattern, pattern_facts
from respc.patterns.places import alternative
from respc.patterns.tokens import Kind, Token, group_end, tokens_of
from respc.patterns.trials import takes_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_LOOKS_LIKE_PATTERN: Final = re.compile(r"\\[|sSdDwWbn.*+?(){}\[\]^$]|\(\?[:=!<P]|\.[*+]|\[\^[^\]]*\][*+]")
_KEY: Final = "key"
_WORD: Final = "Get_weather2"
_NAMES: Final = ("get-weather", "files.read")
_WIDE_NAME: Final = r"[\w.\-]+"
_BLANK_RUNS: Final = ("*", "+", "*?", "+?")


def check_spelling(ir: ParserIR, findings: Findings) -> None:
    """Find what is easily mistaken in a pattern, or taken for one."""
    _check_literals(ir, findings)
    for placed in placed_patterns(ir):
        _check_bars(placed, findings)
        _check_alternatives(placed, findings)
        if placed.of_tag:
            _check_blanks_of_values(placed, findings)
        _check_name(placed, findings)


def _check_literals(ir: ParserIR, findings: Findings) -> None:
    for placed in placed_delimiters(ir):
        for literal in placed.delimiter.declared or ():
            match = _LOOKS_LIKE_PATTERN.search(literal)
            if match is not None:
                findings.add(
                    "pattern-as-literal",
                    f"the literal {quoted(literal)} is matched as it is written",
                    placed.pointer_of_literal(literal),
                    characters=match.span(),
                    label=f"{quoted(match[0])} looks like a pattern",
                    help=f"write it under '{placed.key}_pattern', or without {quoted(match[0])}",
                )


def _check_bars(placed: PlacedPattern, findings: Findings) -> None:
    r"""Find ``<|token|>`` in a pattern, which is ``<`` or ``token`` or ``>``."""
    tokens = tokens_of(placed.pattern)
    for first in range(len(tokens) - 1):
        if tokens[first].text != "<" or tokens[first + 1].kind is not Kind.BAR:
            continue
        last = next((number for number, token in _rest(tokens, first + 2) if token.kind is Kind.BAR), None)
        if last is None or last + 1 == len(tokens) or tokens[last + 1].text != ">":
            continue
        start, end = tokens[first].start, tokens[last + 1].end
        meant = placed.pattern[start:end].replace("|", r"\|")
        findings.add(
            "unescaped-bar",
            f"{quoted(placed.pattern[start:end])} in a pattern means one of three texts, "
            f"{quoted('<')} and {quoted('>')} among them",
            placed.pointer,
            characters=(start, end),
            label="a bar separates alternatives",
            help=f"write {member(placed.pointer.rpartition('/')[2], meant)}, or a literal",
            fix=Fix(
                f"it matches the text {quoted(placed.pattern[start:end])}, and no longer every "
                f"{quoted('<')} and {quoted('>')}",
                (ReplaceText(placed.pointer, start, end, meant),),
            ),
        )
        return


def _rest(tokens: tuple[Token, ...], start: int) -> Iterator[tuple[int, Token]]:
    """List the tokens of a plain text from a place on, and the one that ends it."""
    for number in range(start, len(tokens)):
        yield number, tokens[number]
        if tokens[number].kind is not Kind.TEXT:
            return


def _check_alternatives(placed: PlacedPattern, findings: Findings) -> None:
    texts = pattern_facts(parse_pattern(placed.pattern)).literals or ()
    for number, text in enumerate(texts):
        before = next((each for each in texts[:number] if text.startswith(each)), None)
        if before is not None:
            findings.add(
                "unreachable-alternative",
                f"the alternative {quoted(text)} never matches",
                placed.pointer,
                characters=alternative(placed.pattern, number, len(texts)),
                label=f"{quoted(before)} comes before it, and begins it",
                help="write the longer alternative first",
            )


def _check_name(placed: PlacedPattern, findings: Findings) -> None:
    if placed.region is None:
        return
    transform = findings.source.template["fields"][placed.region.name].get("transform")
    name = function_name_group(placed.region, transform)
    if name is None:
        return
    tokens = tokens_of(placed.pattern)
    for number, token in enumerate(tokens):
        group = _KEY if placed.of_tag else name
        if token.text not in (f"(?P<{group}>", f"(?<{group}>"):
            continue
        inside = tokens[number + 1 : group_end(tokens, number)]
        if not inside or not _is_narrow(placed.pattern[inside[0].start : inside[-1].end]):
            continue
        start, end = inside[0].start, inside[-1].end
        after = tokens[group_end(tokens, number) + 1 :]
        ends = _names_of_ends(after, placed.pattern[start:end]) if placed.of_tag else []
        fixed = _with_wide_names(placed.pattern, [(start, end), *ends])
        shown = inside[0].text if len(inside) == 2 else placed.pattern[start:end]
        is_run = len(inside) == 2 and inside[1].text in ("*", "+")
        findings.add(
            "narrow-parameter-name" if placed.of_tag else "narrow-tool-name",
            f"names of {'parameters' if placed.of_tag else 'tools'} are matched by {quoted(shown)}, "
            "which takes letters, digits and underscores alone",
            placed.pointer,
            characters=(start, end),
            label="`start-date` and `user.name` are cut, or no parameter at all"
            if placed.of_tag
            else "`get-weather` and `files.read` are cut, or no call at all",
            help=f"write {member(placed.pointer.rpartition('/')[2], fixed)}",
            fix=Fix("names with dots and dashes are found whole", (SetValue(placed.pointer, fixed),))
            if is_run and _is_certain(after)
            else None,
        )


def _names_of_ends(after: tuple[Token, ...], narrow: str) -> list[tuple[int, int]]:
    r"""Find where the end of a tag is written as its name is: ``</\w+>`` ends no ``<start-date>``."""
    return [
        (one.start, two.end)
        for slash, one, two in zip(after, after[1:], after[2:], strict=False)
        if slash.text in ("/", r"\/") and one.text + two.text == narrow
    ]


def _with_wide_names(pattern: str, places: list[tuple[int, int]]) -> str:
    for start, end in reversed(places):
        pattern = pattern[:start] + _WIDE_NAME + pattern[end:]
    return pattern


def _is_narrow(pattern: str) -> bool:
    """Tell whether a pattern takes every word, and neither a dash nor a dot."""
    try:
        return takes_whole(pattern, _WORD) and not any(takes_whole(pattern, name) for name in _NAMES)
    except regex.error:  # it refers to what stands elsewhere
        return False


def _is_certain(after: tuple[Token, ...]) -> bool:
    """Tell whether a wider name ends where a narrow one does: before a character that is in neither."""
    return not after or (
        after[0].kind in (Kind.TEXT, Kind.ESCAPE)
        and after[0].text not in (".", "-", r"\.", r"\-", r"\w", r"\S", r"\W", r"\D")
        and (len(after) == 1 or after[1].kind is not Kind.REPEAT or after[0].text == r"\s")
    )


def _check_blanks_of_values(placed: PlacedPattern, findings: Findings) -> None:
    tokens = tokens_of(placed.pattern)
    for number, token in enumerate(tokens):
        if token.text not in ("(?P<value>", "(?<value>"):
            continue
        closing = group_end(tokens, number)
        around = (tokens[number - 2 : number] if number > 1 else (), tokens[closing + 1 : closing + 3])
        runs = [pair for pair in around if len(pair) == 2 and _is_blanks(pair)]
        if not runs:
            return
        steps = tuple(ReplaceText(placed.pointer, run[0].start, run[1].end, r"\n?") for run in runs)
        findings.add(
            "blanks-of-values",
            "the blanks before and after values are taken for part of the tag",
            placed.pointer,
            characters=(runs[0][0].start, runs[0][1].end),
            label="takes all of them: indentation and final newlines of a value are lost",
            help=r"write `\\n?`, which takes the one newline that the format puts there",
            fix=Fix("values keep their blanks, but for one newline at each end", steps),
        )


def _is_blanks(pair: tuple[Token, ...]) -> bool:
    return pair[0].text == r"\s" and pair[1].text in _BLANK_RUNS
