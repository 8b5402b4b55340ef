"""vLLM's own `DelegatingParser`, base classes and registries, from its wheel's files, without vLLM around them.

What they import stands in for the messages and requests of vLLM, which need its web server, and for xgrammar.
"""

from __future__ import annotations

import enum
import importlib
import sys
import types
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from support.engine_stubs import StructuralTag, make_logger
from support.stub_modules import put_packages, stand_ins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Function:
    """The function of a call."""

    name: str | None = None
    arguments: str | None = None
    id: str | None = None


@dataclass
class Call:
    """A call, whole or as a delta."""

    function: Any
    id: str | None = None
    type: str | None = None
    index: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.function, dict):
            self.function = Function(**self.function)


@dataclass
class Message:
    """What vLLM sends for a step."""

    role: str | None = None
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tool_calls = [Call(**call) if isinstance(call, dict) else call for call in self.tool_calls]


@dataclass
class Extracted:
    """What a tool parser gives for a whole answer."""

    tools_called: bool
    tool_calls: list[Any]
    content: str | None = None


@dataclass
class NamedChoice:
    """A choice of one function."""

    function: Any


@dataclass
class Request:
    """A request for a chat completion."""

    tools: list[Any] | None = None
    tool_choice: Any = "auto"
    include_reasoning: bool = True
    parallel_tool_calls: bool = True
    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True
    structured_outputs: Any = None
    response_format: Any = None
    messages: tuple[Any, ...] = ()

    def extract_structured_outputs(self) -> Any:
        return self.structured_outputs

    def model_copy(self, *, update: dict[str, Any]) -> Request:
        return replace(self, **update)


@dataclass
class Grammar:
    """The parameters of structured outputs."""

    json: Any = None
    grammar: Any = None
    structural_tag: Any = None
    _backend: str | None = field(default=None, init=False)


class StrictLevel(enum.IntEnum):
    """How strict vLLM is with tools."""

    AUTO = 0
    FUNCTION = 1
    PARAMETER = 2


class NoToolAdapter:
    """vLLM's tool parsers of another kind."""


def _schema_of_list(*, tool_choice: Any, tools: Any, parallel_tool_calls: Any) -> Any:
    return {"type": "array"} if tool_choice == "required" or isinstance(tool_choice, NamedChoice) else None


def _strictness(tools: list[Any], choice: Any, level: int) -> list[Any] | None:
    strict = any(tool["function"].get("strict") for tool in tools)
    return tools if choice != "auto" or level or strict else None


_STUBS: Final[dict[str, dict[str, Any]]] = {
    "vllm.envs": {"VLLM_ENFORCE_STRICT_TOOL_CALLING": True},
    "vllm.entrypoints.generate.base.protocol": {
        "DeltaFunctionCall": Function,
        "DeltaMessage": Message,
        "DeltaToolCall": Call,
        "ExtractedToolCallInformation": Extracted,
        "FunctionCall": Function,
        "ToolCall": Call,
    },
    "vllm.entrypoints.openai.chat_completion.protocol": {
        "ChatCompletionNamedToolChoiceParam": NamedChoice,
        "ChatCompletionRequest": Request,
        "ChatCompletionToolsParam": dict,
    },
    "vllm.entrypoints.mcp.tool_server": {},
    "vllm.entrypoints.openai.responses.protocol": {},
    "vllm.exceptions": {"VLLMValidationError": ValueError},
    "vllm.logger": {"init_logger": make_logger},
    "vllm.parser.engine.adapters": {"ParserEngineToolAdapter": NoToolAdapter},
    "vllm.parser.metrics": {"record_tool_parser_invocation": lambda **options: None},
    "vllm.parser.utils": {"count_history_tool_calls": lambda request: 0},
    "vllm.renderers.chat_utils": {
        "get_tool_call_id_type": lambda config: "random",
        "make_tool_call_id": lambda **options: "id",
    },
    "vllm.sampling_params": {"StructuredOutputsParams": Grammar},
    "vllm.tokenizers": {},
    "vllm.tool_parsers.streaming": {},
    "vllm.tool_parsers.structural_tag_registry": {
        "get_structural_tag_tools": lambda model, tools, choice: tools,
        "limit_to_single_tool_call": lambda tag: tag,
        "resolve_tool_strictness": _strictness,
    },
    "vllm.tool_parsers.utils": {"Tool": dict, "get_json_schema_from_tools": _schema_of_list},
    "vllm.tool_parsers.tool_strict_level": {"ToolStrictLevel": StrictLevel},
    "vllm.utils.collection_utils": {"is_list_of": lambda value, kind: isinstance(value, list)},
    "vllm.utils.import_utils": {},
    "openai.types.responses": {},
    "openai.types.responses.function_tool": {},
    "pydantic": {},
    "xgrammar": {},
    "xgrammar.structural_tag": {"StructuralTag": StructuralTag},
}


@contextmanager
def vllm_of(sources: Path) -> Iterator[types.SimpleNamespace]:
    """Import the files under their own names; afterwards all is as before."""
    with stand_ins(_STUBS, sources):
        # The packages themselves import everything.
        put_packages(("vllm.parser", "vllm.reasoning", "vllm.tool_parsers"), sources, instead=True)
        sys.modules["vllm"].envs = sys.modules["vllm.envs"]  # type: ignore[attr-defined]
        yield types.SimpleNamespace(
            parsers=importlib.import_module("vllm.parser.abstract_parser"),
            tools=importlib.import_module("vllm.tool_parsers.abstract_tool_parser"),
            reasoning=importlib.import_module("vllm.reasoning.abs_reasoning_parsers"),
        )
