"""The parsers that are compared, each ready for use as a server would have it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from transformers.utils.chat_parsing import ResponseParser as Interpreter
from transformers.utils.chat_parsing import parse_response as interpret
from transformers.utils.chat_parsing.response_templates import load_response_template

import respc
from benchmarks.equality import require_same, require_same_recording
from benchmarks.floors import LiteralFloor
from respc.diagnostics import Severity
from respc.measuring.equality import Recording, record
from respc.measuring.timing import own_copy, pour, seconds
from respc_runtime.batches import ParseResponse
from respc_runtime.serving import without_care

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.families import Family, Template
    from benchmarks.generations import Generation
    from respc.measuring.engines import Parser


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to parse.

    Attributes:
        open: begins a stream after a prompt.
        stream: begins one after the family's prompt, feeds all chunks and finishes.
        whole: parses a text after a prompt at once.
        batch: parses texts after one prompt, with or without tools.
    """

    open: Callable[[str], Parser]
    stream: Callable[[Sequence[str]], object]
    whole: Callable[[str, str], Any]
    batch: Callable[[list[str], str, Any], list[Any]]


def _streaming(open_: Callable[[str], Parser], prompt: str) -> Callable[[Sequence[str]], object]:
    loop = own_copy(pour)

    def stream(chunks: Sequence[str]) -> object:
        parser = open_(prompt)
        loop(parser.feed, chunks)
        return parser.finalize()

    return stream


@lru_cache(maxsize=32)
def interpreter(family: Family) -> Engine:
    """Make the interpreter of a family's template ready."""
    return of_template(family.template, family.prompt)


def of_template(template: Template, prompt: str = "") -> Engine:
    """Make the interpreter ready. Its template is loaded once, as a server would that minds the time."""
    loaded = load_response_template(template)

    def open_(prefix: str) -> Parser:
        return cast("Parser", Interpreter(loaded, prefix))

    return Engine(
        open_,
        _streaming(open_, prompt),
        lambda text, prefix: interpret(text, loaded, prefix=prefix),
        lambda texts, prefix, tools: [interpret(text, loaded, prefix=prefix, tools=tools) for text in texts],
    )


@lru_cache(maxsize=32)
def compiled(family: Family) -> Engine:
    """Compile the family's template."""
    return of_module(respc.load(family.template, name=family.name), family.prompt)


@lru_cache(maxsize=32)
def serving(family: Family, *, stable: bool, careful: bool = True) -> Engine | None:
    """Compile the family's template with serving events; None where it cannot be stable and shall be."""
    module = unless_unstable(family.template, family.name, events="serving", stable=stable)
    if module is None:
        return None
    return of_module(module, family.prompt) if careful else plain(module, family.prompt)


def plain(module: ModuleType, prompt: str = "") -> Engine:
    """Make a module with serving events ready that reads with no more care than the interpreter."""
    given = ModuleType(module.__name__)
    parser = without_care(module.ResponseParser)
    vars(given).update(vars(module), ResponseParser=parser, parse_response=ParseResponse(parser))
    return of_module(given, prompt)


def unless_unstable(template: Template, name: str, *, events: str, stable: bool) -> ModuleType | None:
    """Compile a template; None where it cannot be stable and shall be."""
    try:
        return respc.load(template, name=name, events=events, stable=stable)
    except respc.TemplateError as refused:
        errors = [found for found in refused.diagnostics if found.severity is Severity.ERROR]
        if any(found.code.slug != "unstable-delimiter" for found in errors):
            raise
        return None


def of_module(module: ModuleType, prompt: str = "") -> Engine:
    """Make a compiled module ready, however it was made."""

    def open_(prefix: str) -> Parser:
        return cast("Parser", module.ResponseParser(prefix))

    return Engine(
        open_,
        _streaming(open_, prompt),
        lambda text, prefix: module.parse_response(text, prefix=prefix),
        lambda texts, prefix, tools: cast(
            "list[Any]", module.parse_response(texts, prefix=prefix, tools=tools)
        ),
    )


_floor_loop = own_copy(pour)


def stream_floor(chunks: Sequence[str]) -> object:
    """Stream through the literal floor, which has nothing to finish."""
    parser = LiteralFloor()
    _floor_loop(parser.feed, chunks)
    return parser


def require_same_stream(family: Family, chunks: Sequence[str], reference: Engine | None = None) -> float:
    """Compare what both parsers give for the chunks, and give the seconds that the interpreter took.

    Raises:
        UnequalError: they differ.
    """
    expected: list[Recording] = []
    one, other = reference or interpreter(family), compiled(family)
    taken = seconds(lambda: expected.append(record(lambda: one.open(family.prompt), chunks)))
    actual = record(lambda: other.open(family.prompt), chunks)
    require_same_recording(expected[0], actual, f"{family.name}, streamed")
    return taken


def require_same_message(family: Family, generation: Generation) -> float:
    """Compare the messages of both parsers and of the floor, and give the seconds that the interpreter took.

    Raises:
        UnequalError: they differ.
    """
    expected: list[Any] = []
    taken = seconds(lambda: expected.append(interpreter(family).whole(generation.text, family.prompt)))
    require_same_floor(family, generation)
    actual = compiled(family).whole(generation.text, family.prompt)
    require_same(expected[0], actual, f"{family.name}, whole text")
    return taken


def require_same_floor(family: Family, generation: Generation) -> None:
    """Compare the messages of the compiled parser and of the floor.

    Raises:
        UnequalError: they differ.
    """
    actual = compiled(family).whole(generation.text, family.prompt)
    require_same(family.floor(generation.text, family.prompt), actual, f"{family.name}, floor")
