"""Tables of `respc list` and `respc show`: in a terminal, in a pipe, and where nothing can be written."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from respc.cli import main
from respc.cli.exit_codes import FAILED
from respc.families import families
from support.devices import needs_full_device, run_into_full_device
from support.terminals import Terminal

tables = pytest.mark.parametrize("arguments", [("list",), ("show", "deepseek_v3_2")], ids=" ".join)


@tables
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_gets_what_its_encoding_has(
    arguments: tuple[str, ...], encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(encoding)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stdout", terminal)
    main(list(arguments), standalone_mode=False)
    text = terminal.sent.getvalue().decode(encoding)
    assert ("｜" in text) == (encoding == "utf-8")
    assert (r"\uff5c" in text) == (encoding != "utf-8")


@tables
def test_a_pipe_gets_utf_8_of_one_width(arguments: tuple[str, ...]) -> None:
    lines = CliRunner(env={"COLUMNS": "40"}).invoke(main, arguments).stdout.splitlines()
    assert 80 < max(map(len, lines)) <= 120
    assert not any(line.endswith(" ") for line in lines)


def test_names_of_models_are_whole_in_a_pipe() -> None:
    words = CliRunner().invoke(main, ["list"]).stdout.split()
    assert {model for family in families().values() for model in family.models} <= set(words)


@needs_full_device
@tables
def test_a_full_device_is_a_file_error(arguments: tuple[str, ...]) -> None:
    result = run_into_full_device(*arguments)
    assert result.returncode == FAILED
    assert result.stderr.startswith(b"Error: standard output: ")


@tables
def test_a_terminal_that_takes_nothing_is_a_file_error(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal("utf-8", OSError(5, "Input/output error"))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", terminal)
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
    terminal.error = None
    assert caught.value.code == FAILED
    assert capsys.readouterr().err == "Error: standard output: Input/output error\n"


@tables
def test_without_a_standard_output_it_says_so(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
    assert caught.value.code == FAILED
    assert capsys.readouterr().err == "Error: standard output: closed\n"


def test_reasoning_is_named_as_on_the_page_of_the_documentation() -> None:
    page = CliRunner().invoke(main, ["list", "--format", "markdown"]).stdout
    table = CliRunner().invoke(main, ["list"]).stdout
    assert {family.reasoning for family in families().values()} == {"output", "prompt", "none"}
    for words in ("in the output", "in the prompt", "never"):
        assert f"| {words} |" in page
        assert f"  {words}  " in table
