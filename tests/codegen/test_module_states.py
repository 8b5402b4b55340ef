"""How a module writes its states: once where several regions end alike, and its public names in lines."""

from __future__ import annotations

from typing import Any, Final

import respc
from support.modules import module_of

CLOSE: Final = {"close_pattern": r"</x>\s*|(?=<x>)"}
TEMPLATE: Final[dict[str, Any]] = {
    "start_anchor": "@",
    "fields": {
        "thought": {"open": "<t>", **CLOSE},
        "calls": {"open": "<c>", **CLOSE, "content": "json", "repeats": True},
        "number": {"open": "<n>", "close": "</n>", "content": "int"},
    },
}


def test_regions_that_end_alike_share_a_state() -> None:
    source = respc.compile_template(TEMPLATE).source
    assert source.count("\n_INSIDE: Final = State(") == 1
    assert "_INSIDE_2" not in source
    assert source.count("_INSIDE.changed(") == 2
    module = module_of(source)
    message = module.parse_response("<t>a</x> <n>1</n><c>[2]<x>", prefix="")
    assert message == {"thought": "a", "number": 1, "calls": [[2]]}
    states = module.ResponseParser.states.following
    assert states["thought"].scan is states["calls"].scan
    assert states["thought"].chunk != states["calls"].chunk


def test_others_have_states_of_their_own() -> None:
    fields = {**TEMPLATE["fields"], "calls": {"open": "<c>", "close": "</c>", "content": "json"}}
    assert "_INSIDE" not in respc.compile_template({**TEMPLATE, "fields": fields}).source


def test_public_names_stand_in_lines_however_many_there_are() -> None:
    keys = {f"a_rather_long_name_of_key_{number}": {"in": "{content}"} for number in range(20)}
    field = {"open": "<t>", "close": "</t>", "transform": keys}
    source = respc.compile_template({"start_anchor": "@", "fields": {"texts": field}}).source
    lines = [line for line in source.splitlines() if line.startswith("__all__ ")]
    assert len(lines) > 10
    assert all(line.endswith("]") and len(line) <= 100 for line in lines)
    assert len(module_of(source).__all__) == 6 + 4 + 21
