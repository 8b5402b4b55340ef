"""The question that every differential test asks: does a template compiled behave as interpreted?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import regex

from respc.patterns import parse_pattern
from respc.scan.shapes import alternatives_of
from support.hostile_texts import example
from support.oracle import (
    Refusal,
    Trace,
    assert_same,
    compile_or_refuse,
    difference_between,
    interpret,
    refused_by_interpreter,
    run_compiled,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

Passes = tuple[str, ...] | None

PLACES_TO_TRY = ("", "a", "\n", "abc\n", "<a>b", " a b", "a\n\n", "\x00")


def describe(template: Any, prefix: str, chunks: list[str], tools: Any, passes: Passes = None) -> str:
    """Return a case as one line of JSON, ready to be run again."""
    case = {"template": template, "prefix": prefix, "chunks": chunks, "tools": tools, "passes": passes}
    # A function among the tools has no JSON: its name says which one it was.
    return json.dumps(case, default=repr)


def could_never_end(template: dict[str, Any], texts: Iterable[str] = ()) -> bool:
    """Return whether a field opens and closes empty at one place of a text: there the interpreter loops."""
    tried = [*PLACES_TO_TRY, *texts]
    for spec in template["fields"].values():
        if "open_pattern" not in spec or "close_pattern" not in spec:
            continue
        opener = regex.compile(spec["open_pattern"], regex.DOTALL)
        closer = regex.compile(spec["close_pattern"], regex.DOTALL)
        branches = (
            branch
            for key in ("open_pattern", "close_pattern")
            for branch in alternatives_of(parse_pattern(spec[key]))
        )
        of_patterns = [example(branch, optional=False) for branch in branches]
        for text in [*tried, *spec["open_pattern"], *spec["close_pattern"], *of_patterns]:
            opens = {m.start() for m in opener.finditer(text, overlapped=True) if m.start() == m.end()}
            closes = {m.start() for m in closer.finditer(text, overlapped=True) if m.start() == m.end()}
            if opens & closes:
                return True
    return False


def refusal_difference(template: Any, result: ModuleType | Refusal, texts: Iterable[str] = ()) -> str | None:
    """Return how accepting or refusing a template differs from the interpreter, or None.

    A template on which the interpreter could loop for ever may be refused.
    """
    expected = refused_by_interpreter(template)
    if expected is None and isinstance(result, Refusal):
        if result.error == "ValueError" and could_never_end(template, texts):
            return None
        return f"refused with {result.error}, but the interpreter accepts it: {result.reason}"
    if expected is not None and not isinstance(result, Refusal):
        return f"accepted, but the interpreter refuses it with {expected.error}: {expected.reason}"
    if expected is not None and isinstance(result, Refusal) and expected.error != result.error:
        return f"refused with {result.error}, but the interpreter refuses it with {expected.error}"
    return None


def case_difference(case: dict[str, Any]) -> str | None:
    """Return how the compiler differs from the interpreter on a case as ``describe`` writes it, or None."""
    passes = None if case.get("passes") is None else tuple(case["passes"])
    expected_refusal = refused_by_interpreter(case["template"])
    module = compile_or_refuse(case["template"], passes)
    text = case["prefix"] + "".join(case["chunks"])
    difference = refusal_difference(case["template"], module, [text])
    if difference is not None or expected_refusal is not None or isinstance(module, Refusal):
        return difference
    expected = interpret(case["template"], case["prefix"], case["chunks"], case["tools"])
    return difference_between(expected, run_compiled(module, case["prefix"], case["chunks"], case["tools"]))


def check(
    template: dict[str, Any],
    modules: dict[Passes, ModuleType],
    prefix: str,
    chunkings: Iterable[tuple[str, list[str]]],
    tools: Any = None,
    context: str = "",
) -> list[Trace]:
    """Assert that each module behaves as the interpreter does; return the interpreter's traces."""
    traces = []
    for name, chunks in chunkings:
        expected = interpret(template, prefix, chunks, tools)
        traces.append(expected)
        for passes, module in modules.items():
            actual = run_compiled(module, prefix, chunks, tools)
            if difference_between(expected, actual) is not None:
                case = describe(template, prefix, chunks, tools, passes)
                assert_same(expected, actual, f"{context}, {name}, passes {passes}\n{case}")
    return traces
