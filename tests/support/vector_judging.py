"""Judging a parser by test cases: whether it gives the message that each expects.

What a model wrote is read as a server reads it, behind the prompt that the chat template writes. The ids of calls are
not compared, which the cases name only where their format has none; nor are blanks at both ends of texts, which the
cases leave out of account where they come from.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from respc.chat_templates import NotRenderedError
from respc.verifying.comparing import comparable, difference
from respc_runtime.errors import MissingAnchorError, ResponseError
from respc_runtime.openai import ChatCompletionParser
from support.chat_templates import ChatTemplate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.llama_cpp_vectors import Message, Vector

_UNPARSED: Final = "COMMON_REASONING_FORMAT_NONE"
_REASONING: Final = re.compile(r"[<\[|][^<>\[\]\n]*think|analysis|thought", re.IGNORECASE)
_CONTINUED: Final = "continue_final_message"
_GOES_ON: Final = "(and so on)"


def not_comparable(vector: Vector) -> str | None:
    """Say why a case cannot be compared; None where it can."""
    options = vector.options
    if options.get("is_partial"):
        return "the text is cut off in the middle, and the case says what of it is known"
    if options.get("json_schema"):
        return "a form of the answer is asked for, and the parser takes off what it is not of"
    reasoning_format = options.get("reasoning_format")
    if reasoning_format == _UNPARSED or (not reasoning_format and _REASONING.search(vector.expected.content)):
        return "the reasoning is to be left in the content"
    return None


@dataclass(frozen=True)
class Fault:
    """How a parser is wrong about a case.

    Attributes:
        kind: the part of the message that differs, or what went wrong before.
        prompt: the end of the prompt.
        wanted: what the case expects of the part.
        got: what came.
    """

    kind: str
    prompt: str = ""
    wanted: Any = None
    got: Any = None


class Judge:
    """Judges parsers by the cases of one chat template.

    Args:
        source: the chat template.
        given: what it is given beside the conversation.
    """

    def __init__(self, source: str, given: Mapping[str, Any]) -> None:
        self._template = ChatTemplate(source, dict(given))

    def fault(self, vector: Vector, module: Any) -> Fault | None:
        """Tell how a parser is wrong about a case; None where it is right.

        Args:
            vector: the case.
            module: the parser's, compiled or ready-made.

        Raises:
            NotRenderedError: the chat template does not write the prompt.
        """
        case = _Case(vector)
        prompt = self._prompt(case)
        tail = prompt[-80:]
        try:
            message, unread = _read(module, prompt, case)
        except MissingAnchorError:
            return Fault("no anchor", tail)
        except ResponseError as error:
            return Fault("unread", tail, case.wanted, str(error))
        found = difference(case.wanted, comparable(message))
        if found is None:
            return None
        return Fault("unread" if unread else found.part, tail, found.wanted, unread or found.got)

    def _prompt(self, case: _Case) -> str:
        written = self._begun if _CONTINUED in case.vector.options else self._asked
        try:
            return written(case, case.tools)
        except NotRenderedError:
            if case.tools:
                raise
            # Some chat templates are for prompts with tools alone.
            return written(case, [_TOOL])

    def _asked(self, case: _Case, tools: list[dict[str, Any]]) -> str:
        return self._template.prompt(case.history, tools, case.options)

    def _begun(self, case: _Case, tools: list[dict[str, Any]]) -> str:
        """Write the prompt of a message that is begun: the conversation with it, up to where its text goes on."""
        continued = "content" if case.vector.options[_CONTINUED].endswith("_CONTENT") else "reasoning_content"
        *history, begun = case.history
        marked = {**begun, continued: begun.get(continued, "") + _GOES_ON}
        written = self._template.conversation([*history, marked], tools, case.options)
        prompt, goes_on, _ = written.partition(_GOES_ON)
        shown = begun.get("reasoning_content", "") if "reasoning_content" in case.wanted else ""
        if not goes_on or shown not in prompt:
            raise NotRenderedError("the message that is begun is not written")
        return prompt


def _read(module: Any, prompt: str, case: _Case) -> tuple[dict[str, Any], list[str]]:
    """Read a text as servers do; where the module has no parser for them, as the interpreter does."""
    text = case.vector.text
    if not hasattr(module, "ServingParser"):
        return module.parse_response(text, prefix=prompt, tools=case.tools), []
    parser = ChatCompletionParser(module.ServingParser, prompt, tools=case.tools)
    parser.feed(text)
    parser.finalize(stopped=True)
    assert parser.message is not None
    return parser.message, [str(region.error) for region in parser.unread]


@dataclass(frozen=True)
class _Case:
    vector: Vector

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        return [
            {
                "type": "function",
                "function": {"name": name, "description": description, "parameters": json.loads(parameters)},
            }
            for name, description, parameters in self.vector.options.get("tools", [])
        ]

    @cached_property
    def history(self) -> list[dict[str, Any]]:
        messages = self.vector.options.get("messages")
        return [_as_dict(message) for message in messages] if messages else [_QUESTION]

    @cached_property
    def options(self) -> dict[str, Any]:
        return {"enable_thinking": self.vector.options.get("enable_thinking", True)}

    @cached_property
    def wanted(self) -> Any:
        wanted = comparable(_as_dict(self.vector.expected))
        # No arguments are written as nothing, too.
        calls = [(name, arguments or {}) for name, arguments in wanted.get("tool_calls", ())]
        return wanted | ({"tool_calls": calls} if calls else {})


_QUESTION: Final = {"role": "user", "content": "Hey there!"}


def _as_dict(message: Message) -> dict[str, Any]:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json_or_text(call.arguments)},
        }
        for call in message.tool_calls
    ]
    given = {key: value for key, value in asdict(message).items() if value and key != "tool_calls"}
    return {"content": "", **given, **({"tool_calls": calls} if calls else {})}


def json_or_text(text: str) -> Any:
    """Give the value of a text that is JSON, and any other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


_TOOL: Final = {
    "type": "function",
    "function": {"name": "wait", "description": "Waits.", "parameters": {"type": "object", "properties": {}}},
}
