"""The files that a command reads, and over which it never writes."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from respc.cli.terminal import Failure, file_failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def files_of_source(source: str) -> list[str]:
    """Name the files that a SOURCE can be read from, with "-" for standard input: for all else a file or a folder."""
    from respc.cli.sources import is_family_name
    from respc.families import family_file
    from respc.source import CONFIG_FILE, TEMPLATE_FILE, is_standard_input

    if is_standard_input(source):
        return ["-", source]
    if is_family_name(source):
        return [str(family_file(source))]
    return [source, *(str(Path(source) / name) for name in (CONFIG_FILE, TEMPLATE_FILE))]


def require_another_file(output: str | None, inputs: Iterable[tuple[str, str]]) -> None:
    """Refuse to write over a file that is read, however the two are spelt.

    Args:
        output: the path of what is to be written; "-" and None are standard output.
        inputs: what the command calls each file that it reads, and the path; "-" is standard input.

    Raises:
        Failure: it is one of them, or cannot be looked at.
    """
    from respc.diagnostics import visible

    prints = output is None or output == "-"
    written = _of_stream(sys.stdout) if prints else _of_file(output or "")
    if written is None:
        return
    for name, path in inputs:
        read = _of_stream(sys.stdin) if path == "-" else _of_file(path)
        if read is not None and os.path.samestat(written, read):
            shown = "standard output" if prints else output or ""
            raise Failure(visible(f"{shown}: is {name} itself: write to another file"))


def require_own_files(
    source: tuple[str, str], given: Mapping[str, str | None], outputs: Iterable[str | None]
) -> None:
    """Refuse to read standard input twice, and to write over what is read.

    Args:
        source: what the command calls the source of the parser, and what was given for it.
        given: the other files by what the command calls them, those that are not given as None.
        outputs: what is to be written.
    """
    from respc.source import is_standard_input

    files = [(name, path) for name, path in given.items() if path is not None]
    piped = [name for name, path in (source, *files) if is_standard_input(path)]
    if len(piped) > 1:
        raise click.UsageError(f"{piped[0]} is standard input: give {piped[1]} as a file")
    read = [*((source[0], path) for path in files_of_source(source[1])), *files]
    for output in outputs:
        require_another_file(output, read)


def read_text(path: str) -> str:
    """Read a text as it is, line ends included; Failure where it cannot be read."""
    from respc.diagnostics import visible
    from respc.source import standard_input

    name = "standard input" if path == "-" else path
    try:
        if path != "-":
            data = Path(path).read_bytes()
        elif (stream := standard_input()) is None:
            raise Failure("standard input: closed")
        else:
            data = stream.read()
        return data.decode("utf-8")
    except OSError as error:
        raise file_failure(name, error) from error
    except UnicodeDecodeError as error:
        raise Failure(f"{visible(name)}: not UTF-8 at byte {error.start}") from error


def read_tools(path: str) -> list[dict[str, Any]]:
    """Read a list of tools; Failure where there is none."""
    import json

    from respc.diagnostics import visible
    from respc.source.json_kinds import is_list
    from respc_runtime.errors import ToolSchemaError
    from respc_runtime.tools import prepare_tools

    try:
        tools: object = json.loads(read_text(path))
        if not is_list(tools) or not all(isinstance(tool, dict) for tool in tools):
            raise TypeError("not a list of objects")
        prepare_tools(tools)
    except (ValueError, TypeError, RecursionError, ToolSchemaError) as error:
        raise Failure(visible(f"{path}: no tools: {error}")) from error
    return tools


def _of_file(path: str) -> os.stat_result | None:
    """Give the identity of a file, links followed; None where there is none."""
    try:
        return _if_regular(Path(path).stat())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # a name that is too long, or has a NUL in it
        if isinstance(error, OSError):
            raise file_failure(path, error) from error
        raise Failure(f"{path!r}: {error}") from error


def _of_stream(stream: IO[Any] | None) -> os.stat_result | None:
    """Give the identity of the file that a stream was redirected to; None for any other stream."""
    try:
        return None if stream is None else _if_regular(os.fstat(stream.fileno()))
    except (OSError, ValueError, AttributeError):  # no stream of the system
        return None


def _if_regular(found: os.stat_result) -> os.stat_result | None:
    # A terminal is standard input and standard output at once, and loses nothing.
    return found if stat.S_ISREG(found.st_mode) else None
