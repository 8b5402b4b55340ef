"""The grammars by which engines hold calls to the tools of a request: structural tags of xgrammar, or Lark."""

from __future__ import annotations

import json
import logging
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import respc
from respc.chat_templates import ChatTemplateError, ChatTemplateSource
from respc.integrations.tokenizer_templates import chat_templates_of, special_tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from respc.grammars.api import GrammarFormat

_LOGGER: Final = logging.getLogger(__name__)
_CACHED_GRAMMARS: Final = 256
_CACHED_FORMATS: Final = 32
_locking: Final = Lock()
_ANY_TOOL: Final = [{"type": "function", "function": {"name": "any_tool"}}]

ReasoningState = Literal["open", "prompt", "none"]
"""Where a grammar begins: before reasoning that the model opens, in what the prompt has opened, or behind it."""


@dataclass(frozen=True)
class Wanted:
    """What a request wants of the calls.

    Attributes:
        choice: "required" or "auto".
        parallel: whether there may be several calls.
        reasoning: where the grammar begins.
    """

    choice: str
    parallel: bool = True
    reasoning: ReasoningState = "none"


def tools_named(tools: Iterable[dict[str, Any]], name: str | None) -> list[dict[str, Any]]:
    """Leave of tools the ones that may be called: those with a name, or with None all.

    To name the function to a grammar would do for all names but `auto` and `required`.
    """
    return [tool for tool in tools if name in (None, tool.get("function", tool).get("name"))]


@dataclass(frozen=True)
class Holding:
    """A grammar that holds the calls of an answer.

    Attributes:
        tag: the grammar as a structural tag, in JSON.
        wanted: what it was made for.
    """

    tag: str
    wanted: Wanted
    _as_lark: Callable[[], str | None]

    def tag_of_xgrammar(self) -> Any:
        """Give the structural tag as an object of xgrammar."""
        structural_tags: Any = import_module("xgrammar.structural_tag")
        return structural_tags.StructuralTag.model_validate(json.loads(self.tag))

    def lark(self) -> str | None:
        """Write the same grammar for llguidance; None where it has none, and then the log says why."""
        return self._as_lark()


class CallGrammars:
    """Makes the grammars of a format for a tokenizer.

    What can be known of a format before there are tools is found out in a thread from the first of these on. Servers
    make one when they start, to see that the tokenizer fits, so that no request waits for it.

    Args:
        name: what messages call the format.
        template: its response template.
        tokenizer: has the chat template by which calls are spelled, and the tokens that are special.
    """

    def __init__(self, name: str, template: Mapping[str, Any], tokenizer: Any) -> None:
        self._name = name
        self._template = json.dumps(template)
        self._known = known_of(tokenizer)
        _begin(name, self._template, self._known.spoken)

    def holding(self, tools: Iterable[Mapping[str, Any]], *wanted: Wanted) -> Holding | None:
        """Give the grammar for the first of what is wanted that has one; if nothing has, the log says why."""
        functions, known, name, template = json.dumps([*tools]), self._known, self._name, self._template
        spoken = known.spoken if _is_usable(name, template, known.spoken) else None
        refusal = ""
        for each in wanted:
            made = _made("xgrammar", template, functions, each, spoken, known.special)
            if made.grammar is not None:
                # No method of this class: vLLM copies what it is in, and must not copy a tokenizer with it.
                as_lark = partial(_lark, name, template, functions, each, spoken, known.special)
                return Holding(made.grammar, each, as_lark)
            refusal = refusal or made.refusal
        _warn(name, refusal)
        return None


@dataclass(frozen=True)
class Spoken:
    """The chat templates of a tokenizer.

    Attributes:
        texts: the templates, each with its name.
        tokens: the tokens that they can write, each with its role, as `eos_token`.
    """

    texts: tuple[tuple[str, str], ...]
    tokens: tuple[tuple[str, str], ...]

    def source(self) -> ChatTemplateSource:
        """Give them as `respc.grammar` takes them."""
        tokens = dict(self.tokens)
        ends = (tokens["eos_token"],) if "eos_token" in tokens else ()
        return ChatTemplateSource("the chat template of the tokenizer", dict(self.texts), tokens, ends)


