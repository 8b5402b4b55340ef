"""The handshake between a compiled parser and this runtime.

The number is not the release: it changes only when a compiled parser would misbehave with another runtime, and a
runtime serves a range of numbers, so that parsers compiled long ago keep working.
"""

from __future__ import annotations

from typing import Final

ABI: Final = 6
"""The newest number that this runtime serves: 6 reads `respc_runtime.beginnings`, 5 has parsers that collect errors."""

OLDEST_ABI: Final = 4
"""The oldest number that this runtime still serves."""


def require_abi(number: int, module: str) -> None:
    """Refuse a compiled parser that this runtime cannot serve.

    Args:
        number: the ABI that the parser was compiled for.
        module: the parser's module name, for the message.

    Raises:
        ImportError: the runtime is too old or too new for the parser; says which, and what to run.
    """
    if OLDEST_ABI <= number <= ABI:
        return
    served = f"{OLDEST_ABI} to {ABI}" if OLDEST_ABI < ABI else f"{ABI} alone"
    advice = (
        "upgrade it with `pip install --upgrade respc`"
        if number > ABI
        else "compile its template again with `respc compile`"
    )
    raise ImportError(
        f"{module} was compiled for ABI {number} of respc_runtime, this one serves {served}: {advice}"
    )
