"""Compiled parsers for a whole process of transformers, such as that of `transformers serve`."""

from __future__ import annotations

import json
import logging
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.errors import TemplateError
from respc.families import family_template
from respc.integrations.inferred_templates import NotInferredError, inferred_template
from respc.integrations.tokenizer_templates import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Callable

_LOGGER: Final = logging.getLogger(__name__)
_TOKENIZERS: Final = "transformers.tokenization_utils_base"
_SERVING: Final = "transformers.cli.serving.utils"

# Where transformers looks up what it parses with, by module and name.
_PARSER_NAMES: Final = ((_TOKENIZERS, "ResponseParser"), (_SERVING, "ResponseParser"))
_FUNCTION_NAME: Final = (_TOKENIZERS, "_template_parse_response")
_TEMPLATE_NAME: Final = (_SERVING, "get_response_template")


def use_compiled_parsers(
    *templates: dict[str, Any],
    for_models_without: str | dict[str, Any] | None = None,
    infer: bool = False,
) -> None:
    """Make all that transformers parses in this process run compiled code, from now on.

    That is what `transformers serve` streams and what it sends whole, and `parse_response` and `get_response_parser`
    of every tokenizer. A template is compiled when it is needed first, and kept. One that cannot be compiled is
    interpreted, with a warning in the log.

    Args:
        templates: response templates to compile now: no request has to wait for it.
        for_models_without: what `transformers serve` parses with where a model has no template: the name of a
            ready-made parser, or a template.
        infer: whether `transformers serve` parses with what is inferred from the chat template where a model has no
            template. The log says what that is worth, and names models for which nothing can be inferred.

    Raises:
        ValueError: both `for_models_without` and `infer` are given.
        ImportError: there is no transformers, or none that can serve.
        AttributeError: this release has other names for what is replaced; nothing is.
        KeyError: there is no ready-made parser of that name.
        TemplateError: the template for models without is refused.
    """
    if infer and for_models_without is not None:
        raise ValueError("give `for_models_without` or `infer`: one of them is for models without a template")
    given = for_models_without
    default = family_template(given).template if isinstance(given, str) else given
    if default is not None:
        respc.ResponseParser(default, "")
    for template in templates:
        _can_be_compiled(template)
    use_interpreter()
    stand_ins: dict[tuple[str, str], Any] = {}
    for place in _PARSER_NAMES:
        stand_ins[place] = _CompiledParser(_value_at(place))
    stand_ins[_FUNCTION_NAME] = _CompiledFunction(_value_at(_FUNCTION_NAME))
    if default is not None:
        stand_ins[_TEMPLATE_NAME] = _TemplateOrDefault(_value_at(_TEMPLATE_NAME), default)
    elif infer:
        stand_ins[_TEMPLATE_NAME] = _TemplateOrInferred(_value_at(_TEMPLATE_NAME))
    for (module, name), stand_in in stand_ins.items():
        setattr(import_module(module), name, stand_in)


def use_interpreter() -> None:
    """Make transformers parse as it did before."""
    for place in (*_PARSER_NAMES, _FUNCTION_NAME, _TEMPLATE_NAME):
        current = _value_at(place)
        if isinstance(current, _StandIn):
            setattr(import_module(place[0]), place[1], current.original)


def _value_at(place: tuple[str, str]) -> Any:
    return getattr(import_module(place[0]), place[1])


class _StandIn:
    """Stands where transformers has something of its own."""

    def __init__(self, original: Callable[..., Any]) -> None:
        self.original = original


class _CompiledParser(_StandIn):
    def __call__(self, response_template: Any, prefix: Any = None, tools: Any = None) -> Any:
        if _can_be_compiled(response_template):
            return respc.ResponseParser(response_template, prefix, tools=tools)
        return self.original(response_template, prefix=prefix, tools=tools)


class _CompiledFunction(_StandIn):
    def __call__(self, text: str, response_template: Any, prefix: Any = None, tools: Any = None) -> Any:
        if _can_be_compiled(response_template):
            return respc.parse_response(text, response_template, prefix=prefix, tools=tools)
        return self.original(text, response_template, prefix=prefix, tools=tools)


class _TemplateOrDefault(_StandIn):
    def __init__(self, original: Callable[..., Any], default: dict[str, Any]) -> None:
        super().__init__(original)
        self._default = default

    def __call__(self, processor: Any, model: Any) -> dict[str, Any]:
        template: dict[str, Any] | None = self.original(processor, model)
        return self._default if template is None else template


class _TemplateOrInferred(_StandIn):
    def __call__(self, processor: Any, model: Any) -> dict[str, Any] | None:
        template: dict[str, Any] | None = self.original(processor, model)
        if template is not None:
            return template
        try:
            return inferred_template(tokenizer_of(processor), processor=processor)
        except NotInferredError as error:
            _warn_once(str(error))
            return None


@lru_cache(maxsize=128)
def _warn_once(reason: str) -> None:
    _LOGGER.warning("answers are not parsed: %s", reason)


def _can_be_compiled(template: Any) -> bool:
    # transformers also takes one that it has loaded before.
    return isinstance(template, dict) and _compiles(json.dumps(template))


@lru_cache(maxsize=128)
def _compiles(template: str) -> bool:
    """Compile a template, and tell whether it can be."""
    try:
        respc.ResponseParser(json.loads(template), "")
    except TemplateError as refused:
        _LOGGER.warning("interpreted, for it cannot be compiled: %s", refused)
        return False
    return True
