"""Stands in for the parts of serving engines that their adapters of response templates import but parsing needs not.

The adapters themselves, the copies of the interpreter, and what derives grammars are the engines' own files.
"""

from __future__ import annotations

import enum
import importlib
import logging
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from support.stub_modules import packages_of, put_packages, stand_ins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.engine_wheels import Engine


@dataclass
class CallFunction:
    """The function of a call, whole or as a delta."""

    name: str | None = None
    arguments: str | None = None
    id: str | None = None


@dataclass
class DeltaCall:
    """A call of a delta."""

    index: int
    id: str
    type: str
    function: CallFunction


@dataclass
class Delta:
    """What vLLM sends."""

    reasoning: str | None = None
    content: str | None = None
    tool_calls: list[DeltaCall] = field(default_factory=list)


@dataclass
class CallItem:
    """A call of SGLang."""

    tool_index: int
    name: str | None = None
    parameters: str = ""

    def model_copy(self, *, update: dict[str, Any]) -> CallItem:
        return replace(self, **update)


@dataclass
class StreamResult:
    """What SGLang's tool detector gives."""

    normal_text: str = ""
    calls: list[CallItem] = field(default_factory=list)


class Tokenizer:
    """A token for each character."""

    response_template = None

    def decode(self, token_ids: list[int], **options: Any) -> str:
        return "".join(map(chr, token_ids))

    def encode(self, text: str, **options: Any) -> list[int]:
        return list(map(ord, text))


class ReasoningParser:
    """The part of vLLM's base class that the adapter uses."""

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer
        self.vocab: dict[str, int] = {}


class ToolParser:
    """The part of vLLM's base class that the adapter uses."""

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        self.model_tokenizer = tokenizer


class Parser:
    """The part of vLLM's base class that the adapter uses."""

    reasoning_parser_cls: Any = None
    tool_parser_cls: Any = None

    def __init__(self, tokenizer: Any, tools: Any = None, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer
        self._reasoning_parser = self.reasoning_parser_cls(tokenizer, **kwargs)
        self._tool_parser = self.tool_parser_cls(tokenizer, tools)
        self._stream_state = SimpleNamespace(tool_call_id_type="random", history_tool_call_cnt=0)

    def _initialize_history_tool_call_cnt(self, request: Any) -> None:
        pass


class Detector:
    """The part of SGLang's base class that the adapter uses."""

    def __init__(self) -> None:
        self.prev_tool_call_arr: list[Any] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []

    def _get_tool_indices(self, tools: list[Any]) -> dict[str, int]:
        return {tool["function"]["name"]: index for index, tool in enumerate(tools)}


class FunctionCallParser:
    """The part of SGLang's class that has the detectors of calls."""

    ToolCallParserEnum: ClassVar[dict[str, Any]] = {}


class ReasoningResult:
    """What SGLang's detector of reasoning gives."""

    def __init__(self, normal_text: str = "", reasoning_text: str = "") -> None:
        self.normal_text = normal_text
        self.reasoning_text = reasoning_text


class ReasoningDetectors:
    """The part of SGLang's class that has the detectors of reasoning."""

    DetectorMap: ClassVar[dict[str, Any]] = {}


class Struct:
    """A frozen record, as of msgspec."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __init_subclass__(cls, **options: Any) -> None:
        pass


@dataclass
class StructuralTag:
    """A grammar of xgrammar, which is not read."""

    format: Any

    @classmethod
    def model_validate(cls, written: dict[str, Any]) -> StructuralTag:
        return cls(written["format"])

    def model_dump(self) -> dict[str, Any]:
        return {"type": "structural_tag", "format": self.format}


class StrictLevel(enum.IntEnum):
    """How strict SGLang is with tools."""

    OFF = 0
    FUNCTION = 1
    PARAMETER = 2


def make_logger(name: str) -> Any:
    logger: Any = logging.getLogger(name)
    logger.warning_once = logger.warning
    return logger


def _call_id(*, id_type: str, func_name: str, idx: int) -> str:
    return f"{func_name}-{idx}"


def _responses_tools(tools: Any) -> list[dict[str, Any]]:
    return []


class _Setting:
    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        return self._value


_ENVIRONMENT = SimpleNamespace(
    SGLANG_TOOL_STRICT_LEVEL=_Setting(StrictLevel.OFF), SGLANG_FORWARD_UNKNOWN_TOOLS=_Setting(True)
)

SGLANG_KERNEL = SimpleNamespace(grammar_backend=None)
"""What SGLang's server was told of its backend of grammars: nothing."""

_STUBS: dict[str, dict[str, dict[str, Any]]] = {
    "vllm": {
        "openai": {},
        "openai.types": {},
        "openai.types.responses": {
            "ToolChoiceCustom": type("ToolChoiceCustom", (), {}),
            "ToolChoiceFunction": type("ToolChoiceFunction", (), {}),
        },
        "vllm.entrypoints.generate.base.protocol": {
            "DeltaFunctionCall": CallFunction,
            "DeltaMessage": Delta,
            "DeltaToolCall": DeltaCall,
            "FunctionCall": CallFunction,
        },
        "vllm.entrypoints.openai.chat_completion.protocol": {
            "ChatCompletionNamedToolChoiceParam": type("ChatCompletionNamedToolChoiceParam", (), {})
        },
        "vllm.exceptions": {"VLLMValidationError": ValueError},
        "vllm.logger": {"init_logger": make_logger},
        "vllm.parser.abstract_parser": {"Parser": Parser},
        "vllm.reasoning.abs_reasoning_parsers": {"ReasoningParser": ReasoningParser},
        "vllm.renderers.chat_utils": {"make_tool_call_id": _call_id},
        "vllm.tool_parsers.abstract_tool_parser": {"ToolParser": ToolParser},
        "vllm.tool_parsers.utils": {"iter_response_function_tool_dicts": _responses_tools},
    },
    "sglang": {
        "xgrammar": {},
        "xgrammar.structural_tag": {"StructuralTag": StructuralTag},
        "msgspec": {"Struct": Struct, "convert": None, "UNSET": None},
        "sglang.srt.entrypoints.openai.protocol": {"Tool": dict, "ToolChoice": dict},
        "sglang.srt.environ": {"ToolStrictLevel": StrictLevel, "envs": _ENVIRONMENT},
        "sglang.srt.function_call.base_format_detector": {"BaseFormatDetector": Detector},
        "sglang.srt.function_call.core_types": {
            "StreamingParseResult": StreamResult,
            "ToolCallItem": CallItem,
            "_GetInfoFunc": object,
        },
        "sglang.srt.function_call.function_call_parser": {"FunctionCallParser": FunctionCallParser},
        "sglang.srt.runtime_context": {
            "get_exec": lambda: SimpleNamespace(kernel=SGLANG_KERNEL),
            "get_serving": lambda: SimpleNamespace(tool_call_parser="respc_qwen3"),
        },
        "sglang.srt.parser.reasoning_parser": {
            "ReasoningParser": ReasoningDetectors,
            "StreamingParseResult": ReasoningResult,
        },
    },
}


@contextmanager
def adapter_of(engine: Engine, sources: Path) -> Iterator[Any]:
    """Import the adapter of an engine from its own file, under its own name; afterwards all is as before."""
    with stand_ins(_STUBS[engine.name], sources):
        put_packages(packages_of(engine.adapter), sources)
        yield importlib.import_module(engine.adapter)
