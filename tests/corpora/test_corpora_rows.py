"""One batch of lines: what becomes of good rows and of bad ones."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

import respc
from respc.corpora import CorpusJob, ParserCode, RowKeys, find_parser, json_text
from respc.corpora.rows import BatchParser

CALL = '<tool_call>{"name": "f", "arguments": {"x": "4"}}</tool_call>'
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}},
]


def parser_of(**options: Any) -> BatchParser:
    options = {"keys": RowKeys(), "form": "jsonl", **options}
    return BatchParser(CorpusJob(find_parser("smollm3"), **options))


def outcome(row: object, **options: Any) -> dict[str, Any]:
    """Return the row that one row becomes; bytes are a line as it is."""
    line = row if isinstance(row, bytes) else json.dumps(row).encode()
    batch = parser_of(**options)([line])
    assert batch.rows == 1
    assert batch.written.endswith(b"\n")
    assert batch.written.count(b"\n") == 1
    written: dict[str, Any] = json.loads(batch.written)
    assert batch.failed == (options.get("keys", RowKeys()).error in written)
    return written


def test_a_row_keeps_its_keys_and_gets_a_message() -> None:
    row = {"id": 7, "text": "<think>é</think>hi", "more": {"a": [1, None]}}
    written = outcome(row)
    message = {"role": "assistant", "reasoning_content": "é", "content": "hi"}
    assert written == {**row, "message": message}
    assert list(written) == ["id", "text", "more", "message"]


def test_keys_of_other_names() -> None:
    keys = RowKeys(text="output", message="parsed", error="fault")
    assert outcome({"output": "hi"}, keys=keys)["parsed"]["content"] == "hi"
    assert set(outcome({"text": "hi"}, keys=keys)) == {"text", "fault"}


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b"{", "not JSON"),
        (b"nonsense\n", "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8: byte 10"),
        (b'["text"]', "not a JSON object"),
        (b"{}", "no 'text'"),
        (b'{"text": null}', "no 'text'"),
        (b'{"text": ["a"]}', "of type list, not a string"),
        (b'{"text": 3}', "of type int, not a string"),
        (b"[" * 100_000, "cannot be read"),
        (b'{"text": "", "n": ' + b"9" * 5000 + b"}", "cannot be read"),
    ],
)
def test_a_line_that_holds_no_text_says_why(line: bytes, part: str) -> None:
    error = outcome(line)["error"]
    assert error["class"] == "RowError"
    assert part in error["message"]
    assert len(error.get("excerpt", "")) <= 80


def test_a_line_that_is_not_json_is_quoted_with_the_place() -> None:
    error = outcome(b'{"text": "hi" 3}')["error"]
    assert error["position"] == 14
    assert error["excerpt"] == '{"text": "hi" 3}'


def test_a_text_that_cannot_be_parsed_says_where() -> None:
    written = outcome({"id": 1, "text": "hi<tool_call>{bad</tool_call>"})
    with pytest.raises(ValueError, match="not JSON") as raised:
        find_parser("smollm3").load().parse_response(written["text"], prefix="")
    assert written["id"] == 1
    assert written["error"] == {
        "class": "ResponseValueError",
        "message": str(raised.value),
        "field": "tool_calls",
        "position": 13,
        "excerpt": "{bad",
    }


def test_missing_fields_are_named_by_standalone_modules_too() -> None:
    template = {
        "start_anchor": "A",
        "fields": {"thought": {"open": "<t>", "close": "</t>", "optional": False}},
    }
    source = respc.compile_template(template, standalone=True, formatted=False).source
    job = CorpusJob(ParserCode("t", source=source, file="t.py"), RowKeys(), "jsonl")
    error = json.loads(BatchParser(job)([b'{"text": "x"}']).written)["error"]
    assert error["class"] == "MissingFieldError"
    assert error["fields"] == ["thought"]


def test_results_of_an_earlier_run_are_replaced() -> None:
    assert "error" not in outcome({"text": "hi", "error": {"class": "X"}})
    assert "message" not in outcome({"text": 3, "message": {"content": "old"}})
    assert outcome({"text": "new", "message": "old"})["message"]["content"] == "new"


def test_prefixes_of_the_run_and_of_rows() -> None:
    prompt = "<|im_start|>assistant\n<think>\n"
    plain = outcome({"text": "a</think>b", "prompt": prompt}, prefix=prompt)["message"]
    assert plain["reasoning_content"] == "a"
    keys = RowKeys(prefix="prompt")
    assert outcome({"text": "a</think>b", "prompt": prompt}, keys=keys)["message"] == plain
    assert "no 'prompt'" in outcome({"text": "a"}, keys=keys)["error"]["message"]


@pytest.mark.parametrize("own", [TOOLS, json.dumps(TOOLS)], ids=["list", "text"])
def test_tools_of_rows_go_before_those_of_the_run(own: object) -> None:
    def argument(row: object, **options: Any) -> object:
        return outcome(row, **options)["message"]["tool_calls"][0]["function"]["arguments"]["x"]

    keys = RowKeys(tools="tools")
    assert argument({"text": CALL}) == "4"
    assert argument({"text": CALL}, tools=tuple(TOOLS)) == 4
    assert argument({"text": CALL, "tools": own}, keys=keys) == 4
    assert argument({"text": CALL, "tools": []}, keys=keys, tools=tuple(TOOLS)) == "4"
    assert argument({"text": CALL, "tools": None}, keys=keys, tools=tuple(TOOLS)) == 4


@pytest.mark.parametrize("own", ["{", 3, {"name": "f"}, "3"])
def test_tools_that_are_none_fail_their_row(own: object) -> None:
    error = outcome({"text": "x", "tools": own}, keys=RowKeys(tools="tools"))["error"]
    assert "'tools' of the row" in error["message"]


def test_separators_and_lone_surrogates_stay_inside_their_line() -> None:
    text = "a\u2028b\u0085c\ud800d"
    written = parser_of()([json.dumps({"text": text}).encode()]).written
    assert json.loads(written)["message"]["content"] == text
    assert json_text("é字") == '"é字"'
    assert json_text("é\ud800") == r'"\u00e9\ud800"'


def test_a_batch_keeps_its_order_and_counts_failures() -> None:
    lines = [json.dumps({"text": str(number)}).encode() if number % 3 else b"?" for number in range(20)]
    batch = parser_of()(lines)
    rows = [json.loads(line) for line in batch.written.splitlines()]
    assert (batch.rows, batch.failed) == (20, 7)
    assert [row.get("text") for row in rows] == [str(n) if n % 3 else None for n in range(20)]


def test_a_compressed_batch_is_the_same_lines_and_the_same_bytes_every_time() -> None:
    lines = [b'{"text": "hi"}', b"?"]
    packed = parser_of(form="jsonl.gz")
    assert gzip.decompress(packed(lines).written) == parser_of()(lines).written
    assert packed(lines).written == packed(lines).written
