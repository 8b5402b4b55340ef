"""``respc compile``: what it reads, writes, prints and refuses, and its exit codes."""

from __future__ import annotations

import json
import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import respc
from respc.cli import main
from support.modules import imported_packages, module_of
from support.oracle import assert_same, interpret, run_compiled

TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "thought": {"open": "<think>", "close": "</think>"},
        "n": {"open_pattern": r"<n\s*>", "close": "</n>", "content": "int"},
        "content": {"repeats": True, "join": "\n"},
    },
}
OTHER = {"start_anchor": "A", "fields": {"content": {}}}
REFUSED = {"start_anchor": "A", "fields": {"content": {"open": ""}}}
NAMING = ("# Compiled by respc from ", "# Command: ")
"""How lines begin that name the template."""

TEXT = "<think>hm</think>x<n >4</n>y"


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["compile", *map(str, arguments)], input=stdin)


def write(path: Path, template: object) -> Path:
    path.write_text(json.dumps(template), encoding="utf-8")
    return path


def state(path: Path) -> tuple[bytes, int, int, int]:
    found = path.stat()
    return path.read_bytes(), found.st_mtime_ns, found.st_ino, found.st_mode


def left_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "model.json", TEMPLATE)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "model_parser.py"


def test_a_template_is_compiled_to_a_module_that_works(source: Path, out: Path) -> None:
    result = run(source, "-o", out)
    assert result.exit_code == 0
    assert result.stdout == ""
    module = module_of(out.read_text(encoding="utf-8"))
    assert_same(interpret(TEMPLATE, "", [TEXT]), run_compiled(module, "", [TEXT]))


def test_the_file_is_what_the_library_gives(source: Path, out: Path) -> None:
    run(source, "-o", out)
    compilation = respc.compile_template(TEMPLATE, name=source.name)
    assert out.read_text(encoding="utf-8") == compilation.source


def test_the_file_has_line_feeds_and_ends_with_one(source: Path, out: Path) -> None:
    run(source, "-o", out)
    data = out.read_bytes()
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")


