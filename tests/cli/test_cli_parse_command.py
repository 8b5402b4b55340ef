"""``respc parse``: one text or a corpus, what it prints and refuses, and its exit codes."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import respc
from respc.cli import main
from respc_parsers import smollm3
from support.devices import needs_posix

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<|assistant|>",
    "fields": {
        "thought": {"open": "<think>", "close": "</think>"},
        "n": {"open": "<n>", "close": "</n>", "content": "int"},
        "content": {"repeats": True, "join": "\n"},
    },
}
TEXT = "<think>hm</think>été\r\n<n>4</n>y\n"
CALL = '<tool_call>{"name": "f", "arguments": {"x": "4"}}</tool_call>'
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}]


def run(*arguments: str | Path, stdin: str | bytes = b"") -> Result:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    return CliRunner().invoke(main, ["parse", *map(str, arguments)], input=data)


def write(path: Path, value: object) -> Path:
    path.write_bytes((value if isinstance(value, str) else json.dumps(value)).encode())
    return path


def events_of(parser: Any, chunks: list[str]) -> list[Any]:
    events = list(parser.initial_events)
    for chunk in chunks:
        events += parser.feed(chunk)
    return events + list(parser.finalize()[1])


@pytest.fixture
def template(tmp_path: Path) -> Path:
    return write(tmp_path / "model.json", TEMPLATE)


@pytest.mark.parametrize("kind", ["template", "config", "folder", "module", "standalone"])
@pytest.mark.parametrize("by_file", [True, False], ids=["file", "stdin"])
def test_a_message_from_any_parser(tmp_path: Path, template: Path, kind: str, by_file: bool) -> None:
    parser = tmp_path / "parser.py"
    if kind == "template":
        parser = template
    elif kind in ("config", "folder"):
        parser = write(tmp_path / "tokenizer_config.json", {"response_template": TEMPLATE})
        parser = tmp_path if kind == "folder" else parser
    else:
        write(parser, respc.compile_template(TEMPLATE, standalone=kind == "standalone").source)
    result = run(parser, write(tmp_path / "text.txt", TEXT)) if by_file else run(parser, stdin=TEXT)
    assert result.exit_code == 0, result.stderr
    message = respc.parse_response(TEXT, TEMPLATE, prefix="")
    assert result.stdout == json.dumps(message, indent=2, ensure_ascii=False) + "\n"


def test_a_ready_made_parser_by_its_name_unless_there_is_such_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(run("smollm3", stdin=CALL).stdout) == smollm3.parse_response(CALL, prefix="")
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "smollm3", TEMPLATE)
    assert json.loads(run("smollm3", stdin="<n>3</n>").stdout) == {"n": 3}


def test_a_template_on_standard_input(tmp_path: Path) -> None:
    text = write(tmp_path / "text.txt", "<n>3</n>")
    assert json.loads(run("-", text, stdin=json.dumps(TEMPLATE)).stdout) == {"n": 3}
    assert run("-", stdin=json.dumps(TEMPLATE)).exit_code == 2


@pytest.mark.parametrize("size", [None, 1, 7, 1000])
def test_events_as_they_come(size: int | None) -> None:
    text = f"<think>hm\n{CALL}"
    options = ["--events"] if size is None else ["--events", "--chunk-size", str(size)]
    result = run("smollm3", *options, "--prefix", "<|im_start|>assistant\n<think>", stdin=text)
    step = size or len(text)
    chunks = [text[start : start + step] for start in range(0, len(text), step)]
    parser = smollm3.ResponseParser("<|im_start|>assistant\n<think>")
    assert [json.loads(line) for line in result.stdout.splitlines()] == events_of(parser, chunks)
    assert (result.exit_code, result.stderr) == (0, "")


def test_events_of_no_text() -> None:
    assert run("smollm3", "--events").stdout == ""


def test_prefixes(tmp_path: Path) -> None:
    prompt = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n"
    expected = smollm3.parse_response("a</think>b", prefix=prompt)
    assert expected != smollm3.parse_response("a</think>b", prefix="")
    assert json.loads(run("smollm3", "--prefix", prompt, stdin="a</think>b").stdout) == expected
    file = write(tmp_path / "prompt.txt", prompt)
    assert json.loads(run("smollm3", "--prefix-file", file, stdin="a</think>b").stdout) == expected
    assert run("smollm3", "--prefix-file", file, "--prefix", "a").exit_code == 2


def test_tools_cast_arguments(tmp_path: Path) -> None:
    tools = write(tmp_path / "tools.json", TOOLS)
    message = json.loads(run("smollm3", "--tools", tools, stdin=CALL).stdout)
    assert message["tool_calls"][0]["function"]["arguments"] == {"x": 4}
    closes = [
        json.loads(line)
        for line in run("smollm3", "--tools", tools, "--events", stdin=CALL).stdout.splitlines()
    ]
    assert closes[-1]["value"]["function"]["arguments"] == {"x": 4}


@pytest.mark.parametrize(
    "tools",
    [
        *("{", "{}", "[3]", "null", '[{"nope": 1}]'),
        '[{"name": "f", "parameters": {"properties": {"x": {"anyOf": 3}}}}]',
    ],
)
def test_tools_that_are_none(tmp_path: Path, tools: str) -> None:
    result = run("smollm3", "--tools", write(tmp_path / "tools.json", tools), stdin="x")
    assert result.exit_code == 2
    assert "tools.json: no tools: " in result.stderr


def test_a_text_that_cannot_be_parsed(template: Path) -> None:
    result = run(template, stdin="a<n>four</n>")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "ResponseValueError: field 'n', region at character 4: " in result.stderr
    streamed = run(template, "--events", "--chunk-size", "1", stdin="a<n>four</n>")
    assert streamed.exit_code == 1
    assert json.loads(streamed.stdout.splitlines()[0]) == {"type": "region_open", "field": "content"}


def test_a_refused_template_shows_why(tmp_path: Path) -> None:
    refused = write(tmp_path / "m.json", {"start_anchor": "A", "fields": {"content": {"open": ""}}})
    result = run(refused, stdin="x")
    assert result.exit_code == 1
    assert "error[RT" in result.stderr


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1", "no module that `respc compile` wrote"),
        ("1 +", "SyntaxError"),
        ("raise SystemError('no')", "SystemError: no"),
        ("import respc_runtime.abi as a; a.require_abi(10_000, 'm')", "pip install ./runtime"),
    ],
)
def test_a_module_that_is_no_parser(tmp_path: Path, source: str, said: str) -> None:
    result = run(write(tmp_path / "parser.py", source), stdin="x")
    assert result.exit_code == 2
    assert said in result.stderr


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for arguments in (
        ("nothing_of_the_name",),
        ("missing.py",),
        ("missing.json",),
        ("smollm3", tmp_path / "missing"),
    ):
        result = run(*arguments, stdin="x")
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: ")
    assert "not UTF-8 at byte 1" in run("smollm3", stdin=b"a\xff").stderr


@pytest.mark.parametrize(
    "options",
    [
        "--chunk-size 3",
        "--chunk-size 0 --events",
        "-o out",
        "--workers 2",
        "--resume",
        "--text-key a",
        "--jsonl --events",
        "--jsonl --resume",
        "--jsonl --workers 0",
        "--jsonl --prefix a --prefix-key b",
        "--jsonl --message-key a --error-key a",
        "--jsonl --message-key text",
        "--jsonl --prefix-key p --error-key p",
    ],
)
def test_usage(options: str) -> None:
    result = run("smollm3", *options.split(), stdin="x")
    assert (result.exit_code, result.stdout) == (2, "")


ROWS = [
    '{"id": 1, "text": "a"}',
    "?",
    '{"id": 3, "text": "<tool_call>{</tool_call>"}',
    '{"id": 4, "text": "é"}',
]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_corpus(tmp_path: Path, workers: str) -> None:
    out = tmp_path / "out.jsonl"
    source = write(tmp_path / "in.jsonl", "\n".join(ROWS * 300))
    result = run("smollm3", source, "--jsonl", "-o", out, "--workers", workers)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("1,200 rows, 600 failed, ")
    summary, *details = result.stderr.splitlines()
    assert summary.endswith(" rows/s")
    assert details == ["  300 ResponseValueError in tool_calls", "  300 RowError"]
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row.get("id") for row in rows] == [1, None, 3, 4] * 300
    assert [set(row) & {"message", "error"} for row in rows[:4]] == [
        {"message"},
        {"error"},
        {"error"},
        {"message"},
    ]
    assert rows[2]["error"]["field"] == "tool_calls"
    assert rows[3]["message"] == smollm3.parse_response("é", prefix="")


@pytest.mark.parametrize("name", ["in.jsonl", "in.ndjson", "in.jsonl.gz"])
def test_a_corpus_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    lines = "\n".join(ROWS).encode()
    source.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    result = run("smollm3", source)
    assert [json.loads(line).get("id") for line in result.stdout.splitlines()] == [1, None, 3, 4]
    assert run("smollm3", source, "--events").exit_code == 2


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.csv.gz", "x.parquet.gz", "x.txt"])
def test_an_output_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    source = write(tmp_path / "in.jsonl", "\n".join(ROWS))
    result = run("smollm3", source, "-o", tmp_path / name)
    assert result.exit_code == 2
    assert f"{name}: rows are written as .jsonl, .jsonl.gz or .parquet" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_key_that_no_row_has_stops_before_anything_is_written(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", "\n".join(ROWS))
    out = write(tmp_path / "out.jsonl", "as it was")
    result = run("smollm3", source, "-o", out, "--text-key", "completion")
    assert result.exit_code == 2
    assert "in.jsonl: has no key 'completion'; there are id, text\n" in result.stderr
    assert out.read_text(encoding="utf-8") == "as it was"


def test_keys_of_rows_are_not_replaced_unless_that_is_asked(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", '{"text": "a", "error": "mine"}\n')
    result = run("smollm3", source)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has a key 'error' already" in result.stderr
    result = run("smollm3", source, "--error-key", "failure")
    assert json.loads(result.stdout)["error"] == "mine"
    result = run("smollm3", source, "--overwrite")
    assert result.exit_code == 0
    assert "error" not in json.loads(result.stdout)


@pytest.mark.parametrize(("most", "code"), [(0, 1), (599, 1), (600, 0), (1200, 0)])
def test_errors_that_are_allowed(tmp_path: Path, most: int, code: int) -> None:
    out = tmp_path / "out.jsonl"
    source = write(tmp_path / "in.jsonl", "\n".join(ROWS * 300))
    result = run("smollm3", source, "-o", out, "--max-errors", str(most))
    assert result.exit_code == code, result.stderr
    written = len(out.read_text(encoding="utf-8").splitlines())
    # A run stops with the batch in which there are too many.
    assert written == (256 if most == 0 else 1200)
    assert (f"stopped: more than {most} rows failed" in result.stderr) is (code == 1)
    if most == 0:
        result = run("smollm3", source, "-o", out, "--max-errors", "600", "--resume")
        assert result.exit_code == 0
        assert "1,200 rows (256 of them earlier), 600 failed" in result.stderr


def test_a_corpus_from_and_to_streams_and_compressed(tmp_path: Path) -> None:
    good = ROWS[0] + "\n" + ROWS[3]
    plain = run("smollm3", "--jsonl", stdin=good)
    assert plain.exit_code == 0
    assert [json.loads(line)["id"] for line in plain.stdout.splitlines()] == [1, 4]
    assert run("smollm3", "--jsonl", stdin=gzip.compress(good.encode())).stdout == plain.stdout
    out = tmp_path / "out.jsonl.gz"
    write(out, "what was there")
    assert run("smollm3", "--jsonl", "-o", out, stdin=good).exit_code == 0
    assert gzip.decompress(out.read_bytes()) == plain.stdout_bytes


@pytest.mark.parametrize("name", ["rows.txt", "rows.json", "-"])
def test_rows_that_are_read_as_one_text_are_told(name: str, tmp_path: Path) -> None:
    rows = f"\n{ROWS[0]}\n{ROWS[3]}\n"
    source = name if name == "-" else write(tmp_path / name, rows)
    result = run("smollm3", source, stdin=rows)
    assert result.exit_code == 0
    assert "INPUT looks like rows with a 'text': --jsonl parses each by itself" in result.stderr
    for text in ("plain", '{"name": "f"}', '["text"]', '{"text', "[" * 100_000):
        assert "looks like" not in run("smollm3", stdin=text).stderr


def test_a_dash_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("smollm3", "--jsonl", "-o", "-", stdin=ROWS[0])
    assert json.loads(result.stdout)["id"] == 1
    assert not list(tmp_path.iterdir())
    assert run("smollm3", "--jsonl", "-o", "-", "--resume", stdin=ROWS[0]).exit_code == 2


@needs_posix
def test_ctrl_c_while_a_text_is_awaited(tmp_path: Path) -> None:
    pipe = tmp_path / "text"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "respc", "parse", "smollm3", str(pipe)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        with pipe.open("wb"):  # waits until the command has opened it
            process.send_signal(signal.SIGINT)
            said = process.stderr.read()
    assert (process.returncode, said) == (130, b"")


def test_a_template_in_several_processes(tmp_path: Path, template: Path) -> None:
    source = write(tmp_path / "in.jsonl", '{"o": "<n>3</n>", "p": "<|assistant|><n>2</n>"}\n' * 600)
    result = run(template, source, "--jsonl", "--text-key", "o", "--workers", "2", "--message-key", "m")
    assert [json.loads(line)["m"] for line in result.stdout.splitlines()] == [{"n": 3}] * 600


def test_an_output_that_is_the_input_or_cannot_be_written(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", ROWS[0])
    assert run("smollm3", source, "--jsonl", "-o", source).exit_code == 2
    assert run("smollm3", source, "--jsonl", "-o", tmp_path / "no" / "out").exit_code == 2
    assert source.read_text() == ROWS[0]
    out = write(tmp_path / "out.jsonl", "kept")
    assert run("smollm3", tmp_path / "missing.jsonl", "--jsonl", "-o", out).exit_code == 2
    assert run("nothing_of_the_name", source, "--jsonl", "-o", out).exit_code == 2
    assert out.read_text() == "kept"


def test_help_imports_nothing_that_is_slow() -> None:
    script = (
        "import sys\n"
        "from respc.cli import main\n"
        "try:\n    main(['parse', '--help'])\n"
        "finally:\n"
        "    slow = {'black', 'jinja2', 'regex', 'rich', 'pyarrow', 'multiprocessing'} & set(sys.modules)\n"
        "    print(sorted(slow), file=sys.stderr)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=60)
    assert b"--resume" in result.stdout
    assert result.stderr.strip() == b"[]"


def test_a_reader_that_stops_is_no_fault(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", (ROWS[0] + "\n") * 20_000)
    command = [sys.executable, "-m", "respc", "parse", "smollm3", str(source), "--jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert b"Traceback" not in said
    assert process.returncode == 1


@needs_posix
def test_a_bar_is_shown_where_there_is_a_terminal(tmp_path: Path) -> None:
    import pty

    source = write(tmp_path / "in.jsonl", (ROWS[0] + "\n") * 600)
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "respc", "parse", "smollm3", str(source), "--jsonl"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=environment) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                piece = os.read(screen, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not piece:
                break
            shown += piece
            if b"rows/s\r\n" in shown and process.poll() is not None:
                break
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
    os.close(screen)
    assert process.returncode == 0
    assert len(lines) == 600
    assert "━".encode() in shown
    assert b"100 %" in shown
    assert b"600 rows, 0 failed, " in shown
