"""Parquet: columns kept, messages as JSON text, and what is said without pyarrow."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from respc.cli import main
from respc.corpora import open_rows
from respc.corpora.columns import Kinds, add_kinds

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["<think>é</think>a", "<tool_call>{bad</tool_call>", None, "b"]


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["parse", "smollm3", *map(str, arguments)], input=stdin)


def table_file(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def test_columns_keep_their_types_and_messages_are_json(tmp_path: Path) -> None:
    columns = {
        "when": [datetime(2020, 1, n + 1) for n in range(4)],
        "text": TEXTS,
        "n": pa.array(range(4), pa.int8()),
    }
    source = table_file(tmp_path / "in.parquet", columns)
    out = tmp_path / "out.parquet"
    result = run(source, "-o", out)
    assert result.exit_code == 1
    assert "4 rows, 2 failed" in result.stderr
    table = pq.read_table(out)
    assert table.schema.names == ["when", "text", "n", "message", "error"]
    assert table.select(["when", "text", "n"]).equals(pq.read_table(source))
    messages = [each and json.loads(each) for each in table["message"].to_pylist()]
    assert messages[0] == {"role": "assistant", "reasoning_content": "é", "content": "a"}
    assert messages[1:3] == [None, None]
    errors = [each and json.loads(each)["class"] for each in table["error"].to_pylist()]
    assert errors == [None, "ResponseValueError", "RowError", None]
    assert list(tmp_path.iterdir()).count(tmp_path / "out.parquet.part") == 0


def test_an_output_is_an_input_again(tmp_path: Path) -> None:
    first, second = tmp_path / "1.parquet", tmp_path / "2.parquet"
    run(table_file(tmp_path / "in.parquet", {"text": TEXTS}), "-o", first)
    assert run(first, "-o", second).exit_code == 2
    assert not second.exists()
    assert run(first, "-o", second, "--overwrite").exit_code == 1
    assert pq.read_table(second).equals(pq.read_table(first))


def test_keys_of_json_are_columns(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    rows: list[dict[str, Any]] = [
        {"id": 1, "text": "a", "score": 1, "mixed": 1, "tags": ["x"], "none": None, "large": 1 << 60},
        {"id": 2, "text": "b", "score": 0.5, "mixed": "two", "tags": [], "late": True, "large": 1},
    ]
    lines = [*map(json.dumps, rows), "?"]
    assert run("--jsonl", "-o", out, stdin="\n".join(lines).encode()).exit_code == 1
    table = pq.read_table(out)
    messages = table.column("message").to_pylist()
    assert [each is None for each in messages] == [False, False, True]
    assert {field.name: str(field.type) for field in table.schema} == {
        "id": "int64",
        "text": "string",
        "score": "double",
        "mixed": "string",
        "tags": "string",
        "none": "string",
        "large": "int64",
        "late": "bool",
        "message": "string",
        "error": "string",
    }
    kept = table.drop_columns(["message", "error", "text"]).to_pydict()
    assert kept == {
        "id": [1, 2, None],
        "score": [1.0, 0.5, None],
        "mixed": ["1", '"two"', None],
        "tags": ['["x"]', "[]", None],
        "none": [None, None, None],
        "large": [1 << 60, 1, None],
        "late": [None, True, None],
    }
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([None, 1], "int"),
        ([1, None], "int"),
        ([1, 1.5], "float"),
        ([1 << 60, 1.5], "json"),
        ([1 << 70], "json"),
        ([True, 1], "json"),
        (["a", "\ud800"], "json"),
        ([{}, None], "json"),
        ([None, None], "null"),
    ],
)
def test_kind_that_holds_all_values_of_a_key(values: list[object], kind: str) -> None:
    kinds: Kinds = {}
    for value in values:
        add_kinds(kinds, {"key": value})
    assert kinds == {"key": kind}


def test_rows_whose_keys_are_data_stay_in_one_column(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    lines = [json.dumps({"text": "a", f"key{number}": 1}) for number in range(1001)]
    assert run("--jsonl", "-o", out, stdin="\n".join(lines).encode()).exit_code == 0
    table = pq.read_table(out).to_pydict()
    assert list(table) == ["row", "message", "error"]
    assert table["row"] == lines


def test_keys_that_later_rows_have_are_replaced_and_counted(tmp_path: Path) -> None:
    lines = ['{"text": "a"}'] * 256 + ['{"text": "b", "message": 1}']
    for out in (tmp_path / "out.parquet", tmp_path / "out.jsonl"):
        result = run("--jsonl", "-o", out, stdin="\n".join(lines).encode())
        assert result.exit_code == 0
        assert "1 with a message or an error of their own, which was replaced" in result.stderr
    assert pq.read_table(tmp_path / "out.parquet").schema.names == ["text", "message", "error"]


def test_values_that_json_has_not(tmp_path: Path) -> None:
    columns = {
        "text": ["a"],
        "day": [date(2020, 2, 3)],
        "price": [Decimal("1.50")],
        "data": [b"\xff\x00"],
        "span": [timedelta(seconds=1)],
        "list": [[{"a": 1, "b": None}]],
    }
    row = json.loads(run(table_file(tmp_path / "in.parquet", columns)).stdout)
    del row["message"], row["text"]
    expected = {
        "day": "2020-02-03",
        "price": "1.50",
        "data": "/wA=",
        "span": "0:00:01",
        "list": columns["list"][0],
    }
    assert row == expected


def test_one_value_that_python_cannot_hold_fails_its_row_alone(tmp_path: Path) -> None:
    days = pa.array([0, 2**31 - 1, 1], pa.int32()).cast(pa.date32())
    source = table_file(tmp_path / "in.parquet", {"text": ["a", "b", "c"], "day": days})
    rows = [json.loads(line) for line in run(source).stdout.splitlines()]
    assert ["message" in row for row in rows] == [True, False, True]
    # Where columns are kept as they are, nobody looks at it.
    out = tmp_path / "out.parquet"
    assert run(source, "-o", out).exit_code == 0
    assert pq.read_table(out)["day"].num_chunks >= 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_many_row_groups_and_resuming_in_json_lines(tmp_path: Path, workers: str) -> None:
    texts = [f"<think>{number}</think>x" for number in range(2000)]
    source = table_file(tmp_path / "in.parquet", {"text": texts}, row_group_size=300)
    out = tmp_path / "out.jsonl"
    assert run(source, "-o", out, "--workers", workers).exit_code == 0
    whole = out.read_bytes()
    assert [json.loads(line)["text"] for line in whole.splitlines()] == texts
    lines = whole.splitlines(keepends=True)
    for kept in (0, 1, 299, 300, 1100, 2000):
        out.write_bytes(b"".join(lines[:kept]) + b'{"te')
        assert run(source, "-o", out, "--resume", "--workers", workers if kept == 300 else "1").exit_code == 0
        assert out.read_bytes() == whole
    out.write_bytes(whole + lines[0])
    assert run(source, "-o", out, "--resume").exit_code == 2


def test_no_rows_are_a_table_all_the_same(tmp_path: Path) -> None:
    source = table_file(
        tmp_path / "in.parquet", {"text": pa.array([], pa.string()), "n": pa.array([], pa.int8())}
    )
    out = tmp_path / "out.parquet"
    assert run(source, "-o", out).exit_code == 0
    assert pq.read_table(out).schema.names == ["text", "n", "message", "error"]
    assert run("--jsonl", "-o", out, stdin=b"").exit_code == 0
    assert pq.read_table(out).schema.names == ["message", "error"]
    assert run(source).stdout == ""


def test_what_is_refused(tmp_path: Path) -> None:
    source = table_file(tmp_path / "in.parquet", {"output": ["a"]})
    out = tmp_path / "out.parquet"
    missing = run(source, "-o", out)
    assert (missing.exit_code, out.exists()) == (2, False)
    assert "has no column 'text'; there are output" in missing.stderr
    (tmp_path / "no.parquet").write_bytes(b"nothing of the kind")
    assert run(tmp_path / "no.parquet").exit_code == 2
    assert run("--jsonl", "-o", out, "--message-key", "row", stdin=b"").exit_code == 2
    assert run(source, "--text-key", "output", "-o", source).exit_code == 2
    assert pq.read_table(source).num_rows == 1


def test_columns_that_cannot_be_taken_by_their_names(tmp_path: Path) -> None:
    source = table_file(tmp_path / "in.parquet", {"text": ["a"]})
    out = tmp_path / "out.parquet"
    missing = run(source, "--tools-key", "tools", "-o", out)
    assert missing.exit_code == 2
    assert "has no column 'tools'; there are text" in missing.stderr
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array([1]), pa.array([2])], names=["text", "n", "n"])
    pq.write_table(twice, source)
    result = run(source, "-o", out)
    assert result.exit_code == 2
    assert "has several columns of one name: 'n'" in result.stderr
    assert not out.exists()


def test_what_cannot_be_opened_is_named_once(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    assert run(source).stderr == f"Error: {source}: No such file or directory\n"
    source.mkdir()
    assert run(source).stderr == f"Error: {source}: Is a directory\n"


def test_a_folder_in_the_way_of_the_output_is_noticed_before_parsing(tmp_path: Path) -> None:
    source = table_file(tmp_path / "in.parquet", {"text": ["a"]})
    out = tmp_path / "out.parquet"
    out.mkdir()
    result = run(source, "-o", out)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {out}: Is a directory\n"


@pytest.mark.parametrize("group_rows", [2_000, 40_000])
def test_reading_holds_little_of_a_file(tmp_path: Path, group_rows: int) -> None:
    texts = [os.urandom(250).hex() for _ in range(40_000)]
    source = table_file(tmp_path / "in.parquet", {"text": texts}, row_group_size=group_rows)
    assert source.stat().st_size > 10_000_000
    before = pa.total_allocated_bytes()
    most = 0
    with closing(open_rows(str(source), ["text"])) as reader:
        for table in reader.batches():
            most = max(most, pa.total_allocated_bytes() - before)
            assert table.num_rows <= 256
    assert 0 < most < 4_000_000


def test_a_failed_run_leaves_the_old_table(tmp_path: Path) -> None:
    out = table_file(tmp_path / "out.parquet", {"old": [1]})
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(b"\x1f\x8b\x08 no gzip")
    assert run(source, "--jsonl", "-o", out).exit_code == 2
    assert pq.read_table(out).schema.names == ["old"]
    assert {path.name for path in tmp_path.iterdir()} == {"out.parquet", "in.jsonl.gz"}


def test_without_pyarrow_the_command_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = table_file(tmp_path / "in.parquet", {"text": ["a"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for arguments in ((source,), ("--jsonl", "-o", tmp_path / "out.parquet")):
        result = run(*arguments, stdin=b'{"text": "a"}')
        assert result.exit_code == 2
        assert "pip install 'pyarrow>=15'" in result.stderr
    assert run("--jsonl", stdin=b'{"text": "a"}').exit_code == 0
