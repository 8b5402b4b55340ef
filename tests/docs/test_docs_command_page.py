"""The page about the command has what `respc --help` has: every command in that order, and every option."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from respc.cli import SECTIONS, main
from support.templates import TESTS

if TYPE_CHECKING:
    import click

PAGE: Final = (TESTS.parent / "docs" / "command.md").read_text(encoding="utf-8")
BODIES: Final = dict(re.findall(r"^## ([a-z-]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
FENCED: Final = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
OPTION: Final = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def options_of(command: click.Command) -> list[set[str]]:
    """List the names of each option."""
    return [
        set(parameter.opts + parameter.secondary_opts)
        for parameter in command.params
        if parameter.param_type_name == "option"
    ]


def synopsis_of(name: str) -> str:
    block = re.match(r"\n```text\n(.*?)^```$", BODIES[name], re.DOTALL | re.MULTILINE)
    assert block is not None, f"{name} begins with its synopsis"
    return block[1]


def test_commands_are_in_one_order() -> None:
    rows = re.findall(r"^\| (?:\*\*(\w+)\*\*|\[`([a-z-]+)`\]\(#\2\)) \|", PAGE, re.MULTILINE)
    shown = [title or name for title, name in rows]
    assert shown == [
        each for title, commands in SECTIONS.items() for each in (title, *(str(one.name) for one in commands))
    ]
    assert [*BODIES] == [name for _, name in rows if name]
    assert {*BODIES} == {*main.commands}


def test_the_table_says_what_the_help_says() -> None:
    """They say it in the third person there, and are commands here."""
    for name, command in main.commands.items():
        row = re.search(rf"^\| \[`{name}`\]\(#{name}\) \| (\w+) (.*) \|$", PAGE, re.MULTILINE)
        assert row is not None
        verb, _, rest = str(command.short_help).rstrip(".").partition(" ")
        assert row[1].startswith(verb.lower()[:4])
        assert without_endings(row[2]) == without_endings(rest)


def without_endings(text: str) -> list[str]:
    """Give the words without what makes them a third person: `proves` is `prov` then, and so is `prove`."""
    return [re.sub(r"(?<=[a-z]{3})(?:es|s|e)\b", "", word) for word in text.split()]


@pytest.mark.parametrize("name", main.commands)
def test_a_synopsis_has_every_option_and_no_other(name: str) -> None:
    synopsis = synopsis_of(name)
    named = set(OPTION.findall(synopsis))
    options = options_of(main.commands[name])
    assert [each for each in options if not each & named] == []
    assert named <= set().union(*options)
    assert set(re.findall(r"^respc ([a-z-]+)", synopsis, re.MULTILINE)) == {name}


@pytest.mark.parametrize("name", main.commands)
def test_a_synopsis_has_the_choices_of_options(name: str) -> None:
    synopsis = re.sub(r"\s+", " ", synopsis_of(name))
    for parameter in main.commands[name].params:
        for choices in [getattr(parameter.type, "choices", ())]:
            if choices and f"{parameter.opts[0]} " in synopsis:
                assert any(
                    f"{parameter.opts[0]} {'|'.join(shown)}" in synopsis for shown in (choices, choices[1:])
                )


@pytest.mark.parametrize("name", main.commands)
def test_no_option_is_named_that_there_is_not(name: str) -> None:
    known = {each for command in main.commands.values() for names in options_of(command) for each in names}
    prose = FENCED.sub("", BODIES[name])
    assert {each for each in OPTION.findall(prose) if each.startswith("--")} <= known | {"--help"}
