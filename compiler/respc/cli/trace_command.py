"""``respc trace``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.tables import print_table, table_text
from respc.cli.terminal import Failure, print_exactly, print_findings, unreadable, write_and_say

if TYPE_CHECKING:
    from respc.trace import Trace

_FORMATS: Final = ("text", "html", "json")


@click.command("trace", short_help="Show what a parser makes of one output, chunk by chunk.")
@click.argument("source")
@click.argument("text_file", default="-", metavar="[TEXT]")
@click.option("--text", "given_text", metavar="TEXT", help="The text itself, in place of a file.")
@click.option("--prefix", help="The prompt that the model continued; by default the text is all.")
@click.option("--prefix-file", metavar="FILE", help="A file that holds the prompt.")
@click.option(
    "--any-prefix", is_flag=True, help="Take a prompt without start anchor for a part of the message."
)
@click.option("--tools", "tools_file", metavar="FILE", help="A JSON list of tools, to cast arguments by.")
@click.option(
    "--events",
    type=click.Choice(["default", "serving"]),
    default="default",
    show_default=True,
    help="With serving, the careful parser: text outside, and what cannot be read, with the reason.",
)
@click.option(
    "--chunk-size", type=click.IntRange(min=1), metavar="N", help="Feed N characters at a time; 4 by default."
)
@click.option("--chunks", type=click.IntRange(min=1), metavar="N", help="Feed the text in N chunks.")
@click.option(
    "--format", "shown_as", type=click.Choice(_FORMATS), help="By default as OUT is named, or text."
)
@click.option("-o", "--output", metavar="OUT", help="The file to write; by default it is printed.")
def trace_command(
    source: str,
    text_file: str,
    given_text: str | None,
    prefix: str | None,
    prefix_file: str | None,
    any_prefix: bool,
    tools_file: str | None,
    events: str,
    chunk_size: int | None,
    chunks: int | None,
    shown_as: str | None,
    output: str | None,
) -> None:
    """Show what a parser makes of one output: the text in TEXT, or standard input.

    The text by region, with delimiters, what is outside and what could not be read; for every chunk what is let out,
    what is held back and why; and the message. The format html is a page that plays the chunks: one file, which loads
    nothing. SOURCE is a template in a .json file, a tokenizer_config.json with the key response_template, a folder that
    holds one, - for standard input, or the name of a ready-made parser (see `respc list`).

    More than 400 chunks are taken together, so many to a step. What cannot be parsed is shown, too: up to where the
    parser raised, and what.

    Exit codes: 0 done; 1 the template is refused, or the prompt has no start anchor; 2 the command was used wrongly,
    or a file cannot be read or written.
    """
    from respc.cli.inputs import read_text, read_tools, require_own_files

    if given_text is not None and text_file != "-":
        raise click.UsageError("give TEXT or --text, not both")
    if prefix is not None and prefix_file is not None:
        raise click.UsageError("give one of --prefix and --prefix-file")
    if chunk_size is not None and chunks is not None:
        raise click.UsageError("give one of --chunk-size and --chunks")
    read = {
        "--prefix-file": prefix_file,
        "--tools": tools_file,
        "TEXT": text_file if given_text is None else None,
    }
    require_own_files(("SOURCE", source), read, [output])
    trace = _traced(
        source,
        read_text(text_file) if given_text is None else given_text,
        prefix=(prefix or "") if prefix_file is None else read_text(prefix_file),
        any_prefix=any_prefix,
        tools=None if tools_file is None else read_tools(tools_file),
        events=events,
        chunk_size=chunk_size,
        chunks=chunks,
    )
    _show(trace, shown_as or _format_of(output), output)


def _traced(source: str, text: str, **asked: Any) -> Trace:
    """Trace a text; leaves with the right exit code where that cannot be done."""
    from respc.cli.sources import read_source
    from respc.diagnostics import visible
    from respc.errors import InternalError, TemplateError
    from respc.source import SourceFileError
    from respc.trace import trace_source
    from respc_runtime.errors import MissingAnchorError

    try:
        return trace_source(read_source(source), text, **asked)
    except SourceFileError as error:
        raise unreadable(error) from error
    except InternalError as error:
        raise Failure(visible(str(error))) from error
    except TemplateError as error:
        print_findings(error.diagnostics, error.name, error.text)
    except MissingAnchorError as error:
        click.echo(visible(f"{type(error).__name__}: {error}"), err=True)
    raise click.exceptions.Exit(REFUSED_OR_STALE)


def _format_of(output: str | None) -> str:
    """Give the format that the name of a file asks for."""
    extension = (output or "").lower().rpartition(".")[2]
    return {"html": "html", "htm": "html", "json": "json"}.get(extension, "text")


def _show(trace: Trace, shown_as: str, output: str | None) -> None:
    prints = output is None or output == "-"
    if shown_as == "text":
        from respc.trace.terminal import terminal

        if prints:
            print_table(lambda encoding, width: terminal(trace, encoding))
            return
        text = table_text(terminal(trace))
    elif shown_as == "html":
        from respc.trace.page import page

        text = page(trace)
    else:
        from respc.trace.records import trace_json

        text = trace_json(trace)
    if prints:
        print_exactly(text)
    else:
        write_and_say(output or "", text)
