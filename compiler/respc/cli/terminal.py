"""What commands show a person, and how they end when they cannot go on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO, cast

import click

from respc.cli.exit_codes import FAILED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.diagnostics import Diagnostic
    from respc.source import SourceFileError, SourceText

_HANGING: Final = 4
"""How much further in the second line of a sentence begins."""


class Failure(click.ClickException):
    """What has nothing to do with the template: a file that cannot be read or written, or a fault of the compiler."""

    exit_code = FAILED


class _StandardOutput:
    """Takes the bytes of UTF-8. A terminal gets characters that could steer it as escapes, all else what it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = is_terminal(stream)

    def write(self, data: bytes) -> int:
        """Write whole characters."""
        if self._is_terminal:
            from respc.diagnostics import without_steering

            data = without_steering(data.decode("utf-8")).encode("utf-8")
        buffer = getattr(self._stream, "buffer", None)
        if buffer is None:  # a stream of text took its place, as notebooks and tests have one
            self._stream.write(data.decode("utf-8"))
        else:
            buffer.write(data)
        return len(data)

    def flush(self) -> None:
        """Hand on what is written."""
        self._stream.flush()


def standard_output() -> BinaryIO | None:
    """Give standard output for bytes of UTF-8; None where there is none."""
    return None if sys.stdout is None else cast("BinaryIO", _StandardOutput(sys.stdout))


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal."""
    asks = getattr(stream, "isatty", None)
    return asks is not None and bool(asks())


def print_exactly(text: str) -> None:
    """Print a document to standard output as UTF-8 and as it is; Failure where that cannot be written.

    Only a terminal gets escapes for what could steer it: texts of models and of others' files go through here.
    """
    require_output()
    output = _StandardOutput(sys.stdout)
    try:
        output.write(text.encode("utf-8"))
        output.flush()
    except BrokenPipeError:
        raise  # click ends quietly when nobody reads on
    except OSError as error:
        raise output_failure(error) from error


def require_output() -> None:
    """Make sure that there is a standard output; Failure where the command was started without one."""
    if sys.stdout is None:
        raise Failure("standard output: closed")


def output_failure(error: OSError) -> Failure:
    """Make the failure of standard output."""
    return Failure(f"standard output: {error.strerror or error}")


def file_failure(path: str, error: OSError) -> Failure:
    """Make the failure of a file."""
    from respc.diagnostics import visible

    return Failure(f"{visible(path)}: {error.strerror or error}")


def unreadable(error: SourceFileError) -> Failure:
    """Make the failure of a file that no template can be read from."""
    from respc.diagnostics import visible

    return Failure(visible(str(error)))


def write_and_say(output: str, text: str) -> None:
    """Write a file, and say on standard error whether it changed; Failure where it cannot be written."""
    from respc.cli.files import write_if_changed
    from respc.diagnostics import visible

    try:
        changed = write_if_changed(output, text)
    except OSError as error:
        raise file_failure(output, error) from error
    click.echo(f"{visible(output)}: {'written' if changed else 'unchanged'}", err=True)


def print_findings(
    diagnostics: Sequence[Diagnostic],
    name: str,
    text: SourceText | None,
    *,
    to_stderr: bool = True,
    unsafe_fixes: bool = False,
) -> None:
    """Print findings in full, in colour where the terminal has it, and mark what has a fix, safe or perhaps unsafe."""
    if not diagnostics:
        return
    # Imported here because most runs have nothing to show.
    from rich.console import Console

    from respc.diagnostics.render.text import print_text

    print_text(Console(stderr=to_stderr), diagnostics, name, text, unsafe_fixes=unsafe_fixes)


def say_sentence(text: str, *, indent: int = 0) -> None:
    """Print a sentence on standard error; where that is a terminal, it is broken at its width."""
    lines = [text]
    if is_terminal(sys.stderr):
        from shutil import get_terminal_size

        from respc.diagnostics.render.wrapping import wrapped

        lines = wrapped(text, max(get_terminal_size().columns - indent - _HANGING, 1))
    for number, line in enumerate(lines):
        click.echo(" " * (indent + (_HANGING if number else 0)) + line, err=True)


def count(number: int, word: str) -> str:
    """Write a number of things."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
