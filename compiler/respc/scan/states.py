"""Plans how the delimiters of a state are found: by two expressions, or by a search each with `regex`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from respc.patterns import parse_pattern
from respc.patterns.syntax import Assertion, Choice, Node, Sequence, Text
from respc.scan.certain import Judged, judge, resolved
from respc.scan.compose import Composer
from respc.scan.language import Language, alphabet_of
from respc.scan.lingering import can_stand_in
from respc.scan.naming import group_names
from respc.scan.order import by_literal, ordered_by_length
from respc.scan.plans import Part, Refused, ScanPlan, Watched
from respc.scan.shapes import alternatives_of, choice_of, past_start, starts_message, takes_nothing
from respc.scan.spelling import NotSpelledError
from respc_runtime.states import CLOSE

if TYPE_CHECKING:
    from respc.ir import Delimiter, ParserIR, State


@lru_cache(maxsize=32)
def plan_scan(
    watched: tuple[Watched, ...],
    *,
    at_start: bool,
    stable: bool,
    inside: bool = False,
    only_there: bool = False,
) -> ScanPlan | Refused:
    """Plan how the delimiters of a state are found.

    Args:
        watched: the delimiters, in the order that decides a tie.
        at_start: whether the state is that at the start of the message.
        stable: whether the outcome may not depend on how the text is cut.
        inside: whether the state is inside a region, which might have opened at the start of the message.
        only_there: whether just what stands nowhere but at the start of the message is looked for.
    """
    parts: list[Part] = []
    group = ""
    try:
        trees = {each.group: tree_of(each.delimiter) for each in watched}
        alphabet = alphabet_of(trees.values())
        for each in watched:
            group = each.group
            tree, at_end, at_newline = resolved(trees[group], at_start=at_start)
            if inside and any(map(starts_message, alternatives_of(trees[group]))):
                return Refused("asks for the start of the message inside a region", group)
            if only_there:
                kept = tuple(filter(starts_message, alternatives_of(trees[group])))
                tree, at_newline = Choice(kept) if kept else None, False
            if tree is not None or at_newline:
                judged = judge(tree or Choice(()), alphabet, at_end=at_end, at_newline=at_newline)
                if at_newline and tree is not None and _stands_otherwise(trees[group], tree, alphabet):
                    return Refused("stands before a newline that ends the text by more than its `$`", group)
                if not stable and (because := _unequal(each.delimiter, judged)):
                    return Refused(because, group)
                parts.append(Part(each, judged, group))
        for part in parts:
            others = (each.judged.language for each in parts if each is not part)
            if (
                not stable
                and part.judged.lingering is not None
                and can_stand_in(part.judged.lingering, others)
            ):
                return Refused("has a lazy run of some class", part.watched.group)
        ordered = ordered_by_length(parts, stable=stable)
        if isinstance(ordered, Refused) and stable:
            taken_apart = [part for each in parts for part in by_literal(each, alphabet)]
            ordered = ordered_by_length(taken_apart, stable=stable)
        return ordered if isinstance(ordered, Refused) else Composer(ordered, stable).compose()
    except NotSpelledError as error:
        return Refused(str(error), group)
    except RecursionError:
        return Refused("is nested too deeply", group)


def plan_start(watched: tuple[Watched, ...], *, stable: bool) -> ScanPlan | Refused:
    """Plan how delimiters are found at the start of the message, before the state goes on as later.

    What can stand anywhere is left to that, where nothing that stands at the start alone begins like it.
    """
    plan = plan_scan(watched, at_start=True, stable=stable)
    if isinstance(plan, Refused) or plan.hides or plan.newline or not _starts_apart(watched):
        return plan
    alone = plan_scan(watched, at_start=True, stable=stable, only_there=True)
    return alone if isinstance(alone, ScanPlan) else plan


def _starts_apart(watched: tuple[Watched, ...]) -> bool:
    """Tell whether something stands at the start of the message alone, and begins otherwise than all else."""
    trees = [tree_of(each.delimiter) for each in watched]
    there = [
        past_start(branch) for tree in trees for branch in alternatives_of(tree) if starts_message(branch)
    ]
    elsewhere = [rest for tree in trees if (rest := resolved(tree, at_start=False)[0]) is not None]
    return bool(there) and not can_meet(Choice(tuple(there)), Choice(tuple(elsewhere)))


def _stands_otherwise(tree: Node, rest: Node, alphabet: str) -> bool:
    """Tell whether a delimiter can stand before a newline that ends the text not only for the `$` in it.

    What also matches nothing there counts for the interpreter at once; and a `$` comes before the newline itself, if
    it was written before it.

    Args:
        tree: the pattern, which has a `$`.
        rest: what `resolved` left of it.
        alphabet: of all delimiters of the state.
    """
    branches = alternatives_of(tree)
    behind = branches[branches.index(Assertion(0, "last line end")) + 1 :]
    whole = Language(rest, alphabet)
    beside = [Language(branch, alphabet) for branch in alternatives_of(rest) if takes_nothing(branch)]
    return (
        _takes_newline(Language(Choice(behind), alphabet))
        or whole.accepts(whole.start)
        or any(map(_takes_newline, beside))
    )


def _takes_newline(language: Language) -> bool:
    """Tell whether a newline alone is a delimiter, or shows that there is one before it."""
    return language.accepts(language.step(language.start, "\n"))


def _unequal(delimiter: Delimiter, judged: Judged) -> str:
    """Tell why the interpreter can take a delimiter otherwise while more text may come."""
    if judged.unequal and not judged.at_end:
        return judged.unequal
    return "can end elsewhere with one more character" if judged.probed and delimiter.declared is None else ""


def watched_of(ir: ParserIR, state: State) -> tuple[Watched, ...]:
    """Name the delimiters of a state by what they do."""
    names = group_names(region.name for region in ir.regions)
    return tuple(
        Watched(names[watch.field] if watch.opens else CLOSE, delimiter)
        for watch, delimiter in ir.delimiters(state)
    )


def plan_state(
    ir: ParserIR, state: State, *, at_start: bool = False, stable: bool = False
) -> ScanPlan | Refused:
    """Plan how the delimiters of a state are found; arguments as of `plan_scan`."""
    inside = _may_open_at_start(ir, state)
    return plan_scan(watched_of(ir, state), at_start=at_start, stable=stable, inside=inside)


def _may_open_at_start(ir: ParserIR, state: State) -> bool:
    """Tell whether a state is inside a region that takes nothing to open, and so may be at the start of the message."""
    opener = None if state.region is None else ir.region(state.region).opener
    return opener is not None and opener.facts.can_be_empty


def tree_of(delimiter: Delimiter) -> Node:
    """Give the syntax tree of a delimiter; literals as a choice, the longest first."""
    if delimiter.declared is None:
        return parse_pattern(delimiter.pattern)
    literals = sorted(delimiter.declared, key=len, reverse=True)
    return choice_of(Sequence(tuple(map(Text, literal))) for literal in literals)


def can_meet(one: Node, other: Node) -> bool:
    """Tell whether two patterns can both match at one place, as far as the first character tells."""
    try:
        alphabet = alphabet_of((one, other))
        languages = [Language(tree, alphabet) for tree in (one, other)]
    except NotSpelledError:
        return True
    first = [language.after(language.start).keys() for language in languages]
    return any(language.accepts(language.start) for language in languages) or bool(first[0] & first[1])
