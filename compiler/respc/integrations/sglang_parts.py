"""What is used of SGLang, looked up at once: where some of it is missing, nothing was changed yet."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from respc.integrations.sglang_backends import XGRAMMAR

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class SglangParts:
    """Classes and functions of SGLang.

    Attributes:
        BaseFormatDetector: the base of all detectors of calls.
        CallDetector: its detector of calls for response templates.
        ReasoningDetector: its detector of reasoning for response templates.
        FunctionCallParser: has the detectors of calls, by name.
        ReasoningParser: has the detectors of reasoning, by name.
        CallResult: what a detector of calls gives.
        ReasoningResult: what a detector of reasoning gives.
        ToolCallItem: a call in that, or a piece of one.
        forwards_unknown_tools: tells whether calls go out to tools that the request does not have.
        template_of: gives the response template of a tokenizer, or None.
        grammar_backend: gives the name of the backend of grammars that this server has.
        call_parser: gives the name of the parser of calls that this server has, or None.
    """

    BaseFormatDetector: Any
    CallDetector: Any
    ReasoningDetector: Any
    FunctionCallParser: Any
    ReasoningParser: Any
    CallResult: Any
    ReasoningResult: Any
    ToolCallItem: Any
    forwards_unknown_tools: Callable[[], bool]
    template_of: Callable[[Any], dict[str, Any] | None]
    grammar_backend: Callable[[], str]
    call_parser: Callable[[], str | None]

    @property
    def call_detectors(self) -> dict[str, Any]:
        """The detectors of calls, by their names."""
        detectors: dict[str, Any] = self.FunctionCallParser.ToolCallParserEnum
        return detectors

    @property
    def reasoning_detectors(self) -> dict[str, Any]:
        """The detectors of reasoning, by their names."""
        detectors: dict[str, Any] = self.ReasoningParser.DetectorMap
        return detectors


def sglang_parts() -> SglangParts:
    """Import what is used of SGLang.

    Raises:
        ImportError: there is no SGLang, or a module of it is missing.
        AttributeError: something in a module is missing.
    """
    calls: Any = import_module("sglang.srt.function_call.function_call_parser")
    reasoning: Any = import_module("sglang.srt.parser.reasoning_parser")
    templates: Any = import_module("sglang.srt.parser.response_template")
    kinds: Any = import_module("sglang.srt.function_call.core_types")
    base: Any = import_module("sglang.srt.function_call.base_format_detector")
    environment: Any = import_module("sglang.srt.environ").envs
    settings: Any = import_module("sglang.srt.runtime_context")
    parts = SglangParts(
        BaseFormatDetector=base.BaseFormatDetector,
        CallDetector=templates.ResponseTemplateToolDetector,
        ReasoningDetector=templates.ResponseTemplateReasoningDetector,
        FunctionCallParser=calls.FunctionCallParser,
        ReasoningParser=reasoning.ReasoningParser,
        CallResult=kinds.StreamingParseResult,
        ReasoningResult=reasoning.StreamingParseResult,
        ToolCallItem=kinds.ToolCallItem,
        forwards_unknown_tools=environment.SGLANG_FORWARD_UNKNOWN_TOOLS.get,
        template_of=templates.resolve_response_template,
        # What is not told is SGLang's own choice.
        grammar_backend=lambda: settings.get_exec().kernel.grammar_backend or XGRAMMAR,
        call_parser=lambda: settings.get_serving().tool_call_parser,
    )
    for named in (calls.FunctionCallParser.ToolCallParserEnum, reasoning.ReasoningParser.DetectorMap):
        if not isinstance(named, dict):
            raise AttributeError(f"its parsers by name are no dict but {type(named).__name__}")
    return parts
