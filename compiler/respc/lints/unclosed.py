"""Regions that the next opener does not end: where a model leaves out a closer, they take in what follows."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from respc.contents import parser_of
from respc.contents.example_bodies import write_body
from respc.diagnostics import member, quoted
from respc.lints.call_shape import CALLS, REASONING_NAMES
from respc.patterns import parse_pattern
from respc.patterns.beginnings import Beginnings
from respc.patterns.samples import samples
from respc.patterns.syntax import Choice
from respc.patterns.trials import is_tied_to_start, match_at, matched_samples, passes_over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics.findings import Findings
    from respc.ir import Delimiter, ParserIR, Region

_PROSE: Final = "Some words"
_BLANKS: Final = ("", "\n")
_MOST_TRIED: Final = 8
_SHORTEST_MARK: Final = 3
_SPECIAL: Final = frozenset(r"\.^$*+?{}[]|()")


def check_unclosed_regions(ir: ParserIR, findings: Findings) -> None:
    """Find fields whose next region is read as body where a closer is missing."""
    for region in ir.regions:
        parser, arguments = parser_of(region.content), region.content.arguments
        if not region.repeats or (parser.streams and region.name != CALLS) or not parser.can_read(arguments):
            continue
        swallowed = _swallowed(region, write_body(region, _PROSE), region, ("",))
        if swallowed is None or region.closer is None:
            continue
        silent = parser.reads_anything(arguments)
        findings.add(
            "opener-as-body" if silent else "opener-spoils-body",
            f"the next opener {quoted(swallowed)} does not end an open region of {quoted(region.name)}",
            region.closer.origin.pointer,
            label="without this, a region takes the next one for part of its body"
            if silent
            else "without this, neither a region nor the next one can be read",
            help=_help(region.closer, region, ""),
        )


def check_calls_in_reasoning(ir: ParserIR, findings: Findings) -> None:
    """Find reasoning that a call does not end."""
    calls = next((region for region in ir.regions if region.name == CALLS), None)
    for region in ir.regions:
        is_text = parser_of(region.content).result == "str"
        if calls is None or region.name not in REASONING_NAMES or not is_text:
            continue
        swallowed = _swallowed(region, _PROSE, calls, ("", *_marks(ir, region)))
        if swallowed is not None and region.closer is not None:
            findings.add(
                "call-in-reasoning",
                f"the opener {quoted(swallowed)} of {quoted(CALLS)} does not end {quoted(region.name)}",
                region.closer.origin.pointer,
                label="without this, a call is read as reasoning",
                help=_help(region.closer, calls, _first_of_body(calls)),
            )


def _marks(ir: ParserIR, region: Region) -> tuple[str, ...]:
    """List what can stand before an opener, such as the mark of a section of calls, and does not end a region alone.

    It closes the implicit field, so that it is no text.
    """
    outside = None if ir.implicit is None else ir.region(ir.implicit).closer
    if outside is None or region.closer is None:
        return ()
    closer = region.closer
    return tuple(
        mark for mark in _samples(outside)[:_MOST_TRIED] if _runs_on(closer, mark + _PROSE, len(mark))
    )


def _swallowed(open_region: Region, body: str, following: Region, marks: tuple[str, ...]) -> str | None:
    """Give an opener that stands inside an open region; None if one that was tried ends it, or no claim can be made.

    Args:
        open_region: the field of the region that is open.
        body: what stands in it already.
        following: the field whose opener comes then.
        marks: what can stand between the two.
    """
    if open_region.opener is None or open_region.closer is None or following.opener is None:
        return None
    opener = following.opener
    if opener.declared is None and is_tied_to_start(opener.pattern):
        return None
    # Of a pattern with many forms, not each is among the samples.
    begun = () if opener.declared is not None else _beginnings(opener)
    if not all(_runs_on(open_region.closer, body + text + _PROSE, len(body)) for text in begun):
        return None
    seen: str | None = None
    for mark, (text, place, shown) in product(marks, _texts(body, following, opener)):
        if opener.declared is None and match_at(opener.pattern, text, place) is None:
            continue
        if not _runs_on(open_region.closer, f"{text[:place]}{mark}{text[place:]}", place):
            return None
        seen = seen or shown
    return seen


def _texts(body: str, following: Region, opener: Delimiter) -> Iterator[tuple[str, int, str]]:
    """Write a body and then another region: its text, where that region begins, and its opener."""
    inside = write_body(following, _PROSE)
    end = "" if following.closer is None else next(iter(_samples(following.closer)), "")
    for sample in _samples(opener)[:_MOST_TRIED]:
        # What an opener looks ahead to is part of its sample, and of the body.
        taken = len(sample) if opener.declared is not None else match_at(opener.pattern, sample, 0)
        for start in dict.fromkeys((sample, sample[:taken])):
            for blanks, rest in product(_BLANKS, (inside + end, inside, end)):
                yield body + blanks + start + rest, len(body + blanks), sample[:taken] or sample


def _beginnings(opener: Delimiter) -> tuple[str, ...]:
    """List the texts that an opener begins with, as far as it is text."""
    return Beginnings().then(parse_pattern(opener.pattern)).texts


def _samples(delimiter: Delimiter) -> tuple[str, ...]:
    """List texts that a delimiter matches, first one of each of its alternatives."""
    if delimiter.declared is not None:
        return delimiter.declared
    tree = parse_pattern(delimiter.pattern)
    branches = tree.branches[:_MOST_TRIED] if isinstance(tree, Choice) else ()
    firsts = [next(iter(samples(branch)), "") for branch in branches]
    matched = [text for text in firsts if text and match_at(delimiter.pattern, text, 0) is not None]
    return tuple(dict.fromkeys((*matched, *matched_samples(delimiter.pattern))))


def _runs_on(closer: Delimiter, text: str, place: int) -> bool:
    """Tell whether a closer does not end a region at a place of its text, nor before it."""
    if closer.declared is None:
        return passes_over(closer.pattern, text, place)
    return not any(0 <= text.find(literal) <= place for literal in closer.declared)


def _first_of_body(calls: Region) -> str:
    """Give a pattern for what a body surely begins with."""
    parser = parser_of(calls.content)
    if not parser.is_json(calls.content.arguments):
        return ""
    return r"\s*\[" if calls.each else r"\s*\{"


def _help(closer: Delimiter, following: Region, behind: str) -> str:
    """Say how a closer looks ahead for an opener, and for what comes behind that, where it surely does."""
    assert following.opener is not None
    texts = following.opener.declared
    if texts is None:
        texts = tuple(text for text in _beginnings(following.opener) if len(text) >= _SHORTEST_MARK)
        behind = ""
    if not texts:
        return "let the closer look ahead for the opener too"
    beginnings = "|".join(map(_escaped, texts))
    ahead = f"(?={f'(?:{beginnings})' if behind and len(texts) > 1 else beginnings}{behind})"
    if closer.declared is None:
        return f"add `|{ahead}` to the closer"
    fixed = "|".join((*map(_escaped, closer.declared), ahead))
    return f"write {member('close_pattern', fixed)}"


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in _SPECIAL else character for character in text)
