"""Tables and the like, laid out for the terminal that shows them, or of one width where a file or a pipe takes them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from respc.cli.terminal import is_terminal, output_failure, print_exactly

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

WIDTH_OF_FILES: Final = 120


def print_table(made: Callable[[str, int], RenderableType]) -> None:
    """Print a table, which is made for an encoding and a width; Failure where standard output cannot be written."""
    if not is_terminal(sys.stdout):
        print_exactly(table_text(made("utf-8", WIDTH_OF_FILES)))
        return
    from rich.console import Console

    console = Console()
    try:
        console.print(made(console.encoding, console.width))
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # click ends quietly when nobody reads on
    except OSError as error:
        raise output_failure(error) from error


def table_text(table: RenderableType) -> str:
    """Write a table without colours, and without blanks at the ends of lines."""
    from io import StringIO

    from rich.console import Console

    text = StringIO()
    Console(file=text, width=WIDTH_OF_FILES, color_system=None, force_terminal=False).print(table)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
