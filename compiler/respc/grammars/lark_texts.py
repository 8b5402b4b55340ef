"""Free texts as terminals of llguidance, whose lexer takes the longest of all that it knows and never goes back.

What a text may not have in it is said with complements, and so is what it leaves to others that can stand in its place:
a text that goes on behind what begins a call would take the call, too.
"""

from __future__ import annotations

from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final, NamedTuple

from respc.grammars.lark_patterns import escaped
from respc.grammars.nodes import Choice, FreeText, KnownChoice, Literal, Node, Sequence, text_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from respc.grammars.llguidance import Lark

_CACHED: Final = 4_096
_ANY: Final = "(?s:.)"
_HEX: Final = "[0-9A-Fa-f]"
_ESCAPES: Final = rf'["\\\/bfnrt]|u(?:[0-9A-CEFa-cef]{_HEX}{{3}}|[Dd][0-7]{_HEX}{{2}})'


class Taken(NamedTuple):
    """What a free text leaves to what may stand in its place.

    Attributes:
        begun: what it may not begin with.
        within: what it may not have in it.
    """

    begun: tuple[str, ...]
    within: tuple[str, ...]


class WrittenText(NamedTuple):
    """A free text as it is written.

    Attributes:
        reference: what stands in a rule.
        terminal: the terminal that it refers to.
    """

    reference: str
    terminal: str


NOTHING: Final = Taken((), ())


def taken_by(branches: Collection[Node], notation: Lark) -> dict[int, Taken]:
    """Find out what free texts that begin branches leave to the others; by the number of the branch, if anything."""
    texts = {number: text for number, branch in enumerate(branches) if (text := _first_text(branch))}
    if not texts:
        return {}
    leads = [lead for branch in branches for lead in leads_of(branch)]
    found: dict[int, Taken] = {}
    for number, text in texts.items():
        ends = [other.end for other in texts.values() if other != text]
        begun, within = (
            tuple(each for each in some if _is_taken(each, text, notation)) for some in (leads, ends)
        )
        if begun or within:
            found[number] = Taken(begun, within)
    return found


def _is_taken(beginning: str, text: FreeText, notation: Lark) -> bool:
    """Tell whether a free text can go on behind what begins something else."""
    words = (*text.without, *filter(None, (text.end,)))
    has_token = len(notation.split(beginning)) > 1
    return bool(beginning.strip()) and not has_token and not any(word in beginning for word in words)


@lru_cache(maxsize=_CACHED)
def free_text(node: FreeText, before: str, taken: Taken, notation: Lark) -> WrittenText:
    """Write a terminal for a text.

    Args:
        node: the text.
        before: blanks in front of it.
        taken: what it leaves to others.
        notation: tells the tokens in what ends it, which stand behind the terminal.
    """
    end, *further = notation.split(node.end)
    behind = "".join(further)
    without = (*node.without, *taken.within)
    if node.letters == "any" and end and not behind and not any(text in end for text in without):
        without = (*without, end)
    head = _before_first(end, without)
    tail = end[len(head) :]
    body = f"/{escaped(before)}{_letters(node, head + before)}{escaped(head)}/"
    pattern = " & ".join((body, *_conditions(without, node.unlike, head, taken.begun)))
    if tail and behind and head:
        # A terminal of two parts and a token behind it is more than the lexer bears: it panics.
        behind = tail + behind
    elif tail:
        pattern = f"({pattern}) {encode_basestring(tail)}"
    name = text_name(node, before if taken == NOTHING else f"{before}{taken}").upper().replace("-", "_")
    reference = name if end or before else f"({name})?"
    return WrittenText(
        f"{reference} {notation.literal(behind)}" if behind else reference, f"{name}: {pattern}"
    )


def _conditions(
    without: tuple[str, ...], unlike: tuple[str, ...], head: str, begun: tuple[str, ...]
) -> Iterator[str]:
    """Yield what a text may not have in it, be, and begin with; ``head`` is the part of its end that it has in it."""
    if without:
        yield f"~/{_ANY}*(?:{_one_of(without)}){_ANY}*/"
    if unlike:
        yield f"~/(?:{_one_of(unlike)}){escaped(head)}/"
    if begun:
        yield f"~/(?:{_one_of(begun)}){_ANY}*/"


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(map(escaped, texts))


def _first_text(node: Node) -> FreeText | None:
    """Give the free text that begins a node, if one does."""
    first = node.items[0] if isinstance(node, Sequence) and node.items else node
    return first if isinstance(first, FreeText) and first.letters == "any" else None


def leads_of(node: Node) -> list[str]:
    """List the texts that a node can begin with, as far as they are known for sure."""
    match node:
        case Literal():
            return [node.text]
        case KnownChoice():
            return leads_of(node.choice)
        case Choice():
            return [lead for branch in node.branches for lead in leads_of(branch)]
        case Sequence(items=(Literal() as first, Choice() as second, *_)):
            return [first.text + lead for lead in leads_of(second)]
        case Sequence(items=(first, *_)):
            return leads_of(first)
        case _:
            return []


def _before_first(end: str, without: Iterable[str]) -> str:
    """Give what of an end comes before the last character of the first text in it that may not begin in the text."""
    for length in range(1, len(end) + 1):
        if any(text in end[:length] for text in without):
            return end[: length - 1]
    return end


def _letters(node: FreeText, head: str) -> str:
    times = "*" if node.end or head else "+"
    if node.letters == "any":
        return _ANY + times
    quote = escaped(node.end[0])
    plain = rf"[^{quote}\\\x00-\x1f]"
    if node.letters == "plain":
        return f"{plain}{times}"
    escapes = _ESCAPES if node.end[0] == '"' else rf"{_ESCAPES}|{quote}"
    return rf"(?:{plain}|\\(?:{escapes})){times}"
