"""Response templates for tokenizers that have none: inferred from their chat templates, once for each."""

from __future__ import annotations

import logging
from copy import deepcopy
from dataclasses import dataclass, field
from math import inf
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.chat_templates import ChatTemplateError, ChatTemplateSource, InterruptedTemplateError
from respc.integrations.inference_cache import InferredTemplate, keep, kept
from respc.integrations.tokenizer_templates import (
    MissingTemplateError,
    chat_templates_of,
    described,
    special_tokens_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOGGER: Final = logging.getLogger(__name__)
_MOST_KNOWN: Final = 32
_TRIED_AGAIN_AFTER: Final = 600.0
"""Seconds: a try that was ended can take a minute, which a server cannot give to every request."""
_lock = Lock()


class NotInferredError(MissingTemplateError):
    """A tokenizer has no response template, and none can be inferred from what it has."""

    def __init__(self, described_as: str, reason: str) -> None:
        AttributeError.__init__(
            self,
            f"{described_as} has no response template, and none can be inferred: {reason}. Set its attribute "
            "`response_template`, or choose a ready-made parser, which `respc list` shows",
        )


def inferred_template(
    tokenizer: object, logger: logging.Logger = _LOGGER, *, processor: object = None
) -> dict[str, Any]:
    """Infer the response template of a tokenizer from its chat template.

    The first time, the log has a line that says what the template is worth.

    Args:
        tokenizer: has a `chat_template`.
        logger: where the line goes.
        processor: has the tokenizer, and the `chat_template` in its place.

    Raises:
        NotInferredError: there is no chat template, or nothing can be inferred from it.
    """
    texts = chat_templates_of(tokenizer) or chat_templates_of(processor)
    if not texts:
        raise NotInferredError(described(tokenizer), "it has no chat template either")
    return inferred_from(described(tokenizer), texts, special_tokens_of(tokenizer), logger)


def inferred_from(
    name: str, texts: Mapping[str, str], tokens: Mapping[str, str], logger: logging.Logger = _LOGGER
) -> dict[str, Any]:
    """Infer a response template from chat templates and the special tokens that they are given, as `inferred_template`.

    Raises:
        NotInferredError: nothing can be inferred.
    """
    asked = _Asked(tuple(texts.items()), tuple(tokens.items()), name)
    # One thread infers; the others would wait for the same.
    with _lock:
        inferred = _known_or_inferred(asked, logger)
    if isinstance(inferred, _Refusal):
        raise NotInferredError(name, inferred.reason)
    return deepcopy(inferred.template)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is inferred from; the name of it makes no difference."""

    texts: tuple[tuple[str, str], ...]
    tokens: tuple[tuple[str, str], ...]
    name: str = field(compare=False)

    def source(self) -> ChatTemplateSource:
        tokens = dict(self.tokens)
        ends = (tokens["eos_token"],) if tokens.get("eos_token") else ()
        return ChatTemplateSource(self.name, dict(self.texts), tokens, ends)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Nothing can be inferred, which is not tried again before ``until``, on the monotonic clock."""

    reason: str
    until: float = inf


_known: Final[dict[_Asked, InferredTemplate | _Refusal]] = {}


def _known_or_inferred(asked: _Asked, logger: logging.Logger) -> InferredTemplate | _Refusal:
    known = _known.get(asked)
    if known is None or (isinstance(known, _Refusal) and monotonic() >= known.until):
        _known.pop(asked, None)
        known = _known[asked] = _inferred(asked, logger)
        if len(_known) > _MOST_KNOWN:
            del _known[next(iter(_known))]
    return known


def _inferred(asked: _Asked, logger: logging.Logger) -> InferredTemplate | _Refusal:
    source = asked.source()
    inferred = kept(source)
    if inferred is None:
        try:
            inferred = InferredTemplate.of(respc.infer(source))
        except InterruptedTemplateError as error:
            return _Refusal(str(error), monotonic() + _TRIED_AGAIN_AFTER)
        except ChatTemplateError as error:
            return _Refusal(str(error))
        keep(source, inferred)
    _say(logger, asked.name, inferred)
    return inferred


def _say(logger: logging.Logger, name: str, inferred: InferredTemplate) -> None:
    fields = ", ".join(inferred.template["fields"])
    begun = f"{name} has no response template: one with {fields} was inferred from its chat template, and reads back"
    if inferred.is_proved:
        logger.info("%s all that this writes (%s)", begun, inferred.summary)
    else:
        lost = "; ".join(inferred.faults) or "nothing comes back"
        logger.warning(
            "%s not all that this writes (%s): %s. `respc infer` shows what is lost",
            begun,
            inferred.summary,
            lost,
        )
