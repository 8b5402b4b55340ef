"""Parsers that are inferred from chat templates alone, each once a process."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.chat_templates import ChatTemplateError, ChatTemplateSource
from respc.inferring import InferenceError, InferenceRequest, inferred_here
from respc.verifying import Kind, request_for
from respc.verifying.features import FEATURES

if TYPE_CHECKING:
    from types import ModuleType

    from respc.inferring import Inference
    from respc.verifying import Request, Verification, Writings

_KEYS: Final = {feature.name: frozenset(feature.message) for feature in FEATURES}


@dataclass(frozen=True)
class InferredParser:
    """A parser that was inferred from a chat template.

    Attributes:
        name: what the chat template is called.
        source: its text.
        given: what it is given beside the conversation, as JSON.
    """

    name: str
    source: str
    given: str

    @cached_property
    def _asked(self) -> Request:
        source = ChatTemplateSource(self.name, {"default": self.source}, {}, ())
        return request_for({}, source, json.loads(self.given))

    @cached_property
    def inference(self) -> Inference | None:
        """What was inferred; None where nothing can be."""
        asked = self._asked
        try:
            return inferred_here(InferenceRequest(asked.texts, asked.name, asked.given, asked.ends))
        except (InferenceError, ChatTemplateError):
            return None

    @cached_property
    def module(self) -> ModuleType | None:
        """The compiled parser; None where nothing can be inferred."""
        return None if self.inference is None else respc.load(self.inference.template)

    @property
    def written(self) -> Writings:
        """What the chat template writes."""
        return self._asked.writings()

    @cached_property
    def left_out(self) -> frozenset[str]:
        """The keys of messages that the chat template never writes, though it refuses none of them."""
        return frozenset() if self.inference is None else left_out(self.inference.verification)


def left_out(verification: Verification) -> frozenset[str]:
    """Give the keys of messages that a chat template never writes, though it refuses none of them."""
    kinds: dict[str, set[Kind | None]] = defaultdict(set)
    for row in verification.rows:
        # What comes before may be refused, as a picture, and then all messages are.
        if row.context == "first":
            for key in _KEYS[row.feature]:
                kinds[key].add(row.kind)
    return frozenset(key for key, found in kinds.items() if found == {Kind.LEFT_OUT})


@cache
def _once(name: str, source: str, given: str) -> InferredParser:
    return InferredParser(name, source, given)


def inferred_parser(name: str, source: str, given: dict[str, Any]) -> InferredParser:
    """Infer a parser from a chat template.

    Args:
        name: what the chat template is called.
        source: its text.
        given: what it is given beside the conversation.
    """
    return _once(name, source, json.dumps(given, sort_keys=True))
