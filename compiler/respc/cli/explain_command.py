"""``respc explain``."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

import click

from respc.cli.terminal import is_terminal, output_failure, print_exactly, require_output

if TYPE_CHECKING:
    from respc.diagnostics import Code

# One wrong character of the five of a code leaves a likeness of 0.8, two leave 0.6, which half of the table has.
_LIKENESS: Final = 0.7


@click.command("explain", short_help="Explain a diagnostic, or list them all.")
@click.argument("name", metavar="[CODE]", required=False)
@click.option("--all", "everything", is_flag=True, help="Print the page about all codes.")
@click.option("--list", "listed", is_flag=True, help="Print a line for each code.")
def explain_command(name: str | None, everything: bool, listed: bool) -> None:
    """Explain what a CODE like RT109 means, why it matters and how it is fixed.

    Instead of the code its slug can be given, such as unknown-field-key. What is printed is Markdown, laid out where
    standard output is a terminal.
    """
    if (name is not None) + everything + listed != 1:
        raise click.UsageError("give a code or slug, or else --all or --list")
    from respc.diagnostics.explanations import docs_page, short_list

    if listed:
        print_exactly(short_list(get_terminal_size().columns if is_terminal(sys.stdout) else None))
    else:
        _print(docs_page() if name is None else _explained(_code(name)))


def _code(name: str) -> Code:
    """Find a row of the table by code or slug, in any case."""
    from difflib import get_close_matches

    from respc.diagnostics import CODES, code_named, quoted

    for spelling in (name.upper(), name.lower()):
        try:
            return code_named(spelling)
        except KeyError:
            pass
    close = get_close_matches(name.upper(), [code.code for code in CODES], cutoff=_LIKENESS)
    close += get_close_matches(name.lower(), [code.slug for code in CODES], cutoff=_LIKENESS)
    hint = f"did you mean {' or '.join(close)}?" if close else "see them all with --list"
    raise click.BadParameter(f"no code {quoted(name)}; {hint}", param_hint="CODE")


def _explained(code: Code) -> str:
    from respc.diagnostics.explanations import explanation_of

    text = explanation_of(code.code).text.strip()
    return f"# {code.code} {code.slug} ({code.severity.value})\n\n{code.title}\n\n{text}\n"


def _print(markdown: str) -> None:
    require_output()
    # Not what rich takes for a terminal: colours can be forced on a file, which is to be Markdown all the same.
    if not is_terminal(sys.stdout):
        print_exactly(markdown)
        return
    try:
        _lay_out(markdown)
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # click ends quietly when nobody reads on
    except OSError as error:
        raise output_failure(error) from error


def _lay_out(markdown: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    # What the terminal cannot show is escaped, where rich would stop at it.
    encoding = sys.stdout.encoding or "utf-8"
    shown = markdown.encode(encoding, errors="backslashreplace").decode(encoding)
    # The colours are the terminal's own, so that they suit a light one, too.
    Console().print(Markdown(shown, code_theme="ansi_dark"))
