"""What SGLang's backends of grammars are given: each one a grammar in the form that it reads."""

from __future__ import annotations

from typing import Any, Final

XGRAMMAR: Final = "xgrammar"
LLGUIDANCE: Final = "llguidance"
READ_GRAMMARS: Final = (XGRAMMAR, LLGUIDANCE)
"""The backends that read grammars of calls: outlines does not."""

CONSTRAINTS: Final = (
    "sglang.srt.function_call.function_call_parser.FunctionCallParser.get_structure_constraint"
)
"""Where SGLang names the form of a grammar: a hook is there for llguidance, for which it knows no form of ours."""
# SGLang's name for what llguidance takes as Lark, if it is.
_LARK: Final = "ebnf"


def constraint_for_backend(constraint: Any, parser: Any, *_request: Any, **_options: Any) -> Any:
    """Give what holds the calls of a request in the form that the backend of this server reads.

    Args:
        constraint: what SGLang would give it: the form and the grammar, or None.
        parser: SGLang's parser of calls, which has a detector.

    Returns:
        None where that is right already.
    """
    lark_of = getattr(parser.detector, "lark_of", None)
    lark = None if lark_of is None or constraint is None else lark_of(constraint[1])
    return None if lark is None else (_LARK, lark)
