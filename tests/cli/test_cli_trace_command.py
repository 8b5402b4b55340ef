"""``respc trace``: the forms, where the text comes from, and what is refused."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from support.terminals import Terminal
from support.traces import BROKEN, OUTPUT, PROMPT, TEMPLATE, traced

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["trace", *arguments], input=text)


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "template.json"
    path.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    return str(path)


def test_the_text_has_the_regions_the_steps_and_the_message(source: str) -> None:
    result = run(source, "--text", OUTPUT, "--prefix", PROMPT)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[0] == f"template.json: {len(OUTPUT)} characters in {-(-len(OUTPUT) // 4)} chunks"
    assert "reasoning_content opens <think>" in lines
    assert "closes </think>↵" in lines
    assert "content Let me see." in lines
    assert "(outside) closes <|im_end|> a closer where no region is open" in lines
    assert "1 <thi held back: `<thi` may become `<think>`, the opener of `reasoning_content`" in lines
    assert json.loads(result.stdout.partition("\nmessage\n")[2]) == traced().message
    assert max(map(len, result.stdout.splitlines())) <= 120


def test_steps_in_which_only_text_comes_out_are_one_line(source: str) -> None:
    result = run(source, "--text", "word " * 1_000)
    assert "content 4,9" in result.stdout
    assert len(result.stdout.splitlines()) < 120


def test_long_texts_and_many_steps_are_cut_with_a_word_about_it(source: str) -> None:
    result = run(source, "--text", ("word " * 1_000 + "<think>a</think>") * 210)
    assert " characters ... " in result.stdout
    assert "more, which --format html shows" in result.stdout
    assert "more regions" in result.stdout
    assert len(result.stdout.splitlines()) < 4_000


def test_what_cannot_be_parsed_is_shown_and_the_trace_is_made(source: str) -> None:
    result = run(source, "--text", BROKEN)
    assert result.exit_code == 0
    assert "unread  oops" in result.stdout
    assert result.stdout.endswith(
        "no message\nResponseValueError: not JSON: Expecting value: line 1 column 1 (char 0)\n"
    )


def test_serving_events_say_why(source: str) -> None:
    result = run(source, "--text", BROKEN, "--events", "serving")
    assert "tool_calls cannot be read: not JSON" in result.stdout
    assert json.loads(result.stdout.partition("\nmessage\n")[2])["content"] == "One.Two."


def test_json_is_the_whole_trace(source: str) -> None:
    record = json.loads(
        run(source, "--text", OUTPUT, "--prefix", PROMPT, "--format", "json", "--chunks", "3").stdout
    )
    assert record["text"] == OUTPUT
    assert record["message"] == traced().message
    assert "".join(record["text"][mark["start"] : mark["end"]] for mark in record["marks"]) == OUTPUT
    assert [step["chunks"] for step in record["steps"]] == [1, 1, 1, 0]
    held = [step["held"] for step in record["steps"] if step["held"]]
    assert all(each["why"] and each["suspects"] for each in held)
    broken = json.loads(run(source, "--text", BROKEN, "--events", "serving", "--format", "json").stdout)
    malformed = [
        event for step in broken["steps"] for event in step["events"] if event["type"] == "region_malformed"
    ]
    assert (malformed[0]["error"], malformed[0]["reason"][:8]) == ("ResponseValueError", "not JSON")


@pytest.mark.parametrize(
    ("name", "begins"),
    [("trace.html", "<!doctype html>\n"), ("trace.json", "{\n"), ("trace.txt", "template.json: ")],
)
def test_a_file_is_written_as_it_is_named_and_left_alone_when_it_is_the_same(
    tmp_path: Path, source: str, name: str, begins: str
) -> None:
    output = tmp_path / name
    first = run(source, "--text", OUTPUT, "-o", str(output))
    assert (first.exit_code, first.stdout, first.stderr) == (0, "", f"{output}: written\n")
    assert output.read_text(encoding="utf-8").startswith(begins)
    assert run(source, "--text", OUTPUT, "-o", str(output)).stderr == f"{output}: unchanged\n"
    shown_as = {"trace.html": "html", "trace.json": "json", "trace.txt": "text"}[name]
    printed = run(source, "--text", OUTPUT, "--format", shown_as, "-o", "-").stdout
    assert output.read_text(encoding="utf-8") == printed


def test_the_text_comes_from_a_file_or_from_standard_input(tmp_path: Path, source: str) -> None:
    path = tmp_path / "output.txt"
    path.write_bytes(b"a\r\n<think>b")
    from_file = run(source, str(path), "--format", "json")
    assert json.loads(from_file.stdout)["text"] == "a\r\n<think>b"
    assert run(source, "--format", "json", text="a\r\n<think>b").stdout == from_file.stdout
    assert run("-", str(path), "--format", "text", text=json.dumps(TEMPLATE)).exit_code == 0


def test_the_prompt_and_the_tools_come_from_files_as_for_parse(tmp_path: Path, source: str) -> None:
    prompt, tools = tmp_path / "prompt.txt", tmp_path / "tools.json"
    prompt.write_text(f"{PROMPT}<think>", encoding="utf-8")
    tools.write_text(
        json.dumps([{"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}}]),
        encoding="utf-8",
    )
    text = 'x</think><tool_call>{"name": "add", "arguments": {"a": "1"}}</tool_call>'
    result = run(
        source, "--text", text, "--prefix-file", str(prompt), "--tools", str(tools), "--format", "json"
    )
    message = json.loads(result.stdout)["message"]
    assert message["reasoning_content"] == "x"
    assert message["tool_calls"][0]["function"]["arguments"] == {"a": 1}


def test_a_ready_made_parser_is_a_source() -> None:
    assert run("qwen3", "--text", "<think>a</think>b").stdout.startswith("qwen3.json: 17 characters")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--text", "a", "b.txt"], 2, "give TEXT or --text, not both"),
        (["--text", "a", "--prefix", "a", "--prefix-file", "b"], 2, "give one of --prefix and --prefix-file"),
        (["--text", "a", "--chunks", "1", "--chunk-size", "2"], 2, "give one of --chunk-size and --chunks"),
        (["--text", "a", "--chunks", "0"], 2, "0 is not in the range"),
        (["missing.txt"], 2, "missing.txt"),
        (["--text", "a", "--tools", "missing.json"], 2, "missing.json"),
        (["-", "--prefix-file", "-"], 2, "is standard input: give"),
        (["--text", "a", "--prefix", "<think>"], 1, "MissingAnchorError"),
    ],
)
def test_what_cannot_be_done_is_said(source: str, arguments: list[str], code: int, said: str) -> None:
    result = run(source, *arguments, text="")
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in result.stderr


def test_a_prompt_without_anchor_is_taken_if_asked_for(source: str) -> None:
    result = run(source, "--text", "a", "--prefix", "<think>", "--any-prefix")
    assert result.exit_code == 0
    assert "from the prompt" in result.stdout


def test_no_file_that_is_read_is_written_over(tmp_path: Path, source: str) -> None:
    text = tmp_path / "output.txt"
    text.write_text("a", encoding="utf-8")
    for read in (source, str(text)):
        result = run(source, str(text), "-o", read)
        assert result.exit_code == 2
        assert "write to another file" in result.stderr
    assert text.read_text(encoding="utf-8") == "a"


@pytest.mark.parametrize("template", [{"fields": {"a": {"open": "<a>", "open_pattern": "b"}}}, []])
def test_a_template_that_is_refused_is_refused_with_its_errors(tmp_path: Path, template: Any) -> None:
    path = tmp_path / "refused.json"
    path.write_text(json.dumps(template), encoding="utf-8")
    result = run(str(path), "--text", "a")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error[RT" in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_terminal_gets_what_its_encoding_has_and_nothing_that_steers_it(
    source: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(encoding)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", terminal)
    main(["trace", source, "--text", "a\x1b[31m｜\n[bold]b"], standalone_mode=False)
    text = terminal.sent.getvalue().decode(encoding)
    assert "\x1b[31m" not in text
    assert "\\x1b[31m" in text
    assert "[bold]b" in text
    assert ("｜" in text) == (encoding == "utf-8")
    assert ("↵" in text) == (encoding == "utf-8")
