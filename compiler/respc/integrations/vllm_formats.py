"""The formats that vLLM's parsers by name read: those of ready-made families, and of a tokenizer's own template."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

from respc.families import family_template
from respc.integrations.engine_parsers import load_for_serving
from respc.integrations.inferred_templates import inferred_template
from respc.integrations.tokenizer_templates import title_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOGGER: Final = logging.getLogger("vllm.respc")
"""vLLM shows what goes to a logger below its own."""

REASONING_FIELDS: Final = ("reasoning_content", "thinking", "reasoning")
"""What templates call the field of the reasoning."""

STRUCTURAL_TAGS: Final = {
    "deepseek_r1": "deepseek_r1",
    "deepseek_v3": "deepseek_r1",
    "deepseek_v3_1": "deepseek_v3_1",
    "deepseek_v3_2": "deepseek_v3_2",
    "deepseek_v4": "deepseek_v4",
    "deepseek_v4_1": "deepseek_v4_1",
    "exaone4": "hermes",
    "glm4_5": "glm_4_7",
    "glm4_7": "glm_4_7",
    "granite4": "hermes",
    "hy_v4": "hy_v4",
    "kimi_k2": "kimi",
    "kimi_k3": "kimi_k3",
    "ling3": "glm_4_7",
    "llama3_1": "llama",
    "longcat": "longcat",
    "mimo": "mimo",
    "minimax_m2": "minimax",
    "nemotron3": "qwen_3_coder",
    "plamo3": "plamo3",
    "qwen2_5": "hermes",
    "qwen3": "hermes",
    "qwen3_5": "qwen_3_coder",
    "qwen3_coder": "qwen_3_coder",
    "smollm3": "hermes",
    "step3_5": "qwen_3_coder",
}
"""Of families, vLLM's name of the grammar that makes a model write calls in their format."""

_CACHED_TEMPLATES: Final = 32
# What a closer can stand behind; and what no text has, so that what was held back before it is decided.
_BODY: Final = "x"
UNLIKE_ANY_TEXT: Final = "\0"
_BETWEEN_LITERALS: Final = re.compile(r"\(\?[:=]|(?<!\\)[()|]")
_BLANKS: Final = re.compile(r"^\\[ns][*+?]|\\s[*+?]$")
_NO_LITERAL: Final = re.compile(r"(?<!\\)[.^$*+?{}\[\]]|\\[A-Za-z0-9]")
_ESCAPE: Final = re.compile(r"\\(.)")
_lock = Lock()


@dataclass(frozen=True)
class ServedFormat:
    """A format that is served.

    Attributes:
        name: what messages call it.
        template: its response template.
        parser: the compiled class of it that is careful, with serving events.
        structural_tag: vLLM's name of the grammar of its calls; None where it has none.
    """

    name: str
    template: dict[str, Any]
    parser: Any
    structural_tag: str | None = None

    @cached_property
    def reasoning_field(self) -> str | None:
        """The field of the reasoning, if there is one."""
        fields = self.template["fields"]
        return next((field for field in REASONING_FIELDS if field in fields), None)

    @cached_property
    def reasoning_opener(self) -> str | None:
        """The text that begins reasoning; None where it is a pattern, or nothing."""
        field = self.template["fields"].get(self.reasoning_field, {})
        return next((text for text in _literals(field, "open") if self._opens(text)), None)

    @cached_property
    def reasoning_closer(self) -> str | None:
        """The text that ends reasoning; None where no text alone does."""
        opener = self.reasoning_opener
        if opener is None:
            return None
        mirrored = f"{opener[:1]}/{opener[1:]}"
        closers = (*_literals(self.template["fields"][self.reasoning_field], "close"), mirrored)
        return next((text for text in closers if self._is_closer(opener, text)), None)

    def _opens(self, text: str) -> bool:
        events = self.parser("").feed(text + _BODY)
        return any(
            event["type"] == "region_open" and event["field"] == self.reasoning_field for event in events
        )

    def _is_closer(self, opener: str, text: str) -> bool:
        parser = self.parser("")
        parser.feed(opener + _BODY)
        events = parser.feed(text + UNLIKE_ANY_TEXT)
        return any(event["type"] == "region_close" and event["start"] < event["end"] for event in events)


def _literals(field: dict[str, Any], key: str) -> Iterator[str]:
    """Give the texts that a delimiter can be: its literals, or those of the parts of its pattern."""
    written = field.get(key, ())
    yield from (written,) if isinstance(written, str) else written
    for part in _BETWEEN_LITERALS.split(field.get(f"{key}_pattern", "")):
        literal = _BLANKS.sub("", part)
        if literal and not _NO_LITERAL.search(literal):
            yield _ESCAPE.sub(r"\1", literal)


@cache
def format_of_family(family: str) -> ServedFormat:
    """Give the format of a ready-made family, which needs no compilation."""
    template = family_template(family).template
    module = import_module(f"respc_parsers.{family}")
    return ServedFormat(family, template, module.ServingParser, STRUCTURAL_TAGS.get(family))


def format_of_tokenizer(tokenizer: object) -> ServedFormat:
    """Give the format of a tokenizer's response template, compiled the first time that it is seen.

    One that has none gets the template that is inferred from its chat template.

    Raises:
        NotInferredError: none can be inferred; a MissingTemplateError.
        TemplateError: the template is refused.
    """
    template: Any = getattr(tokenizer, "response_template", None)
    if not isinstance(template, dict):
        settings: Any = getattr(tokenizer, "init_kwargs", None) or {}
        template = settings.get("response_template")
    if not isinstance(template, dict):
        template = inferred_template(tokenizer, _LOGGER)
    # One thread compiles; the others would wait for the compiler anyway.
    with _lock:
        return _compiled(json.dumps(template), title_of(tokenizer))


@lru_cache(maxsize=_CACHED_TEMPLATES)
def _compiled(written: str, title: str) -> ServedFormat:
    template = json.loads(written)
    for field in _fields_of(template):
        # An answer without it is one all the same.
        field["optional"] = True
    return ServedFormat(title, template, load_for_serving(template, title).ResponseParser)


def _fields_of(template: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the fields of a template that nobody has checked; what is none, the compiler says."""
    fields: Any = template.get("fields")
    written = cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
    return [field for field in written.values() if isinstance(field, dict)]


@cache
def format_of_call_lists() -> ServedFormat:
    """Give the format that vLLM makes a model write where it has no grammar for the model's own: a list in JSON."""
    call = {"type": "function", "function": {"name": "{name}", "arguments": "{parameters}"}}
    field = {"open_pattern": r"(?=\[)", "content": "json", "transform": call, "transform_each": True}
    template: dict[str, Any] = {"start_anchor": UNLIKE_ANY_TEXT, "fields": {"tool_calls": field}}
    return ServedFormat("call list", template, load_for_serving(template, "call list").ResponseParser)
