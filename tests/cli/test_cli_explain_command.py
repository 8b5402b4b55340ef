"""``respc explain``: what it prints for a code, for all codes, in a terminal, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from respc.diagnostics import CODES, Code
from respc.diagnostics.explanations import docs_page, explanation_of
from support.devices import needs_posix

COLOUR = re.compile(r"\x1b\[(?:\d+;)*[39][0-7]")
STYLE = re.compile(r"\x1b\[[\d;]*m")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


def run_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "respc", "explain", *arguments],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def shown_in_terminal(*arguments: str, **environment: str) -> str:
    """Run the command with a pseudo-terminal as standard output, and return what came out there."""
    ours, theirs = os.openpty()
    unset = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    terminal = {"TERM": "xterm-256color", "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(
        [sys.executable, "-m", "respc", "explain", *arguments],
        stdout=theirs,
        env={**inherited, **terminal, **environment},
    )
    os.close(theirs)
    parts: list[bytes] = []
    try:
        # Linux ends the terminal of a process that is gone with an error, others with an empty read.
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:
        pass
    finally:
        os.close(ours)
    assert process.wait(timeout=60) == 0
    return b"".join(parts).decode("utf-8")


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.code)
def test_a_code_is_explained_under_its_headline(code: Code) -> None:
    result = run(code.code)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    headline, title, text = result.stdout.split("\n\n", maxsplit=2)
    assert headline == f"# {code.code} {code.slug} ({code.severity.value})"
    assert title == code.title
    assert text.strip() == explanation_of(code.code).text.strip()


def test_both_templates_are_shown_as_they_are() -> None:
    explanation = explanation_of("RT109")
    stdout = run("RT109").stdout
    before, after = stdout.index(explanation.triggering), stdout.index(explanation.fixed)
    assert stdout.index(" ".join(explanation.why.split()[:3])) < before < after


@pytest.mark.parametrize("name", ["rt109", "Rt109", "unknown-field-key", "Unknown-Field-Key"])
def test_a_code_may_be_written_in_any_case_or_by_its_slug(name: str) -> None:
    assert run(name).stdout == run("RT109").stdout != ""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("RT1O9", "RT109"),
        ("109", "RT109"),
        ("unknown-field-keys", "unknown-field-key"),
        ("join_not_string", "join-not-string"),
    ],
)
def test_an_unknown_code_is_a_usage_error_that_names_close_ones(name: str, meant: str) -> None:
    result = run(name)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"no code `{name}`; did you mean " in result.stderr
    assert meant in result.stderr.replace("?", " ").split()


def test_a_code_like_no_other_leads_to_all_of_them() -> None:
    result = run("zzzz")
    assert result.exit_code == 2
    assert "no code `zzzz`; see them all with --list" in result.stderr


def test_an_unknown_code_cannot_write_to_the_terminal() -> None:
    result = run("\x1b[31m")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert r"`\x1b[31m`" in result.stderr


def test_all_codes_are_the_documentation_page() -> None:
    result = run("--all")
    assert result.exit_code == 0
    assert result.stdout == docs_page()


@pytest.mark.parametrize("arguments", [(), ("RT109", "--all")])
def test_it_is_one_code_or_all(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "give a code or slug, or else --all" in result.stderr


def test_a_pipe_gets_markdown_in_utf8_whatever_the_environment_says() -> None:
    plain = run_process("--all", PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0", FORCE_COLOR="1")
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == docs_page().encode("utf-8")


@needs_posix
def test_a_terminal_gets_it_laid_out_in_colour() -> None:
    shown = shown_in_terminal("RT109")
    assert COLOUR.search(shown)
    text = STYLE.sub("", shown)
    assert "RT109 unknown-field-key (error)" in text
    assert '"start_anchor"' in text
    assert "```" not in text
    assert "# RT109" not in text


@needs_posix
def test_a_terminal_without_colour_is_respected() -> None:
    shown = shown_in_terminal("RT109", NO_COLOR="1")
    assert not COLOUR.search(shown)
    assert "```" not in shown
    assert '"start_anchor"' in STYLE.sub("", shown)


@needs_posix
def test_a_terminal_that_knows_ascii_alone_gets_escapes() -> None:
    with_ellipsis = next(code for code in CODES if "…" in explanation_of(code.code).text)
    shown = STYLE.sub("", shown_in_terminal(with_ellipsis.code, PYTHONIOENCODING="ascii"))
    assert r"\u2026" in shown
    assert shown.isascii()


def test_help_names_the_command_and_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from respc.cli import main\n"
        "try:\n    main(['--help'])\n"
        "finally:\n"
        "    slow = {'black', 'jinja2', 'regex', 'rich', 'respc.diagnostics'} & set(sys.modules)\n"
        "    print(sorted(slow), file=sys.stderr)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=60)
    assert result.returncode == 0
    assert re.search(rb"^  explain +Explain a diagnostic", result.stdout, re.MULTILINE)
    assert result.stderr.strip() == b"[]"
