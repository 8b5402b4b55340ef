"""When searching for two expressions finds what the interpreter finds. This is the argument that respc is its equal.

The interpreter searches each delimiter by itself. A whole match counts at once if it ends before the text does, and
waits otherwise (a literal only if another one begins with it); only without a whole match anywhere does it look for
what has begun. Of all delimiters the leftmost counts, and nothing counts at or after a place where one has begun or
waits.

Searching ``begun|ends`` finds the leftmost place where a delimiter has begun or stands whole, and there takes what has
begun. (Where no whole delimiter begins a longer one, only one of the two can match at a place: what has begun is
tried last, but for a run at the end of a whole one.) That is the same but where

- a whole delimiter hides the beginning of the same one before it (`holds_one_inside`): then, if no other delimiter is
  looked for, the whole one is searched first;
- a delimiter is whole although a longer text has begun to be it (`outgrows`), or its end is found by a lazy run: then
  it is tried before what has begun;
- it matches at the end of every text, or at the start of the message: then its other beginnings never hold text;
- two delimiters can stand whole at one place (`one_while_other`): the longer one has to be tried first, which only has
  an order where it is always the same one.

All else is refused here, with a reason, and stays with `regex`.
"""

from __future__ import annotations

from dataclasses import dataclass

from respc.patterns.classes import are_apart, is_any
from respc.patterns.syntax import (
    Assertion,
    Choice,
    Group,
    LookAhead,
    Node,
    OneOf,
    Repeat,
    Sequence,
    Text,
    parts_of,
    walk,
)
from respc.scan.language import Language, can_end_by, can_grow, outgrows, outgrows_by
from respc.scan.lazy_runs import certain_branches, is_lazy_part, lazy_parts_matter, lazy_tails
from respc.scan.lingering import LingeringRun, lingering_run
from respc.scan.preference import prefers_shorter
from respc.scan.shapes import (
    alternatives_of,
    choice_of,
    first_characters,
    is_optional,
    is_start,
    looks_after_run,
    looks_ahead,
    starts_message,
    takes_nothing,
)
from respc.scan.spelling import ONLY_REGEX, NotSpelledError, ends_before, is_gap, is_run
from respc.scan.two_languages import grows_into, holds_one_inside

_LAZY_RUN = "has a lazy run of some class"
_LAZY_PART = "has an optional part that is lazy"
_MOST_NODES = 2_000
"""A pattern of more parts than this is left alone: the questions about it would take too long."""

_LONGEST_TEXT = 10_000
"""As many parts may a pattern have that is a text, or one of several."""


@dataclass(frozen=True)
class Judged:
    """What is known of a delimiter in a state.

    Attributes:
        alternatives: the branches of its pattern, less what stands for the end of the text, and for the start of the
            message past that.
        language: its texts.
        at_newline: whether it also matches before a newline that ends the text,
        at_end: or at the end of every text, or the start of the message, so that its beginnings hold nothing.
        certain: the branches up to the last one whose end is found by a lazy run, where no more text changes which
            of them is taken, nor its end,
        certain_grows: but that it can go on after that run,
        outgrows: whether it can be whole although a longer text has begun to be it,
        probed: and whether the character U+0000 could make it that longer text: the interpreter tries that one.
        looks_ahead: whether it looks at text behind its match.
        hides: whether it can stand whole inside what has begun to be it.
        unstable: why more text can change what is taken of it, if it can.
        lingering: the lazy run that the interpreter holds back though it has ended, if there is one.
        unequal: why the interpreter may hold back other text than what has begun to be it.
    """

    alternatives: tuple[Node, ...]
    language: Language
    at_newline: bool
    at_end: bool
    certain: tuple[Node, ...]
    certain_grows: bool
    outgrows: bool
    probed: bool
    looks_ahead: bool
    hides: bool
    lingering: LingeringRun | None
    unequal: str
    unstable: str

    @property
    def needs_eager(self) -> bool:
        """Tell whether the interpreter takes it although a longer text has begun to be it."""
        return self.outgrows and not self.at_end and self.certain != self.alternatives


