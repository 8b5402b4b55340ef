"""What can be asked of a grammar, and what the texts of it may have beside calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

import respc
from support.grammar_cases import RARE_TOOLS, faults_of, read, tools_of_kinds
from support.grammar_engines import decoded
from support.grammar_families import held_format, kinds_of, spelling_of, walker_of, written_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.grammars.spelling import Reasoning
    from support.families import Family
    from support.grammar_cases import Call
    from support.grammar_engines import Engine


@dataclass(frozen=True)
class Demand:
    """What is asked of a grammar.

    Attributes:
        name: what it is called.
        options: those of `respc.grammar`.
        content: whether there may be content, and no call.
        reasoning: whether there may be reasoning.
        rare: whether the tools have kinds of arguments that tools have rarely.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    content: bool = False
    reasoning: bool = False
    rare: bool = False

    @property
    def opened(self) -> bool:
        """Whether the prompt has opened the reasoning."""
        return self.options.get("reasoning") == "prompt"

    def is_of(self, family: Family) -> bool:
        """Tell whether a format has what is asked for."""
        spelling = spelling_of(family)
        names = {tool["function"]["name"] for tool in self.tools(family)}
        if not names or self.options.get("choice", "auto") not in ("auto", *names):
            return False
        if not self.reasoning:
            return True
        if spelling.reasoning is None or (self.content and spelling.reasoning.before_content is None):
            return False
        return bool(spelling.opened_prefix) if self.opened else spelling.reasoning.opens is not None

    def tools(self, family: Family) -> list[Any]:
        """Give the tools that may be called."""
        return _tools_of(family, rare=self.rare)

    def faults(self, family: Family, text: str) -> Iterator[str]:
        """Say what is wrong with a text that a grammar has let through."""
        found = read(family, text, opened=self.opened)
        yield from faults_of(found, content=self.content, reasoning=self.reasoning)
        if self.options.get("parallel") is False and len(found.calls) > 1:
            yield f"{len(found.calls)} calls in the place of one"
        named = self.options.get("choice")
        others = {name for name, _ in found.calls} - {named}
        if named not in (None, "auto") and others:
            yield f"calls of {sorted(others)} where only {named} may be called"


@cache
def _tools_of(family: Family, *, rare: bool) -> list[Any]:
    if not rare:
        return tools_of_kinds(kinds_of(family))
    return [tool for tool in RARE_TOOLS if _is_taken(family, tool)]


def _is_taken(family: Family, tool: Any) -> bool:
    """Tell whether a format has arguments of all kinds that a tool has."""
    try:
        respc.grammar(family.template, [tool], format="gbnf")
    except respc.GrammarError as error:
        refused = error.code.slug
    else:
        return True
    assert refused == "grammar-argument", family
    return False


REQUIRED: Final = Demand("required")
AUTO: Final = Demand("auto", {"choice": "auto"}, content=True)
OPEN: Final = Demand("open", {"reasoning": "open"}, reasoning=True)
PROMPT: Final = Demand("prompt", {"reasoning": "prompt"}, reasoning=True)
DEMANDS: Final = (
    REQUIRED,
    Demand("one", {"parallel": False}),
    Demand("named", {"choice": "search"}),
    Demand("named, one", {"choice": "get_weather", "parallel": False}),
    Demand("rare", rare=True),
    AUTO,
    Demand("auto, one", {"choice": "auto", "parallel": False}, content=True),
    OPEN,
    Demand("open, one", {"reasoning": "open", "parallel": False}, reasoning=True),
    Demand("open, named", {"reasoning": "open", "choice": "ping"}, reasoning=True),
    Demand("open, auto", {"reasoning": "open", "choice": "auto"}, content=True, reasoning=True),
    PROMPT,
    Demand("prompt, one", {"reasoning": "prompt", "parallel": False}, reasoning=True),
    Demand("prompt, named", {"reasoning": "prompt", "choice": "ping"}, reasoning=True),
    Demand("prompt, auto", {"reasoning": "prompt", "choice": "auto"}, content=True, reasoning=True),
)


def walks(
    engine: Engine, family: Family, demand: Demand, numbers: range, *, tokens: str = "bytes"
) -> Iterator[str]:
    """Walk the grammar of a family; what each walk does is told by its number alone.

    Raises:
        GrammarError: there is no such grammar.
    """
    made = held_format(engine, family, tokens=tokens, tools=demand.tools(family), **demand.options)
    walker = walker_of(family, made.vocabulary)
    for number in numbers:
        yield decoded(made.vocabulary, walker.walk(made.held, Random(number)))


_THOUGHT: Final = "They ask about the rain."
_ANSWER: Final = "It rains, as ever."


def good_texts(family: Family, demand: Demand, calls: Iterable[Call]) -> Iterator[str]:
    """Write what a model should write that is asked for calls in a way: each call alone, and behind all that may be."""
    spelling = spelling_of(family)
    content, reasoning = spelling.content, spelling.reasoning
    named = demand.options.get("choice", "auto")
    answer = _ANSWER + (content.closes if content.closes.strip() else "")
    if demand.content:
        if not demand.opened:
            yield content.opens + answer
        if reasoning is not None and demand.reasoning:
            # What ends the reasoning has what opens the content in it.
            yield _thought(reasoning, demand) + str(reasoning.before_content) + answer
    for call in calls:
        if named not in ("auto", call[0]):
            continue
        written = written_by(family, call)
        if not demand.opened:
            yield written
        if demand.content and not demand.opened and content.before_call is not None:
            yield content.opens + _ANSWER + content.before_call + written
        if reasoning is not None and demand.reasoning:
            yield _thought(reasoning, demand) + reasoning.before_call + written


def _thought(reasoning: Reasoning, demand: Demand) -> str:
    return ("" if demand.opened else str(reasoning.opens)) + _THOUGHT
