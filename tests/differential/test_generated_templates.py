"""Random templates and texts: delimiters that collide, odd arguments, everything at once."""

from __future__ import annotations

from hypothesis import event, given

from support.checking import check, refusal_difference
from support.oracle import Refusal, TooSlowError, compile_or_refuse
from support.strategies import Example, examples, generated


@generated(150)
@given(examples(texts=5))
def test_generated(example: Example) -> None:
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
