"""Proving a spelling: calls that are written in it come back from the compiled parser."""

from __future__ import annotations

import marshal
from dataclasses import dataclass, replace
from string import punctuation
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.examples import TOOLS_OF_EXAMPLES
from respc.grammars.spelling import TagArguments, without_null
from respc.grammars.writing import write_behind, write_calls
from respc.source.json_kinds import is_list, is_object
from respc_runtime.errors import ResponseError
from respc_runtime.tools import prepare_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.grammars.spelling import Spelling
    from respc.verifying.reading import Parser

Call = tuple[str, dict[str, Any]]
_THOUGHT: Final = "They ask about the river."
_ANSWER: Final = "The water stands low today."
_GAUGE: Final[Call] = ("read_gauge", {"station": "Ulvik", "days": 2})
_HORN: Final[Call] = ("sound_horn", {})
_EACH: Final[list[Any]] = ["a ferry", "the mill's", 'say "b"', -3, 6.5, True, False, None, [], {}]
_BY_KIND: Final[dict[str, Call]] = {
    "integer": ("read_gauge", {"days": -3, "station": "Voss"}),
    "number": ("set_valve", {"label": "east", "width": 6.5}),
    "boolean": ("set_valve", {"ajar": False, "label": "west"}),
    "null": ("leave_note", {"remark": None}),
    "object": ("plan_trip", {"route": "x", "wishes": {"avoid": _EACH, "year": 2020, "stay": {}}}),
    "array": ("plan_trip", {"halts": [*_EACH, {"avoid": _EACH}], "route": "y"}),
}
_STRINGS: Final = (
    "42",
    "true",
    "null",
    "[1]",
    '{"a": 1}',
    '"x"',
    "3.5",
    " a ",
    "line\n  two",
    "None",
    "",
    "a < b > c & d",
)
_PREPARED: Final = prepare_tools(TOOLS_OF_EXAMPLES)


class NotProvedError(Exception):
    """What is written in a spelling does not come back; the message says what came."""


@dataclass(frozen=True)
class Proof:
    """A spelling all of whose texts were read back.

    Attributes:
        spelling: the spelling, without what did not come back: kinds of arguments, several calls, reasoning.
        gaps: what was left out, in words.
        not_first: characters that a string in a tag may not begin with.
        keeps_blanks: whether the blanks that a string begins and ends with come back.
    """

    spelling: Spelling
    gaps: tuple[str, ...]
    not_first: str = ""
    keeps_blanks: bool = True


def proved(spelling: Spelling, parser: Parser) -> Proof:
    """Try a spelling.

    Args:
        spelling: how the format is spelled.
        parser: the compiled module.

    Raises:
        NotProvedError: a single call does not come back.
    """
    trial = _Trial(spelling, parser)
    trial.check(_GAUGE)
    trial.check(_HORN)
    gaps = [*trial.strings(), *trial.kinds(), *trial.several(), *trial.reasoning(), *trial.content()]
    return Proof(trial.spelling, tuple(gaps), trial.not_first(), trial.keeps_blanks())


def _without_nulls(value: Any) -> Any:
    if is_object(value):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if is_list(value):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value


