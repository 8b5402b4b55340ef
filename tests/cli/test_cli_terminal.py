"""What commands print: never what could steer a terminal, and on any stream that takes the place of standard output."""

from __future__ import annotations

import io
import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner

from respc.cli import main
from respc.cli.terminal import say_sentence
from respc.diagnostics import without_steering
from support.terminals import Terminal

STEERING = "\x07\x08\x0b\x1b[31m\x7f\x85\x9b2J\u061c\u200b\u200e\u202e\u2028\u2066\ufeff\U000e0041"
PLAIN = "é 字 \xa0\u3000 \u200d 👩‍💻 \u0301\t"
BIDIRECTIONAL = {"AL", "R", "LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}

TEMPLATE = {
    "defaults": {f"d{STEERING}": STEERING},
    "start_anchor": f"A{STEERING}",
    "fields": {
        f"f{STEERING}": {
            "open": f"<{STEERING}>",
            "close_pattern": f"</f>{re.escape(STEERING)}|$",
            "repeats": True,
        },
        "content": {},
    },
}
TEXT = f"x{PLAIN}{STEERING}<{STEERING}>y{STEERING}</f>{STEERING}"
COMMANDS = [
    "check {t}",
    "check --format concise {t}",
    "check --format json {t}",
    "check --format github {t}",
    "check {bad}",
    "check --diff {bad}",
    "compile {t} -o -",
    "compile {t} -o {stale} --check",
    "show {t}",
    "show {t} --format mermaid",
    "show {t} --format svg",
    "show {t} --format html",
    "parse {t} {text}",
    "parse {t} {text} --events",
    "parse {t} {rows} --jsonl",
    "parse {t} {badrows} --jsonl",
    "parse {n} {badtext}",
    pytest.param("bench {t} {text} --rounds 1", marks=pytest.mark.long),
    "list",
    "explain RT229",
    "schema",
]


def steering_characters(text: str) -> set[str]:
    """Return what could steer a terminal, told by Unicode's own tables."""
    return {
        character
        for character in text
        if (unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\t\n")
        or (unicodedata.category(character) == "Cf" and character not in "\u200c\u200d")
    }


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    written = {
        "t": json.dumps(TEMPLATE, ensure_ascii=False),
        "bad": json.dumps({**TEMPLATE, "field": {"\x9b": "\u202e"}, "versoin": 1}, ensure_ascii=False),
        "stale": f"# {STEERING}\n",
        "text": TEXT,
        "rows": json.dumps({"text": TEXT, f"k{STEERING}": STEERING}, ensure_ascii=False) + "\n",
        "badrows": f"{STEERING}\n[]\n" + json.dumps({"text": 1, "\x9b": "\x9b"}, ensure_ascii=False) + "\n",
        "n": json.dumps({"start_anchor": "A", "fields": {"n": {"content": "int"}}}),
        "badtext": f"4{STEERING}",
    }
    paths = {name: tmp_path / (f"{name}.py" if name == "stale" else name) for name in written}
    for name, text in written.items():
        paths[name].write_text(text, encoding="utf-8", newline="\n")
    return {name: str(path) for name, path in paths.items()}


def sent_to_terminal(command: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a command whose standard output and standard error are a terminal, and return what that is sent."""
    terminal = Terminal("utf-8")
    with monkeypatch.context() as patch:
        patch.setenv("TERM", "dumb")  # colours are control characters too, but none of the text
        patch.setenv("NO_COLOR", "1")
        patch.setattr(sys, "stdout", terminal)
        patch.setattr(sys, "stderr", terminal)
        with pytest.raises(SystemExit) as ended:
            main(command)
        terminal.flush()
    text = terminal.sent.getvalue().decode("utf-8")
    assert ended.value.code in (0, 1), text
    return text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_is_sent_nothing_that_steers_it(
    command: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = sent_to_terminal([word.format(**files) for word in command.split()], monkeypatch)
    assert text
    assert steering_characters(text) == set()


def test_json_for_a_terminal_is_the_same_json(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = sent_to_terminal(["parse", files["t"], files["text"]], monkeypatch)
    plain = CliRunner().invoke(main, ["parse", files["t"], files["text"]]).stdout
    start = shown.index("{\n")  # behind what standard error got
    shown = shown[start:]
    assert json.loads(shown) == json.loads(plain)
    assert shown != plain
    assert PLAIN.strip() in shown
    assert "\\u009b2J" in shown
    assert "\\udb40\\udc41" in shown


@pytest.mark.parametrize("command", ["parse {t} {text}", "parse {t} {rows} --jsonl", "check --diff {bad}"])
def test_a_pipe_or_a_file_gets_the_text_as_it_is(command: str, files: dict[str, str]) -> None:
    text = CliRunner().invoke(main, [word.format(**files) for word in command.split()]).stdout
    assert "\x9b" in text
    assert "\u202e" in text


def test_what_steers_is_what_unicode_says() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        kept = without_steering(character) == character
        if steering_characters(character):
            # Signs in front of Arabic numbers, and what draws hieroglyphs, shorthand and Kaithi: they are seen.
            assert not kept or 0x600 <= code <= 0x8E2 or 0x110BD <= code <= 0x1BCA3, hex(code)
        elif unicodedata.category(character) not in ("Cn", "Co"):
            assert kept, hex(code)
        if unicodedata.bidirectional(character) in BIDIRECTIONAL - {"AL", "R"}:
            assert not kept, hex(code)


def test_line_ends_of_other_systems_are_kept() -> None:
    assert without_steering("a\r\nb\rc\n") == "a\r\nb\\rc\n"


class Notebook(io.StringIO):
    """A stream of text without bytes under it."""

    def __init__(self) -> None:
        super().__init__(newline="")

    isatty = None  # type: ignore[assignment]


class TestStreamsOfText:
    """`main()` in a notebook, or in a test of those who call it: nothing there has a `buffer`."""

    @pytest.mark.parametrize("command", COMMANDS)
    def test_the_same_is_printed(
        self, command: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arguments = [word.format(**files) for word in command.split()]
        expected = CliRunner().invoke(main, arguments)
        notebook = Notebook()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", notebook)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        assert ended.value.code == expected.exit_code
        if "bench" not in command:
            assert notebook.getvalue() == expected.stdout
        assert notebook.getvalue() or not expected.stdout

    @pytest.mark.parametrize(
        ("command", "name"), [("check -", "t"), ("parse {t} -", "text"), ("parse {t} --jsonl", "rows")]
    )
    def test_the_same_is_read(
        self, command: str, name: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arguments = [word.format(**files) for word in command.split()]
        text = Path(files[name]).read_text(encoding="utf-8")
        expected = CliRunner().invoke(main, arguments, input=text.encode())
        notebook, given = Notebook(), io.StringIO(text)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", notebook)
            patch.setattr(sys, "stdin", given)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        assert ended.value.code == expected.exit_code
        assert notebook.getvalue() == expected.stdout


def test_a_sentence_is_broken_at_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal("utf-8")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "30")
    say_sentence("a sentence that has more words than a line")
    say_sentence("a detail that has more of them, too", indent=2)
    assert terminal.sent.getvalue().decode().splitlines() == [
        "a sentence that has more",
        "    words than a line",
        "  a detail that has more",
        "      of them, too",
    ]


def test_a_sentence_is_one_line_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    say_sentence("words " * 50)
    assert capsys.readouterr().err == "words " * 50 + "\n"
