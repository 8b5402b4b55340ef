"""What `--help` prints: whole sentences that fit a terminal of 80 columns."""

from __future__ import annotations

import re
from typing import Final

import pytest
from click.testing import CliRunner

from respc.cli import SECTIONS, main

COLUMNS: Final = 80


def help_of(*command: str) -> str:
    result = CliRunner().invoke(main, [*command, "--help"], terminal_width=COLUMNS, prog_name="respc")
    assert result.exit_code == 0
    return result.stdout


def test_every_command_has_a_whole_sentence_on_one_line() -> None:
    lines = help_of().splitlines()
    for name, command in main.commands.items():
        (line,) = [line for line in lines if line.startswith(f"  {name} ")]
        summary = line.removeprefix(f"  {name} ").strip()
        assert summary == command.short_help
        assert re.fullmatch(r"[A-Z][^.]*[^.]\.", summary)
    assert max(map(len, lines)) <= COLUMNS


def test_commands_are_grouped() -> None:
    headings = re.findall(r"^(\w+):$", help_of(), re.MULTILINE)
    assert headings == ["Options", *SECTIONS]


@pytest.mark.parametrize("name", main.commands)
def test_the_help_of_a_command_is_whole(name: str) -> None:
    shown = help_of(name)
    assert max(map(len, shown.splitlines())) <= COLUMNS
    assert "..." not in shown.partition("\n")[2].replace("[SOURCE]...", "")
    without = [
        parameter.opts[-1]
        for parameter in main.commands[name].params
        if parameter.param_type_name == "option"
        and not getattr(parameter, "help", None)
        and not getattr(parameter.type, "choices", None)
    ]
    assert without == []