def resolved(tree: Node, *, at_start: bool) -> tuple[Node | None, bool, bool]:
    """Take from a pattern what depends on where the text begins and ends.

    Args:
        tree: the pattern.
        at_start: whether it is for the start of the message.

    Returns:
        The rest, None if nothing is left; whether it matched at the end of every text or the start of every message;
        whether it matched before a last newline too.
    """
    at_end = at_newline = False
    kept: list[Node] = []
    for branch in alternatives_of(tree):
        match branch:
            case Assertion(kind="end" | "last line end" as kind):
                at_end, at_newline = True, at_newline or kind == "last line end"
            case _ if starts_message(branch):
                if at_start:
                    at_end = at_end or branch == Assertion(1, "start")
                    kept.append(branch)
            case _:
                kept.append(branch)
    return choice_of(kept) if kept else None, at_end, at_newline


def judge(tree: Node, alphabet: str, *, at_end: bool, at_newline: bool) -> Judged:
    """Find out what is certain of a delimiter.

    Args:
        tree: what `resolved` left of its pattern.
        alphabet: of all delimiters of the state.
        at_end: as from `resolved`.
        at_newline: as from `resolved`.

    Raises:
        NotSpelledError: there is something in it that cannot be searched with `re`; says what.
    """
    check_spelled(tree)
    if any(isinstance(node, Assertion) and node.kind == "word edge" for node in walk(tree)):
        raise NotSpelledError(ONLY_REGEX)  # at the end of a text of which more can come, it is another one
    branches = alternatives_of(tree)
    if _can_be_nothing(branches, alphabet):
        raise NotSpelledError("can match nothing")
    languages = _languages(tree, branches, alphabet)
    # The interpreter takes these while it can still see more than their match.
    looking = [(Language(branch, alphabet), branch) for branch in branches if looks_ahead(branch)]
    tails = tuple(lazy_tails(tree))
    if len(tails) > 1:
        raise NotSpelledError("has several lazy runs")
    certain = certain_branches(branches, alphabet)
    tail = Language(Sequence(tails[0][1]), alphabet) if tails else None
    certain_grows = tail is not None and can_grow(tail)
    if certain and certain_grows and len(certain) < len(branches):
        # Where another branch is whole, the interpreter does not wait for what has begun behind the run.
        raise NotSpelledError("has a lazy run beside other branches, and an end that grows")
    unequal = _unequal(tree, tails[0][0] if tails else None)
    hides = any(holds_one_inside(language, languages[-1]) for language in languages)
    lingering = None
    if unequal == _LAZY_RUN and len(branches) == 1 and not (at_end or at_newline or hides):
        lingering = lingering_run(branches[0], languages[0])
        unequal = "" if lingering is not None else unequal
    shorter = prefers_shorter(tree, alphabet)
    unstable = (
        (tail is not None and (not certain or outgrows(tail)))
        or (unequal == _LAZY_PART and lazy_parts_matter(tree))
        or any(
            grows_into(Language(branch, alphabet), languages[0])
            for branch in branches
            if looks_after_run(branch)
        )
    )
    return Judged(
        alternatives=branches,
        language=languages[0],
        at_newline=at_newline,
        at_end=at_end,
        certain=certain,
        certain_grows=certain_grows,
        outgrows=any(map(outgrows, languages))
        or shorter
        or any(grows_into(one, languages[0]) for one, _ in looking),
        probed=any(outgrows_by(language, "\0") for language in languages)
        or any(grows_into(one, _rivals(branch, branches, alphabet), "\0") for one, branch in looking)
        or (tail is not None and (tail.accepts(tail.start) or can_end_by(tail, "\0")))
        or (shorter and can_end_by(languages[0], "\0")),
        looks_ahead=looks_ahead(tree),
        hides=hides,
        lingering=lingering,
        unequal=unequal,
        unstable="has an end that more text can move" if unstable else "",
    )


def _rivals(branch: Node, branches: tuple[Node, ...], alphabet: str) -> Language:
    """Give the texts that can change what is taken where a branch is whole: its own too, unless it takes none."""
    return Language(
        Choice(tuple(each for each in branches if each is not branch or not takes_nothing(each))), alphabet
    )


