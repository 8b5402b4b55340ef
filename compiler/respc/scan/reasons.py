"""Why a pattern stays with the `regex` module, and what that can cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from respc.patterns.classes import is_any
from respc.patterns.parse import parse_pattern
from respc.patterns.syntax import (
    Assertion,
    Atomic,
    LookAhead,
    LookBehind,
    Node,
    OneOf,
    Opaque,
    Reference,
    Repeat,
    Text,
    walk,
)
from respc.scan.spelling import HANDED_OVER, NESTED, ONLY_REGEX, SHARED
from respc.scan.tags import plan_tags


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps a pattern with `regex`.

    Attributes:
        because: what it is.
        instead: what could be written instead.
    """

    because: str
    instead: str


@dataclass(frozen=True, slots=True)
class Kept(Obstacle):
    """Why a pattern stays with `regex`.

    Attributes:
        without_bound: whether it can look at any length of text, so that time can grow faster than the text: each
            attempt reads on, and text that is held back is read again with every chunk.
    """

    without_bound: bool


_UNCERTAIN: Final = Obstacle(
    "where one part of it ends depends on what comes after",
    "let what follows a run begin with a character that the run does not take, as in `[^<]+<`",
)

_IN_VALUE: Final = Obstacle(
    "it finds the tags of a value",
    "leave the values to the application, or read them with another content parser",
)


def kept_tags(pattern: str, *, in_value: bool = False) -> Kept | None:
    """Tell why the pattern of a tag stays with `regex`, or give None where it does not.

    Args:
        pattern: the pattern.
        in_value: whether it is for the tags of a value in a body, which no pass cuts into segments.
    """
    tree = parse_pattern(pattern)
    if in_value:
        return kept_by(_IN_VALUE, tree)
    if plan_tags(tree) is not None:
        return None
    return kept_by(obstacle_in(tree, "", lazy_runs=True, word_edges=True), tree)


def kept_delimiter(pattern: str, because: str) -> Kept:
    """Tell why a delimiter stays with `regex`, from what was refused of it."""
    tree = parse_pattern(pattern)
    return kept_by(obstacle_in(tree, because, lazy_runs=False), tree)


def kept_by(obstacle: Obstacle, tree: Node) -> Kept:
    """Make the record of a pattern that an obstacle keeps."""
    return Kept(obstacle.because, obstacle.instead, reads_on(tree))


CAN_MATCH_NOTHING: Final = "can match nothing"

_INSTEAD: Final = {
    SHARED: "let the run leave out what the other one is made of",
    "asks for the end of the text where another can begin": "leave it out: the end of the text closes what is open",
    "asks for the start of the message inside a region": "leave it out: no region opens before the message starts",
    "can be the same text as one that does not wait": "let no two fields have the same delimiter",
    HANDED_OVER: "let what stands between the two begin the later one, as in `(?:x\\s*)?` for `x?\\s*`",
    NESTED: "let the run leave out the character that the delimiter begins with",
    "can end elsewhere with one more character": "let the run leave out the character that ends it",
    "can match nothing": "let it match some text",
    "can stand whole at one place with another": "let no two fields have delimiters that match the same text",
    "can stand whole at one place with others": "let no two fields have delimiters that match the same text",
    "can stand whole inside what has begun to be it": "let its runs leave out the character that it begins with",
    "can stand whole where another has begun": "let the two begin with different texts",
    "has a U+0000": "write it without that character, which the interpreter uses itself",
    "has a lazy run beside other branches, and an end that grows": "make it greedy, of all but what comes after it",
    "has a lazy run in an optional part": "write two alternatives, with the part and without it",
    "has runs whose ends depend on each other": "let what follows a run begin with what the run does not take",
    "has several lazy runs": "make all but one greedy, of all characters but the first that comes after it",
    "is looked for together with one that stays there": "change that one",
    "is nested too deeply": "write it flatter",
    "is one of too many that begin alike": "use fewer fields, or delimiters that begin with different characters",
    "is too long": "write it shorter",
    "looks ahead for more than a text": "let the look-ahead be a text and runs, without groups that have names",
    "looks ahead where another can stand": "let the two begin with different texts",
    "names two groups alike": "give each group a name of its own",
    "stands before a newline that ends the text by more than its `$`": r"write `\Z` for the `$`",
}


def obstacle_in(tree: Node, because: str, *, lazy_runs: bool, word_edges: bool = False) -> Obstacle:
    """Say what keeps a pattern, and what could be written instead; ``because`` where no part of it is to blame."""
    # Of two delimiters that meet, no part of the pattern is to blame.
    in_parts = because in ("", CAN_MATCH_NOTHING) or because.startswith(ONLY_REGEX)
    for node in walk(tree) if in_parts or because not in _INSTEAD else ():
        obstacle = _obstacle(node, lazy_runs=lazy_runs, word_edges=word_edges)
        if obstacle is not None:
            return obstacle
    return Obstacle(f"it {because}", _INSTEAD.get(because, _UNCERTAIN.instead)) if because else _UNCERTAIN


def _obstacle(node: Node, *, lazy_runs: bool, word_edges: bool) -> Obstacle | None:
    """Say what no lowered pattern has; some have lazy runs, or edges of words."""
    match node:
        case LookBehind():
            return Obstacle("it looks behind", "let the text before be part of the pattern")
        case LookAhead(_, negative=True):
            return Obstacle(
                "it looks ahead for what must not be there", "name the characters that may follow"
            )
        case Assertion(kind="end" | "last line end"):
            return Obstacle(
                "it asks for the end of the text behind other text",
                "leave it out: the end of the text closes what is open",
            )
        case Assertion(kind="start"):
            return Obstacle("it asks for the start of the message behind other text", "let `^` come first")
        case Assertion(kind="word edge") if word_edges:
            pass
        case Assertion(kind="" | "word edge"):
            return Obstacle(
                r"it has the edge of a word or a line, such as \b",
                "name the characters that may stand there, as in `[^>]` or a blank",
            )
        case Atomic():
            return Obstacle(
                "it has an atomic group or a possessive repeat", "leave it out, if the match is the same"
            )
        case Reference() | Opaque("RefGroup"):
            return Obstacle("it refers back to a group", "write the text out, one field for each")
        case Opaque():
            return Obstacle(
                "it has a part that the compiler does not reason about", "write it without that part"
            )
        case OneOf() if node.source is None:
            return Obstacle(
                "it has a class of characters that cannot be listed", "list the characters between brackets"
            )
        case Repeat(item, low, high) if not isinstance(item, OneOf | Text) and (low, high) != (0, 1):
            return Obstacle("it repeats more than one character", "let a run of one class stand for it")
        case Repeat(low=0, high=1, lazy=True) if not lazy_runs:
            return Obstacle("it has an optional part that is lazy", "make it greedy, or leave it out")
        case Repeat(OneOf() | Text() as item, low, high, lazy=True) if low != high and not lazy_runs:
            if high is not None or not (isinstance(item, OneOf) and is_any(item)):
                return Obstacle(
                    "it has a lazy run of some class",
                    "make the run greedy, of all characters but the first that comes after it",
                )
        case _:
            pass
    return None


def reads_on(node: Node) -> bool:
    """Tell whether there is no limit to the text that an attempt to match may read."""
    return any(
        isinstance(inner, Reference | Opaque) or (isinstance(inner, Repeat) and inner.high is None)
        for inner in walk(node)
    )
