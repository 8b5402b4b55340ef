"""Makes a disagreement small: removes what it does not need, from whole fields down to single characters."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Case = dict[str, Any]


def smaller_strings(text: str) -> Iterator[str]:
    """Yield shorter strings: halves cut out first, then single characters."""
    size = (len(text) + 1) // 2 if text else 0
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size :]
        size = size // 2 if size > 1 else 0


def smaller_values(value: Any) -> Iterator[Any]:
    """Yield simpler values of the same kind."""
    if isinstance(value, str):
        yield from smaller_strings(value)
    elif isinstance(value, dict):
        for key in value:
            yield {other: value[other] for other in value if other != key}
        for key in value:
            yield from ({**value, key: smaller} for smaller in smaller_values(value[key]))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index in range(len(value)):
            rest = value[index + 1 :]
            yield from ([*value[:index], smaller, *rest] for smaller in smaller_values(value[index]))


def smaller_cases(case: Case) -> Iterator[Case]:
    """Yield cases that are simpler in one place each."""
    chunks = case["chunks"]
    if case["tools"] is not None:
        yield {**case, "tools": None}
    if case["passes"] is not None:
        yield {**case, "passes": None}
    if len(chunks) > 1:
        yield {**case, "chunks": ["".join(chunks)]}
        for index in range(len(chunks) - 1):
            joined = [*chunks[:index], chunks[index] + chunks[index + 1], *chunks[index + 2 :]]
            yield {**case, "chunks": joined}
    yield from ({**case, "chunks": smaller} for smaller in smaller_values(chunks))
    yield from ({**case, "prefix": smaller} for smaller in smaller_strings(case["prefix"]))
    yield from ({**case, "template": smaller} for smaller in smaller_values(case["template"]))
    yield from ({**case, "tools": smaller} for smaller in smaller_values(case["tools"]))


def shrink(case: Case, still_differs: Callable[[Case], bool], seconds: float) -> Case:
    """Return the smallest case found in the given time for which ``still_differs`` holds."""
    until = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < until:
        progress = False
        for smaller in smaller_cases(case):
            if time.monotonic() > until:
                break
            if still_differs(deepcopy(smaller)):
                case, progress = smaller, True
                break
    return case
