"""The short look at a chunk: from where text is held back, unless a delimiter may be whole in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import literal
from respc.codegen.plan import HoldPlan

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import Head

_LONGEST_LISTED = 100
_MOST_LISTED = 40


def plan_hold_of_literals(
    own: str, literals: tuple[str, ...], search_code: str, writer: ModuleWriter
) -> HoldPlan | None:
    """Plan the look for a state that watches literals; None where it would not be short.

    Args:
        own: a part of an identifier.
        literals: the literals.
        search_code: the name of the compiled search for them, if there are several.
        writer: where constants and names go.
    """
    first = _lone_first(literals)
    if first is None:
        return None
    code = f"{writer.runtime('beginnings')}({', '.join(map(literal, sorted(literals)))})"
    return _plan(own, literals, first, search_code, writer.constant(f"{own}_beginnings", code), writer)


def plan_hold_of_heads(
    own: str, heads: tuple[Head, ...], heads_name: str, before_newline: bool, writer: ModuleWriter
) -> HoldPlan | None:
    """Plan the look for a state that is searched by heads; None where it would not be short.

    Args:
        own: a part of an identifier.
        heads: what the delimiters begin with.
        heads_name: the constant that holds them.
        before_newline: whether a newline at the end of the text is held back.
        writer: where names go.
    """
    texts = tuple(head.text for head in heads)
    first = _lone_first(texts)
    if first is None:
        return None
    blanks = any(head.after_blanks and not head.hidden for head in heads)
    if blanks:
        writer.runtime("BLANKS")
        writer.runtime("before_blanks")
    return _plan(
        own,
        texts,
        first,
        f"{heads_name}.search",
        f"{heads_name}.begun",
        writer,
        after_blanks_code=f"{heads_name}.after_blanks" if blanks else "",
        before_newline=before_newline and not blanks,
    )


def _plan(
    own: str,
    texts: tuple[str, ...],
    first: str,
    search_code: str,
    begun_code: str,
    writer: ModuleWriter,
    *,
    after_blanks_code: str = "",
    before_newline: bool = False,
) -> HoldPlan:
    writer.runtime("UNDECIDED")
    if len(texts) == 1:
        whole = f"{literal(texts[0])} in text"
    else:
        shared = _shared_character(texts)
        whole = (
            f"{search_code}(text)" if shared is None else f"{literal(shared)} in text and {search_code}(text)"
        )
    return HoldPlan(
        name=writer.names.take(f"_hold_{own}"),
        first_code=literal(first),
        whole_code=whole,
        begun_code=begun_code,
        after_blanks_code=after_blanks_code,
        before_newline=before_newline,
    )


def _lone_first(texts: tuple[str, ...]) -> str | None:
    """Give the character with which all texts begin, if none of them has it again: only its last place counts then."""
    first = texts[0][0]
    if len(texts) > _MOST_LISTED or any(len(text) > _LONGEST_LISTED for text in texts):
        return None
    return first if all(text[0] == first and first not in text[1:] for text in texts) else None


def _shared_character(texts: tuple[str, ...]) -> str | None:
    """Give a character that every text has behind its first, one that other text rarely has."""
    shared = set(texts[0][1:]).intersection(*texts[1:])
    rare = [character for character in shared if not character.isalnum() and not character.isspace()]
    return min(rare, default=None)
