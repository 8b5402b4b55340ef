"""States take their searches as a whole: another thread that makes a parser meanwhile sees none that are half made."""

from __future__ import annotations

from typing import Any

from respc_runtime.searches import compiled
from respc_runtime.states import State


def test_a_state_has_all_of_its_searches_or_none() -> None:
    had_some: list[bool] = []

    def make(pattern: str) -> Any:
        had_some.append(any(hasattr(state, name) for name in ("find", "gated", "last", "runs", "scan")))
        return compiled(pattern)

    state = State(r"<b>(?P<close>)", longer=r"<a>\Z", hides=True, make=make)
    shared = state.changed(stably=True)
    shared.ready()
    assert len(had_some) > 1
    assert not any(had_some)
    assert state.ready().scan("<a>", 0) is not None
    assert shared.last is state.last
    assert shared.scan is state.searches.stable
