"""``respc check``: what it finds and how it shows it, its exit codes, and which findings count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from support.templates import own_names

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
FORMATS = ("text", "concise", "json", "github", "sarif")
KEYS = ["code", "slug", "severity", "message", "pointer", "line", "column", "end_line", "end_column"]
KEYS += ["help", "why", "url", "fix", "file"]

MIXED = r"""{
  "start_anchor": "<|assistant|>",
  "fields": {
    "misspelled": {"open": "<m>", "clos": "</m>"},
    "empty": {
      "open": "",
      "close": "</e>"
    },
    "broken": {"open_pattern": "<b\\s\u0028?[z-a]>", "close": "</b>"},
    "parser": {"open": "<p>", "close": "</p>", "content": "yaml"},
    "late": {
      "open": "<l>",
      "close": "</l>",
      "content": "xml-inline"
    },
    "reasoning": {"open": "<think>", "close_pattern": "<\\/think>|$"},
    "content": {}
  }
}
"""
FOUND = [
    ("RT109", "/fields/misspelled/clos", '"clos"'),
    ("RT205", "/fields/empty/open", '""'),
    ("RT207", "/fields/broken/open_pattern", "["),
    ("RT301", "/fields/parser/content", '"yaml"'),
    ("RT324", "/fields/late/content_args", "{"),
    ("RT521", "/fields/reasoning", '"reasoning"'),
    ("RT640", "/fields/reasoning", '"reasoning"'),
    ("RT229", "/fields/reasoning/close_pattern", "|$"),
]

JOINED = {"repeats": True, "join": "\n"}
GOOD = {"start_anchor": "A", "fields": {"content": JOINED}}
THINKING = {"open": "<think>", "close": "</think>"}
WARNED = {"start_anchor": "A", "fields": {"reasoning_content": THINKING, "content": JOINED}}
NOTED = {"start_anchor": "A", "fields": {"thinking": THINKING | JOINED, "content": JOINED}}
LATE = {"start_anchor": "A", "fields": {"a": THINKING | {"content": "xml-inline"}, "content": JOINED}}
REFUSED = {"start_anchor": "A", "fields": {"content": {"open": ""}}}


FIXABLE = {"RT109"}


def mark(record: dict[str, Any]) -> str:
    return " [*]" if record["code"] in FIXABLE else ""


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=stdin)


def write(path: Path, template: object) -> Path:
    text = template if isinstance(template, str) else json.dumps(template)
    path.write_text(text, encoding="utf-8")
    return path


def records(*arguments: str | Path, stdin: bytes | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("--format", "json", *arguments, stdin=stdin).stdout)
    return found


def codes(*arguments: str | Path) -> list[str]:
    return [record["code"] for record in records(*arguments)]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return write(tmp_path / "mixed.json", MIXED)


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    return write(tmp_path / "warned.json", WARNED)


class TestJson:
    def test_errors_and_warnings_of_all_fields_are_found_at_once(self, mixed: Path) -> None:
        """Nothing else is found: what a broken field leads to elsewhere is no finding."""
        found = [(record["code"], record["pointer"]) for record in records(mixed)]
        assert found == [(code, pointer) for code, pointer, _ in FOUND]

    def test_places_point_into_the_file(self, mixed: Path) -> None:
        lines = MIXED.split("\n")
        found = []
        for record in records(mixed):
            line = lines[record["line"] - 1]
            one_line = record["line"] == record["end_line"]
            found.append(line[record["column"] - 1 : record["end_column"] - 1 if one_line else None])
        assert found == [text for _, _, text in FOUND]

    def test_a_value_over_several_lines_ends_where_it_ends(self, mixed: Path) -> None:
        late = next(record for record in records(mixed) if record["code"] == "RT324")
        lines = MIXED.split("\n")[late["line"] - 1 : late["end_line"]]
        assert lines[0][late["column"] - 1 :] == "{"
        assert lines[-1][: late["end_column"] - 1] == "    }"

    def test_records_have_these_keys_in_this_order(self, mixed: Path) -> None:
        for record in records(mixed):
            assert list(record) == KEYS
            assert record["file"] == str(mixed)
            assert record["severity"] in {"error", "warning", "note"}
            assert isinstance(record["message"], str)
        first = records(mixed)[0]
        assert (first["slug"], first["severity"]) == ("unknown-field-key", "error")
        assert first["help"] == "did you mean `close`?"

    def test_it_prints_one_array_and_nothing_else(self, mixed: Path, warned: Path, tmp_path: Path) -> None:
        good = write(tmp_path / "good.json", GOOD)
        result = run("--format", "json", warned, good, mixed)
        assert result.stderr == ""
        assert result.stdout.isascii()
        files = [record["file"] for record in json.loads(result.stdout)]
        assert files == [str(warned)] + [str(mixed)] * len(FOUND)

    def test_the_array_is_empty_when_nothing_is_found(self, tmp_path: Path) -> None:
        result = run("--format", "json", write(tmp_path / "good.json", GOOD))
        assert (result.exit_code, result.stdout, result.stderr) == (0, "[]\n", "")


class TestConcise:
    def test_a_finding_is_one_line(self, mixed: Path) -> None:
        result = run("--format", "concise", mixed)
        expected = [
            f"{mixed}:{record['line']}:{record['column']}: {record['severity']}[{record['code']}]"
            f"{mark(record)} {record['message']}"
            for record in records(mixed)
        ]
        assert result.stdout.splitlines() == expected
        assert result.stderr == ""

    def test_nothing_found_is_no_line(self, tmp_path: Path) -> None:
        assert run("--format", "concise", write(tmp_path / "good.json", GOOD)).output == ""


class TestGithub:
    def test_a_finding_is_a_workflow_command(self, mixed: Path) -> None:
        commands = {"error": "error", "warning": "warning", "note": "notice"}
        lines = run("--format", "github", mixed).stdout.splitlines()
        assert len(lines) == len(FOUND)
        for line, record in zip(lines, records(mixed), strict=True):
            place = f"line={record['line']},endLine={record['end_line']}"
            if record["line"] == record["end_line"]:
                place += f",col={record['column']},endColumn={record['end_column']}"
            title = f"title={record['code']} {record['slug']}"
            start = f"::{commands[record['severity']]} file={mixed},{place},{title}::{record['message']}"
            assert line == (f"{start}%0Ahelp: {record['help']}" if record["help"] else start)

    def test_there_are_no_columns_over_several_lines(self, mixed: Path) -> None:
        late = next(line for line in run("--format", "github", mixed).stdout.splitlines() if "RT324" in line)
        assert "line=11,endLine=15,title=" in late

    def test_names_and_messages_are_escaped(self, tmp_path: Path) -> None:
        name = "a%,b:c\nd\re\x1b.json"
        field = {"open": "<a>", "50%,: x": 1}
        write(tmp_path / name, {"start_anchor": "A", "fields": {"a": field, "content": {}}})
        (line,) = run("--format", "github", "--ignore", "RT520", tmp_path / name).stdout.splitlines()
        properties, _, message = line.removeprefix("::error file=").partition("::")
        assert properties.startswith(f"{tmp_path}/a%25%2Cb%3Ac%0Ad%0De\\x1b.json,line=1,")
        assert message.startswith("a field has no key `50%25,: x`")


class TestText:
    def test_findings_are_printed_and_counted_apart(self, mixed: Path) -> None:
        result = run(mixed)
        blocks = result.stdout.rstrip("\n").split("\n\n")
        assert len(blocks) == len(FOUND)
        for block, record in zip(blocks, records(mixed), strict=True):
            assert block.startswith(
                f"{record['severity']}[{record['code']}]{mark(record)}: {record['message']}\n"
            )
            assert f"--> {mixed}:{record['line']}:{record['column']}\n" in block
            assert "= why: " in block
        assert result.stderr == (
            f"{mixed}: 5 errors, 2 warnings, 1 note\n"
            "[*] 1 fixable with `--fix`; 2 more with `--unsafe-fixes`, which change messages\n"
        )

    def test_only_a_finding_is_set_off_from_another(self, warned: Path, tmp_path: Path) -> None:
        good = write(tmp_path / "good.json", GOOD)
        noted = write(tmp_path / "noted.json", NOTED)
        result = run(good, warned, good, noted, good)
        assert [block.partition(":")[0] for block in result.stdout.split("\n\n")] == [
            "warning[RT521]",
            "note[RT640]",
        ]
        counts = ["nothing found", "1 warning", "nothing found", "1 note", "nothing found"]
        paths = [good, warned, good, noted, good]
        counted = [f"{p}: {c}" for p, c in zip(paths, counts, strict=True)]
        assert result.stderr.splitlines()[:-1] == counted
        assert result.stderr.splitlines()[-1].startswith("no safe fixes: 1 fixable with")

    def test_nothing_found_prints_nothing(self, tmp_path: Path) -> None:
        good = write(tmp_path / "good.json", GOOD)
        result = run(good)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == f"{good}: nothing found\n"


@pytest.mark.parametrize("name", own_names())
def test_findings_are_in_the_order_of_the_file(name: str) -> None:
    places = [(record["line"], record["column"]) for record in records(TEMPLATES / f"{name}.json")]
    assert places == sorted(places)


@pytest.mark.parametrize("shown_as", FORMATS)
class TestExitCodes:
    @pytest.mark.parametrize(
        ("template", "plain", "strict"),
        [(GOOD, 0, 0), (NOTED, 0, 0), (WARNED, 0, 1), (LATE, 1, 1), (REFUSED, 1, 1), ("{", 1, 1)],
        ids=["good", "noted", "warned", "late", "refused", "no JSON"],
    )
    def test_of_one_source(
        self, tmp_path: Path, shown_as: str, template: object, plain: int, strict: int
    ) -> None:
        source = write(tmp_path / "t.json", template)
        assert run("--format", shown_as, source).exit_code == plain
        assert run("--format", shown_as, "--strict", source).exit_code == strict

    def test_one_error_among_several_sources(self, tmp_path: Path, shown_as: str) -> None:
        good, refused = write(tmp_path / "g.json", GOOD), write(tmp_path / "r.json", REFUSED)
        assert run("--format", shown_as, good, refused, good).exit_code == 1

    def test_a_missing_file_does_not_hide_the_others(
        self, tmp_path: Path, shown_as: str, warned: Path
    ) -> None:
        missing = tmp_path / "missing.json"
        result = run("--format", shown_as, missing, warned)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"Error: {missing}: no such file or folder\n")
        assert "RT521" in result.stdout
        assert result.stdout == run("--format", shown_as, warned).stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give a SOURCE, or name `sources`"),
        (("x.json", "--format", "xml"), "'xml' is not one of"),
        (("x.json", "--ignore"), "requires an argument"),
        (("x.json", "--ignore", "RT999"), "there is no diagnostic 'RT999'"),
        (("x.json", "--error", "no-such-slug"), "there is no diagnostic 'no-such-slug'"),
        (("x.json", "--ignore", "RT520,RT999"), "there is no diagnostic 'RT999'"),
        (("x.json", "--ignore", "RT95"), "there is no diagnostic 'RT95'"),
        (("x.json", "--select", "X"), "there is no diagnostic 'X'"),
        (("x.json", "--ignore", "RT5", "--error", "RT5"), "RT520 is to be ignored, and to be an error"),
        (("x.json", "--statistics", "--format", "github"), "the formats text and json"),
        (("x.json", "--diff", "--statistics"), "--diff shows a diff"),
        (("x.json", "--ignore", "RT109"), "RT109 cannot be ignored"),
        (("x.json", "--ignore", "invalid-json"), "RT001 cannot be ignored"),
        (("x.json", "--ignore", "RT520", "--error", "text-overwritten"), "RT520 is to be ignored, and to be"),
        (("-", "--fix"), "--fix rewrites files"),
        (("x.json", "--diff", "--fix"), "--diff shows a diff"),
        (("x.json", "--diff", "--format", "json"), "--diff shows a diff"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_usage(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "x.json", WARNED)
    before = path.read_bytes()
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""
    assert path.read_bytes() == before


class TestPolicies:
    @pytest.mark.parametrize("name", ["RT521", "rt521", "Rt521", "region-overwritten"])
    def test_ignoring(self, warned: Path, name: str) -> None:
        assert codes(warned) == ["RT521"]
        result = run("--strict", "--ignore", name, warned)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == f"{warned}: nothing found\n"

    @pytest.mark.parametrize("name", ["RT640", "rt640", "reasoning-name"])
    def test_raising_to_an_error(self, tmp_path: Path, name: str) -> None:
        noted = write(tmp_path / "noted.json", NOTED)
        result = run("--error", name, noted)
        assert result.exit_code == 1
        assert result.stdout.startswith("error[RT640]: ")
        assert result.stderr == f"{noted}: 1 error\n"
        assert [record["severity"] for record in records("--error", name, noted)] == ["error"]

    def test_both_may_be_repeated(self, mixed: Path) -> None:
        options = ["--ignore", "RT640", "--ignore", "RT324", "--error", "RT229", "--error", "RT521"]
        found = records(*options, mixed)
        assert {record["severity"] for record in found} == {"error"}
        assert [record["code"] for record in found] == [
            code for code, _, _ in FOUND if code not in {"RT640", "RT324"}
        ]

    def test_a_late_error_can_be_ignored(self, tmp_path: Path) -> None:
        late = write(tmp_path / "late.json", LATE)
        assert run(late).exit_code == 1
        assert run("--ignore", "missing-tag-pattern", late).exit_code == 0

    def test_raising_an_error_leaves_it_one(self, tmp_path: Path) -> None:
        refused = write(tmp_path / "refused.json", REFUSED)
        assert records("--error", "RT205", refused) == records(refused)
