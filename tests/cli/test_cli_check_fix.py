"""``respc check --fix`` and ``--diff``: what they change in a file, what they leave, and what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from support.templates import own_names

if TYPE_CHECKING:
    from collections.abc import Callable

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"

BEFORE = r"""{
    "version": true,
    "start_anchor": ["<|assistant|>",  "<|assistant|>"],

    "fields": {
        "reasoning_content": {
            "open" : "<\u0074hink>",
            "clos" : "<\/think>"
        },
        "n":   {"open": "<é>", "close_pattern": "<\\/é>|$", "content": "int", "join": null },
        "late": {"open": "<l>", "close": "</l>", "content": "xml-inline"},
        "content": {"repeats": true, "join": "\n"}
    }
}
"""
AFTER = r"""{
    "version": 1,
    "start_anchor": ["<|assistant|>"],

    "fields": {
        "reasoning_content": {
            "open" : "<\u0074hink>",
            "close" : "<\/think>",
            "repeats" : true,
            "join" : "\n"
        },
        "n":   {"open": "<é>", "close_pattern": "<\\/é>", "content": "int" },
        "late": {"open": "<l>", "close": "</l>", "content": "xml-inline"},
        "content": {"repeats": true, "join": "\n"}
    }
}
"""
FIXES = {
    "RT120 version-misread at /version",
    "RT241 duplicate-literal at /start_anchor/1",
    "RT109 unknown-field-key at /fields/reasoning_content/clos",
    "RT521 region-overwritten at /fields/reasoning_content",
    "RT229 end-or-text at /fields/n/close_pattern",
    "RT140 null-value at /fields/n/join",
}
FIX = ("--fix", "--unsafe-fixes")
DIFF = ("--diff", "--unsafe-fixes")
SAFE = {"RT120", "RT241", "RT109", "RT140"}
LAYOUTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "tabs": lambda text: text.replace("    ", "\t"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no last line end": lambda text: text.rstrip("\n"),
    "line separators in strings": lambda text: text.replace("<l>", "<\u2028\x85l>"),
}


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=stdin)


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8"))
    return path


def state(path: Path) -> tuple[bytes, int, int, int]:
    found = path.stat()
    return path.read_bytes(), found.st_mtime_ns, found.st_ino, found.st_mode


def fixes_in(result: Result, name: object, done: str) -> dict[str, str]:
    """Return what standard error says was or would be fixed, with the line about its changes."""
    lines = result.stderr.splitlines()
    said = re.compile(rf"{re.escape(f'{name}: ')}(.*): {done}(?: \(unsafe\))?")
    return {
        match[1]: lines[number + 1]
        for number, line in enumerate(lines)
        if (match := said.fullmatch(line)) is not None
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "model.json", BEFORE)


@pytest.fixture
def after_fixes(tmp_path: Path) -> Path:
    return write(tmp_path / "after.json", AFTER)


class TestFix:
    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_only_what_is_fixed_changes_in_the_file(self, source: Path, layout: Callable[[str], str]) -> None:
        write(source, layout(BEFORE))
        run(*FIX, source)
        assert source.read_bytes() == layout(AFTER).encode("utf-8")

    def test_what_was_fixed_and_what_it_changes_are_named(self, source: Path) -> None:
        result = run(*FIX, source)
        said = fixes_in(result, source, "fixed")
        assert set(said) == FIXES
        assert all(line.startswith("  changes: ") and line != "  changes: " for line in said.values())
        assert said["RT120 version-misread at /version"] == "  changes: nothing"

    def test_only_what_changes_no_message_is_fixed_unless_more_is_asked_for(self, source: Path) -> None:
        result = run("--fix", source)
        assert {fix.split()[0] for fix in fixes_in(result, source, "fixed")} == SAFE
        assert "(unsafe)" not in result.stderr
        assert "|$" in source.read_text(encoding="utf-8")
        assert result.stderr.splitlines()[-1] == (
            "no safe fixes: 2 fixable with `--fix --unsafe-fixes`, which change messages"
        )
        assert fixes_in(run("--fix", source), source, "fixed") == {}

    def test_what_changes_messages_is_said_to(self, source: Path) -> None:
        lines = [line for line in run(*FIX, source).stderr.splitlines() if line.endswith("fixed (unsafe)")]
        assert {line.split()[1] for line in lines} == {"RT521", "RT229"}

    def test_what_is_left_is_shown_and_counted(self, source: Path) -> None:
        result = run(*FIX, source)
        assert result.exit_code == 1
        assert result.stdout.startswith("error[RT324]: ")
        assert f"--> {source}:13:" in result.stdout, "the place is in the fixed file"
        assert "\n\n" not in result.stdout
        assert result.stderr.splitlines()[-1] == f"{source}: 1 error"

    def test_findings_are_shown_in_every_format(self, source: Path, after_fixes: Path) -> None:
        for shown_as in ("text", "concise", "json", "github"):
            write(source, BEFORE)
            fixed, checked = (run("--format", shown_as, *given) for given in ((*FIX, source), (after_fixes,)))
            assert fixed.stdout.replace(source.name, after_fixes.name) == checked.stdout
            assert fixed.exit_code == checked.exit_code == 1

    def test_a_second_run_changes_nothing(self, source: Path) -> None:
        run(*FIX, source)
        os.utime(source, ns=(10**18, 10**18))
        before = state(source)
        result = run(*FIX, source)
        assert fixes_in(result, source, "fixed") == {}
        assert result.exit_code == 1
        assert state(source) == before

    @pytest.mark.parametrize("text", [AFTER, "{", '{"chat_template": ""}', "\ufeff{}"], ids=ascii)
    def test_a_file_with_nothing_to_fix_is_left_alone(self, source: Path, text: str) -> None:
        write(source, text)
        before = state(source)
        result = run(*FIX, source)
        assert result.exit_code == 1
        assert result.stdout == run(source).stdout
        assert state(source) == before

    def test_what_is_ignored_is_not_fixed(self, source: Path) -> None:
        result = run(*FIX, "--ignore", "RT241", "--ignore", "null-value", source)
        assert set(fixes_in(result, source, "fixed")) == {
            fix for fix in FIXES if not fix.startswith(("RT241", "RT140"))
        }
        text = source.read_text(encoding="utf-8")
        assert '["<|assistant|>",  "<|assistant|>"]' in text
        assert '"join": null }' in text

    def test_all_is_well_when_nothing_is_left(self, source: Path) -> None:
        write(source, '{"start_anchor": "A", "fields": {"content": {"repeats": true, "joined": ""}}}')
        result = run(*FIX, "--strict", source)
        assert result.exit_code == 0
        assert result.stdout == ""
        assert result.stderr.splitlines()[-1] == f"{source}: nothing found"
        assert json.loads(source.read_text(encoding="utf-8"))["fields"]["content"]["join"] == ""

    @pytest.mark.parametrize("given", ["", "tokenizer_config.json"], ids=["folder", "file"])
    def test_the_rest_of_a_tokenizer_config_keeps_every_byte(self, tmp_path: Path, given: str) -> None:
        head = '{ "a":1,"a" : 1e400,\r\n\t"b": "\\ud800 \u2028", "é": [ ],"response_template"  :'
        tail = ' ,\n"chat_template": "{{ x }}|$", "clos": {"join": null}  }'
        config = write(tmp_path / "tokenizer_config.json", head + BEFORE + tail)
        result = run(*FIX, tmp_path / given)
        assert set(fixes_in(result, config, "fixed")) == FIXES
        assert config.read_bytes() == (head + AFTER + tail).encode("utf-8")

    def test_the_mode_is_kept_and_a_link_is_followed(self, source: Path, tmp_path: Path) -> None:
        source.chmod(0o640)
        link = tmp_path / "link.json"
        link.symlink_to(source)
        run(*FIX, link)
        assert link.is_symlink()
        assert source.read_text(encoding="utf-8") == AFTER
        assert stat.S_IMODE(source.stat().st_mode) == 0o640

    def test_a_file_that_cannot_be_written_is_as_before_and_hides_no_other(
        self, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = write(tmp_path / "other.json", BEFORE)
        before = state(source)
        replace = os.replace

        def refuse(given: object, target: object) -> None:
            if str(target) == str(source):
                raise OSError(28, "No space left on device")
            replace(str(given), str(target))

        monkeypatch.setattr(os, "replace", refuse)
        result = run(*FIX, "--format", "json", source, other)
        assert result.exit_code == 2
        assert f"Error: {source}: No space left on device\n" in result.stderr
        assert fixes_in(result, source, "fixed") == {}
        assert state(source) == before
        assert {path.name for path in tmp_path.iterdir()} == {source.name, other.name}
        assert other.read_text(encoding="utf-8") == AFTER
        found = [(record["file"], record["code"]) for record in json.loads(result.stdout)]
        assert found.count((str(source), "RT109")) == 1, "what could not be fixed is still found"
        assert [code for file, code in found if file == str(other)] == ["RT324"]


class TestDiff:
    def test_it_is_a_unified_diff_and_nothing_is_written(self, source: Path) -> None:
        before = state(source)
        result = run(*DIFF, source)
        lines = result.stdout.splitlines()
        assert lines[:2] == [f"--- {source}", f"+++ {source} (fixed)"]
        assert lines[2].startswith("@@ -1,")
        assert '-    "version": true,' in lines
        assert '+    "version": 1,' in lines
        assert '             "open" : "<\\u0074hink>",' in lines
        assert not any(line.startswith(("+", "-")) and "xml-inline" in line for line in lines)
        assert state(source) == before

    def test_what_it_would_fix_and_what_there_is_goes_to_standard_error(self, source: Path) -> None:
        result = run(*DIFF, source)
        assert result.exit_code == 1
        assert set(fixes_in(result, source, "would be fixed")) == FIXES
        assert result.stderr.splitlines()[-2] == f"{source}: 2 errors, 2 warnings, 2 notes"

    def test_only_what_changes_no_message_is_shown_unless_more_is_asked_for(self, source: Path) -> None:
        result = run("--diff", source)
        assert {fix.split()[0] for fix in fixes_in(result, source, "would be fixed")} == SAFE
        assert '+        "n":   {"open": "<é>", "close_pattern": "<\\\\/é>|$", "content": "int" },' in (
            result.stdout.splitlines()
        )

    def test_nothing_to_fix_prints_nothing(self, source: Path) -> None:
        write(source, '{"start_anchor": "A", "fields": {"content": {}}}')
        result = run(*DIFF, source)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == f"{source}: nothing found\n"

    def test_a_file_without_a_template_is_named_with_the_reason(self, source: Path) -> None:
        write(source, "{")
        result = run(*DIFF, source)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("error[RT001]: ")
        assert f"--> {source}:1:2\n" in result.stderr
        assert result.stderr.endswith(f"{source}: 1 error\n")

    def test_standard_input(self) -> None:
        result = run(*DIFF, "-", stdin=BEFORE.encode("utf-8"))
        assert result.exit_code == 1
        assert result.stdout.startswith("--- <stdin>\n+++ <stdin> (fixed)\n@@ -1,")

    def test_several_sources(self, source: Path, after_fixes: Path, tmp_path: Path) -> None:
        missing = tmp_path / "missing.json"
        result = run(*DIFF, missing, source, after_fixes, "-", stdin=BEFORE.encode("utf-8"))
        assert result.exit_code == 2
        heads = [line for line in result.stdout.splitlines() if line.startswith("--- ")]
        assert heads == [f"--- {source}", "--- <stdin>"]
        assert result.stderr.startswith(f"Error: {missing}: ")

    @pytest.mark.skipif(shutil.which("patch") is None, reason="needs the program patch")
    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_patch_makes_of_it_what_fix_makes(self, source: Path, layout: Callable[[str], str]) -> None:
        write(source, layout(BEFORE))
        diff = run(*DIFF, source).stdout_bytes
        subprocess.run(["patch", "--binary", "--fuzz=0", str(source)], input=diff, check=True, timeout=60)
        assert source.read_bytes() == layout(AFTER).encode("utf-8")


@pytest.mark.parametrize("name", own_names())
def test_fixing_comes_to_an_end_and_leaves_nothing_that_can_be_fixed(name: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.json"
    shutil.copyfile(TEMPLATES / f"{name}.json", source)
    run(*FIX, source)
    before = state(source)
    assert fixes_in(run(*FIX, source), source, "fixed") == {}
    assert state(source) == before
    assert run(*DIFF, source).stdout == ""
