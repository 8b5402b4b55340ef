"""Calls that are written as a list of calls in Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from respc.inferring.call_formats import CallFormat, call_transform
from respc.inferring.envelope import Span, envelope_of
from respc.inferring.probes import FIRST_KEY, FIRST_NAME, FIRST_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_sights import CallSights

_LIST: Final = re.compile(rf"\[\s*{FIRST_NAME}\(\s*{FIRST_KEY}\s*=\s*['\"]?{FIRST_VALUE}['\"]?\s*\)\s*\]")


def python_calls(sights: CallSights) -> Iterator[CallFormat]:
    """Yield the way to read a list of calls in Python."""
    found = _LIST.search(sights.one)
    if found is None:
        return
    envelope = envelope_of(sights.one, Span(found.start(), found.end()), None, None, None)
    function = {"name": "{name}", "arguments": "{arguments}"}
    yield CallFormat(
        "a list of calls in Python",
        sights.sight,
        envelope,
        "",
        r"\[\s*[A-Za-z_]",
        r"\[\s*[A-Za-z_][\w.\-]*\(",
        r"\)\s*\]",
        "python-call-list",
        call_transform(function),
        each=True,
    )
