"""What the copies of the interpreter in serving engines do in another way than transformers 5.24.0, by its reason.

Each reason replaces the one function of a copy that makes the difference by the one of 5.24.0. A difference is
explained by reasons only if it is gone with these amendments, and each says of template, text and tools that it can
matter there. What needs anything else is a difference that nobody knows.
"""

from __future__ import annotations

import inspect
import itertools
import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import regex
from transformers.utils.chat_parsing import content_parsers as of_transformers
from transformers.utils.chat_parsing import response_parser as parser_of_transformers
from transformers.utils.chat_template_utils import get_json_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from support.engine_copies import Generation

_EDGE: Final = regex.compile(r"\$|\\[zZbB]|\(\?<?[=!]")
_BARE_KEY: Final = regex.compile(r"[{,]\s*\w+\s*:")
_DEEP: Final = 300
_LONGEST_EXACT: Final = 15
_MOST_TOGETHER: Final = 3


@dataclass(frozen=True)
class Reason:
    """Why a copy differs from 5.24.0.

    Attributes:
        name: what tests and messages call it.
        engines: the engines whose copy differs so.
        matters: tells whether it can matter to a generation.
        amend: makes the copy as 5.24.0 in this one way.
    """

    name: str
    engines: tuple[str, ...]
    matters: Callable[[Generation], bool]
    amend: Callable[[Copy, ExitStack], None]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Copy:
    """The modules of a copy."""

    package: ModuleType

    @property
    def parser(self) -> Any:
        return self.package.response_parser

    @property
    def contents(self) -> Any:
        return self.package.content_parsers

    @property
    def engine(self) -> str:
        return self.package.__name__.rpartition("_")[2]


@contextmanager
def amended(copy: Copy, reasons: tuple[Reason, ...]) -> Iterator[None]:
    """Let a copy be as 5.24.0 in these ways for a while."""
    with ExitStack() as stack:
        for reason in reasons:
            reason.amend(copy, stack)
        yield


def combinations_of(reasons: list[Reason]) -> Iterator[tuple[Reason, ...]]:
    """Yield the ways to explain a difference, those with the fewest reasons first."""
    for count in range(1, min(len(reasons), _MOST_TOGETHER) + 1):
        yield from itertools.combinations(reasons, count)


def _in_globals(function: Any, module: ModuleType) -> FunctionType:
    """Return a function of 5.24.0 that calls the functions of the copy."""
    return FunctionType(function.__code__, vars(module), function.__name__, function.__defaults__)


