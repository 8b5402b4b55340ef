"""The optimisations: pure functions from IR to IR, each of which can be switched off.

With all of them off a module searches every delimiter with `regex` and keeps all text; it is slow, and an oracle
for the others. To add one: a file here, a line in `PIPELINE`, and a row of the benchmarks that earns it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from respc.ir import ParserIR
from respc.passes.direct_chunks import direct_chunks
from respc.passes.first_characters import first_characters
from respc.passes.left_context import left_context
from respc.passes.literal_delimiters import literal_delimiters
from respc.passes.literal_patterns import literal_patterns
from respc.passes.one_search import one_search
from respc.passes.pattern_steps import pattern_steps
from respc.passes.shared_heads import shared_heads
from respc.passes.tag_steps import tag_steps
from respc.passes.whole_text import whole_text

PIPELINE = MappingProxyType[str, Callable[[ParserIR], ParserIR]](
    {
        "literal-delimiters": literal_delimiters,
        "literal-patterns": literal_patterns,
        "pattern-steps": pattern_steps,
        "tag-steps": tag_steps,
        "first-characters": first_characters,
        "left-context": left_context,
        "one-search": one_search,
        "shared-heads": shared_heads,
        "direct-chunks": direct_chunks,
        "whole-text": whole_text,
    }
)
"""Every pass by its name, in the order they run."""

PASSES = tuple(PIPELINE)
"""The names of the passes, in the order they run."""


def run_passes(ir: ParserIR, names: Iterable[str]) -> ParserIR:
    """Run the named passes, in the order of the pipeline whatever order they are named in.

    Raises:
        ValueError: there is no pass of a name.
    """
    wanted = set(names)
    if unknown := wanted - PIPELINE.keys():
        raise ValueError(f"unknown passes {sorted(unknown)}; there are {list(PIPELINE)}")
    for name, run in PIPELINE.items():
        if name in wanted:
            ir = run(ir)
    return ir
