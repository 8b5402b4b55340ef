"""Random templates and texts: delimiters that collide, odd arguments, everything at once; and real ones, changed."""

from __future__ import annotations

import pytest
from hypothesis import event, given

from support.checking import check, refusal_difference
from support.mutating import mutated_examples
from support.oracle import Refusal, TooSlowError, compile_or_refuse
from support.strategies import Example, examples, generated


@generated(40)
@given(examples(texts=5))
def test_generated(example: Example) -> None:
    check_example(example)


@pytest.mark.long
@generated(150)
@given(examples(texts=5))
def test_many_generated(example: Example) -> None:
    check_example(example)


@generated(25)
@given(mutated_examples(texts=4))
def test_changed(example: Example) -> None:
    check_example(example)


@pytest.mark.long
@generated(400)
@given(mutated_examples(texts=5))
def test_many_changed(example: Example) -> None:
    check_example(example)


def check_example(example: Example) -> None:
    """Assert that a template is refused, or behaves, as in the interpreter: with all passes, and with none."""
    modules = {}
    texts = [generation.prefix + generation.text for generation in example.generations]
    for passes in (None, ()):
        result = compile_or_refuse(example.template, passes)
        assert refusal_difference(example.template, result, texts) is None
        if isinstance(result, Refusal):
            event("refused")
            return
        modules[passes] = result
    for generation in example.generations:
        prefix, tools = generation.prefix, generation.tools
        try:
            traces = check(example.template, modules, prefix, generation.chunkings(), tools, "generated")
        except TooSlowError:
            event("too slow in the interpreter")
            continue
        event(f"fails with {traces[0].error}" if traces[0].error else "gives a message")
