"""What vLLM loads at its start: names alone, and never an exception."""

from __future__ import annotations

import logging
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from respc.families import families
from respc.integrations import vllm_parsers
from respc.integrations.vllm_plugins import register

TOOLS = "vllm.tool_parsers.abstract_tool_parser"
REASONING = "vllm.reasoning.abs_reasoning_parsers"
PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


class Registry:
    """A registry of vLLM."""

    def __init__(self) -> None:
        self.names: dict[str, tuple[str, str]] = {}

    def register_lazy_module(self, name: str, module_path: str, class_name: str) -> None:
        self.names[name] = (module_path, class_name)


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A vLLM that has both registries and nothing else."""
    made: dict[str, Any] = {"ToolParserManager": Registry(), "ReasoningParserManager": Registry()}
    for name, manager in ((TOOLS, "ToolParserManager"), (REASONING, "ReasoningParserManager")):
        module = ModuleType(name)
        setattr(module, manager, made[manager])
        monkeypatch.setitem(sys.modules, name, module)
        for parent in ("vllm", name.rpartition(".")[0]):
            monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    return made


def test_every_family_and_the_own_template_have_names(registries: dict[str, Any]) -> None:
    register()
    names = {"respc", *(f"respc_{family}" for family in families())}
    for registry in registries.values():
        assert set(registry.names) == names
    module, class_name = registries["ToolParserManager"].names["respc_qwen3"]
    assert module == vllm_parsers.__name__
    assert class_name != registries["ReasoningParserManager"].names["respc_qwen3"][1]


def test_without_vllm_it_is_a_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("vllm", TOOLS, REASONING):
        monkeypatch.setitem(sys.modules, name, None)
    with caplog.at_level(logging.WARNING):
        register()
    assert len(caplog.records) == 2
    assert "ToolParserManager" in caplog.text
    assert "need vLLM 0.33" in caplog.text


def test_another_registry_is_a_warning(caplog: pytest.LogCaptureFixture, registries: dict[str, Any]) -> None:
    del sys.modules[TOOLS].ToolParserManager  # type: ignore[attr-defined]
    with caplog.at_level(logging.WARNING):
        register()
    assert [TOOLS in record.getMessage() for record in caplog.records] == [True]
    assert len(registries["ReasoningParserManager"].names) == len(families()) + 1


def test_a_vllm_without_what_parsers_are_made_of_is_told(registries: dict[str, Any]) -> None:
    vllm_parsers._made_class.cache_clear()
    with pytest.raises(ImportError, match=r"need vLLM 0\.33"):
        vllm_parsers.respc_qwen3_tool_parser  # noqa: B018


@pytest.mark.parametrize(
    "name", ["nothing", "respc_unknown_tool_parser", "other_qwen3_tool_parser", "_tool_parser"]
)
def test_other_names_are_no_classes(registries: dict[str, Any], name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(vllm_parsers, name)


def test_registering_imports_no_compiler_and_no_parser() -> None:
    code = (
        "import sys, respc.integrations.vllm_plugins as plugins; plugins.register(); "
        "print([name for name in sys.modules if name.split('.')[0] in ('black', 'jinja2', 'rich', 'regex')"
        " or name.startswith('respc_parsers.')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_the_project_names_the_function() -> None:
    section = PROJECT.read_text(encoding="utf-8").partition(
        '[project.entry-points."vllm.general_plugins"]\n'
    )[2]
    name, _, value = section.partition("\n")[0].partition(" = ")
    assert EntryPoint(name, value.strip('"'), "vllm.general_plugins").load() is register
