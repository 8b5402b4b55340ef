"""Measures a template on a user's own outputs: the compiled parser beside the interpreter, where that is installed."""

from respc.measuring.engines import (
    INTERPRETER_VERSION,
    Engine,
    OtherInterpreterError,
    compiled_engine,
    interpreter_engine,
)
from respc.measuring.equality import compare
from respc.measuring.example import Example, example_of
from respc.measuring.figures import Figures, Ratio, measure
from respc.measuring.samples import Sample, SampleError, read_samples

__all__ = [
    "INTERPRETER_VERSION",
    "Engine",
    "Example",
    "Figures",
    "OtherInterpreterError",
    "Ratio",
    "Sample",
    "SampleError",
    "compare",
    "compiled_engine",
    "example_of",
    "interpreter_engine",
    "measure",
    "read_samples",
]
