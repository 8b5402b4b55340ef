"""``respc check``: which codes count, what can be fixed, statistics, and the formats that other programs read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

import jsonschema
import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from respc.diagnostics import CODES, explanations
from respc.diagnostics.explanations import explanation_of, link_to, short_list

TEMPLATE: Final = """{
  "version": 1.0,
  "start_anchor": "A",
  "fields": {
    "thinking": {"open": "<é>", "close": "</é>", "join": null},
    "tool_calls": {
      "open": "<c>", "close": "</c>", "repeats": true, "content": "json",
      "transform": {"type": "function", "function": "{content}"}
    },
    "content": {}
  }
}
"""
FOUND_HERE: Final = ["RT120", "RT521", "RT640", "RT140", "RT542", "RT543", "RT520"]
FIXED: Final = {"RT120": "safe", "RT140": "safe", "RT521": "unsafe", "RT520": "unsafe"}

PLACE: Final = {"type": "integer", "minimum": 1}
REGION: Final = {
    "type": "object",
    "properties": {"startLine": PLACE, "startColumn": PLACE, "endLine": PLACE, "endColumn": PLACE},
    "additionalProperties": False,
}
MESSAGE: Final = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}},
    "additionalProperties": False,
}
ARTIFACT: Final = {
    "type": "object",
    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
    "additionalProperties": False,
}
LEVEL: Final = {"enum": ["none", "note", "warning", "error"]}
REPLACEMENT: Final = {
    "type": "object",
    "required": ["deletedRegion"],
    "properties": {
        "deletedRegion": REGION,
        "insertedContent": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
    "additionalProperties": False,
}
FIX: Final = {
    "type": "object",
    "required": ["artifactChanges"],
    "properties": {
        "description": MESSAGE,
        "artifactChanges": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["artifactLocation", "replacements"],
                "properties": {
                    "artifactLocation": ARTIFACT,
                    "replacements": {"type": "array", "minItems": 1, "items": REPLACEMENT},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
RULE: Final = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
        "helpUri": {"type": "string", "format": "uri"},
        "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}},
    },
    "additionalProperties": False,
}
RESULT: Final = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "physicalLocation": {
                        "type": "object",
                        "required": ["artifactLocation"],
                        "properties": {"artifactLocation": ARTIFACT, "region": REGION},
                        "additionalProperties": False,
                    },
                    "logicalLocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"fullyQualifiedName": {"type": "string"}},
                            "additionalProperties": False,
                        },
                    },
                },
                "additionalProperties": False,
            },
        },
        "fixes": {"type": "array", "items": FIX, "uniqueItems": True},
    },
    "additionalProperties": False,
}
SARIF: Final = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {"type": "array", "items": RULE, "uniqueItems": True},
                                },
                                "additionalProperties": False,
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
"""The objects of SARIF 2.1.0 that the log has, with those of their properties that it writes."""


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=stdin)


def codes(*arguments: str | Path) -> list[str]:
    return [record["code"] for record in json.loads(run("--format", "json", *arguments).stdout)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


class TestCodes:
    @pytest.mark.parametrize(
        ("options", "found"),
        [
            ([], FOUND_HERE),
            (["--ignore", "RT5"], ["RT120", "RT640", "RT140"]),
            (["--ignore", "RT52,rt640"], ["RT120", "RT140", "RT542", "RT543"]),
            (["--ignore", "RT521, RT1", "--ignore", "reasoning-name"], ["RT542", "RT543", "RT520"]),
            (["--ignore", "ALL"], []),
            (["--ignore", "RT5", "--error", "RT520"], ["RT120", "RT640", "RT140", "RT520"]),
            (["--select", "RT5"], ["RT521", "RT541", "RT542", "RT543", "RT520"]),
            (["--select", "RT5", "--ignore", "RT52"], ["RT541", "RT542", "RT543"]),
            (["--select", "RT520", "--ignore", "RT5"], ["RT520"]),
            (["--select", "ALL"], ["RT120", "RT521", "RT640", "RT140", "RT541", "RT542", "RT543", "RT520"]),
            (
                ["--extend-select", "RT541"],
                ["RT120", "RT521", "RT640", "RT140", "RT541", "RT542", "RT543", "RT520"],
            ),
            (["--error", "RT541"], ["RT120", "RT521", "RT640", "RT140", "RT541", "RT542", "RT543", "RT520"]),
            (["--error", "RT5"], FOUND_HERE),
            (["--extend-select", "RT541", "--ignore", "RT541"], FOUND_HERE),
            (["--ignore", "note"], ["RT120", "RT521", "RT520"]),
            (["--ignore", "Note,warning"], []),
            (["--ignore", "note", "--select", "RT64"], ["RT640"]),
            (["--select", "warning"], ["RT120", "RT521", "RT520"]),
            (["--extend-select", "RT541", "--ignore", "note"], ["RT120", "RT521", "RT541", "RT520"]),
        ],
        ids=lambda value: " ".join(value),
    )
    def test_which_are_found(self, source: Path, options: list[str], found: list[str]) -> None:
        assert sorted(codes(*options, source)) == sorted(found)

    def test_what_refuses_is_always_found(self, tmp_path: Path) -> None:
        path = tmp_path / "t.json"
        path.write_text('{"start_anchor": "A", "fields": {"content": {"clos": "x"}}}', encoding="utf-8")
        for options in (["--ignore", "RT1"], ["--ignore", "ALL"], ["--select", "RT5"]):
            assert codes(*options, path) == ["RT109"]

    def test_a_prefix_makes_errors(self, source: Path) -> None:
        shown = json.loads(run("--format", "json", "--error", "RT52", source).stdout)
        assert {each["code"] for each in shown if each["severity"] == "error"} == {"RT520", "RT521"}

    def test_only_what_is_asked_for_is_found_on_request(self) -> None:
        assert {code.code for code in CODES if not code.by_default} == {"RT246", "RT541"}


class TestFixable:
    def test_what_is_fixed_is_marked(self, source: Path) -> None:
        for option, marked in (([], "safe"), (["--unsafe-fixes"], "any")):
            lines = run("--format", "concise", *option, source).stdout.splitlines()
            with_mark = {line.partition("[")[2][:5] for line in lines if "] [*] " in line}
            assert with_mark == {code for code, kind in FIXED.items() if marked in (kind, "any")}

    def test_how_much_is_said(self, source: Path) -> None:
        assert run(source).stderr.splitlines()[-1] == (
            "[*] 2 fixable with `--fix`; 2 more with `--unsafe-fixes`, which change messages"
        )
        assert run("--unsafe-fixes", source).stderr.splitlines()[-1] == (
            "[*] 4 fixable with `--fix --unsafe-fixes`"
        )
        run("--fix", "--unsafe-fixes", source)
        assert run(source).stderr.splitlines() == [f"{source}: 3 notes"]

    def test_edits_make_what_fix_makes(self, source: Path) -> None:
        records = json.loads(run("--format", "json", source).stdout)
        assert {each["code"]: each["fix"]["applicability"] for each in records if each["fix"]} == FIXED
        edits = [
            edit
            for each in records
            if each["fix"] and each["fix"]["applicability"] == "safe"
            for edit in each["fix"]["edits"]
        ]
        lines = TEMPLATE.splitlines(keepends=True)
        for edit in sorted(edits, key=lambda each: (each["line"], each["column"]), reverse=True):
            assert edit["line"] == edit["end_line"]
            line = lines[edit["line"] - 1]
            changed = line[: edit["column"] - 1] + edit["content"] + line[edit["end_column"] - 1 :]
            lines[edit["line"] - 1] = changed
        run("--fix", source)
        assert source.read_text(encoding="utf-8") == "".join(lines)

    def test_a_record_says_why_and_where_more_is_told(self, source: Path) -> None:
        for record in json.loads(run("--format", "json", source).stdout):
            explanation = explanation_of(record["code"])
            assert record["why"] == explanation.why
            path = Path(url2pathname(unquote(urlparse(record["url"]).path)))
            assert path.read_text(encoding="utf-8") == explanation.text

    def test_a_published_page_is_linked_where_there_is_one(self) -> None:
        code = CODES[0]
        assert link_to(code, "https://docs.example/diagnostics/") == (
            "https://docs.example/diagnostics/#rt001-invalid-json"
        )
        page = explanations.docs_page()
        assert f"(#{(link_to(code, '') or '').lstrip('#')})" in page


class TestQuietAndStatistics:
    @pytest.mark.parametrize("option", ["--quiet", "-q"])
    def test_only_the_findings_are_printed(self, source: Path, option: str) -> None:
        result = run(option, source)
        assert result.stdout == run(source).stdout
        assert result.stderr == ""
        assert run(option, "--diff", source).stderr == ""
        assert run(option, "--fix", source).stderr == ""

    def test_counts_by_code(self, source: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.json"
        other.write_text(TEMPLATE.replace('"version": 1.0,', ""), encoding="utf-8")
        lines = run("--statistics", source, other).stdout.splitlines()
        assert lines[0].split() == ["2", "RT140", "[*]", "null-value"]
        assert lines[-1].split() == ["1", "RT120", "[*]", "version-misread"]
        assert [line.split()[1] for line in lines if "[ ]" in line] == [
            "RT520",
            "RT521",
            "RT542",
            "RT543",
            "RT640",
        ]

    def test_counts_by_code_for_programs(self, source: Path) -> None:
        rows = json.loads(run("--statistics", "--format", "json", source).stdout)
        assert {row["code"] for row in rows} == set(FOUND_HERE)
        assert rows[0] == {"code": "RT120", "slug": "version-misread", "count": 1, "fixable": True}

    def test_nothing_found_has_no_statistics(self, tmp_path: Path) -> None:
        good = tmp_path / "good.json"
        good.write_text('{"start_anchor": "A", "fields": {"content": {}}}', encoding="utf-8")
        assert run("--statistics", good).stdout == ""


class TestSarif:
    def log(self, *arguments: str | Path, stdin: str | None = None) -> Any:
        result = run("--format", "sarif", *arguments, stdin=stdin)
        log = json.loads(result.stdout)
        jsonschema.validate(log, SARIF, format_checker=jsonschema.FormatChecker())
        assert result.stderr == ""
        return log

    def test_results_are_the_findings(self, source: Path) -> None:
        (made,) = self.log(source)["runs"]
        records = json.loads(run("--format", "json", source).stdout)
        for result, record in zip(made["results"], records, strict=True):
            (location,) = result["locations"]
            assert (result["ruleId"], result["level"]) == (record["code"], record["severity"])
            assert result["message"]["text"].startswith(record["message"])
            region = location["physicalLocation"]["region"]
            assert list(region.values()) == [
                record["line"],
                record["column"],
                record["end_line"],
                record["end_column"],
            ]
            assert location["physicalLocation"]["artifactLocation"]["uri"] == source.as_uri()
            assert made["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == record["code"]
            assert ("fixes" in result) is (record["fix"] is not None)
        assert made["columnKind"] == "unicodeCodePoints"

    def test_a_log_of_nothing(self, tmp_path: Path) -> None:
        good = tmp_path / "good.json"
        good.write_text('{"start_anchor": "A", "fields": {"content": {}}}', encoding="utf-8")
        (made,) = self.log(good)["runs"]
        assert made["results"] == made["tool"]["driver"]["rules"] == []

    def test_texts_that_are_no_template_and_odd_names(self, tmp_path: Path) -> None:
        path = tmp_path / "a b%é#.json"
        path.write_text("{,}", encoding="utf-8")
        (made,) = self.log(path)["runs"]
        assert made["results"][0]["ruleId"] == "RT001"
        (made,) = self.log("-", stdin="{")["runs"]
        location = made["results"][0]["locations"][0]["physicalLocation"]
        assert location["artifactLocation"]["uri"] == "%3Cstdin%3E"

    def test_what_is_on_this_machine_alone_is_no_link(self, source: Path) -> None:
        (made,) = self.log(source)["runs"]
        for rule in made["tool"]["driver"]["rules"]:
            assert "helpUri" not in rule
            assert rule["help"]["markdown"] == explanation_of(rule["id"]).text


def test_the_short_list_has_a_line_for_each_code() -> None:
    result = CliRunner().invoke(main, ["explain", "--list"])
    assert result.stdout == short_list()
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [code.code for code in CODES]
    assert {line.split()[0] for line in lines if "(on request)" in line} == {"RT246", "RT541"}
    assert all(len(line) <= 150 for line in lines)


def test_the_short_list_fits_a_terminal() -> None:
    narrow = short_list(80).splitlines()
    assert max(map(len, narrow)) <= 80
    assert " ".join(" ".join(narrow).split()) == " ".join(short_list().split())


@pytest.mark.parametrize("arguments", [["RT001", "--list"], ["--all", "--list"], []], ids=str)
def test_explain_takes_one_thing(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["explain", *arguments])
    assert result.exit_code == 2
    assert "give a code or slug, or else --all or --list" in result.stderr