@dataclass(frozen=True)
class Known:
    """What is known of a tokenizer.

    Attributes:
        spoken: its chat templates; None where it has none.
        special: the texts of its special tokens, with their ids.
    """

    spoken: Spoken | None
    special: tuple[tuple[str, int], ...]


def known_of(tokenizer: Any) -> Known:
    """Look at a tokenizer."""
    return _known_of(tokenizer) if isinstance(tokenizer, Hashable) else _known_of.__wrapped__(tokenizer)


# To list the tokens takes longer than all else, and requests of a server have one tokenizer.
@lru_cache(maxsize=8)
def _known_of(tokenizer: Any) -> Known:
    added: Any = getattr(tokenizer, "added_tokens_decoder", None)
    tokens = cast("dict[int, Any]", added if isinstance(added, dict) else {}).items()
    special = [(str(token.content), number) for number, token in tokens if getattr(token, "special", False)]
    texts = chat_templates_of(tokenizer)
    spoken = Spoken(tuple(texts.items()), tuple(special_tokens_of(tokenizer).items())) if texts else None
    return Known(spoken, tuple(special))


@lru_cache(maxsize=_CACHED_FORMATS)
def _begin(name: str, template: str, spoken: Spoken | None) -> None:
    """Find out in a thread what can be known before there are tools, which is done once."""
    Thread(target=_find_out, args=(name, template, spoken), name="respc grammars", daemon=True).start()


def _find_out(name: str, template: str, spoken: Spoken | None) -> None:
    if _is_usable(name, template, spoken):
        return
    # What is wrong is said to the first request, which asks for the same.
    with suppress(respc.GrammarError):
        respc.grammar(json.loads(template), _ANY_TOOL)


def _is_usable(name: str, template: str, spoken: Spoken | None) -> bool:
    """Tell whether a chat template shows how calls are spelled; the log says why not."""
    if spoken is None:
        return False
    with _locking:
        lock = _lock_of(name, template, spoken)
    # Who comes while another thread is at it waits for that, instead of doing the same; other formats do not.
    with lock:
        return _shows_calls(name, template, spoken)


@lru_cache(maxsize=_CACHED_FORMATS)
def _lock_of(_name: str, _template: str, _spoken: Spoken) -> Lock:
    return Lock()


@lru_cache(maxsize=_CACHED_FORMATS)
def _shows_calls(name: str, template: str, spoken: Spoken) -> bool:
    try:
        respc.grammar(json.loads(template), _ANY_TOOL, chat_template=spoken.source())
    except (respc.GrammarError, ChatTemplateError) as refused:
        _LOGGER.warning("the chat template does not show how calls of %s are spelled: %s", name, refused)
        return False
    return True


@dataclass(frozen=True)
class _Made:
    grammar: str | None = None
    refusal: str = ""


def _lark(
    name: str,
    template: str,
    tools: str,
    wanted: Wanted,
    spoken: Spoken | None,
    special: tuple[tuple[str, int], ...],
) -> str | None:
    made = _made("llguidance", template, tools, wanted, spoken, special)
    if made.grammar is None:
        _warn(name, made.refusal)
    return made.grammar


@lru_cache(maxsize=_CACHED_GRAMMARS)
def _made(
    form: GrammarFormat,
    template: str,
    tools: str,
    wanted: Wanted,
    spoken: Spoken | None,
    special: tuple[tuple[str, int], ...],
) -> _Made:
    """Make a grammar once for requests that are alike, as those of one client mostly are."""
    try:
        return _Made(
            respc.grammar(
                json.loads(template),
                json.loads(tools),
                format=form,
                choice=wanted.choice,
                parallel=wanted.parallel,
                reasoning=wanted.reasoning,
                chat_template=None if spoken is None else spoken.source(),
                special_tokens=dict(special),
            )
        )
    except (respc.GrammarError, ChatTemplateError) as refused:
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
