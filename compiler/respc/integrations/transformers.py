"""Compiled parsers for the tokenizers of transformers.

`attach` makes a tokenizer's own `parse_response` and `get_response_parser` run compiled code, and so the processors
and pipelines that call them; `EventStreamer` gives events while `generate` runs, `FormStreamer` what a server sends;
`parser_for` gives the compiled module. Nothing is imported of transformers: any object with `decode` and
`response_template` will do. `use_compiled_parsers`, which does import it, is for a whole process, such as that of
`transformers serve`.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeVar, cast

import respc
from respc.integrations.event_streamer import EventStreamer
from respc.integrations.form_streamer import FormStreamer
from respc.integrations.inferred_templates import NotInferredError, inferred_template
from respc.integrations.token_text import plain_ids
from respc.integrations.tokenizer_templates import (
    MissingTemplateError,
    Tokenizer,
    compiled_template_of,
    new_parser,
    template_of,
    title_of,
    tokenizer_of,
)
from respc.integrations.transformers_serve import use_compiled_parsers, use_interpreter
from respc_runtime.batches import with_prefixes
from respc_runtime.errors import MissingPrefixError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from respc_runtime.batches import Tools

__all__ = [
    "EventStreamer",
    "FormStreamer",
    "MissingTemplateError",
    "NotInferredError",
    "Tokenizer",
    "attach",
    "detach",
    "parser_for",
    "use_compiled_parsers",
    "use_interpreter",
]

TokenizerKind = TypeVar("TokenizerKind", bound=Tokenizer)


def parser_for(tokenizer: Tokenizer) -> ModuleType:
    """Compile the response template of a tokenizer, and give the module.

    It has the names of a compiled file: `ResponseParser`, `parse_response`, `prepare_tools`. They take text. Every
    call compiles anew. Of a processor, the tokenizer is meant.

    Raises:
        TypeError: there is no tokenizer.
        MissingTemplateError: the tokenizer has no template; an AttributeError.
        TemplateError: the template is refused; the message names the tokenizer and each place and reason.
    """
    meant = tokenizer_of(tokenizer)
    return respc.load(template_of(meant), name=title_of(meant))


def attach(tokenizer: TokenizerKind, *, infer: bool = False) -> TokenizerKind:
    """Make `parse_response` and `get_response_parser` of this tokenizer run compiled code.

    They take and give what they did before, and raise the same builtin exceptions. The template is compiled now,
    and again when it is another one at a call. The methods go along when the tokenizer is pickled or deep-copied;
    a shallow copy has those of the tokenizer that it was copied from, until it is attached itself.

    Args:
        tokenizer: a tokenizer with a template, or a processor: then its tokenizer gets the methods, and the
            processor's own `parse_response` calls them.
        infer: whether a tokenizer without a template gets the one that is inferred from its chat template, as its
            `response_template`. The log says what that is worth.

    Returns:
        What was given.

    Raises:
        TypeError: there is no tokenizer.
        MissingTemplateError: the tokenizer has no template, or with `infer` none can be inferred; an AttributeError.
        TemplateError: the template is refused; the message names the tokenizer and each place and reason.
    """
    attached = tokenizer_of(tokenizer)
    if infer and getattr(attached, "response_template", None) is None:
        inferred = inferred_template(attached, processor=tokenizer)
        attached.response_template = inferred  # type: ignore[attr-defined]
    compiled_template_of(attached)
    for name, method in _METHODS.items():
        setattr(attached, name, method(attached, name))
    return tokenizer


def detach(tokenizer: TokenizerKind) -> TokenizerKind:
    """Give a tokenizer, or that of a processor, back the methods of its class; return what was given."""
    attached = tokenizer_of(tokenizer)
    for name, method in _METHODS.items():
        if isinstance(vars(attached).get(name), method):
            delattr(attached, name)
    return tokenizer


class _Method:
    """A method of one tokenizer, which unlike a function made for it can be pickled and copied with it."""

    further: ClassVar[tuple[inspect.Parameter, ...]] = ()
    """What the method takes that the tokenizer's own does not."""

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        self.tokenizer = tokenizer
        self.__name__ = name
        # Whoever asks how to call the method is told the same as before; tokenizers of old releases have none.
        before: Callable[..., Any] = getattr(type(tokenizer), name, type(self).__call__)
        signature = inspect.signature(before)
        parameters = list(signature.parameters.values())[1:]
        further = [each for each in self.further if each.name not in signature.parameters]
        self.__signature__ = signature.replace(parameters=[*parameters, *further])


class _ParseResponse(_Method):
    """Parse what a model wrote, given as text or token ids, alone or as a batch, into messages.

    With ``errors="collect"``, each message comes in a `respc_runtime.collecting.Parsed`, with what could not be read.
    """

    further = (inspect.Parameter("errors", inspect.Parameter.KEYWORD_ONLY, default="raise"),)

    def __call__(
        self,
        response: Any,
        schema: dict[str, Any] | None = None,
        *,
        prefix: Any = None,
        tools: Tools | None = None,
        errors: Literal["raise", "collect"] = "raise",
    ) -> Any:
        template = template_of(self.tokenizer, schema)
        if prefix is None:
            raise MissingPrefixError
        texts = _texts(self.tokenizer, response)
        batch = [texts] if isinstance(texts, str) else texts
        pairs = with_prefixes(batch, _texts(self.tokenizer, prefix))
        if not pairs:
            return []
        # A text that is None counts as empty here, which the module's own function does not let pass.
        given, prefixes = [text or "" for text, _ in pairs], [before for _, before in pairs]
        messages = respc.parse_response(given, template, prefix=prefixes, tools=tools, errors=errors)
        return messages[0] if isinstance(texts, str) else messages


class _GetResponseParser(_Method):
    """Make a parser that takes text as a model writes it, and gives events."""

    def __call__(
        self,
        response_template: dict[str, Any] | None = None,
        *,
        prefix: Any = None,
        tools: Tools | None = None,
    ) -> respc.ResponseParser:
        template = template_of(self.tokenizer, response_template)
        if prefix is None:
            raise MissingPrefixError
        if not isinstance(prefix, str):
            prefix = self.tokenizer.decode(plain_ids(prefix))
            if not isinstance(prefix, str):
                raise ValueError(
                    "`prefix` has several sequences, but a parser is for one: give a text, or the ids of one"
                )
        return new_parser(template, prefix, tools)


_METHODS: Final[dict[str, type[_Method]]] = {
    "parse_response": _ParseResponse,
    "get_response_parser": _GetResponseParser,
}


def _texts(tokenizer: Tokenizer, given: Any) -> str | list[str]:
    """Give the text, or the texts of a batch, whether texts or token ids are given."""
    if isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)):
        items = list(cast("Sequence[Any]", given))
        if not items or isinstance(items[0], str):
            return items
    return cast("str | list[str]", tokenizer.decode(plain_ids(given)))
