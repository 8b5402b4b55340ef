"""What is needed of a tokenizer, and its response template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import respc
from respc.errors import TemplateError
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from respc_runtime.batches import Tools

_TOKENS: Final = ("bos_token", "eos_token", "pad_token", "unk_token", "sep_token", "cls_token", "mask_token")


class Tokenizer(Protocol):
    """The part of a tokenizer that is used; its `response_template` may be missing."""

    def decode(self, token_ids: Any, /, **options: Any) -> Any:
        """Give the text of token ids, or a list of texts for several sequences of them."""


def tokenizer_of(given: Any) -> Tokenizer:
    """Give the tokenizer of a processor; a tokenizer is its own.

    Raises:
        TypeError: it is neither.
    """
    # Tokenizers can have a `tokenizer`, too, which they only wrap: that one has no place for a template.
    inner = getattr(given, "tokenizer", None)
    tokenizer: Any = inner if hasattr(inner, "response_template") else given
    if not callable(getattr(tokenizer, "decode", None)):
        raise TypeError(
            f"a tokenizer is needed, with a method `decode`, but {type(given).__name__} was given"
        )
    return cast("Tokenizer", tokenizer)


class MissingTemplateError(AttributeError):
    """A tokenizer has no response template."""

    def __init__(self, tokenizer: object) -> None:
        super().__init__(
            f"{described(tokenizer)} has no response template: set its attribute `response_template`, "
            "or give a template to the call that takes one"
        )


def described(tokenizer: object) -> str:
    """Name a tokenizer, for a message."""
    path = getattr(tokenizer, "name_or_path", None)
    kind = type(tokenizer).__name__
    return f"the {kind} {path}" if isinstance(path, str) and path else f"the {kind}"


def template_of(tokenizer: object, given: object = None) -> object:
    """Give the template of a tokenizer, if no other one is given.

    Raises:
        MissingTemplateError: neither is there.
    """
    template: object = given if given is not None else getattr(tokenizer, "response_template", None)
    if template is None:
        raise MissingTemplateError(tokenizer)
    return template


def title_of(tokenizer: object) -> str:
    """Name the template of a tokenizer, for a message and the head of a module."""
    return f"response_template of {described(tokenizer)}"


def compiled_template_of(tokenizer: object, given: object = None) -> object:
    """Give the template as `template_of`, and compile it now, so that no request waits for it or is refused.

    Raises:
        MissingTemplateError: there is none.
        TemplateError: it is refused.
    """
    template = template_of(tokenizer, given)
    try:
        new_parser(template, "", None)
    except TemplateError as refused:
        name = title_of(tokenizer) if given is None else refused.name
        raise type(refused)(refused.diagnostics, name, refused.text) from None
    return template


def new_parser(template: object, prefix: str, tools: Tools | None) -> respc.ResponseParser:
    """Make a parser of the compiled template, which is compiled if it was not seen before."""
    return respc.ResponseParser(template, prefix, tools=tools)


def chat_templates_of(tokenizer: object) -> dict[str, str]:
    """Give the chat templates by name; a tokenizer has one as a text, or several in a dict."""
    given: Any = getattr(tokenizer, "chat_template", None)
    if isinstance(given, str):
        return {"default": given}
    named = given if is_object(given) else {}
    return {name: text for name, text in named.items() if isinstance(text, str)}


def special_tokens_of(tokenizer: object) -> dict[str, str]:
    """Give the special tokens that a chat template is given."""
    found = {name: getattr(tokenizer, name, None) for name in _TOKENS}
    return {name: str(token) for name, token in found.items() if token is not None}
