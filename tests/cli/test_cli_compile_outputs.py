"""``respc compile``: several modules, folders, what a project lists, names that can be imported, and upgrades."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from click.testing import CliRunner, Result

import respc
from respc.cli import main
from respc.cli.outputs import import_name

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: Final[dict[str, Any]] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "thought": {"open": "<think>", "close": "</think>"},
        "n": {"open_pattern": r"<n\s*>", "close": "</n>", "content": "int"},
        "content": {"close": "<|end|>", "repeats": True, "join": "\n"},
    },
}
REFUSED: Final = {"start_anchor": "A", "fields": {"content": {"open": ""}}}
PROJECT: Final = """
[tool.respc]
ignore = ["RT5"]

[[tool.respc.modules]]
source = "templates/a.json"
output = "app/plain.py"

[[tool.respc.modules]]
source = "templates/a.json"
output = "app/served.py"
events = "serving"
without = ["whole-text"]

[[tool.respc.modules]]
source = "templates/a.json"
output = "app/alone.py"
standalone = true
"""


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["compile", *map(str, arguments)], input=stdin)


def write(path: Path, template: object = TEMPLATE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(template), encoding="utf-8")
    return path


def modules_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestFolders:
    """A folder for OUT gets files that are named after the sources."""

    @pytest.mark.parametrize("output", ["out", "out/"])
    def test_one_source(self, folder: Path, output: str) -> None:
        (folder / "out").mkdir()
        source = write(folder / "fjord-1.json")
        assert run(source, "-o", output).exit_code == 0
        assert modules_in(folder / "out") == {"fjord_1.py"}
        assert run(source, "-o", output, "--check").exit_code == 0

    def test_a_folder_that_is_not_there_is_made_where_a_slash_says_so(self, folder: Path) -> None:
        source = write(folder / "a.json")
        assert run(source, "-o", "new/", "--check").exit_code == 1
        assert not (folder / "new").exists()
        assert run(source, "-o", "new/").exit_code == 0
        assert modules_in(folder / "new") == {"a.py"}
        result = run(source, "-o", "no/such/")
        assert result.exit_code == 2
        assert "no/such" in result.stderr

    def test_several_sources(self, folder: Path) -> None:
        sources = [write(folder / "a.json"), write(folder / "models" / "llama-3" / "tokenizer_config.json")]
        result = run(*sources, "qwen3", "-o", "out")
        assert result.exit_code == 0, result.stderr
        assert modules_in(folder / "out") == {"a.py", "llama_3.py", "qwen3.py"}
        assert run(*sources, "qwen3", "-o", "out", "--check").exit_code == 0
        assert run(sources[1].parent, "-o", "out", "--check").exit_code == 0

    def test_one_that_is_refused_does_not_stop_the_others(self, folder: Path) -> None:
        write(folder / "bad.json", REFUSED)
        write(folder / "good.json")
        result = run("bad.json", "good.json", "-o", "out")
        assert result.exit_code == 1
        assert modules_in(folder / "out") == {"good.py"}
        result = run("missing.json", "bad.json", "good.json", "-o", "out", "--check")
        assert result.exit_code == 2
        assert "missing.json" in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("a.json", "b/a.json", "-o", "out"), "would both be a.py"),
            (("a.json", "b.json", "-o", "x.py"), "several SOURCEs need a folder"),
            (("a.json", "b.json", "-o", "a.json"), "several SOURCEs need a folder"),
            (("a.json", "b.json", "-o", "-"), "one module can be printed"),
            (("-", "-o", "b"), "standard input has no name"),
        ],
    )
    def test_what_cannot_be(self, folder: Path, arguments: tuple[str, ...], said: str) -> None:
        for name in ("a.json", "b.json", "b/a.json"):
            write(folder / name)
        result = run(*arguments, stdin=json.dumps(TEMPLATE).encode())
        assert result.exit_code == 2
        assert said in result.stderr
        assert modules_in(folder) == {"a.json", "b.json", "b"}


class TestNames:
    """A module is there to be imported."""

    @pytest.mark.parametrize(
        ("output", "better"),
        [
            ("fjord-1.py", "fjord_1.py"),
            ("1fjord.py", "_1fjord.py"),
            ("class.py", "class_.py"),
            ("fjord", "fjord.py"),
            ("fjord.txt", "fjord_txt.py"),
            (".py", "_.py"),
        ],
    )
    def test_a_name_that_no_import_can_take(self, folder: Path, output: str, better: str) -> None:
        write(folder / "a.json")
        result = run("a.json", "-o", output)
        assert result.exit_code == 2
        assert f"-o {output}: no `import` finds a module in a file of this name: write to {better}" in (
            result.stderr
        )
        assert modules_in(folder) == {"a.json"}
        assert run("a.json", "-o", better).exit_code == 0

    @pytest.mark.parametrize("text", ["", "a", "1", "a-b", "class", "é", "a.b", "²", " "])
    def test_names_are_made_that_can(self, text: str) -> None:
        name = import_name(text)
        compile(f"import {name}", "name", "exec")
        assert import_name(name) == name


class TestProject:
    """Without SOURCE, what `pyproject.toml` lists."""

    def test_all_of_it_is_compiled_with_its_options(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(folder / "templates" / "a.json")
        (folder / "app").mkdir()
        (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        assert run("--check").exit_code == 1
        result = run()
        assert result.exit_code == 0, result.stderr
        assert modules_in(folder / "app") == {"plain.py", "served.py", "alone.py"}
        assert "respc_runtime" not in (folder / "app" / "alone.py").read_text().partition('"""')[2]
        assert "TextOutside" in (folder / "app" / "served.py").read_text()
        # The command in a header makes the same bytes.
        again = run("--events", "serving", "--without", "whole-text", "-o", "-", "templates/a.json")
        assert again.stdout == (folder / "app" / "served.py").read_text()
        monkeypatch.chdir(folder / "app")
        assert run("--check").exit_code == 0

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('events = "all"', "no form of events 'all'"),
            ('without = ["sleep"]', "no pass 'sleep'"),
            ('output = "class.py"', "no `import` finds"),
            ('output = "a.json"', "is SOURCE itself"),
        ],
    )
    def test_what_a_module_cannot_have(self, folder: Path, line: str, said: str) -> None:
        write(folder / "a.json")
        output = "" if line.startswith("output") else 'output = "a.py"\n'
        table = f'[[tool.respc.modules]]\nsource = "a.json"\n{output}{line}\n'
        (folder / "pyproject.toml").write_text(table, encoding="utf-8")
        result = run()
        assert result.exit_code == 2
        assert said in result.stderr
        assert modules_in(folder) == {"a.json", "pyproject.toml"}

    def test_one_file_for_two(self, folder: Path) -> None:
        write(folder / "a.json")
        table = '[[tool.respc.modules]]\nsource = "a.json"\noutput = "a.py"\n'
        (folder / "pyproject.toml").write_text(table * 2, encoding="utf-8")
        result = run()
        assert result.exit_code == 2
        assert "are both compiled to a.py" in result.stderr

    def test_without_a_project_there_is_nothing_to_do(self, folder: Path) -> None:
        result = run()
        assert result.exit_code == 2
        assert "give a SOURCE" in result.stderr
        assert modules_in(folder) == set()

    @pytest.mark.parametrize("option", [("-o", "x.py"), ("--standalone",), ("--events", "serving")])
    def test_options_of_sources(self, folder: Path, option: tuple[str, ...]) -> None:
        write(folder / "templates" / "a.json")
        (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        result = run(*option)
        assert result.exit_code == 2
        assert f"{option[0]} is for a SOURCE" in result.stderr


def test_an_upgrade_that_changes_nothing_but_the_version_makes_nothing_stale(folder: Path) -> None:
    write(folder / "a.json")
    out = folder / "a.py"
    run("a.json", "-o", out)
    text = out.read_text(encoding="utf-8")
    earlier = text.replace(f"@generated by respc {respc.__version__}\n", "@generated by respc 0.0.9.dev1+x\n")
    assert earlier != text
    out.write_text(earlier, encoding="utf-8")
    assert run("a.json", "-o", out, "--check").exit_code == 0
    assert "unchanged" in run("a.json", "-o", out).stderr
    assert out.read_text(encoding="utf-8") == earlier
    out.write_text(earlier + "# by hand\n", encoding="utf-8")
    result = run("a.json", "-o", out, "--check")
    assert result.exit_code == 1
    assert "-# @generated by respc 0.0.9.dev1+x" in result.stdout
    run("a.json", "-o", out)
    assert out.read_text(encoding="utf-8") == text
