"""What a parser makes of one output, step by step, for people to see.

``recording`` feeds the text and remembers; ``rows`` lays the text out; ``terminal``, ``page`` and ``records`` print.
"""

from respc.trace.model import Failure, Held, Mark, Step, Suspect, Trace
from respc.trace.tracing import trace_response, trace_source

__all__ = ["Failure", "Held", "Mark", "Step", "Suspect", "Trace", "trace_response", "trace_source"]
