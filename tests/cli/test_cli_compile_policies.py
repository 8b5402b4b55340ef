"""``respc compile``: findings beyond the interpreter's, ``--ignore`` and ``--error``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import respc
from respc.cli import main
from support.modules import module_of
from support.oracle import assert_same, interpret, run_compiled

if TYPE_CHECKING:
    from pathlib import Path

JOINED: dict[str, Any] = {"repeats": True, "join": "\n"}
A: dict[str, Any] = {"open": "<a>", "close": "</a>"}
TEXT = "x<a>1<k></a>y"

LATE_ERRORS: dict[str, tuple[dict[str, Any], str | None]] = {
    "RT225": ({"open": "<a>", "close_pattern": r"\s*"}, None),
    "RT320": (A | {"content": "json", "content_args": [1]}, "AttributeError"),
    "RT321": (A | {"content": "kv-lines", "content_args": {"line_sep": 1}}, "TypeError"),
    "RT323": (
        A | {"content": "kv-lines", "content_args": {"kv_sep": "<", "value_parser": {"name": "yaml"}}},
        "KeyError",
    ),
    "RT324": (A | {"content": "xml-inline"}, "ValueError"),
    "RT325": (A | {"content": "xml-inline", "content_args": {"tag_pattern": "("}}, "Exception"),
    "RT326": (
        A | {"content": "xml-inline", "content_args": {"tag_pattern": r"<(?P<value>\w)>"}},
        "ValueError",
    ),
    "RT327": (A | {"content": "kv-lines", "content_args": {"kv_sep": ""}}, "ValueError"),
    "RT331": (
        A | {"content": "xml-inline", "content_args": {"tag_pattern": "-(?P<key>k)(?P<value>)"}} | JOINED,
        "ValueError",
    ),
    "RT420": (A | {"transform": {"x": "{nothing}", "y": "{content}"}}, "KeyError"),
    "RT422": (A | {"transform": {"y": "{a}"}, "transform_each": True}, "ValueError"),
    "RT423": (A | {"transform": "{content.a}"}, "ValueError"),
}
"""For each code a field that has it, and what the interpreter raises when it reads TEXT."""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["compile", *map(str, arguments)])


def template_with(field: dict[str, Any], content: dict[str, Any] = JOINED) -> dict[str, Any]:
    return {"start_anchor": "A", "fields": {"a": field, "content": content}}


def write(path: Path, template: object) -> Path:
    path.write_text(json.dumps(template), encoding="utf-8")
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "model_parser.py"


@pytest.mark.parametrize("code", LATE_ERRORS)
class TestLateErrors:
    """The interpreter loads such a template, and stumbles over the text."""

    @pytest.mark.parametrize("options", [(), ("--check",), ("--standalone",)], ids=str)
    def test_the_command_refuses_them(
        self, tmp_path: Path, out: Path, code: str, options: tuple[str, ...]
    ) -> None:
        source = write(tmp_path / "t.json", template_with(LATE_ERRORS[code][0]))
        result = run(source, "-o", out, *options)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert f"error[{code}]" in result.stderr
        assert not out.exists()

    def test_an_old_module_is_left_as_it_was(self, tmp_path: Path, out: Path, code: str) -> None:
        out.write_text("what was there", encoding="utf-8")
        before = out.stat()
        source = write(tmp_path / "t.json", template_with(LATE_ERRORS[code][0]))
        assert run(source, "-o", out).exit_code == 1
        assert out.read_text(encoding="utf-8") == "what was there"
        assert (out.stat().st_mtime_ns, out.stat().st_ino) == (before.st_mtime_ns, before.st_ino)

    @pytest.mark.parametrize("options", [(), ("--standalone",)], ids=str)
    def test_ignored_they_show_when_text_is_parsed_as_in_the_interpreter(
        self, tmp_path: Path, out: Path, code: str, options: tuple[str, ...]
    ) -> None:
        field, raised = LATE_ERRORS[code]
        template = template_with(field)
        result = run(write(tmp_path / "t.json", template), "-o", out, "--ignore", code.lower(), *options)
        assert result.exit_code == 0, result.stderr
        assert code not in result.stderr
        expected = interpret(template, "", [TEXT])
        assert expected.error == raised
        assert_same(expected, run_compiled(module_of(out.read_text(encoding="utf-8")), "", [TEXT]))

    def test_the_library_lets_them_through_as_warnings(self, code: str) -> None:
        compilation = respc.compile_template(template_with(LATE_ERRORS[code][0]))
        severities = {finding.code.code: finding.severity.value for finding in compilation.diagnostics}
        assert severities[code] == "warning"
        assert "error" not in severities.values()
        module_of(compilation.source)

    def test_the_template_is_loaded_by_the_library(self, code: str) -> None:
        module = respc.load(template_with(LATE_ERRORS[code][0]))
        assert module.parse_response("no region at all", prefix="") == {"content": "no region at all"}


class TestPolicies:
    OVERWRITES = template_with(A, {})
    """Only the text after the region of `a` is kept."""

    def test_a_warning_is_shown_and_does_not_stop(self, tmp_path: Path, out: Path) -> None:
        source = write(tmp_path / "t.json", self.OVERWRITES)
        result = run(source, "-o", out)
        assert result.exit_code == 0
        assert result.stderr.startswith("warning[RT520]: ")
        assert "= why: " in result.stderr
        assert result.stderr.endswith(f"{out}: written\n")

    @pytest.mark.parametrize("name", ["RT520", "rt520", "text-overwritten"])
    def test_an_error_refuses(self, tmp_path: Path, out: Path, name: str) -> None:
        source = write(tmp_path / "t.json", self.OVERWRITES)
        result = run(source, "-o", out, "--error", name)
        assert result.exit_code == 1
        assert result.stderr.startswith("error[RT520]: ")
        assert not out.exists()

    @pytest.mark.parametrize("name", ["RT520", "rt520", "text-overwritten"])
    def test_what_is_ignored_is_not_shown(self, tmp_path: Path, out: Path, name: str) -> None:
        source = write(tmp_path / "t.json", self.OVERWRITES)
        result = run(source, "-o", out, "--ignore", name)
        assert (result.exit_code, result.stderr) == (0, f"{out}: written\n")

    def test_they_do_not_change_the_module(self, tmp_path: Path, out: Path) -> None:
        source = write(tmp_path / "t.json", self.OVERWRITES)
        run(source, "-o", out)
        assert run(source, "-o", out, "--check", "--ignore", "RT520").exit_code == 0

    def test_notes_are_only_counted(self, tmp_path: Path, out: Path) -> None:
        fields = {"thinking": A | JOINED, "a": {"open": ["b", "b"], "close": "c"}, "content": JOINED}
        source = write(tmp_path / "t.json", {"start_anchor": "A", "fields": fields})
        result = run(source, "-o", out)
        assert result.exit_code == 0
        counted = f"{source}: 2 notes, which `respc check` shows\n"
        assert result.stderr == f"{counted}{out}: written\n"
        result = run(source, "-o", out, "--ignore", "RT241")
        assert result.stderr == f"{counted.replace('2 notes', '1 note')}{out}: unchanged\n"
        assert run(source, "-o", out, "--ignore", "RT241", "--error", "RT640").exit_code == 1

    def test_notes_are_counted_beside_an_error(self, tmp_path: Path, out: Path) -> None:
        fields = {"thinking": A | JOINED, "content": {"content": "yaml"}}
        source = write(tmp_path / "t.json", {"start_anchor": "A", "fields": fields})
        result = run(source, "-o", out)
        assert result.exit_code == 1
        assert result.stderr.startswith("error[RT301]: ")
        assert result.stderr.endswith(f"{source}: 1 note, which `respc check` shows\n")

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (("--ignore", "RT999"), "there is no diagnostic 'RT999'"),
            (("--error", ""), "there is no diagnostic ''"),
            (("--ignore", "rt205"), "RT205 cannot be ignored"),
            (("--ignore", "RT520", "--error", "RT520"), "RT520 is to be ignored, and to be an error"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_usage(self, tmp_path: Path, out: Path, options: tuple[str, ...], says: str) -> None:
        result = run(write(tmp_path / "t.json", self.OVERWRITES), "-o", out, *options)
        assert result.exit_code == 2
        assert says in result.stderr
        assert not out.exists()


def test_a_module_too_large_to_be_formatted_can_be_an_error(tmp_path: Path) -> None:
    large = {"defaults": {"numbers": list(range(30_000))}, "start_anchor": "A", "fields": {"content": {}}}
    source, out = tmp_path / "large.json", tmp_path / "large.py"
    source.write_text(json.dumps(large), encoding="utf-8")
    refused = run(source, "-o", out, "--error", "not-formatted")
    assert refused.exit_code == 1
    assert "error[RT040]" in refused.stderr
    assert not out.exists()


def test_what_a_standalone_module_needs_is_shown_and_not_only_counted(tmp_path: Path) -> None:
    source = write(
        tmp_path / "t.json", {"start_anchor": "A", "fields": {"content": {"close_pattern": r"<\w>"}}}
    )
    for options, shown in (((), False), (("--standalone",), True)):
        result = run(source, "-o", tmp_path / "t.py", *options)
        assert ("RT246" in result.stderr) is shown
        assert (
            "note[RT246]: because of `\\w`, a standalone module imports `regex`" in result.stderr
        ) is shown
        assert "which `respc check` shows" not in result.stderr
