"""The grammars by which engines hold calls to the tools of a request, in the form of xgrammar's structural tags."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import respc

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOGGER: Final = logging.getLogger(__name__)
_CACHED_GRAMMARS: Final = 256
_FOR_TOOLS: Final = "tool_use"
_DEFAULT: Final = "default"

ReasoningState = Literal["open", "prompt", "none"]
"""Where a grammar begins: before reasoning that the model opens, in what the prompt has opened, or behind it."""


@dataclass(frozen=True)
class Wanted:
    """What a request wants of the calls.

    Attributes:
        choice: "required", "auto", or the name of the function to call.
        parallel: whether there may be several calls.
        reasoning: where the grammar begins.
    """

    choice: str
    parallel: bool = True
    reasoning: ReasoningState = "none"


@dataclass(frozen=True)
class HoldingTag:
    """A grammar that holds the calls of an answer.

    Attributes:
        tag: the grammar, as an object of xgrammar.
        wanted: what it was made for.
    """

    tag: Any
    wanted: Wanted


class CallGrammars:
    """Makes the grammars of a format for a tokenizer.

    Args:
        name: what messages call the format.
        template: its response template.
        tokenizer: has the chat template by which calls are spelled, and the tokens that are special.
    """

    def __init__(self, name: str, template: Mapping[str, Any], tokenizer: Any) -> None:
        self._name = name
        self._template = template
        self._tokenizer = tokenizer

    def structural_tag(self, tools: Iterable[Mapping[str, Any]], *wanted: Wanted) -> HoldingTag | None:
        """Give the grammar for the first of what is wanted that has one; if nothing has, the log says why."""
        written, functions = json.dumps(self._template), json.dumps([*tools])
        chat_template, special_tokens = chat_template_of(self._tokenizer), special_tokens_of(self._tokenizer)
        refusal = ""
        for each in wanted:
            made = _made(written, functions, each, chat_template, special_tokens)
            if made.grammar is not None:
                structural_tags: Any = import_module("xgrammar.structural_tag")
                return HoldingTag(
                    structural_tags.StructuralTag.model_validate(json.loads(made.grammar)), each
                )
            refusal = refusal or made.refusal
        _warn(self._name, refusal)
        return None


@dataclass(frozen=True)
class _Made:
    grammar: str | None = None
    refusal: str = ""


@lru_cache(maxsize=_CACHED_GRAMMARS)
def _made(
    template: str, tools: str, wanted: Wanted, chat_template: str | None, special_tokens: tuple[str, ...]
) -> _Made:
    """Make a grammar once for requests that are alike, as those of one client mostly are."""
    try:
        return _Made(
            respc.grammar(
                json.loads(template),
                json.loads(tools),
                format="xgrammar",
                choice=wanted.choice,
                parallel=wanted.parallel,
                reasoning=wanted.reasoning,
                chat_template=chat_template,
                special_tokens=special_tokens,
            )
        )
    except respc.GrammarError as refused:
        return _Made(refusal=str(refused))


# Clients write the tools that reasons are about, so these are not all kept.
@lru_cache(maxsize=_CACHED_GRAMMARS)
def _warn(name: str, reason: str) -> None:
    """Say once that a grammar cannot be made."""
    _LOGGER.warning(
        "no grammar holds the calls of %s for these tools; the engine does what it does without one: %s",
        name,
        reason,
    )


def chat_template_of(tokenizer: Any) -> str | None:
    """Give the chat template of a tokenizer that is used with tools; None where it has none."""
    found: Any = getattr(tokenizer, "chat_template", None)
    if isinstance(found, dict):
        named = cast("dict[str, Any]", found)
        found = named.get(_FOR_TOOLS, named.get(_DEFAULT))
    return found if isinstance(found, str) else None


# To list them takes longer than all else, and requests of a server have one tokenizer.
@lru_cache(maxsize=8)
def special_tokens_of(tokenizer: Any) -> tuple[str, ...]:
    """Give the texts of the tokens that a tokenizer has as special ones."""
    added: Any = getattr(tokenizer, "added_tokens_decoder", None)
    if not isinstance(added, dict):
        return ()
    tokens = cast("dict[int, Any]", added).values()
    return tuple(dict.fromkeys(str(token.content) for token in tokens if getattr(token, "special", False)))
