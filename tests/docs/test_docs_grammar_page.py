"""The table of the page about grammars is the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.grammars.formats import format_of
from respc.grammars.spelling import KINDS, TagArguments
from support.spellings import families_with_calls
from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.grammars.formats import Format
    from respc.grammars.spelling import Calls
    from support.goldens import Goldens

PAGE: Final = TESTS.parent / "docs" / "grammar.md"
_LAST_OF_HEAD: Final = "| --- | --- | --- | --- | --- |\n"


def test_the_table_of_families_is_the_present_one(goldens: Goldens) -> None:
    page = PAGE.read_text(encoding="utf-8")
    head, found, _ = page.rpartition(_LAST_OF_HEAD)
    assert found
    goldens.check(PAGE, head + found + "".join(rows()))


def rows() -> Iterator[str]:
    """Write a row for each family."""
    for family in families_with_calls():
        known = format_of(family.template, None, None)
        cells = (f"`{family.name}`", arguments_of(known.spelling.calls), *marks_of(known))
        yield f"| {' | '.join(cells)} |\n"


def arguments_of(calls: Calls) -> str:
    """Say how arguments are written."""
    arguments = calls.arguments
    if isinstance(arguments, TagArguments):
        return "tags" if len(arguments.tags) == len(KINDS) else f"tags; {', '.join(sorted(arguments.tags))}"
    if arguments.brackets[0] == "(":
        return "Python"
    quote = arguments.style.quotes[0].replace("|", "\\|")
    return "JSON" if arguments.style.escapes else f"JSON with strings in `{quote}`"


def marks_of(known: Format) -> Iterator[str]:
    """Say what can be in front of a call, and between two."""
    spelling = known.spelling
    yield "yes" if spelling.calls.separator is not None else "no"
    if spelling.reasoning is None:
        yield "no"
    else:
        yield "yes" if spelling.reasoning.opens is not None else "if the prompt opens it"
    if known.exclusions.content is None:
        yield "no text at all"
    else:
        yield "yes" if spelling.content.before_call is not None else "no"
