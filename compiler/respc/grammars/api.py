"""`respc.grammar`."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from respc.chat_templates import Limits, chat_template_source
from respc.families import family_template
from respc.grammars.building import Wishes, build
from respc.grammars.ebnf import Ebnf
from respc.grammars.errors import GrammarError
from respc.grammars.formats import Format, format_of
from respc.grammars.llguidance import Lark
from respc.grammars.notations import joined
from respc.grammars.spelling import Spelling
from respc.grammars.xgrammar import structural_tag
from respc.source import template_from_dict

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Sequence

    from respc.chat_templates import ChatTemplateSource
    from respc.grammars.building import Thinking
    from respc.grammars.notations import Notation

GrammarFormat = Literal["xgrammar", "llguidance", "gbnf"]
FORMATS: Final[tuple[GrammarFormat, ...]] = ("xgrammar", "llguidance", "gbnf")
THINKING: Final[tuple[Thinking, ...]] = ("open", "prompt", "none")
_CACHED_FORMATS: Final = 64
_CACHED_VOCABULARIES: Final = 64
_CACHED_GRAMMARS: Final = 256
_EBNF: Final = {"xgrammar": Ebnf(dispatch=True), "gbnf": Ebnf()}
_LIMITS: Final = Limits()


def grammar(
    template: object,
    tools: Sequence[Any],
    *,
    format: GrammarFormat = "xgrammar",  # noqa: A002 - the name of the option of the command
    choice: str = "required",
    parallel: bool = True,
    reasoning: Thinking = "none",
    chat_template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplateSource | None = None,
    special_tokens: Collection[str] | Mapping[str, int | None] = (),
    spelling: Spelling | Mapping[str, Any] | None = None,
    limits: Limits = _LIMITS,
) -> str:
    """Write a grammar of what a model may write, all of which the parser of a response template reads back.

    What can be known of a template is found out once. A grammar is kept by its tools and what is asked of it.

    Args:
        template: as for `respc.compile_template`, or the name of a ready-made parser.
        tools: as a request has them: each has a `function`, or is one, with `name` and `parameters`.
        format: ``"xgrammar"``: the JSON of a structural tag; ``"llguidance"``: Lark; ``"gbnf"``: for llama.cpp.
        choice: ``"required"``: at least one call; ``"auto"``: text or calls, or both; or the name of the tool to call.
        parallel: whether there may be several calls.
        reasoning: whether the model may open reasoning, ``"open"``; the prompt has opened it, ``"prompt"``; or there is
            none.
        chat_template: a chat template that writes the format, as for `respc.verify`: how calls are spelled is taken
            from what it writes. A ready-made template needs none.
        special_tokens: the added tokens of the tokenizer, for llguidance, whose texts do not match them; with their ids
            where a name is not enough.
        spelling: how the format is spelled, in place of a chat template.
        limits: what the process may take in which the chat template runs.

    Raises:
        GrammarError: there is no sound grammar, or a schema says what no grammar can hold a model to.
        TemplateError: the response template is refused.
        ChatTemplateError: the chat template cannot be read or run, or takes too much time or memory.
        TypeError: the tools are no list.
    """
    if format not in FORMATS or reasoning not in THINKING:
        raise ValueError(f"the format has to be one of {FORMATS}, and the reasoning one of {THINKING}")
    if not isinstance(tools, list | tuple):
        raise TypeError(f"tools must be a list of tools, not {type(tools).__name__}")
    if isinstance(template, str):
        template = family_template(template).template
    known = spelling.as_json() if isinstance(spelling, Spelling) else spelling
    source = None if chat_template is None else chat_template_source(chat_template)
    tokens: dict[str, int | None] = (
        {**special_tokens} if isinstance(special_tokens, Mapping) else dict.fromkeys(special_tokens)
    )
    asked = (format, choice, parallel, reasoning)
    try:
        return _grammar(
            _template_key(template),
            None if source is None else _key([source.name, source.texts, source.tokens, list(source.ends)]),
            None if known is None else json.dumps(known, sort_keys=True),
            tuple([json.dumps(tool) for tool in tools]),
            json.dumps(tokens),
            asked,
            limits,
        )
    except RecursionError:
        raise GrammarError("grammar-schema", "a schema is nested too deeply") from None


def _template_key(template: object) -> bytes:
    """Give what a template is known by; what is no template is found out when the format is."""
    try:
        return _key(template)
    except ValueError:  # there are types in it that JSON has not
        return _key(template_from_dict(template).template)


def _key(value: Any) -> bytes:
    return marshal.dumps(value, 2)


@lru_cache(maxsize=_CACHED_FORMATS)
def _format(template: bytes, source: bytes | None, spelling: str | None, limits: Limits) -> Format:
    from respc.chat_templates import ChatTemplateSource

    given = None
    if source is not None:
        name, texts, tokens, ends = marshal.loads(source)
        given = ChatTemplateSource(name, texts, tokens, tuple(ends))
    known = None if spelling is None else Spelling.from_json(json.loads(spelling))
    return format_of(marshal.loads(template), given, known, limits)


@lru_cache(maxsize=_CACHED_VOCABULARIES)
def _lark(tokens: str) -> Lark:
    return Lark(json.loads(tokens))


def _notation(form: GrammarFormat, tokens: str) -> Notation:
    """Give a notation, the same object for the same: tools are kept by it."""
    return _lark(tokens) if form == "llguidance" else _EBNF[form]


@lru_cache(maxsize=_CACHED_GRAMMARS)
def _grammar(
    template: bytes,
    source: bytes | None,
    spelling: str | None,
    tools: tuple[str, ...],
    tokens: str,
    asked: tuple[GrammarFormat, str, bool, Thinking],
    limits: Limits,
) -> str:
    form, choice, parallel, reasoning = asked
    known = _format(template, source, spelling, limits)
    notation = _notation(form, tokens)
    read = [known.tool(text, number, notation) for number, text in enumerate(tools)]
    chosen = [tool for tool in read if choice in ("auto", "required", tool.name)]
    if not chosen:
        known_names = ", ".join(repr(tool.name) for tool in read)
        what = (
            f"there is no tool {choice!r} to call, but {known_names}"
            if read
            else "there are no tools to call"
        )
        raise GrammarError("grammar-tool", what)
    listed = known.known_tools(chosen, notation)
    wishes = Wishes(text=choice == "auto", parallel=parallel, reasoning=reasoning)
    start = build(known.spelling, known.exclusions, [tool.rule for tool in listed], wishes)
    written = joined((notation.written(start), *(tool.written for tool in listed)))
    return structural_tag(written) if form == "xgrammar" else written
