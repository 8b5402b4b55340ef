"""In a standalone module everything that runs at import stands behind what it needs."""

from __future__ import annotations

import pytest

import respc
from respc.codegen.runtime_names import needed_names, runtime_index
from support.modules import module_of


@pytest.mark.parametrize("events", ["default", "serving"])
def test_a_standalone_module_of_any_form_runs(events: str) -> None:
    template = {"start_anchor": "A", "fields": {"content": {"open": "<c>", "close": "</c>"}}}
    source = respc.compile_template(template, standalone=True, events=events, formatted=False).source
    assert module_of(source).parse_response("<c>a</c>", prefix="") == {"content": "a"}


def test_of_all_the_runtime_nothing_comes_before_what_it_loads() -> None:
    index = runtime_index()
    names = needed_names(index)
    for place, name in enumerate(names):
        needed = index[name].loads - {name}
        assert needed <= set(names[:place]), name
