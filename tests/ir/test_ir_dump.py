"""The text of the intermediate representation: what stands in it, and that it is always the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from respc.cli import main
from respc.frontend import lower_template
from respc.ir.dump import dump
from respc.show.intermediate import intermediate
from respc.source import template_from_dict
from support.templates import corpus_template, own_corpus_names, own_names, own_template

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: dict[str, Any] = {
    "start_anchor": ["<|a|>\n", "<|b|>"],
    "defaults": {"role": "assistant", "n": [1, None]},
    "fields": {
        "calls": {
            "open_pattern": r"<call:(?P<name>[^>]+)(?P<id>#\d)?>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "content_args": {"unquoted_keys": True},
            "transform": {"f": "{name}", "i": "{id}", "a": "{content.x.y}", "k": [1, "plain"]},
        },
        "records": {
            "open": ["[", "[["],
            "close_pattern": r"\]\s*",
            "content": "json",
            "transform_each": True,
            "transform": {"name": "{tool.name}"},
            "optional": False,
        },
        "text": {"close_pattern": r"<end>\s*|$", "repeats": True, "join": "\n"},
    },
}


def lines(template: dict[str, Any], *, passes: bool = True) -> list[str]:
    ir = lower_template(template_from_dict(template))
    return (intermediate(ir) if passes else dump(ir)).splitlines()


def part(template: dict[str, Any], head: str) -> list[str]:
    """Give the lines under a line that begins so, without their indentation."""
    found = lines(template)
    start = next(number for number, line in enumerate(found) if line.startswith(head))
    end = next(
        (number for number in range(start + 1, len(found)) if not found[number].startswith(" ")), len(found)
    )
    return [line.strip() for line in found[start:end]]


@pytest.mark.parametrize(
    "line",
    [
        'anchor literals ["<|a|>\\n", "<|b|>"] at /start_anchor',
        'defaults {"role": "assistant", "n": [1, null]}',
        'implicit "text"',
        'region "calls" at /fields/calls',
        "  opener pattern "
        r"/<call:(?P<name>[^>]+)(?P<id>#\d)?>/ at /fields/calls/open_pattern "
        'groups ["id", "name"] waits',
        '  closer literals ["</call>"] at /fields/calls/close',
        "  content json at /fields/calls/content_args",
        "    unquoted_keys true",
        '  transform {"f": group "name", "i": group, maybe, "id", "a": content["x"]["y"], "k": [1, "plain"]}',
        '  opener literals ["[", "[["] at /fields/records/open waits',
        '  transform each {"name": element "tool"["name"]}',
        "  required true",
        '  join "\\n"',
        '  watches opener of "calls" at /fields/calls/open_pattern',
        '  watches closer of "text" at /fields/text/close_pattern',
    ],
)
def test_what_stands_in_it(line: str) -> None:
    assert line in lines(TEMPLATE)


def test_a_state_has_its_expressions() -> None:
    state = part(TEMPLATE, 'state "records"')
    assert state[0] == 'state "records" direct ["]"]'
    assert state[1] == 'watches closer of "records" at /fields/records/close_pattern'
    assert r"ends /\]\s*(?P<close>)/" in state
    assert r"longer /\]\s*\Z(?P<in_blanks>)/" in state
    assert 'runs [WakePlan(group "in_blanks", pattern /[^\\s]/)]' in state
    assert 'waits ["close"]' in state
    assert 'first ["]"]' in state


def test_what_is_empty_is_left_out() -> None:
    names = {line.split()[0] for line in part(TEMPLATE, 'state "records"')}
    assert not names & {"hidden", "certain", "eager", "hides", "guards", "skips", "captures", "unstable"}


def test_a_state_that_stays_with_regex_says_why() -> None:
    fields = {"a": {"open_pattern": "(?:ab)+<", "close": "</a>"}, "b": {"open": "<b>", "close": "</b>"}}
    state = part({"start_anchor": "@", "fields": fields}, "state outside")
    assert state[0] == "state outside direct null"
    assert "regex: /fields/a/open_pattern repeats more than one character" in state


def test_the_rival_of_what_stays_with_regex_is_named() -> None:
    fields = {"a": {"open": "<", "close": "</a>"}, "b": {"open_pattern": "<|<a", "close": "</b>"}}
    state = part({"start_anchor": "@", "fields": fields}, "state outside")
    assert "regex: /fields/a/open can stand whole at one place with another (/fields/b/open_pattern)" in state


def test_the_start_of_the_message_has_its_own_expressions() -> None:
    fields = {"a": {"open_pattern": "^<a>|<b>", "close": "</a>"}}
    state = part({"start_anchor": "@", "fields": fields}, "state outside")
    at = state.index("at the start of the message")
    assert not any(r"\A" in line for line in state[:at])
    assert any(line.startswith("ends ") and r"\A" in line for line in state[at:])


def test_before_the_passes_no_state_has_expressions() -> None:
    found = lines(TEMPLATE, passes=False)
    assert "whole text false" in found
    assert found.count("  regex: no pass gave it expressions") == 3
    assert not any(line.startswith("  ends") for line in found)


def test_tags_have_their_segments() -> None:
    arguments = {"tag_pattern": "<(?P<key>[a-z]+)>(?P<value>.*?)</>", "value_parser": {"name": "json"}}
    field = {"open": "<x>", "close": "</x>", "content": "xml-inline", "content_args": arguments}
    region = part({"start_anchor": "@", "fields": {"x": field}}, 'region "x"')
    assert "tag_pattern /<(?P<key>[a-z]+)>(?P<value>.*?)</>/" in region
    tags = next(line for line in region if line.startswith("tags "))
    assert 'closing "</>"' in tags
    assert "pairs true" in tags


def test_places_have_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "template.json"
    path.write_text('{"start_anchor": "@",\n "fields": {\n  "a": {"open": "<a>"}}}', encoding="utf-8")
    result = CliRunner().invoke(main, ["show", str(path), "--format", "ir"])
    assert result.exit_code == 0, result.stderr
    found = result.stdout.splitlines()
    assert found[0] == 'anchor literals ["@"] at /start_anchor (1:18)'
    assert 'region "a" at /fields/a (3:3)' in found
    assert '  opener literals ["<a>"] at /fields/a/open (3:17)' in found


def test_a_file_has_what_would_be_printed(tmp_path: Path) -> None:
    source, output = tmp_path / "template.json", tmp_path / "out"
    source.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    printed = CliRunner().invoke(main, ["show", str(source), "--format", "ir"]).stdout
    written = CliRunner().invoke(main, ["show", str(source), "--format", "ir", "-o", str(output)])
    assert written.stderr == f"{output}: written\n"
    assert output.read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("name", [*own_names(), *own_corpus_names()])
def test_every_template_has_one(name: str) -> None:
    template = own_template(name) if name in own_names() else corpus_template(name)
    for passes in (False, True):
        found = lines(template, passes=passes)
        assert all(line.isprintable() for line in found)
        assert sum(line.startswith("region ") for line in found) == len(template["fields"])


def test_nothing_in_it_has_characters_that_do_not_show() -> None:
    hostile = "\x1b[31m\u202e\u2028\x00'\"{{ 1 }}\ud800"
    template = {
        "start_anchor": hostile,
        "defaults": {hostile: hostile},
        "fields": {hostile: {"open": hostile, "close_pattern": "\x9b\n", "transform": {hostile: hostile}}},
    }
    found = lines(template)
    assert all(line.isprintable() for line in found)
    assert any("{{ 1 }}" in line for line in found)


def test_it_is_the_same_under_any_hash_seed(tmp_path: Path) -> None:
    source = tmp_path / "template.json"
    source.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    shown = {
        subprocess.run(
            [sys.executable, "-m", "respc", "show", str(source), "--format", "ir"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(shown) == 1
