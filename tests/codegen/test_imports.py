"""What is imported, and when: a generated module is light, and so is the command line until it compiles."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import respc_runtime
from respc.driver import compile_source
from respc.options import Options
from respc.source import read_template
from support.goldens import ACCEPTED
from support.templates import TESTS

RUNTIME = Path(respc_runtime.__file__).parent
HEAVY = ("black", "click", "jinja2", "rich", "transformers", "typer")
LIST_MODULES = "; import json, sys; print(json.dumps(sorted(sys.modules)))"
LOADED_WITH_ANY_PARSER = frozenset(
    [
        "abi",
        "anchors",
        "batches",
        "careful_ends",
        "character_classes",
        "closers_in_strings",
        "errors",
        "held_text",
        "json_bodies",
        "late_expressions",
        "message_values",
        "placed_regions",
        "places",
        "prefixes",
        "serving",
        "states",
        "stream",
        "string_closers",
        "tools",
        "transforms",
        "whole_texts",
    ]
)
"""Of the runtime. What errors, tools, whole texts and doubts need comes when they do."""
SLOW_TO_LOAD = frozenset(
    {"ast", "dataclasses", "dis", "inspect", "logging", "threading", "tokenize", "unittest"}
)
"""Modules of Python that no import of a parser may bring along."""
COUNT_EXPRESSIONS = """
import json, re, sys
made, compile = [], re.compile
re.compile = lambda pattern, *flags: made.append(pattern) or compile(pattern, *flags)
import compiled
at_import = len(made)
compiled.ResponseParser("")
at_first = len(made)
compiled.ResponseParser("")
print(json.dumps([at_import, at_first, len(made)]))
"""
LITERALS_ONLY = ("smollm", "hermes_joined", "kv_numbers", "odd_names")
PATTERNS_IN_CODE = ("qwen_coder", "scalars")
WITH_REGEX = ("harmony", "glm_args")
BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError("blocked: " + name)
sys.meta_path.insert(0, Block())
"""


def modules_after(script: str, folder: Path = TESTS) -> set[str]:
    """Return the modules that are loaded after a script ran in a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, "-c", script + LIST_MODULES], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def third_party(modules: set[str]) -> set[str]:
    """Return the packages that Python does not come with, less what site hooks of the environment load anyway."""
    return packages(modules) - packages(modules_after("pass")) - sys.stdlib_module_names


@pytest.mark.parametrize("name", [*LITERALS_ONLY, *PATTERNS_IN_CODE, *WITH_REGEX])
def test_generated_module_imports_the_runtime_and_regex_where_needed(name: str, tmp_path: Path) -> None:
    source = read_template(TESTS / "templates" / f"{name}.json")
    (tmp_path / "compiled.py").write_text(
        compile_source(source, Options.of(formatted=False)).source, encoding="utf-8"
    )
    use = 'import compiled; compiled.parse_response(["a", "<b>"], prefix="")'
    expected = {"compiled", "respc_runtime"} | ({"regex"} if name in WITH_REGEX else set())
    assert third_party(modules_after(use, tmp_path)) == expected


@pytest.mark.parametrize("name", [*LITERALS_ONLY, *PATTERNS_IN_CODE, *WITH_REGEX])
def test_standalone_module_imports_nothing_of_the_project(name: str, tmp_path: Path) -> None:
    source = read_template(TESTS / "templates" / f"{name}.json")
    compilation = compile_source(source, Options.of(standalone=True, formatted=False))
    (tmp_path / "alone.py").write_text(compilation.source, encoding="utf-8")
    block = BLOCK.format(blocked={"respc", "respc_runtime", "respc_parsers"})
    use = block + 'import alone; alone.parse_response(["a", "<b>"], prefix="", tools=[])'
    expected = {"alone"} | ({"regex"} if name in WITH_REGEX else set())
    assert third_party(modules_after(use, tmp_path)) == expected


def test_a_module_of_literals_loads_what_any_parser_needs() -> None:
    loaded = modules_after("import expected", ACCEPTED / "smollm") - modules_after("pass")
    of_runtime = {name.partition(".")[2] for name in loaded if name.startswith("respc_runtime.")}
    assert of_runtime
    assert of_runtime <= LOADED_WITH_ANY_PARSER
    assert not loaded & SLOW_TO_LOAD


def test_functions_import_only_what_is_not_loaded_anyway() -> None:
    late = {
        node.module.partition(".")[2]
        for file in sorted(RUNTIME.glob("*.py"))
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    assert late
    assert not late & LOADED_WITH_ANY_PARSER


def test_a_standalone_module_of_literals_loads_nothing_slow() -> None:
    loaded = modules_after("import standalone", ACCEPTED / "smollm") - modules_after("pass")
    assert "standalone" in loaded
    assert not loaded & SLOW_TO_LOAD


@pytest.mark.parametrize("standalone", [False, True])
def test_expressions_of_states_are_compiled_with_the_first_parser(standalone: bool, tmp_path: Path) -> None:
    source = read_template(TESTS / "templates" / "smollm.json")
    options = Options.of(standalone=standalone, formatted=False)
    (tmp_path / "compiled.py").write_text(compile_source(source, options).source, encoding="utf-8")
    printed = subprocess.run(
        [sys.executable, "-c", COUNT_EXPRESSIONS], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    at_import, at_first, at_second = json.loads(printed.stdout)
    # A standalone module has the expressions of lists of calls with it, by which it reads arguments.
    assert at_import == 0 or standalone
    assert at_first > at_import
    assert at_second == at_first


def test_block_blocks() -> None:
    with pytest.raises(AssertionError, match="blocked: respc_runtime"):
        modules_after(BLOCK.format(blocked={"respc_runtime"}) + "import respc_runtime")


def test_golden_module_loads_no_heavy_package() -> None:
    loaded = modules_after("import expected", ACCEPTED / "smollm")
    assert "expected" in loaded
    assert not packages(loaded) & {*HEAVY, "regex", "respc"}


@pytest.mark.parametrize(
    "script",
    [
        "import respc",
        "import respc.cli",
        "from respc.__main__ import main; main(['--help'], standalone_mode=False)",
        "from respc.__main__ import main; main(['compile', '--help'], standalone_mode=False)",
    ],
)
def test_compiler_loads_what_compiling_needs_only_when_it_compiles(script: str) -> None:
    loaded = modules_after(script)
    assert "respc" in loaded
    assert not packages(loaded) & {"black", "jinja2", "rich", "regex", "transformers"}
    # Whose version is compared.
    assert {module for module in loaded if module.startswith("respc_runtime.")} <= {"respc_runtime.abi"}


def test_compiling_loads_no_terminal_and_no_interpreter() -> None:
    loaded = modules_after("import respc; respc.load({'start_anchor': 'a', 'fields': {'b': {}}})")
    assert "jinja2" in loaded
    assert not packages(loaded) & {"black", "rich", "transformers"}
