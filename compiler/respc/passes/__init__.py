"""The optimisations: pure functions from IR to IR, each of which can be switched off.

With all of them off a module searches every delimiter with `regex`, looks at every chunk, and parses a whole text as a
stream: it is slow, and an oracle for the others. To add one: a file here, a line in `PIPELINE`, and a row of the
benchmarks that earns it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from respc.ir import ParserIR
from respc.passes.direct_chunks import direct_chunks
from respc.passes.expressions import expressions
from respc.passes.tag_segments import tag_segments
from respc.passes.whole_text import whole_text

PIPELINE = MappingProxyType[str, Callable[[ParserIR, bool], ParserIR]](
    {
        "expressions": expressions,
        "tag-segments": tag_segments,
        "direct-chunks": direct_chunks,
        "whole-text": whole_text,
    }
)
"""Every pass by its name, in the order they run. They take the IR, and whether the module has to be stable."""

PASSES = tuple(PIPELINE)
"""The names of the passes, in the order they run."""


def run_passes(ir: ParserIR, names: Iterable[str], *, stable: bool = False) -> ParserIR:
    """Run the named passes, in the order of the pipeline whatever order they are named in.

    Args:
        ir: the template, as lowered.
        names: of the passes.
        stable: whether the outcome may not depend on how the text is cut.

    Raises:
        ValueError: there is no pass of a name.
    """
    wanted = set(names)
    if unknown := wanted - PIPELINE.keys():
        raise ValueError(f"unknown passes {sorted(unknown)}; there are {list(PIPELINE)}")
    for name, run in PIPELINE.items():
        if name in wanted:
            ir = run(ir, stable)
    return ir
