"""Patterns that say something else than what was perhaps meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import ReplaceText, SetValue
from respc.lints.call_shape import function_name_group
from respc.lints.delimiters import PlacedPattern, placed_delimiters, placed_patterns
from respc.patterns import parse_pattern, pattern_facts
from respc.patterns.places import alternative
from respc.patterns.tokens import Kind, Token, group_end, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_LOOKS_LIKE_PATTERN: Final = re.compile(r"\\[|sSdDwWbn.*+?(){}\[\]^$]|\(\?[:=!<P]|\.[*+]|\[\^[^\]]*\][*+]")
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
        else:
            _check_tool_name(placed, findings)


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


def _check_tool_name(placed: PlacedPattern, findings: Findings) -> None:
    if placed.region is None:
        return
    transform = findings.source.template["fields"][placed.region.name].get("transform")
    name = function_name_group(placed.region, transform)
    tokens = tokens_of(placed.pattern)
    for number, token in enumerate(tokens):
        if name is None or token.text not in (f"(?P<{name}>", f"(?<{name}>"):
            continue
        inside = tokens[number + 1 : group_end(tokens, number)]
        if [each.text for each in inside] not in ([r"\w", "+"], [r"\w", "*"], [r"\w", "+?"], [r"\w", "*?"]):
            continue
        start, end = inside[0].start, inside[-1].end
        mended = placed.pattern[:start] + _WIDE_NAME + placed.pattern[end:]
        fix = Fix("names with dots and dashes are found whole", (SetValue(placed.pointer, mended),))
        after = tokens[group_end(tokens, number) + 1 :]
        findings.add(
            "narrow-tool-name",
            r"names of tools are matched by `\w`, which takes letters, digits and underscores alone",
            placed.pointer,
            characters=(start, end),
            label="`get-weather` and `files.read` are cut, or no call at all",
            help=f"write {member(placed.pointer.rpartition('/')[2], mended)}",
            fix=fix if _is_certain(after) and not inside[-1].text.endswith("?") else None,
        )


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
