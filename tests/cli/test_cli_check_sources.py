"""``respc check``: where templates come from, files that hold none, and the streams it prints to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from support.devices import needs_full_device, needs_posix, run_into_full_device

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("text", "concise", "json", "github")
TEMPLATE = """{
    "start_anchor": "<|assistant|>",
    "fields": {
      "reasoning_content": {"open": "<think>", "close_pattern": "<\\\\/think>|$"},
      "content": {"repeats": true, "join": ""}
    }
  }"""
CONFIG = f"""{{
  "tokenizer_class": "T", "a": 1, "a": 2,
  "response_template": {TEMPLATE},
  "chat_template": "{{{{ messages }}}}"
}}
"""
FOUND = [("RT521", "/fields/reasoning_content"), ("RT229", "/fields/reasoning_content/close_pattern")]


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=stdin)


def records(*arguments: str | Path, stdin: bytes | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("--format", "json", *arguments, stdin=stdin).stdout)
    return found


def process(*arguments: str | Path, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process, without what asks for colours or their absence outside."""
    environment = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR"}}
    environment |= streams.pop("environment", {})
    return subprocess.run(
        [sys.executable, "-m", "respc", *map(str, arguments)],
        env=environment,
        timeout=120,
        check=False,
        **streams,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


class TestSources:
    @pytest.mark.parametrize("given", ["", "tokenizer_config.json"], ids=["folder", "file"])
    def test_a_tokenizer_config(self, tmp_path: Path, given: str) -> None:
        """Pointers start at the template, places at the file; what is around the template is not its matter."""
        config = tmp_path / "tokenizer_config.json"
        config.write_text(CONFIG, encoding="utf-8")
        found = records(tmp_path / given)
        assert [(record["code"], record["pointer"]) for record in found] == FOUND
        assert {record["file"] for record in found} == {str(config)}
        line = CONFIG.split("\n")[found[1]["line"] - 1]
        assert line[found[1]["column"] - 1 : found[1]["end_column"] - 1] == "|$"

    def test_standard_input(self) -> None:
        result = run("--format", "concise", "-", stdin=TEMPLATE.encode())
        assert result.exit_code == 0
        assert [line.partition(": ")[0] for line in result.stdout.splitlines()] == [
            "<stdin>:4:7",
            "<stdin>:4:76",
        ]
        assert [record["file"] for record in records("-", stdin=CONFIG.encode())] == ["<stdin>", "<stdin>"]

    def test_several_of_each_kind(self, tmp_path: Path, source: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        config = folder / "tokenizer_config.json"
        config.write_text(CONFIG, encoding="utf-8")
        found = records(folder, "-", source, stdin=TEMPLATE.encode())
        expected = [name for name in (str(config), "<stdin>", str(source)) for _ in FOUND]
        assert [record["file"] for record in found] == expected
        assert [(record["code"], record["pointer"]) for record in found] == FOUND * 3

    def test_a_config_without_a_template(self, tmp_path: Path) -> None:
        config = tmp_path / "tokenizer_config.json"
        config.write_text('{"chat_template": "x"}', encoding="utf-8")
        (found,) = records(config)
        assert (found["code"], found["line"], found["column"]) == ("RT010", 1, 1)
        assert run(config).exit_code == 1

    @pytest.mark.parametrize("name", ["\x1b[31mmissing.json", "missing\u202e.json"], ids=ascii)
    def test_what_cannot_be_read_is_named_visibly(self, tmp_path: Path, name: str) -> None:
        for command in (["check"], ["compile", "-o", "-"]):
            result = CliRunner().invoke(main, [*command, str(tmp_path / name)], color=True)
            assert result.exit_code == 2
            assert result.stderr.startswith("Error: ")
            assert result.stderr.rstrip("\n").isprintable()


class TestUnreadableText:
    """Files that hold no template, or a key twice: every format says where."""

    CASES = (
        (b'{\n  "fields": {},\n}', "RT001", "error", 2, 15),
        (b'{\n  "fields"', "RT001", "error", 2, 11),
        (b"", "RT001", "error", 1, 1),
        (b'{\n "start_anchor": "\xc3\xa9\xff"}', "RT002", "error", 2, 20),
        (b"\xef\xbb\xbf{}", "RT003", "error", 1, 1),
        (
            b'{"start_anchor": "A",\n "start_anchor": "B", "fields": {"content": {}}}',
            "RT020",
            "warning",
            2,
            2,
        ),
        (
            b'{"start_anchor": "A",\r\n "start_anchor": "B", "fields": {"content": {}}}',
            "RT020",
            "warning",
            2,
            2,
        ),
    )

    @pytest.mark.parametrize("given", ["file", "stdin"])
    @pytest.mark.parametrize(("data", "code", "severity", "line", "column"), CASES)
    def test_the_place(
        self, tmp_path: Path, given: str, data: bytes, code: str, severity: str, line: int, column: int
    ) -> None:
        path = tmp_path / "t.json"
        path.write_bytes(data)
        source, name = (path, path) if given == "file" else ("-", "<stdin>")
        shown = {form: run("--format", form, source, stdin=data) for form in FORMATS}
        assert {result.exit_code for result in shown.values()} == {1 if severity == "error" else 0}
        (record,) = json.loads(shown["json"].stdout)
        assert (record["code"], record["line"], record["column"]) == (code, line, column)
        assert shown["text"].stdout.startswith(f"{severity}[{code}]: ")
        assert f"--> {name}:{line}:{column}\n" in shown["text"].stdout
        assert shown["concise"].stdout.startswith(f"{name}:{line}:{column}: {severity}[{code}] ")
        assert shown["github"].stdout.startswith(f"::{severity} file={name},line={line},")
        assert f",col={column}," in shown["github"].stdout

    @pytest.mark.parametrize("shown_as", FORMATS)
    def test_it_does_not_hide_the_others(self, tmp_path: Path, source: Path, shown_as: str) -> None:
        broken = tmp_path / "broken.json"
        broken.write_bytes(b"{")
        result = run("--format", shown_as, broken, source)
        assert result.exit_code == 1
        assert all(code in result.stdout for code in ("RT001", "RT521", "RT229"))


class TestNames:
    @pytest.mark.parametrize("shown_as", [*FORMATS, "diff"])
    def test_nothing_of_a_name_or_key_is_printed_raw(self, tmp_path: Path, shown_as: str) -> None:
        path = tmp_path / "\x1b[2J\u202e[red]\n::error::x.json"
        field = {"open": "", "\x1b]0;x\x07": "\x9b", "close_pattern": "x|$"}
        path.write_text(json.dumps({"start_anchor": "A", "fields": {"\x1b\ud800": field}}), encoding="utf-8")
        options = ["--diff", "--unsafe-fixes"] if shown_as == "diff" else ["--format", shown_as]
        result = CliRunner().invoke(main, ["check", *options, str(path)], color=True)
        assert result.exit_code == 1
        assert result.output.replace("\n", "").isprintable()
        if shown_as == "github":
            assert all(line.startswith("::error file=") for line in result.stdout.splitlines())

    @pytest.mark.skipif(sys.platform != "linux", reason="only there a name can be any bytes")
    @pytest.mark.parametrize("shown_as", [*FORMATS, "diff"])
    def test_a_name_that_is_no_text(self, tmp_path: Path, shown_as: str) -> None:
        name = os.fsdecode(b"m\xff.json")
        (tmp_path / name).write_text(TEMPLATE, encoding="utf-8")
        options = ["--diff", "--unsafe-fixes"] if shown_as == "diff" else ["--format", shown_as]
        result = process("check", *options, tmp_path / name, capture_output=True)
        assert result.returncode == 0, result.stderr
        assert b"m\\udcff.json" in result.stdout


class TestStreams:
    def test_a_terminal_that_knows_ascii_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "t.json"
        fields = {"é字": {"open": "<é>", "clöse": "字"}, "content": {"close_pattern": "→+|$"}}
        path.write_text(json.dumps({"start_anchor": "é", "fields": fields}), encoding="utf-8")
        environment = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
        result = process("check", path, capture_output=True, environment=environment)
        assert result.returncode == 1
        assert result.stdout.isascii()
        assert result.stdout.startswith(rb"error[RT109] [*]: a field has no key `cl\xf6se`")
        assert result.stderr.startswith(f"{path}: 1 error".encode())

    @pytest.mark.parametrize("environment", [{}, {"TERM": "xterm-256color"}], ids=["", "TERM"])
    def test_there_is_no_colour_in_a_pipe(self, source: Path, environment: dict[str, str]) -> None:
        result = process("check", source, capture_output=True, environment=environment)
        assert result.stdout.startswith(b"warning[RT521]: ")
        assert b"\x1b" not in result.stdout + result.stderr

    @needs_posix
    @pytest.mark.parametrize(
        ("environment", "coloured"),
        [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
        ids=["", "NO_COLOR", "dumb"],
    )
    def test_there_is_colour_in_a_terminal(
        self, source: Path, environment: dict[str, str], coloured: bool
    ) -> None:
        shown = in_a_terminal(source, {"TERM": "xterm-256color"} | environment)
        assert (b"\x1b[1;33m" in shown) == coloured, shown
        assert b"RT521" in shown
        assert b"model.json:4:7" in shown

    @needs_full_device
    @pytest.mark.parametrize(
        "arguments",
        [*(("check", "--format", shown_as) for shown_as in FORMATS), ("check", "--diff")],
        ids=" ".join,
    )
    def test_a_full_device_is_a_file_error(self, source: Path, arguments: tuple[str, ...]) -> None:
        result = run_into_full_device(*arguments, str(source))
        assert result.returncode == 2
        assert result.stderr.endswith(b"Error: standard output: No space left on device\n")
        assert b"Traceback" not in result.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="streams are not inherited there")
    @pytest.mark.parametrize(
        "arguments",
        [
            *(("check", "--format", shown_as) for shown_as in FORMATS),
            ("check", "--diff"),
            ("compile", "-o", "-"),
            ("compile", "--check", "-o", "stale.py"),
        ],
        ids=" ".join,
    )
    def test_no_standard_output_is_a_file_error(self, source: Path, arguments: tuple[str, ...]) -> None:
        closing = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "respc", *arguments, str(source)]
        (source.parent / "stale.py").touch()
        result = subprocess.run(closing, stderr=subprocess.PIPE, timeout=120, check=False, cwd=source.parent)
        assert result.returncode == 2
        assert result.stderr.endswith(b"Error: standard output: closed\n")
        assert b"Traceback" not in result.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
    @pytest.mark.parametrize("shown_as", FORMATS)
    def test_a_reader_that_has_gone_away_is_no_reason_to_say_anything(
        self, source: Path, shown_as: str
    ) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            result = process("check", "--format", shown_as, source, stdout=writer, stderr=subprocess.PIPE)
        finally:
            os.close(writer)
        assert result.returncode == 1
        assert result.stderr == b""


def in_a_terminal(source: Path, environment: dict[str, str]) -> bytes:
    """Return what the command prints to a terminal of its own."""
    import pty

    main_end, terminal = pty.openpty()
    try:
        result = process("check", source, stdout=terminal, stderr=subprocess.DEVNULL, environment=environment)
    finally:
        os.close(terminal)
    shown = b""
    try:
        while piece := os.read(main_end, 65536):
            shown += piece
    except OSError:  # how Linux says that nobody has the terminal any more
        pass
    finally:
        os.close(main_end)
    assert result.returncode == 0
    return shown
