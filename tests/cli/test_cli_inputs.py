"""No command writes over a file that it reads, however the two are spelt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from respc.cli import main
from respc.cli.exit_codes import DONE, FAILED
from respc.cli.inputs import files_of_source

if TYPE_CHECKING:
    from collections.abc import Callable

TEMPLATE = json.dumps(
    {"start_anchor": "A", "fields": {"n": {"open": "<n>", "close": "</n>", "content": "int"}}}
)
CONFIG = json.dumps({"response_template": json.loads(TEMPLATE)})


def same(path: Path) -> Path:
    return path


def respelt(path: Path) -> Path:
    return path.parent / "." / "folder" / ".." / path.name


def relative(path: Path) -> Path:
    return Path(os.path.relpath(path))


def symlink(path: Path) -> Path:
    other = path.with_name("symlink")
    other.symlink_to(path)
    return other


def symlink_of_folder(path: Path) -> Path:
    other = path.parent / "other"
    other.symlink_to(path.parent, target_is_directory=True)
    return other / path.name


def hard_link(path: Path) -> Path:
    other = path.with_name("hard_link")
    other.hardlink_to(path)
    return other


SPELLINGS: list[Callable[[Path], Path]] = [same, respelt, relative, symlink, symlink_of_folder, hard_link]
spellings = pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.__name__)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "t.json").write_text(TEMPLATE)
    (tmp_path / "response_template.json").write_text(TEMPLATE)
    (tmp_path / "tokenizer_config.json").write_text(CONFIG)
    (tmp_path / "rows.jsonl").write_text('{"text": "<n>3</n>"}\n')
    (tmp_path / "prompt.txt").write_text("A")
    (tmp_path / "tools.json").write_text("[]")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def must_be_refused(folder: Path, name: str, output: Path, *arguments: str | Path) -> None:
    """Run a command with an output, and assert that it says what that is and leaves all as it was."""
    before = contents(folder)
    result = CliRunner().invoke(main, [*map(str, arguments), "-o", str(output)])
    assert result.exit_code == FAILED, result.output
    assert result.stdout == ""
    assert result.stderr == f"Error: {output}: is {name} itself: write to another file\n"
    assert contents(folder) == before


@spellings
@pytest.mark.parametrize(
    "command",
    [
        ("compile",),
        ("compile", "--check"),
        ("compile", "--standalone"),
        ("show",),
        ("show", "--format", "svg"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("source", ["t.json", "tokenizer_config.json"])
def test_a_template_is_not_written_over(
    folder: Path, command: tuple[str, ...], source: str, spelling: Callable[[Path], Path]
) -> None:
    path = folder / source
    must_be_refused(folder, "SOURCE", spelling(path), *command, path)


@pytest.mark.parametrize("command", ["compile", "show"])
@pytest.mark.parametrize("file", ["tokenizer_config.json", "response_template.json"])
def test_neither_of_the_files_of_a_folder_is_written_over(folder: Path, command: str, file: str) -> None:
    must_be_refused(folder, "SOURCE", folder / file, command, folder)


def test_a_link_as_source_is_followed_too(folder: Path) -> None:
    link = symlink(folder / "t.json")
    must_be_refused(folder, "SOURCE", folder / "t.json", "compile", link)


@pytest.mark.parametrize("command", ["compile", "show"])
def test_the_template_of_a_ready_made_parser_is_not_written_over(command: str) -> None:
    (path,) = map(Path, files_of_source("smollm3"))
    must_be_refused(path.parent / "families", "SOURCE", path, command, "smollm3")
    assert json.loads(path.read_text(encoding="utf-8"))["fields"]


@spellings
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("INPUT", "rows.jsonl"),
        ("PARSER", "t.json"),
        ("--prefix-file", "prompt.txt"),
        ("--tools", "tools.json"),
    ],
)
def test_what_a_corpus_is_parsed_with_is_not_written_over(
    folder: Path, name: str, file: str, spelling: Callable[[Path], Path]
) -> None:
    arguments = [folder / "t.json", folder / "rows.jsonl", "--jsonl"]
    arguments += ["--prefix-file", folder / "prompt.txt", "--tools", folder / "tools.json"]
    must_be_refused(folder, name, spelling(folder / file), "parse", *arguments)


def test_a_compiled_module_is_not_written_over(folder: Path) -> None:
    module = folder / "parser.py"
    assert CliRunner().invoke(main, ["compile", str(folder / "t.json"), "-o", str(module)]).exit_code == DONE
    must_be_refused(folder, "PARSER", module, "parse", module, folder / "rows.jsonl", "--jsonl")


def test_where_a_table_is_written_until_it_is_whole_counts_too(folder: Path) -> None:
    rows = folder / "out.parquet.part"
    (folder / "rows.jsonl").rename(rows)
    result = CliRunner().invoke(
        main, ["parse", "smollm3", str(rows), "--jsonl", "-o", str(folder / "out.parquet")]
    )
    assert result.exit_code == FAILED
    assert result.stderr == f"Error: {rows}: is INPUT itself: write to another file\n"


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    shell = f'respc() {{ "{sys.executable}" -m respc "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", shell], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.skipif(os.name == "nt", reason="redirections are those of a shell")
@pytest.mark.parametrize(
    ("command", "named", "kept"),
    [
        ("respc compile - -o t.json < t.json", "t.json: is SOURCE", "t.json"),
        ("respc compile /dev/stdin -o t.json < t.json", "t.json: is SOURCE", "t.json"),
        ("respc compile t.json -o - >> t.json", "standard output: is SOURCE", "t.json"),
        ("respc compile - -o - < t.json >> t.json", "standard output: is SOURCE", "t.json"),
        ("respc show t.json >> t.json", "standard output: is SOURCE", "t.json"),
        ("respc parse t.json --jsonl -o rows.jsonl < rows.jsonl", "rows.jsonl: is INPUT", "rows.jsonl"),
        ("respc parse t.json rows.jsonl --jsonl >> rows.jsonl", "standard output: is INPUT", "rows.jsonl"),
        ("respc parse t.json rows.jsonl >> rows.jsonl", "standard output: is INPUT", "rows.jsonl"),
    ],
)
def test_redirected_files_are_told_too(folder: Path, command: str, named: str, kept: str) -> None:
    before = (folder / kept).read_bytes()
    result = run(folder, command)
    assert (result.returncode, result.stdout) == (FAILED, "")
    assert result.stderr == f"Error: {named} itself: write to another file\n"
    assert (folder / kept).read_bytes() == before


def test_another_file_is_written(folder: Path) -> None:
    copy = folder / "another.py"
    copy.write_text(TEMPLATE)
    for output in (copy, folder / "new.py"):
        assert (
            CliRunner().invoke(main, ["compile", str(folder / "t.json"), "-o", str(output)]).exit_code == DONE
        )
        assert output.read_text().startswith("# Compiled by respc")
    result = run(folder, "cat t.json | respc compile - -o out.py && respc show t.json > table.txt")
    assert result.returncode == DONE, result.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes are those of a shell")
class TestPipes:
    """What a path leads to that a shell opened is read like a file; no other pipe, which could wait for ever."""

    @pytest.mark.parametrize(
        "command",
        [
            "cat t.json | respc compile /dev/stdin -o -",
            "cat t.json | respc compile /dev/fd/0 -o -",
            "respc compile <(cat t.json) -o -",
            "respc compile /dev/stdin -o - < t.json",
            "respc compile /dev/fd/9 -o - 9< t.json",
        ],
    )
    def test_a_template_is_read(self, folder: Path, command: str) -> None:
        expected = run(folder, "respc compile t.json -o -").stdout
        result = run(folder, command)
        assert result.returncode == DONE, result.stderr
        # Without the header, which names the template.
        assert result.stdout.partition('"""')[2] == expected.partition('"""')[2]

    def test_several_commands_read_them(self, folder: Path) -> None:
        assert run(folder, "cat t.json | respc check /dev/stdin").returncode == DONE
        assert run(folder, "respc show <(cat t.json)").returncode == DONE
        parsed = run(folder, "respc parse <(cat t.json) <(printf '<n>4</n>')")
        assert json.loads(parsed.stdout) == {"n": 4}, parsed.stderr

    def test_a_named_pipe_is_refused_at_once(self, folder: Path) -> None:
        os.mkfifo(folder / "pipe")
        result = run(folder, "respc check pipe")
        assert (result.returncode, result.stderr) == (
            FAILED,
            "Error: pipe: not a regular file (use `-` to read standard input)\n",
        )

    def test_a_descriptor_that_is_not_open_is_no_file(self, folder: Path) -> None:
        result = run(folder, "respc check /dev/fd/77")
        assert (result.returncode, result.stderr) == (FAILED, "Error: /dev/fd/77: no such file or folder\n")

    @pytest.mark.parametrize(
        ("command", "message"),
        [
            ("respc parse - < t.json", "PARSER is standard input: give INPUT as a file"),
            ("respc parse /dev/stdin < t.json", "PARSER is standard input: give INPUT as a file"),
            ("respc parse t.json --prefix-file -", "--prefix-file is standard input: give INPUT as a file"),
            (
                "respc parse - rows.jsonl --tools /dev/fd/0",
                "PARSER is standard input: give --tools as a file",
            ),
            ("respc bench /dev/stdin - < t.json", "SOURCE is standard input: give SAMPLES as a file"),
            ("respc check --fix /dev/stdin < t.json", "--fix rewrites files: use --diff with standard input"),
        ],
    )
    def test_standard_input_is_read_once(self, folder: Path, command: str, message: str) -> None:
        result = run(folder, command)
        assert result.returncode == FAILED
        assert result.stderr.endswith(f"Error: {message}\n")

    def test_a_closed_standard_input_is_a_file_error(self, folder: Path) -> None:
        result = run(folder, "respc check - <&-")
        assert (result.returncode, result.stderr) == (FAILED, "Error: <stdin>: closed\n")


@pytest.mark.parametrize("name", ["[x].json", "[x", "(x", "{x", "<x>", "[bold]x[/bold]", "{'a': 1}", "[]"])
def test_a_name_that_begins_with_a_bracket_is_a_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("[bold]x[").mkdir()  # what one of the names stands in
    Path(name).write_text(TEMPLATE, encoding="utf-8")
    Path("text").write_text("<n>5</n>", encoding="utf-8")
    assert CliRunner().invoke(main, ["check", name]).exit_code == DONE
    assert CliRunner().invoke(main, ["check", "--format", "json", name]).exit_code == DONE
    assert CliRunner().invoke(main, ["compile", name, "-o", "out.py"]).exit_code == DONE
    assert CliRunner().invoke(main, ["show", name]).exit_code == DONE
    assert json.loads(CliRunner().invoke(main, ["parse", name, "text"]).stdout) == {"n": 5}
    assert CliRunner().invoke(main, ["bench", name, "text", "--rounds", "1"]).exit_code == DONE
    folder = Path(f"{name}.d")
    folder.mkdir(parents=True)
    (folder / "response_template.json").write_text(TEMPLATE, encoding="utf-8")
    assert CliRunner().invoke(main, ["check", str(folder)]).exit_code == DONE
