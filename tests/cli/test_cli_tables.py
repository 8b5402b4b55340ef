"""Tables of `respc list` and `respc show`: in a terminal, in a pipe, and where nothing can be written."""

from __future__ import annotations

import json
import re
import sys

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from respc.cli import main
from respc.cli.exit_codes import FAILED
from respc.diagnostics import visible
from respc.families import families, family_template
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


def printed(width: int, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    """Return the lines that a terminal of a width gets."""
    terminal = Terminal("utf-8")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", terminal)
    main(list(arguments), standalone_mode=False)
    text = terminal.sent.getvalue().decode("utf-8")
    return re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_names_of_models_and_tokens_are_whole_in_a_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(width, monkeypatch, "list")
    words = {word for line in lines for word in line.split()}
    for family in families().values():
        assert {family.name, *family.models, *" ".join(family.tokens).split()} <= words
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", sorted(families()))
def test_names_of_fields_and_literals_are_whole_in_a_terminal(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(width, monkeypatch, "show", name)
    text = "\n".join(lines)
    template = json.loads(family_template(name).text.text)
    for field, spec in template["fields"].items():
        assert re.search(rf"(?:^|\s){re.escape(field)}(?:\s|$)", text, re.MULTILINE), field
        for delimiter in ("open", "close"):
            literals = spec.get(delimiter, [])
            for literal in [literals] if isinstance(literals, str) else literals:
                assert all(word in text for word in visible(literal).split()), literal
    assert max(map(cell_len, lines)) <= width


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
