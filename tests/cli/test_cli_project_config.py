"""``[tool.respc]`` in ``pyproject.toml``: what is checked, what counts, and what is said of what cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from respc.cli.project_config import Module, ProjectConfig, read_project

PROJECT: Final = Path(__file__).resolve().parents[2]
SHOWN: Final = re.compile(r"^```toml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HOOK: Final = re.compile(
    r"^- id: (\S+)\n(?:  .*\n)*?  entry: respc (.*)\n(?:  .*\n)*?  files: (.*)$", re.MULTILINE
)

LOSING: Final = {"start_anchor": "A", "fields": {"thinking": {"open": "<t>", "close": "</t>"}, "content": {}}}
CONFIG: Final = """
[project]
name = "app"

[tool.respc]
sources = ["templates/one.json", "qwen3"]
ignore = ["RT64"]
error = ["RT520"]
strict = true
documentation = "https://docs.example/diagnostics/"

[tool.respc.per-file-ignores]
"templates/*.json" = ["RT521"]
"two.json" = ["RT52"]
"qwen3.json" = ["ALL"]

[[tool.respc.modules]]
source = "templates/two.json"
output = "app/two.py"
events = "serving"
closers-in-strings = true
without = ["direct-chunks"]
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "templates").mkdir()
    for name in ("one", "two"):
        (tmp_path / "templates" / f"{name}.json").write_text(json.dumps(LOSING), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configure(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")


def found(*arguments: str | Path) -> list[tuple[str, str, str]]:
    records = json.loads(run("--format", "json", *arguments).stdout)
    return [(each["file"], each["code"], each["severity"]) for each in records]


def test_what_is_said_is_read(project: Path) -> None:
    config = read_project()
    assert config.sources == ("templates/one.json", "qwen3", "templates/two.json")
    options = {"events": "serving", "closers_in_strings": True, "without": ["direct-chunks"]}
    assert config.modules == (Module("templates/two.json", "app/two.py", options),)
    assert (config.folder, config.strict, config.ignore) == (project, True, ("RT64",))


def test_its_sources_are_checked_by_its_codes(project: Path) -> None:
    assert found() == [("templates/one.json", "RT520", "error")]
    result = run()
    assert result.exit_code == 1
    assert result.stderr.splitlines()[:3] == [
        "templates/one.json: 1 error",
        "qwen3.json: nothing found",
        "templates/two.json: nothing found",
    ]


def test_the_command_line_goes_first(project: Path) -> None:
    assert found("templates/two.json") == []
    assert found("--ignore", "RT520", "--error", "RT640", "templates/one.json") == [
        ("templates/one.json", "RT640", "error")
    ]
    assert [code for _, code, _ in found("--isolated", "templates/one.json")] == ["RT521", "RT640", "RT520"]
    assert "give a SOURCE" in run("--isolated").stderr


def test_it_holds_in_the_folders_of_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "templates")
    assert read_project().sources == ("one.json", "qwen3", "two.json")
    assert found() == [("one.json", "RT520", "error")]
    (project / "app").mkdir()
    monkeypatch.chdir(project / "app")
    assert found() == [(str(project / "templates" / "one.json"), "RT520", "error")]


def test_a_nearer_file_without_the_table_says_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = project / "inner"
    inner.mkdir()
    configure(inner, "[project]\nname = 'inner'\n")
    monkeypatch.chdir(inner)
    assert read_project().folder == project
    configure(inner, "[tool.respc]\n")
    assert read_project() == ProjectConfig(folder=inner)


def test_links_lead_to_the_page_that_it_names(project: Path) -> None:
    (record,) = json.loads(run("--format", "json").stdout)
    assert record["url"] == "https://docs.example/diagnostics/#rt520-text-overwritten"
    log = json.loads(run("--format", "sarif").stdout)
    assert log["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"] == record["url"]


def test_an_engine(project: Path) -> None:
    configure(project, '[tool.respc]\nengine = "vllm"\n')
    assert "RT820" in {code for _, code, _ in found("qwen3")}
    configure(project, '[tool.respc]\nengine = "tgi"\n')
    assert "there is no engine 'tgi'" in run("qwen3").stderr


def test_fixes_are_made_in_its_files(project: Path) -> None:
    configure(project, '[tool.respc]\nsources = ["templates/one.json"]\n')
    assert run("--fix", "--unsafe-fixes").exit_code == 0
    fixed = json.loads((project / "templates" / "one.json").read_text(encoding="utf-8"))
    assert fixed["fields"]["content"] == {"repeats": True, "join": "\n"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.respc]\nsource = []\n", "[tool.respc] has no key `source`; did you mean `sources`?"),
        ("[tool.respc]\nxyz = 1\n", "[tool.respc] has no key `xyz`; there are `sources`, "),
        ("[tool.respc]\nignore = 'RT5'\n", "[tool.respc]: 'ignore' is not a list of strings"),
        ("[tool.respc]\nignore = ['RT999']\n", "[tool.respc]: there is no diagnostic 'RT999'"),
        ("[tool.respc.per-file-ignores]\n'*' = ['X']\n", "[tool.respc]: there is no diagnostic 'X'"),
        ("[tool.respc]\nstrict = 1\n", "'strict' is not a boolean"),
        ("[tool.respc.per-file-ignores]\na = 'RT5'\n", "is not a table of lists of strings"),
        ("[tool.respc]\nmodules = {}\n", "'modules' is not a list of tables"),
        ("[[tool.respc.modules]]\nsource = 'a'\n", "[[tool.respc.modules]] has no key 'output'"),
        ("[[tool.respc.modules]]\nsource = 'a'\noutput = 'b'\nstabel = true\n", "did you mean `stable`?"),
        ("[tool]\nrespc = 1\n", "[tool.respc] is not a table"),
        ("[tool.respc\n", "pyproject.toml: "),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_with_the_file(project: Path, text: str, says: str) -> None:
    configure(project, text)
    result = run("templates/one.json")
    assert result.exit_code == 2
    assert str(project / "pyproject.toml") in result.stderr
    assert says in result.stderr
    assert result.stdout == ""


def test_what_the_documentation_shows_is_read(project: Path) -> None:
    (shown,) = SHOWN.findall((PROJECT / "docs" / "command.md").read_text(encoding="utf-8"))
    configure(project, shown)
    config = read_project()
    assert config.sources == ("templates/router.json", "templates/forecast.json")
    assert config.ignored_in("templates/old/x.json") == ("RT5", "RT2")
    assert config.ignored_in(str(project / "templates" / "old" / "x.json")) == ("RT5", "RT2")
    assert config.modules[0].options == {"events": "serving"}


def test_the_hooks_are_commands_and_name_files() -> None:
    hooks = HOOK.findall((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [name for name, _, _ in hooks] == ["respc-check", "respc-fix"]
    for _, command, files in hooks:
        assert CliRunner().invoke(main, [*command.split(), "--help"]).exit_code == 0
        assert re.search(files, "models/a/response_template.json")
        assert not re.search(files, "models/a/config.json")
