"""Random templates and texts against the engines' copies of the interpreter, which are amended to be as 5.24.0 is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import event, given

import respc
from support.engine_amendments import REASONS, amended, described
from support.engine_copies import Generation, of_copy, of_module
from support.oracle import NEVER_ENDS, TooSlowError
from support.strategies import Example, examples, generated
from support.strictness import first_difference

if TYPE_CHECKING:
    from support.engine_amendments import Copy


@generated(120)
@given(example=examples(texts=4))
def test_generated(copy: Copy, example: Example) -> None:
    try:
        module = respc.load(example.template, events="serving", stable=False)
    except respc.TemplateError:
        event("refused")
        return
    reasons = tuple(reason for reason in REASONS if copy.engine in reason.engines)
    for made in example.generations:
        generation = Generation(example.template, made.prefix, made.text, made.tools)
        for name, chunks in made.chunkings():
            try:
                with amended(copy, reasons):
                    expected = of_copy(copy, generation, chunks)
            except TooSlowError:
                event("too slow in the copy")
                break
            actual = of_module(module, generation, chunks)
            if expected[-1] == NEVER_ENDS:
                event("never ends")
                expected.pop()
                actual = actual[: len(expected)]
            difference = first_difference(expected, actual, "seen")
            assert difference is None, f"{name}: {difference}\n{described(generation, chunks)}"