class _Trial:
    def __init__(self, spelling: Spelling, parser: Parser) -> None:
        self.spelling = spelling
        self._parser = parser

    def check(self, *calls: Call, before: str = "", prefix: str | None = None, **beside: str) -> None:
        """Write calls, and compare what comes back."""
        text = write_behind(before, calls, self.spelling.calls)
        read_back(
            self._parser, text, self.spelling.prefix if prefix is None else prefix, calls, beside, _PREPARED
        )

    def strings(self) -> list[str]:
        """Try strings that look like something else."""
        lost = [text for text in _STRINGS if self._fails(("read_gauge", {"station": text, "days": 1}))]
        return [f"the string {text!r} does not come back" for text in lost]

    def not_first(self) -> str:
        """Try strings in tags that begin with a mark of any kind: some patterns do not take all."""
        if not isinstance(self.spelling.calls.arguments, TagArguments):
            return ""
        begun = (("read_gauge", {"days": 1, "station": f"{mark}x"}) for mark in punctuation)
        return "".join(mark for mark, call in zip(punctuation, begun, strict=True) if self._fails(call))

    def keeps_blanks(self) -> bool:
        """Try strings with blanks around them: where they are taken off, a string can be none of its schema."""
        prefix, calls = self.spelling.prefix, self.spelling.calls
        for text in (" a ", "\na\n"):
            written = write_calls([("read_gauge", {"days": 1, "station": text})], calls)
            message = self._parser.parse_response(written, prefix=prefix, tools=_PREPARED)
            if _named(message)[0][1]["station"] != text:
                return False
        return True

    def kinds(self) -> list[str]:
        """Try arguments of each kind, and leave out the kinds that do not come back."""
        gaps: list[str] = []
        for kind, call in _BY_KIND.items():
            arguments = self.spelling.calls.arguments
            if kind not in arguments.kinds:
                gaps.append(f"how an argument that is a {kind} is written is not known")
            elif reason := self._failure(call):
                self._change(arguments=without_null(arguments, kind))
                if kind in ("array", "object") and not self._fails((call[0], _without_nulls(call[1]))):
                    gaps.append(f"a null in an argument that is a {kind} does not come back: {reason}")
                    continue
                gaps.append(f"an argument that is a {kind} does not come back: {reason}")
                self._change(arguments=arguments.without(kind))
        return gaps

    def several(self) -> list[str]:
        """Try several calls."""
        if self.spelling.calls.separator is None:
            return ["how several calls are written is not known"]
        reason = self._failure(_GAUGE, _HORN) or self._failure(_GAUGE, _BY_KIND["integer"], _HORN, _GAUGE)
        if reason:
            self._change(separator=None)
            return [f"several calls do not come back: {reason}"]
        return []

    def reasoning(self) -> list[str]:
        """Try reasoning in front of a call."""
        reasoning = self.spelling.reasoning
        if reasoning is None:
            return ["how reasoning in front of a call is written is not known"]
        gaps: list[str] = []
        if reasoning.opens is not None:
            before = reasoning.opens + _THOUGHT + reasoning.before_call
            if reason := self._failure(_GAUGE, before=before, reasoning_content=_THOUGHT):
                gaps.append(f"reasoning that the model opens does not come back: {reason}")
                reasoning = replace(reasoning, opens=None)
        before = _THOUGHT + reasoning.before_call
        opened = self.spelling.opened_prefix
        if opened is not None and (
            reason := self._failure(_GAUGE, before=before, prefix=opened, reasoning_content=_THOUGHT)
        ):
            gaps.append(f"reasoning that the prompt opens does not come back: {reason}")
            self.spelling = replace(self.spelling, opened_prefix=None)
        self.spelling = replace(self.spelling, reasoning=reasoning)
        return gaps

    def content(self) -> list[str]:
        """Try text in front of a call, and text alone."""
        content = self.spelling.content
        if content.before_call is None:
            return ["how text in front of a call is written is not known"]
        opens = content.opens if content.opens_before_call is None else content.opens_before_call
        before = opens + _ANSWER + content.before_call
        reason = self._failure(_GAUGE, before=before, content=_ANSWER)
        if reason:
            self.spelling = replace(self.spelling, content=replace(content, before_call=None))
            return [f"text in front of a call does not come back: {reason}"]
        return []

    def _change(self, **parts: Any) -> None:
        self.spelling = replace(self.spelling, calls=replace(self.spelling.calls, **parts))

    def _fails(self, *calls: Call) -> bool:
        return bool(self._failure(*calls))

    def _failure(self, *calls: Call, before: str = "", prefix: str | None = None, **beside: str) -> str:
        try:
            self.check(*calls, before=before, prefix=prefix, **beside)
        except NotProvedError as error:
            return str(error)
        return ""


def read_back(
    parser: Parser,
    text: str,
    prefix: str,
    calls: Sequence[Call],
    beside: dict[str, str],
    tools: Any,
) -> None:
    """Parse a text, and compare its calls and what is beside them.

    Raises:
        NotProvedError: another message comes back.
    """
    wanted = [[name, arguments] for name, arguments in calls]
    try:
        message = parser.parse_response(text, prefix=prefix, tools=tools)
        named = _named(message)
        is_alike = _alike(named, wanted)
        if not is_alike and _alike(named, wanted, texts=True):
            # Lists and objects as Python writes them are text for the interpreter, and not for serving parsers.
            message = parser.parse_response(text, prefix=prefix, tools=tools, errors="collect").message
            is_alike = _alike(_named(message), wanted)
    except (ResponseError, ValueError, KeyError, TypeError) as error:
        raise NotProvedError(f"{text!r} raises {type(error).__name__}: {error}") from error
    rest = {key: value for key, value in message.items() if key not in ("role", "tool_calls") and value}
    if not is_alike or not _alike(rest, beside):
        raise NotProvedError(f"{text!r} comes back as {message!r}")


def _named(message: dict[str, Any]) -> list[Any]:
    """List the calls of a message, each a name and arguments."""
    got: list[Any] = message.get("tool_calls") or []
    try:
        return [[call["function"]["name"], call["function"]["arguments"]] for call in got]
    except (KeyError, TypeError) as error:
        raise NotProvedError(f"there are no calls in {message!r}") from error


def _alike(got: Any, wanted: Any, *, texts: bool = False) -> bool:
    """Compare values; blanks around a string count for nothing, and lists and objects may be text if so asked."""
    # Most values come back as they are, and this tells 1, 1.0 and True apart.
    return _as_bytes(got) == _as_bytes(wanted) or _nearly_alike(got, wanted, texts=texts)


def _as_bytes(value: Any) -> bytes:
    """Write a value in a form that is the same for the same values, types and order of keys, and quickly made."""
    return marshal.dumps(value, 2)


def _nearly_alike(got: Any, wanted: Any, *, texts: bool) -> bool:
    if isinstance(got, str) and isinstance(wanted, str):
        return got.strip() == wanted.strip()
    if texts and isinstance(got, str):
        return is_list(wanted) or is_object(wanted)
    if is_object(got) and is_object(wanted):
        return got.keys() == wanted.keys() and all(
            _nearly_alike(got[key], wanted[key], texts=texts) for key in wanted
        )
    if is_list(got) and is_list(wanted):
        return len(got) == len(wanted) and all(
            _nearly_alike(one, other, texts=texts) for one, other in zip(got, wanted, strict=True)
        )
    return type(got) is type(wanted) and bool(got == wanted)