def _contents_of(template: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every content parser that a template names with its arguments, those of values included."""
    for field in template["fields"].values():
        name, args = field.get("content", "text"), field.get("content_args") or {}
        while True:
            yield name, args
            inner = args.get("value_parser")
            if not inner:
                break
            name, args = inner.get("name", "text"), inner.get("args") or {}


def _patterns(template: dict[str, Any], key: str) -> list[str]:
    return [field[key] for field in template["fields"].values() if key in field]


def _declared(tools: Any) -> Iterator[tuple[str, ...]]:
    """Yield the types that tools declare of each of their parameters."""
    for tool in tools or []:
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        parameters = function.get("parameters") if isinstance(function, dict) else None
        properties = parameters.get("properties") if isinstance(parameters, dict) else None
        for schema in (properties or {}).values():
            yield parser_of_transformers._schema_types(schema)


def _replace_content(name: str, function: str) -> Callable[[Copy, ExitStack], None]:
    def amend(copy: Copy, stack: ExitStack) -> None:
        parser = _in_globals(getattr(of_transformers, function), copy.contents)
        stack.enter_context(patch.dict(copy.contents.CONTENT_PARSERS, {name: parser}))

    return amend


def _check_the_edge(copy: Copy, stack: ExitStack) -> None:
    rule = _in_globals(parser_of_transformers.ResponseParser._can_grow, copy.parser)
    stack.enter_context(patch.object(copy.parser.ResponseParser, "_can_grow", rule))


def _capture_at_closes(copy: Copy, stack: ExitStack) -> None:
    scan = copy.parser.ResponseParser._scan

    def scan_and_capture(self: Any, watch: Any, eos: bool) -> Any:
        best, hold_start = scan(self, watch, eos)
        if best is not None and best[0] == "close":
            groups = {name: text for name, text in best[2].groupdict().items() if text is not None}
            # A new dict: the event of the opener may hold the old one.
            self._captures = {**self._captures, **groups}
        return best, hold_start

    stack.enter_context(patch.object(copy.parser.ResponseParser, "_scan", scan_and_capture))


class DeepValueError(RecursionError, ValueError):
    """A RecursionError that the copies take for a region that cannot be read."""


def _deep_is_malformed(copy: Copy, stack: ExitStack) -> None:
    _replace_content("json", "_json")(copy, stack)
    process = copy.parser.process_field

    def process_deep(*args: Any) -> Any:
        try:
            return process(*args)
        except RecursionError as error:
            raise DeepValueError from error

    stack.enter_context(patch.object(copy.parser, "process_field", process_deep))


def _add_call_lists(copy: Copy, stack: ExitStack) -> None:
    call_lists = {"python-call-list": of_transformers._python_call_list}
    stack.enter_context(patch.dict(copy.contents.CONTENT_PARSERS, call_lists))


def _cast_text(copy: Copy, stack: ExitStack) -> None:
    cast = _in_globals(parser_of_transformers._coerce, copy.parser)
    stack.enter_context(patch.object(copy.parser, "_coerce", cast))


def _cast_json(copy: Copy, stack: ExitStack) -> None:
    stack.enter_context(patch.object(copy.parser, "_json_valued", lambda field: False))


def _mark_by_content(copy: Copy, stack: ExitStack) -> None:
    accumulate = copy.parser.ResponseParser._accumulate

    def accumulate_marked(self: Any, events: list[dict[str, Any]], text: str) -> None:
        before = len(events)
        accumulate(self, events, text)
        for event in events[before:]:
            if event["type"] == "region_chunk":
                content = self._spec.fields[event["field"]].content
                event["dirty"] = content not in of_transformers.STREAMABLE_PARSERS

    stack.enter_context(patch.object(copy.parser.ResponseParser, "_accumulate", accumulate_marked))


def _read_functions(copy: Copy, stack: ExitStack) -> None:
    init = copy.parser.ResponseParser.__init__

    def init_with_schemas(self: Any, template: Any, prefix: Any = None, *, tools: Any = None) -> None:
        schemas = [get_json_schema(tool) if inspect.isfunction(tool) else tool for tool in tools or []]
        init(self, template, prefix, tools=schemas)

    stack.enter_context(patch.object(copy.parser.ResponseParser, "__init__", init_with_schemas))


def _has_edges(generation: Generation) -> bool:
    patterns = (_patterns(generation.template, key) for key in ("open_pattern", "close_pattern"))
    return any(_EDGE.search(pattern) for pattern in itertools.chain(*patterns))


def _has_groups_in_closers(generation: Generation) -> bool:
    patterns = _patterns(generation.template, "close_pattern")
    return any(regex.compile(pattern, regex.DOTALL).groupindex for pattern in patterns)


def _has_bare_keys(generation: Generation) -> bool:
    lax = any(args.get("unquoted_keys") for _, args in _contents_of(generation.template))
    return lax and _BARE_KEY.search(generation.text) is not None


def _merges_lists(generation: Generation) -> bool:
    return any(args.get("merge_duplicates") for _, args in _contents_of(generation.template))


def _is_deep(generation: Generation) -> bool:
    names = {name for name, _ in _contents_of(generation.template)}
    depth = sum(map(generation.text.count, "[{"))
    return depth > _DEEP and bool(names & {"json", "xml-inline", "kv-lines"})


def _has_call_lists(generation: Generation) -> bool:
    return "python-call-list" in {name for name, _ in _contents_of(generation.template)}


def _declares_unions_or_long_numbers(generation: Generation) -> bool:
    digits = regex.search(rf"\d{{{_LONGEST_EXACT},}}", generation.text) is not None
    return any(
        ("string" in types and set(types) != {"string"}) or (digits and "number" in types)
        for types in _declared(generation.tools)
    )


def _declares_text_and_more_for_json(generation: Generation) -> bool:
    json_valued = any(name == "json" for name, _ in _contents_of(generation.template))
    return json_valued and any(
        "string" in types and set(types) != {"string"} for types in _declared(generation.tools)
    )


def _has_other_marks(generation: Generation) -> bool:
    return any(
        field.get("content", "text") in ("int", "float", "bool")
        or (field.get("content", "text") == "text" and field.get("transform") is not None)
        for field in generation.template["fields"].values()
    )


def _has_functions(generation: Generation) -> bool:
    return any(map(inspect.isfunction, generation.tools or []))


_BOTH: Final = ("vllm", "sglang")

REASONS: Final = (
    Reason("assertions at the edge of the text", _BOTH, _has_edges, _check_the_edge),
    Reason("groups of closers", _BOTH, _has_groups_in_closers, _capture_at_closes),
    Reason("bare keys", _BOTH, _has_bare_keys, _replace_content("json", "_json")),
    Reason("merged lists", _BOTH, _merges_lists, _replace_content("xml-inline", "_xml_inline")),
    Reason("deep JSON", _BOTH, _is_deep, _deep_is_malformed),
    Reason("python-call-list", _BOTH, _has_call_lists, _add_call_lists),
    Reason("tools that are functions", _BOTH, _has_functions, _read_functions),
    Reason("casts to unions and long numbers", ("sglang",), _declares_unions_or_long_numbers, _cast_text),
    Reason("strings of JSON", ("sglang",), _declares_text_and_more_for_json, _cast_json),
    Reason("marks of chunks", ("sglang",), _has_other_marks, _mark_by_content),
)


def reasons_for(generation: Generation, engine: str) -> list[Reason]:
    """Return the reasons that can matter to a generation in an engine's copy."""
    return [reason for reason in REASONS if engine in reason.engines and reason.matters(generation)]


def described(generation: Generation, chunks: list[str]) -> str:
    """Return a generation as one line of JSON."""
    case = {"template": generation.template, "prefix": generation.prefix, "chunks": chunks}
    return json.dumps({**case, "tools": generation.tools}, default=repr)
