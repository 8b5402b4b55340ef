"""The handshake between a compiled parser and this runtime.

The number is not the release: it changes only when a compiled parser would misbehave with another runtime, and a
runtime serves a range of numbers, so that parsers compiled long ago keep working. The compiler, which writes parsers
for the newest, names that in its own `__init__.py`.
"""

from __future__ import annotations

from typing import Final

ABI: Final = 6
"""The newest number that this runtime serves: 6 has the notation of beginnings, and parsers that ask first."""

OLDEST_ABI: Final = 4
"""The oldest number that this runtime still serves."""


def require_abi(number: int, module: str) -> int:
    """Refuse a compiled parser that this runtime cannot serve; a parser asks before it imports anything else of it.

    Args:
        number: the ABI that the parser was compiled for.
        module: the parser's module name, for the message.

    Returns:
        The number, which the parser keeps.

    Raises:
        ImportError: the runtime is too old or too new for the parser; says which, where it is, and what to do.
    """
    if OLDEST_ABI <= number <= ABI:
        return number
    served = f"{OLDEST_ABI} to {ABI}" if OLDEST_ABI < ABI else f"{ABI} alone"
    advice = (
        "install the runtime of the respc that compiled it: `pip install ./runtime` in its checkout, or with the "
        "compiler `pip install .`"
        if number > ABI
        else "compile its template again with `respc compile`"
    )
    raise ImportError(
        f"{module} was compiled for ABI {number} of respc_runtime, and {__file__} serves {served}: {advice}"
    )
