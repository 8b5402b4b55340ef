"""Outputs of a model, read from files."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from respc.source.json_kinds import is_list, is_object, json_kind

_STDIN_NAME: Final = "standard input"
_JSON_LINES: Final = (".jsonl", ".jsonl.gz")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_BYTE_ORDER_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Sample:
    """An output.

    Attributes:
        name: what messages call it.
        text: what the model wrote.
        prefix: the prompt; "" says that the text is the whole message.
        tools: the tools that it could call, None for none.
    """

    name: str
    text: str
    prefix: str = ""
    tools: list[Any] | None = None


class SampleError(OSError):
    """A file or folder that no samples can be read from, for the reason given."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")


def read_samples(path: str, stdin: BinaryIO | None = None) -> list[Sample]:
    """Read the samples of a text file, of a folder of such (.txt), or of a .jsonl file of objects with ``text``.

    Args:
        path: the file or folder; "-" for one text from standard input.
        stdin: the standard input.

    Raises:
        SampleError: there are none, or they are not as they should be.
    """
    try:
        return _samples(path, stdin)
    except SampleError:
        raise
    except OSError as error:
        raise SampleError(error.filename or path, error.strerror or str(error)) from error


def _samples(path: str, stdin: BinaryIO | None) -> list[Sample]:
    if path == "-":
        if stdin is None:
            raise SampleError(_STDIN_NAME, "closed")
        return [Sample(_STDIN_NAME, _decoded(_STDIN_NAME, stdin.read()))]
    place = Path(path)
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.suffix == ".txt" and file.is_file())
        if not files:
            raise SampleError(path, "there is no .txt file in this folder")
        return [_whole_file(file) for file in files]
    return _read_lines(place) if place.name.endswith(_JSON_LINES) else [_whole_file(place)]


def _whole_file(file: Path) -> Sample:
    return Sample(file.name, _decoded(str(file), file.read_bytes()))


def _decoded(name: str, data: bytes) -> str:
    """Give a text as it is: line ends are part of what a model wrote."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SampleError(name, f"not UTF-8 at byte {error.start}") from error


def _read_lines(file: Path) -> list[Sample]:
    data = file.read_bytes()
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error) as error:
            raise SampleError(str(file), str(error)) from error
    # Only line feeds end a line here: others can stand in a string of JSON.
    lines = enumerate(_decoded(str(file), data).removeprefix(_BYTE_ORDER_MARK).split("\n"), start=1)
    found = [_read_line(file, number, line) for number, line in lines if line.strip()]
    if not found:
        raise SampleError(str(file), "there is no sample in this file")
    return found


def _read_line(file: Path, number: int, line: str) -> Sample:
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SampleError(f"{file}:{number}", f"not JSON: {error}") from error
    if not is_object(row) or "text" not in row:
        raise SampleError(f"{file}:{number}", "not an object with the key `text`")
    text, prefix, tools = row["text"], row.get("prefix"), row.get("tools")
    if not isinstance(text, str):
        raise SampleError(f"{file}:{number}", f"`text` is {json_kind(text)}, not a string")
    if prefix is not None and not isinstance(prefix, str):
        raise SampleError(f"{file}:{number}", f"`prefix` is {json_kind(prefix)}, not a string")
    if tools is not None and not is_list(tools):
        raise SampleError(f"{file}:{number}", f"`tools` is {json_kind(tools)}, not a list")
    return Sample(f"{file.name}:{number}", text, prefix or "", tools)