def test_tokenizer_config_folder_and_standard_input_give_the_same_parser(tmp_path: Path, out: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    config = {"tokenizer_class": "T", "response_template": TEMPLATE, "chat_template": "{{ x }}"}
    write(folder / "tokenizer_config.json", config)
    plain = write(tmp_path / "tokenizer_config.json", TEMPLATE)
    texts = []
    for given, stdin in (
        (folder, None),
        (folder / "tokenizer_config.json", None),
        (plain, None),
        ("-", json.dumps(TEMPLATE).encode()),
        ("-", json.dumps(config).encode()),
    ):
        result = run(given, "-o", out, stdin=stdin)
        assert result.exit_code == 0, result.stderr
        texts.append(out.read_text(encoding="utf-8").splitlines())
        texts[-1] = [line for line in texts[-1] if not line.startswith(NAMING)]
    assert all(text == texts[0] for text in texts)


def test_dash_prints_the_module_and_nothing_else(source: Path, tmp_path: Path, out: Path) -> None:
    run(source, "-o", out)
    out_bytes = out.read_bytes()
    out.unlink()
    result = run(source, "-o", "-")
    assert result.exit_code == 0
    assert result.stdout_bytes == out_bytes
    assert result.stderr == ""
    assert left_in(tmp_path) == {source.name}


def test_a_second_run_leaves_the_file_alone(source: Path, out: Path) -> None:
    run(source, "-o", out)
    os.utime(out, ns=(10**18, 10**18))
    before = state(out)
    result = run(source, "-o", out)
    assert result.exit_code == 0
    assert "unchanged" in result.stderr
    assert state(out) == before


def test_a_changed_template_replaces_the_file_and_keeps_its_mode(source: Path, out: Path) -> None:
    run(source, "-o", out)
    out.chmod(0o640)
    before = state(out)
    write(source, OTHER)
    assert run(source, "-o", out).exit_code == 0
    data, _, inode, mode = state(out)
    assert data != before[0]
    # Written beside it and moved over it: whoever has the old file open goes on reading the old one.
    assert inode != before[2]
    assert stat.S_IMODE(mode) == 0o640


def test_a_new_file_has_the_mode_of_new_files(source: Path, out: Path, tmp_path: Path) -> None:
    run(source, "-o", out)
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_a_link_is_followed(source: Path, tmp_path: Path, out: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(out)
    assert run(source, "-o", link).exit_code == 0
    assert link.is_symlink()
    assert out.is_file()


def test_nothing_is_left_behind_when_the_move_fails(
    source: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out.write_text("what was there", encoding="utf-8")
    before = state(out)

    def refuse(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    result = run(source, "-o", out)
    assert result.exit_code == 2
    assert "No space left" in result.stderr
    assert state(out) == before
    assert left_in(out.parent) == {source.name, out.name}


@pytest.mark.parametrize("options", [(), ("--check",), ("--standalone",)])
def test_a_refused_template_leaves_the_file_as_it_was(
    source: Path, out: Path, options: tuple[str, ...]
) -> None:
    run(source, "-o", out)
    before = state(out)
    write(source, REFUSED)
    result = run(source, "-o", out, *options)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error[RT" in result.stderr
    assert "model.json:1:" in result.stderr
    assert state(out) == before
    assert left_in(out.parent) == {source.name, out.name}


def test_a_refused_template_makes_no_file(source: Path, out: Path) -> None:
    write(source, REFUSED)
    assert run(source, "-o", out).exit_code == 1
    assert left_in(out.parent) == {source.name}


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", '{"fields": {"a": {}}, "start_anchor": "\ud800'])
def test_what_is_no_json_is_refused(source: Path, out: Path, text: str) -> None:
    source.write_bytes(text.encode("utf-8", "surrogatepass"))
    result = run(source, "-o", out)
    assert result.exit_code == 1
    assert "error[" in result.stderr
    assert not out.exists()


def test_a_warning_is_shown_and_does_not_stop(source: Path, out: Path) -> None:
    field = {"open": "<a>", "close": "</a>"}
    write(source, {"start_anchor": "A", "fields": {"lost_in_the_middle": field, "content": {}}})
    result = run(source, "-o", out)
    assert result.exit_code == 0
    assert "warning[" in result.stderr
    assert "lost_in_the_middle" in result.stderr
    assert out.is_file()


class TestCheck:
    def test_a_fresh_file_passes_silently(self, source: Path, out: Path) -> None:
        run(source, "-o", out)
        before = state(out)
        result = run(source, "-o", out, "--check")
        assert result.exit_code == 0
        assert result.stdout == ""
        assert state(out) == before

    def test_a_stale_file_fails_with_a_unified_diff(self, source: Path, out: Path) -> None:
        run(source, "-o", out)
        before = state(out)
        write(source, TEMPLATE | {"defaults": {"role": "robot"}})
        result = run(source, "-o", out, "--check")
        assert result.exit_code == 1
        lines = result.stdout.splitlines()
        assert lines[0].startswith(f"--- {out}")
        assert lines[1].startswith(f"+++ {out}")
        assert lines[2].startswith("@@ -")
        assert any(line.startswith("-") and '"assistant"' in line for line in lines)
        assert any(line.startswith("+") and '"robot"' in line for line in lines)
        assert state(out) == before

    def test_a_missing_file_is_named_and_not_written(self, source: Path, out: Path) -> None:
        result = run(source, "-o", out, "--check")
        assert result.exit_code == 1
        assert (result.stdout, result.stderr) == ("", f"{out}: missing; without --check it is written\n")
        assert left_in(out.parent) == {source.name}

    @pytest.mark.parametrize("change", [lambda data: data.replace(b"\n", b"\r\n"), lambda data: data[:-1]])
    def test_other_line_ends_are_stale(self, source: Path, out: Path, change: Any) -> None:
        run(source, "-o", out)
        out.write_bytes(change(out.read_bytes()))
        result = run(source, "-o", out, "--check")
        assert result.exit_code == 1
        assert result.stdout

    def test_bytes_that_are_no_text_are_stale(self, source: Path, out: Path) -> None:
        out.write_bytes(b"\xff\xfe\x00")
        result = run(source, "-o", out, "--check")
        assert result.exit_code == 1
        assert result.stdout.startswith("---")

    def test_standalone_is_another_file(self, source: Path, out: Path) -> None:
        run(source, "-o", out)
        assert run(source, "-o", out, "--check", "--standalone").exit_code == 1
        run(source, "-o", out, "--standalone")
        assert run(source, "-o", out, "--check", "--standalone").exit_code == 0
        assert run(source, "-o", out, "--check").exit_code == 1


class TestStandalone:
    def test_it_imports_the_standard_library_and_regex_for_a_pattern(self, source: Path, out: Path) -> None:
        assert run(source, "-o", out, "--standalone").exit_code == 0
        text = out.read_text(encoding="utf-8")
        assert imported_packages(text) - sys.stdlib_module_names <= {"regex"}
        assert_same(interpret(TEMPLATE, "", [TEXT]), run_compiled(module_of(text), "", [TEXT]))

    def test_it_imports_the_standard_library_alone_for_literals(self, tmp_path: Path, out: Path) -> None:
        call = {"open": "<c>", "close": "</c>", "content": "json", "transform": {"f": "{content}"}}
        template = {"start_anchor": "A", "fields": {"calls": call | {"repeats": True}, "content": {}}}
        source = write(tmp_path / "literals.json", template)
        assert run(source, "-o", out, "--standalone").exit_code == 0
        text = out.read_text(encoding="utf-8")
        assert imported_packages(text) <= sys.stdlib_module_names
        sample = 'a<c>{"x": 1}</c>b'
        assert_same(interpret(template, "", [sample]), run_compiled(module_of(text), "", [sample]))


class TestFailures:
    """Exit code 2: used wrongly, or a file that cannot be read or written."""

    @pytest.mark.parametrize(
        "arguments",
        [
            (),
            ("model.json",),
            ("model.json", "-o"),
            ("-o", "x.py"),
            ("model.json", "other.json", "-o", "x.py"),
            ("model.json", "-o", "x.py", "--unknown"),
            ("model.json", "-o", "x.py", "--without", "no-such-pass"),
            ("model.json", "-o", "-", "--check"),
        ],
        ids=" ".join,
    )
    def test_usage(self, source: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(source.parent)
        result = run(*arguments)
        assert result.exit_code == 2
        assert "Error: " in result.stderr
        assert left_in(source.parent) == {source.name}

    def test_an_unknown_command(self) -> None:
        assert CliRunner().invoke(main, ["explode"]).exit_code == 2

    @pytest.mark.parametrize("given", ["missing.json", "", "empty_folder", "model.json/inside"])
    def test_sources_that_cannot_be_read(self, source: Path, out: Path, given: str) -> None:
        (source.parent / "empty_folder").mkdir()
        result = run(str(source.parent / given) if given else "", "-o", out)
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: ")
        assert not out.exists()

    @pytest.mark.parametrize("given", ["missing/x.py", "model.json/x.py"])
    @pytest.mark.parametrize("options", [(), ("--check",)])
    def test_files_that_cannot_be_written(self, source: Path, given: str, options: tuple[str, ...]) -> None:
        result = run(source, "-o", source.parent / given, *options)
        if options and given == "missing/x.py":
            assert result.exit_code == 1  # it is not there, which is what --check is asked
        else:
            assert result.exit_code == 2
            assert result.stderr.startswith("Error: ")
        assert left_in(source.parent) == {source.name}

    @pytest.mark.skipif(not Path("/dev/null").exists(), reason="only where devices are files")
    def test_a_device_is_not_replaced(self, source: Path) -> None:
        result = run(source, "-o", "/dev/null")
        assert result.exit_code == 2
        assert "not a regular file" in result.stderr


HOSTILE_NAMES = [
    "plain.json",
    "two words.json",
    'quote".json',
    "quote'.json",
    '"""\nimport os\n"""',
    "line\nbreak.json",
    "\r\nraise SystemExit\n.json",
    "\x1b[31mred.json",
    "\u202egnp.json",
    "\u2028x.json",
    "é字.json",
    "{{ 7 * 7 }}{% raw %}.json",
    "back\\slash.json",
    "n" * 200 + ".json",
    "[red]x[bold].json",
    "-dash.json",
]


@cache
def lines_of_a_plainly_named_template() -> list[str]:
    return respc.compile_template(TEMPLATE, name="plain.json").source.split("\n")


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_file_names_stay_inside_the_header_comment(tmp_path: Path, out: Path, name: str) -> None:
    source = write(tmp_path / name, TEMPLATE)
    result = run("-o", out, "--", source)
    assert result.exit_code == 0, result.stderr
    lines = out.read_text(encoding="utf-8").split("\n")
    plain = lines_of_a_plainly_named_template()
    assert [line for line in lines if not line.startswith(NAMING)] == [
        line for line in plain if not line.startswith(NAMING)
    ]
    assert len(lines) == len(plain)
    for line in (lines[0], lines[2]):
        assert line.startswith(NAMING)
        assert line.isascii()
        assert line.isprintable()


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_nothing_of_a_refused_template_reaches_the_terminal_raw(tmp_path: Path, out: Path, name: str) -> None:
    field = {"open": "", "content": "\x1b[2J[bold]\u202e\x9b", "join": 1, "\x1b]0;x\x07[/]": 2}
    source = write(tmp_path / name, {"start_anchor": "A", "fields": {name: field, "\x00\ud800": 3}})
    result = run("-o", out, "--", source)
    assert result.exit_code == 1
    shown = result.stderr.replace("\n", "")
    assert shown.isprintable()
    assert result.stdout == ""
