"""What cannot be stable is refused with RT212: the place, the reason, what to write instead, and the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import respc
from respc.cli import main
from respc.options import NEEDED_FOR_STABILITY
from support.modules import module_of
from support.oracle import assert_same, interpret, run_compiled

if TYPE_CHECKING:
    from pathlib import Path

UNSTABLE = {
    "edge of a word": r"<call\b[^>]*>",
    "no edge of a word": r"<call\B>",
    "look-behind": r"(?<=\n)<call>",
    "negative look-behind": r"(?<!a)<call>",
    "negative look-ahead": r"<call>(?!a)",
    "atomic group": r"<call(?>\s*)>",
    "possessive repeat": r"<call\s*+>",
    "end inside": r"<call>$|<call>b",
    "end of a line inside a choice": r"<call(?:>|$)b?",
    "back-reference": r"<(\w+)></\1>",
    "recursion": r"<call(?:<(?R)>)?>",
}


def template_of(**field: Any) -> dict[str, Any]:
    return {"start_anchor": "@", "fields": {"tool_calls": field, "content": {}}}


def refusal(template: dict[str, Any], **options: Any) -> Any:
    """Return the one error for which a template is refused."""
    with pytest.raises(respc.TemplateError) as caught:
        respc.load(template, **options)
    assert isinstance(caught.value, ValueError)
    (found,) = [each for each in caught.value.diagnostics if each.severity == "error"]
    return found


@pytest.mark.parametrize("options", [{"events": "serving"}, {"stable": True}], ids=["serving", "stable"])
@pytest.mark.parametrize("key", ["open_pattern", "close_pattern"])
@pytest.mark.parametrize("pattern", UNSTABLE.values(), ids=UNSTABLE)
def test_a_pattern_that_cannot_be_stable(pattern: str, key: str, options: dict[str, Any]) -> None:
    other = {"open_pattern": "close", "close_pattern": "open"}[key]
    template = template_of(**{key: pattern, other: "<other>"})
    found = refusal(template, **options)
    assert found.code.code == "RT212"
    assert found.pointer == f"/fields/tool_calls/{key}"
    assert found.message
    assert found.label
    assert found.help
    respc.load(template, events="serving", stable=False)
    respc.load(template)


@pytest.mark.parametrize(
    "closer", [r"(?=x)", r"(?=<call>)|;", r"\s*(?=;)", r"\s*"], ids=["bare", "choice", "blanks", "repeat"]
)
def test_a_closer_of_plain_text_that_matches_nothing(closer: str) -> None:
    template = {
        "start_anchor": "@",
        "fields": {"calls": {"open": "<call>", "close": ";"}, "content": {"close_pattern": closer}},
    }
    found = refusal(template, events="serving")
    assert (found.code.code, found.pointer) == ("RT212", "/fields/content/close_pattern")
    assert found.message
    assert found.help
    respc.load(template, events="serving", stable=False)


def test_all_that_is_unstable_is_said_at_once() -> None:
    template = template_of(open_pattern=r"<call\b", close_pattern=r"(?<=x)y")
    template["fields"]["content"] = {"close_pattern": "(?=x)"}
    with pytest.raises(respc.TemplateError) as caught:
        respc.load(template, stable=True)
    pointers = [found.pointer for found in caught.value.diagnostics if found.code.code == "RT212"]
    assert pointers == [
        "/fields/tool_calls/open_pattern",
        "/fields/tool_calls/close_pattern",
        "/fields/content/close_pattern",
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        r"<call>(?=a)",
        r"<call [^>]*>",
        r"\s*<call>\s*",
        r"<a>|<ab>c?",
        r"<call>.*?=",
        r"<call>(?:<a>)?",
        r"^<call>",
    ],
)
def test_what_only_looks_alike_is_stable(pattern: str) -> None:
    respc.load(template_of(open_pattern=pattern, close="</call>"), events="serving")


@pytest.mark.parametrize("left_out", sorted(NEEDED_FOR_STABILITY))
def test_the_library_says_which_pass_a_stable_module_needs(left_out: str) -> None:
    passes = [name for name in respc.PASSES if name != left_out]
    with pytest.raises(ValueError, match=f"needs the passes.*{left_out}"):
        respc.load(template_of(open="<a>", close="</a>"), passes=passes, stable=True)


@pytest.fixture
def unstable(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(template_of(open_pattern=r"<call\b>", close=";"), indent=1), encoding="utf-8")
    return path


def compile_command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["compile", *map(str, arguments)])


@pytest.mark.parametrize("options", [["--events", "serving"], ["--stable"]], ids=" ".join)
def test_the_command_refuses_with_the_place_and_code_1(
    unstable: Path, tmp_path: Path, options: list[str]
) -> None:
    out = tmp_path / "parser.py"
    result = compile_command(unstable, "-o", out, *options)
    assert result.exit_code == 1
    assert not out.exists()
    assert result.stdout == ""
    line = next(
        number for number, text in enumerate(unstable.read_text().splitlines(), 1) if "open_pattern" in text
    )
    assert "RT212" in result.stderr
    assert f"model.json:{line}:" in result.stderr
    assert "help" in result.stderr


@pytest.mark.parametrize("options", [[], ["--events", "serving"]], ids=["default", "serving"])
def test_no_stable_compiles_it(unstable: Path, options: list[str]) -> None:
    result = compile_command(unstable, "-o", "-", "--no-stable", *options)
    assert result.exit_code == 0
    module = module_of(result.stdout)
    message, _ = module.ResponseParser("").finalize()
    assert message == {}
    if not options:
        template = json.loads(unstable.read_text())
        text = "a<call>b;c"
        assert_same(interpret(template, "", [text]), run_compiled(module, "", [text]))


@pytest.mark.parametrize("left_out", sorted(NEEDED_FOR_STABILITY))
@pytest.mark.parametrize("options", [["--events", "serving"], ["--stable"]], ids=" ".join)
def test_a_needed_pass_left_out_is_a_usage_error(
    unstable: Path, tmp_path: Path, options: list[str], left_out: str
) -> None:
    out = tmp_path / "parser.py"
    result = compile_command(unstable, "-o", out, *options, "--without", left_out)
    assert result.exit_code == 2
    assert left_out in result.stderr
    assert "--no-stable" in result.stderr
    assert not out.exists()
    assert compile_command(unstable, "-o", out, *options, "--no-stable", "--without", left_out).exit_code == 0
