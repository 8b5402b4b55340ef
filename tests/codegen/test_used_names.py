"""The names of the runtime that a module uses are found in its text, whatever a template calls its own things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

import respc
from respc.codegen.header import plan_header
from respc.codegen.module_writer import ModuleWriter
from respc.codegen.planning import plan_module
from respc.codegen.render import render_module
from respc.errors import InternalError
from respc.frontend import lower_template
from respc.options import DEFAULT_OPTIONS
from respc.passes import PASSES, run_passes
from respc.source import template_from_dict
from support.modules import module_of

CALL: Final = {"open": "<c>", "close": "</c>", "content": "json", "repeats": True}


@pytest.mark.parametrize("standalone", [False, True])
@pytest.mark.parametrize("name", ["parse_json", "descend", "State", "cut_after", "event", "value"])
def test_a_key_may_be_called_as_what_the_runtime_has(name: str, standalone: bool) -> None:
    transform = {name: "{content.name}", "type": "function"}
    template: dict[str, Any] = {
        "start_anchor": "@",
        "fields": {"calls": {**CALL, "transform": transform}, name: {"close": "<end>"}},
    }
    module = module_of(respc.compile_template(template, standalone=standalone, formatted=False).source)
    message = module.parse_response('x<c>{"name": "f"}</c>', prefix="")
    assert message == {name: "x", "calls": [{name: "f", "type": "function"}]}


@pytest.mark.parametrize("standalone", [False, True])
def test_a_name_that_nothing_has_is_a_fault_of_the_compiler(standalone: bool) -> None:
    ir = run_passes(lower_template(template_from_dict({"start_anchor": "@", "fields": {"a": {}}})), PASSES)
    header = plan_header("a.json", "0", DEFAULT_OPTIONS)
    plan = plan_module(ir, header, DEFAULT_OPTIONS, ModuleWriter(standalone=standalone))
    assert "cut_after" in render_module(plan, standalone=standalone)
    with pytest.raises(InternalError, match=r"the module for a\.json uses misspelt, which nothing has"):
        render_module(replace(plan, anchor_code='misspelt("@")'), standalone=standalone)