def _can_be_nothing(branches: tuple[Node, ...], alphabet: str) -> bool:
    """Tell whether a branch takes no character where the message goes on; the start alone is no such branch."""
    return any(
        language.accepts(language.start)
        for language in (Language(branch, alphabet) for branch in branches if not is_start(branch))
    )


def _languages(tree: Node, branches: tuple[Node, ...], alphabet: str) -> list[Language]:
    """Give the texts of a delimiter at the start of the message and, if they are others, those further on."""
    further = tuple(branch for branch in branches if not starts_message(branch))
    language = Language(tree, alphabet)
    return [language] if further == branches else [language, Language(Choice(further), alphabet)]


def _unequal(tree: Node, lazy_run: Repeat | None) -> str:
    """Tell what `regex` reports as begun although it can no longer become a match."""
    if lazy_run is not None and not (isinstance(lazy_run.item, OneOf) and is_any(lazy_run.item)):
        return _LAZY_RUN
    return _LAZY_PART if any(map(is_lazy_part, walk(tree))) else ""


def check_spelled(tree: Node) -> None:
    """Refuse what two expressions for `re` cannot say.

    Raises:
        NotSpelledError: says what it is.
    """
    nodes = list(walk(tree))
    plain = all(isinstance(node, Text | Sequence | Choice) for node in nodes)
    if len(nodes) > (_LONGEST_TEXT if plain else _MOST_NODES):
        raise NotSpelledError("is too long")
    _check(tree, last=True, first=True)
    for branch in alternatives_of(tree):
        names = [node.name for node in walk(branch) if isinstance(node, Group) and node.name is not None]
        if len(names) > len(set(names)):
            raise NotSpelledError("names two groups alike")
    ambiguous = sum(_can_give_back(branch) for branch in alternatives_of(tree))
    if ambiguous > 1:
        raise NotSpelledError("has runs whose ends depend on each other")


def _check(node: Node, *, last: bool, first: bool) -> None:
    match node:
        case Text(character) if character == "\0":
            raise NotSpelledError("has a U+0000")
        case Text() | OneOf():
            if isinstance(node, OneOf) and node.members is None:
                raise NotSpelledError("has a class of characters that cannot be listed")
        case Sequence(items):
            for position, item in enumerate(items):
                _check(item, last=last and position == len(items) - 1, first=first and position == 0)
        case Choice(items):
            for item in items:
                _check(item, last=last, first=first)
        case Group(item):
            _check(item, last=last, first=False)
        case Repeat(item, low, high):
            if not isinstance(item, Text | OneOf) and (low, high) != (0, 1):
                raise NotSpelledError("repeats more than one character")
            _check(item, last=False, first=False)
        case LookAhead(item, False) if last:
            if any(_is_no_text(inner) for inner in walk(item)):
                raise NotSpelledError("looks ahead for more than a text")
            _check(item, last=False, first=False)
        case LookAhead(_, True):
            raise NotSpelledError("looks ahead for what must not be there")
        case Assertion(kind="start") if first:
            pass
        case Assertion(kind="word edge"):
            pass
        case _:
            raise NotSpelledError(ONLY_REGEX)


def _is_no_text(node: Node) -> bool:
    return isinstance(node, LookAhead | Assertion) or (isinstance(node, Group) and node.name is not None)


def _can_give_back(branch: Node) -> int:
    """Count the runs of a branch that can end in several places, as far as what follows can tell."""
    return sum(
        _is_ambiguous(run, rest)
        for _, run, rest, _ in parts_of(branch)
        if isinstance(run, Repeat) and is_run(run)
    )


def _is_ambiguous(run: Repeat, rest: tuple[Node, ...]) -> bool:
    """Tell whether a run that ends earlier could let what follows match where it otherwise does not."""
    gap = next((position for position, item in enumerate(rest) if is_gap(item)), len(rest))
    up_to_gap = Sequence(rest[:gap])
    if not all(are_apart(run.item, one) for one in first_characters(up_to_gap)):
        return True
    return is_optional(up_to_gap) and gap < len(rest) and not ends_before(run, rest[gap:])
