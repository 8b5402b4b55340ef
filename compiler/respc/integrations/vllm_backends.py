"""What vLLM's backends of structured outputs are given: each one a grammar in the form that it reads.

Which backend a server has is not shown to parsers: vLLM writes it into the parameters of a request when it looks at
them. Those that a grammar holds wait for that, and are ordinary ones from then on.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_BACKEND: Final = "_backend"
_UNDECIDED: Final = (None, "auto")
_READS_LARK: Final = "guidance"
"""llguidance, which reads no structural tags but those that list schemas of JSON."""
_LARK: Final = "_respc_lark"


def parameters_of(tag: str, lark: Callable[[], str | None]) -> Any:
    """Give parameters with a structural tag, which a backend that reads none gets as Lark.

    Args:
        tag: the structural tag, in JSON.
        lark: writes the same grammar as Lark, or gives None where it cannot be.
    """
    parameters = _class_of(import_module("vllm.sampling_params").StructuredOutputsParams)(structural_tag=tag)
    parameters.__dict__[_LARK] = lark
    return parameters


def has_grammar(parameters: Any) -> bool:
    """Tell whether a grammar of calls is among parameters, in any form."""
    forms = ("structural_tag", "grammar")
    return any(getattr(parameters, form, None) is not None for form in forms)


@cache
def _class_of(plain: Any) -> Callable[..., Any]:
    # Which class it is, is known when vLLM is there, and not to a checker.
    class WaitingParameters(plain):  # type: ignore[misc]
        """Parameters that become ordinary ones as soon as vLLM says which backend reads them."""

        def __setattr__(self, name: str, value: Any) -> None:
            object.__setattr__(self, name, value)
            if name != _BACKEND or value in _UNDECIDED:
                return
            lark = self.__dict__.pop(_LARK)
            self.__class__ = plain
            written = lark() if value == _READS_LARK else None
            if written is not None:
                self.structural_tag, self.grammar = None, written

    return cast("Callable[..., Any]", WaitingParameters)
