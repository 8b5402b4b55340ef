"""``respc bench``: what is compared and printed. Nothing here depends on how long anything takes."""

from __future__ import annotations

import gzip
import json
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from respc.analysis import analyse
from respc.cli import main
from respc.measuring import (
    INTERPRETER_VERSION,
    Engine,
    Sample,
    SampleError,
    compare,
    compiled_engine,
    example_of,
    interpreter_engine,
    read_samples,
)
from respc.source import template_from_dict
from support.templates import own_names, own_template

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = {
    "start_anchor": "A",
    "fields": {
        "thoughts": {"open": "<think>", "close": "</think>"},
        "tool_calls": {"open": "<call>", "close": "</call>", "content": "json", "repeats": True},
        "content": {"repeats": True, "join": ""},
    },
}
TEXT = 'One.<think>two</think>\r\n<call>{"name": "f"}</call>'


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments, "--rounds", "1"])


@pytest.fixture
def template(tmp_path: Path) -> str:
    path = tmp_path / "template.json"
    path.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    return str(path)


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "output.txt"
    path.write_bytes(TEXT.encode())
    return str(path)


def figures_of(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    figures: dict[str, Any] = json.loads(result.stdout)
    return figures


def test_the_table_has_both_parsers_and_both_ways(template: str, text: str) -> None:
    result = run(template, text, "--chunk-size", "7")
    assert result.exit_code == 0, result.stderr
    assert "interpreter / compiled" in result.stdout
    assert "streamed by 7 characters" in result.stdout
    assert "whole text" in result.stdout
    assert f"1 sample, {len(TEXT)} characters; medians of 1 round; same events and messages" in result.stdout


def test_the_figures_are_given_as_json(template: str, text: str) -> None:
    figures = figures_of(run(template, text, "--json"))
    assert figures["same_as_interpreter"] is True
    assert (figures["samples"], figures["characters"], figures["chunk_size"]) == (1, len(TEXT), 4)
    for way in ("streamed", "whole_text"):
        ratio = figures[way]
        assert ratio["compiled_seconds"] > 0
        assert ratio["interpreter_over_compiled"] == pytest.approx(
            ratio["interpreter_seconds"] / ratio["compiled_seconds"]
        )


def test_without_transformers_the_compiled_parser_is_measured_alone(
    template: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers.utils.chat_parsing", None)
    result = run(template, text)
    assert result.exit_code == 0
    assert "not compared: the interpreter is not here" in result.stderr
    assert "pip install transformers" in result.stderr
    assert "interpreter" not in result.stdout
    assert "same events" not in result.stdout
    figures = figures_of(run(template, text, "--json"))
    assert figures["same_as_interpreter"] is None
    assert figures["streamed"]["interpreter_seconds"] is None
    assert figures["streamed"]["compiled_seconds"] > 0


@pytest.mark.parametrize("version", ["5.22.2", "5.23.0", "5.25.0", "4.57.1", "5.24.0.dev0", "\x9b1"])
@pytest.mark.parametrize("source", ["template", "lfm2"])
def test_another_version_of_transformers_is_refused(
    source: str, version: str, template: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A template can have what an older interpreter does not load, as that of lfm2 has."""
    monkeypatch.setattr("transformers.__version__", version)
    result = run(template if source == "template" else source, text)
    assert result.exit_code == 2
    assert result.stdout == ""
    shown = version.replace("\x9b", r"\x9b")
    assert result.stderr.startswith(f"Error: transformers {shown} is installed, and its interpreter can read")
    assert result.stderr.endswith("pip install transformers==5.24.0\n")


def test_the_version_that_is_compared_with_is_the_one_of_the_tests() -> None:
    assert metadata.version("transformers") == INTERPRETER_VERSION


def test_a_difference_ends_it_before_anything_is_timed(
    template: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(source: Any) -> Engine:
        changed = json.loads(json.dumps(source.template).replace("</think>", "</th>"))
        return interpreter_engine(template_from_dict(changed))

    monkeypatch.setattr("respc.measuring.interpreter_engine", other)
    monkeypatch.setattr("respc.measuring.measure", lambda *_: pytest.fail("it was timed"))
    result = run(template, text)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "output.txt: feeds[" in result.stderr
    assert " from the interpreter, " in result.stderr


def test_a_sample_that_cannot_be_parsed_is_named_and_left_out(template: str, tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    rows = [{"text": "<call>{</call>"}, {"text": TEXT, "prefix": "xAy", "tools": None}]
    samples.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = run(template, str(samples), "--json")
    assert figures_of(result)["samples"] == 1
    reason = "field 'tool_calls', region at character 6: not JSON: Expecting property name"
    assert f"samples.jsonl:1: not timed, parsing it raises ValueError: {reason}" in result.stderr
    samples.write_text(json.dumps(rows[0]), encoding="utf-8")
    assert run(template, str(samples)).exit_code == 2


def test_without_samples_a_text_is_made_from_the_template(template: str) -> None:
    result = run(template, "--json")
    assert figures_of(result)["characters"] > 500
    assert "no SAMPLES: measured on a text made from the template" in result.stderr


def test_a_refused_template_is_refused_with_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "template.json"
    path.write_text('{"fields": {}}', encoding="utf-8")
    result = run(str(path))
    assert result.exit_code == 1
    assert "error[RT" in result.stderr
    assert run(str(tmp_path / "missing.json")).exit_code == 2


def test_the_interpreter_is_not_asked_where_it_would_never_end(tmp_path: Path) -> None:
    """Short texts do not show that regions of this field open and close for ever, so that it is not refused."""
    path, samples = tmp_path / "template.json", tmp_path / "samples.jsonl"
    field = {"open_pattern": "(?=b)", "close_pattern": "(?=b.{300}c)"}
    path.write_text(json.dumps({"start_anchor": "A", "fields": {"a": field, "b": {}}}), encoding="utf-8")
    endless = "b" + "x" * 300 + "cd"
    samples.write_text(
        json.dumps({"text": endless}) + "\n" + json.dumps({"text": "no such"}), encoding="utf-8"
    )
    result = run(str(path), str(samples), "--json")
    assert figures_of(result)["same_as_interpreter"] is True
    assert figures_of(result)["samples"] == 1
    assert "samples.jsonl:1: not timed, parsing it raises ValueError" in result.stderr


def test_samples_are_files_folders_or_lines(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"two\r\n")
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "notes.md").write_bytes(b"no")
    assert read_samples(str(tmp_path)) == [Sample("a.txt", "one"), Sample("b.txt", "two\r\n")]
    assert read_samples(str(tmp_path / "b.txt")) == [Sample("b.txt", "two\r\n")]
    lines = tmp_path / "lines.jsonl"
    lines.write_text(
        '{"text": "a\u2028b", "prefix": "p", "tools": [{}], "id": 1}\n\n{"text": ""}\n', encoding="utf-8"
    )
    assert read_samples(str(lines)) == [
        Sample("lines.jsonl:1", "a\u2028b", "p", [{}]),
        Sample("lines.jsonl:3", ""),
    ]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"\xff", "a.txt: not UTF-8 at byte 0"),
        ("a.jsonl", b"", "a.jsonl: there is no sample in this file"),
        ("a.jsonl", b'{"text": "a"}\n{', "a.jsonl:2: not JSON: "),
        ("a.jsonl", b"[]", "a.jsonl:1: not an object with the key `text`"),
        ("a.jsonl", b'{"text": 1}', "a.jsonl:1: `text` is a number, not a string"),
        ("a.jsonl", b'{"text": "", "prefix": 1}', "a.jsonl:1: `prefix` is a number, not a string"),
        ("a.jsonl", b'{"text": "", "tools": {}}', "a.jsonl:1: `tools` is an object, not a list"),
    ],
)
def test_samples_that_are_not_as_they_should_be_are_named(
    tmp_path: Path, template: str, name: str, content: bytes, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SampleError) as caught:
        read_samples(str(path))
    assert reason in str(caught.value)
    result = run(template, str(path))
    assert result.exit_code == 2
    assert reason in result.stderr


def test_lines_may_be_compressed_and_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    rows = b'\xef\xbb\xbf{"text": "a"}\r\n{"text": "b"}'
    for name, data in (("a.jsonl", rows), ("a.jsonl.gz", gzip.compress(rows))):
        (tmp_path / name).write_bytes(data)
        assert [sample.text for sample in read_samples(str(tmp_path / name))] == ["a", "b"]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(rows)[:-9])
    with pytest.raises(SampleError, match=r"a\.jsonl\.gz: Compressed file ended"):
        read_samples(str(tmp_path / "a.jsonl.gz"))


def test_standard_input_is_one_sample(template: str) -> None:
    arguments = ["bench", template, "-", "--rounds", "1", "--json"]
    result = CliRunner().invoke(main, arguments, input=TEXT.encode())
    assert figures_of(result)["characters"] == len(TEXT)
    both = run("-", "-")
    assert both.exit_code == 2
    assert "give SAMPLES as a file" in both.stderr
    with pytest.raises(SampleError, match="standard input: closed"):
        read_samples("-")


def test_a_folder_without_samples_and_a_missing_file_are_named(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "there is no .txt file"), (tmp_path / "no.txt", "No such file")):
        with pytest.raises(SampleError, match=reason):
            read_samples(str(path))


@pytest.mark.parametrize("name", own_names())
def test_a_text_made_from_a_template_is_parsed_to_its_end_with_most_fields(name: str) -> None:
    source = template_from_dict(own_template(name))
    ir = analyse(source).ir
    assert ir is not None
    compiled = compiled_engine(source)
    example = example_of(ir, compiled)
    message = compiled.whole(example.sample)
    fields = {region.name for region in ir.regions}
    assert fields & set(message), "no field of it is in the message"
    assert len(example.left_out) <= len(fields) / 2
    assert compare(interpreter_engine(source), compiled, example.sample, 3) is None


def test_comparison_tells_types_key_orders_and_lengths_apart() -> None:
    source = template_from_dict(own_template("smollm"))
    compiled = compiled_engine(source)

    def with_message(change: Any) -> Engine:
        return Engine("changed", compiled.open, lambda sample: change(compiled.whole(sample)))

    sample = Sample("s", "<think>a</think>b")
    assert compare(compiled, compiled, sample, 5) is None
    for change in (
        lambda message: dict(reversed(message.items())),
        lambda message: {**message, "role": 1},
        lambda message: {**message, "more": []},
    ):
        difference = compare(compiled, with_message(change), sample, 5)
        assert difference is not None
        assert difference.startswith("message of whole text")
