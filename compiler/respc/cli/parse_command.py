"""``respc parse``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from respc.cli.exit_codes import DONE, REFUSED_OR_STALE
from respc.cli.terminal import (
    Failure,
    count,
    print_exactly,
    print_findings,
    standard_output,
    unreadable,
)

if TYPE_CHECKING:
    from respc.corpora import CorpusJob, CorpusRun, ParserCode, RowKeys, RowReader, RowWriter

_OF_CORPORA: Final = (
    "output",
    "text_key",
    "prefix_key",
    "tools_key",
    "message_key",
    "error_key",
    "workers",
    "resume",
    "overwrite",
    "max_errors",
)
_CORPORA: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".parquet")
_OF_TEXTS: Final = ("events", "chunk_size")


@click.command("parse", short_help="Parse what a model wrote: one text, or a file of rows.")
@click.argument("parser")
@click.argument("source", default="-", metavar="[INPUT]")
@click.option("--prefix", help="The prompt that the model continued; by default the text is all.")
@click.option("--prefix-file", metavar="FILE", help="A file that holds the prompt.")
@click.option("--tools", "tools_file", metavar="FILE", help="A JSON list of tools, to cast arguments by.")
@click.option("--events", is_flag=True, help="Print the events, as JSON lines, in place of the message.")
@click.option("--chunk-size", type=click.IntRange(min=1), metavar="N", help="Feed N characters at a time.")
@click.option("--jsonl", is_flag=True, help="INPUT is a corpus, whatever its name: JSON lines.")
@click.option(
    "-o", "--output", metavar="OUT", help="Where to write a corpus; by default, and with -, it is printed."
)
@click.option("--text-key", default="text", show_default=True, metavar="KEY", help="What rows call the text.")
@click.option("--prefix-key", metavar="KEY", help="What rows call their prompt, if they have their own.")
@click.option("--tools-key", metavar="KEY", help="What rows call their tools, if they have their own.")
@click.option("--message-key", default="message", show_default=True, metavar="KEY", help="Gets the message.")
@click.option("--error-key", default="error", show_default=True, metavar="KEY", help="Gets what went wrong.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--resume", is_flag=True, help="Go on where OUT ends.")
@click.option("--overwrite", is_flag=True, help="Replace what rows have under --message-key and --error-key.")
@click.option(
    "--max-errors",
    type=click.IntRange(min=0),
    metavar="N",
    help="Exit with 0 if no more than N rows fail, and stop when more have.",
)
@click.option(
    "--errors",
    type=click.Choice(["raise", "collect"]),
    default="raise",
    show_default=True,
    help="Stop at what cannot be read, or give the message beside it.",
)
@click.option(
    "--any-prefix", is_flag=True, help="Take a prompt without start anchor for a part of the message."
)
@click.pass_context
def parse_command(
    context: click.Context,
    parser: str,
    source: str,
    prefix: str | None,
    prefix_file: str | None,
    tools_file: str | None,
    events: bool,
    chunk_size: int | None,
    jsonl: bool,
    output: str | None,
    text_key: str,
    prefix_key: str | None,
    tools_key: str | None,
    message_key: str,
    error_key: str,
    workers: int,
    resume: bool,
    overwrite: bool,
    max_errors: int | None,
    errors: str,
    any_prefix: bool,
) -> None:
    """Parse what a model wrote: the text in INPUT, or standard input, to its message.

    PARSER is a module that `respc compile` wrote, a template (a .json file, a tokenizer_config.json, a folder that
    holds one, or - for standard input), or the name of a ready-made parser (see `respc list`). A path that exists
    goes before a name. A module is run: use none that you would not import.

    With --jsonl, or where INPUT ends with .jsonl, .jsonl.gz or .parquet, it is a corpus. Each of its rows is written
    with a message added, or with an error: its class, its message, and where they are known the field and the position.
    A bad row stops nothing. With --errors collect, a row can have both: the message of what could be read, and an error
    that lists under "unread" what could not. JSON lines may be compressed with gzip; blank ones are left out. OUT is
    written as its extension says: .jsonl, .jsonl.gz (or .gz) or .parquet. It is replaced, unless --resume is given.
    In Parquet, message and error are columns of JSON text beside those of INPUT. A key of JSON lines becomes a column
    of its type, and one of JSON text where rows do not agree on that, or have lists or objects.

    Nothing is written where rows have no such key as --text-key says, or have one that is to be added. What failed is
    counted on standard error, by class and field.

    A prompt without the template's start anchor is refused: earlier turns would be taken for a part of the message.

    --resume counts the rows that an interrupted run left whole in OUT, cuts off what follows them, passes over as
    many rows of INPUT and appends the others. A Parquet file cannot be resumed: an interrupted run leaves none.

    Exit codes: 0 done; 1 the text or a row (with --max-errors: more than N) cannot be parsed, or the template is
    refused; 2 the command was used wrongly, or a file cannot be read or written; 130 Ctrl-C.
    """
    from respc.cli.inputs import read_text, read_tools, require_own_files

    corpus = jsonl or source.endswith(_CORPORA)
    output = None if output == "-" else output
    _require_fit(context, corpus)
    if sum(given is not None for given in (prefix, prefix_file, prefix_key)) > 1:
        raise click.UsageError("give one of --prefix, --prefix-file and --prefix-key")
    read = {"--prefix-file": prefix_file, "--tools": tools_file, "INPUT": source}
    # A table is written to another file until it is whole.
    require_own_files(("PARSER", parser), read, [output] if output is None else [output, f"{output}.part"])
    if chunk_size is not None and not events:
        raise click.UsageError("--chunk-size is for --events: the message is the same")
    if events and errors == "collect":
        raise click.UsageError("--errors collect is for the message, not for --events")
    if prefix_file is not None:
        prefix = read_text(prefix_file)
    tools = None if tools_file is None else read_tools(tools_file)
    found = _found(parser)
    if corpus:
        from respc.corpora import RowKeys

        keys = RowKeys(text_key, prefix_key, tools_key, message_key, error_key)
        asked = _Asked(prefix or "", tools, errors == "collect", any_prefix)
        _parse_corpus(_Corpus(source, output, keys, workers, resume, overwrite, max_errors), found, asked)
    else:
        asked = _Asked(prefix or "", tools, errors == "collect", any_prefix)
        text = read_text(source)
        _tell_of_rows(text, text_key)
        _parse_text(found, text, asked, events, chunk_size)


@dataclass(frozen=True, slots=True)
class _Asked:
    """How texts are parsed."""

    prefix: str
    tools: list[dict[str, Any]] | None
    collects: bool
    any_prefix: bool


def _require_fit(context: click.Context, corpus: bool) -> None:
    """Refuse options that would do nothing."""
    for name in _OF_TEXTS if corpus else _OF_CORPORA:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = next(each.opts[-1] for each in context.command.params if each.name == name)
            only = "one text, not a corpus" if corpus else "a corpus: give --jsonl"
            raise click.UsageError(f"{option} is for {only}")


def _tell_of_rows(text: str, text_key: str) -> None:
    """Say so where a text looks like rows: its name did not tell, and a message is made of their JSON."""
    import json

    line = text.lstrip().partition("\n")[0]
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(row, dict) and text_key in row:
        click.echo(f"INPUT looks like rows with a {text_key!r}: --jsonl parses each by itself", err=True)


def _found(named: str) -> ParserCode:
    """Find a parser and make sure that it can be loaded; leaves with the right exit code if not."""
    from respc.cli.sources import read_source
    from respc.corpora import ParserNotFoundError, find_parser
    from respc.diagnostics import Severity, visible
    from respc.errors import InternalError, TemplateError
    from respc.source import SourceFileError

    try:
        found = find_parser(named, read_source)
        found.load()
    except SourceFileError as error:
        raise unreadable(error) from error
    except (ParserNotFoundError, InternalError) as error:
        raise Failure(visible(str(error))) from error
    except TemplateError as error:
        print_findings(error.diagnostics, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    if serious := sum(finding.severity is not Severity.NOTE for finding in found.findings):
        click.echo(f"{visible(found.name)}: {count(serious, 'warning')}, which `respc check` shows", err=True)
    return found


def _parse_text(
    parser: ParserCode,
    text: str,
    asked: _Asked,
    events: bool,
    chunk_size: int | None,
) -> None:
    from respc.corpora import json_text, require_anchor
    from respc.diagnostics import visible

    module = parser.load()
    given: dict[str, Any] = {"prefix": asked.prefix, "tools": asked.tools}
    try:
        if asked.prefix and not asked.any_prefix:
            require_anchor(module.ResponseParser, asked.prefix)
        if events:
            _print_events(module.ResponseParser(**given), text, chunk_size or len(text))
        elif asked.collects:
            parsed = module.parse_response(text, errors="collect", **given)
            shown = {"message": parsed.message, "unread": [each._asdict() for each in parsed.unread]}
            print_exactly(json_text(shown, indent=2) + "\n")
        else:
            print_exactly(json_text(module.parse_response(text, **given), indent=2) + "\n")
    except (click.ClickException, BrokenPipeError):
        raise
    except Exception as error:  # a standalone module has exceptions of its own
        click.echo(visible(f"{type(error).__name__}: {error}"), err=True)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error


def _print_events(parser: Any, text: str, chunk_size: int) -> None:
    from respc.corpora import json_text

    def show(events: list[Any]) -> None:
        if events:
            print_exactly("".join(f"{json_text(event)}\n" for event in events))

    show(parser.initial_events)
    for start in range(0, len(text), chunk_size or 1):
        show(parser.feed(text[start : start + chunk_size]))
    show(parser.finalize()[1])


@dataclass(frozen=True, slots=True)
class _Corpus:
    source: str
    output: str | None
    keys: RowKeys
    workers: int
    resume: bool
    overwrite: bool
    max_errors: int | None


def _parse_corpus(corpus: _Corpus, parser: ParserCode, asked: _Asked) -> None:
    from respc.corpora import CorpusError, CorpusJob, output_form
    from respc.diagnostics import visible

    _require_keys(corpus)
    job = CorpusJob(
        parser,
        corpus.keys,
        output_form(corpus.output),
        asked.prefix,
        tuple(asked.tools or ()),
        collects=asked.collects,
        any_prefix=asked.any_prefix,
    )
    try:
        run = _run(corpus, job)
    except CorpusError as error:
        raise Failure(visible(str(error))) from error
    raise click.exceptions.Exit(REFUSED_OR_STALE if run.all_failed > (corpus.max_errors or 0) else DONE)


def _require_keys(corpus: _Corpus) -> None:
    from respc.corpora import output_form
    from respc.corpora.tables import ROW_COLUMN

    keys = corpus.keys
    added = (keys.message, keys.error)
    if keys.message == keys.error or any(key in keys.read for key in added):
        raise click.UsageError("--message-key and --error-key: each needs a key of its own")
    if output_form(corpus.output) == "parquet" and ROW_COLUMN in added:
        raise click.UsageError(f"{ROW_COLUMN!r} is the column of the rows themselves: name another key")
    if corpus.resume and corpus.output is None:
        raise click.UsageError("--resume goes on with a file: give one with -o")


def _run(corpus: _Corpus, job: CorpusJob) -> CorpusRun:
    """Open the files of a corpus, in the order that loses nothing when one of them is missing, and parse it."""
    from contextlib import closing

    from respc.corpora import (
        CorpusRun,
        ResumePoint,
        cut_off,
        open_output,
        open_rows,
        require_output_form,
        resume_point,
    )
    from respc.source import standard_input

    keys, output = corpus.keys, corpus.output
    require_output_form(output)
    added = () if corpus.overwrite else (keys.message, keys.error)
    stdin = standard_input() if corpus.source == "-" else None
    with closing(open_rows(corpus.source, keys.read, stdin, added=added)) as reader:
        before = ResumePoint()
        if corpus.resume and output is not None:
            before = resume_point(output, keys.error)
            cut_off(output, before)
        writer = open_output(output, standard_output(), append=corpus.resume)
        run = CorpusRun(before)
        _parse_rows(run, job, reader, writer, corpus)
    return run


def _parse_rows(
    run: CorpusRun, job: CorpusJob, reader: RowReader, writer: RowWriter, corpus: _Corpus
) -> None:
    """Parse the rows, and say on standard error how far that came."""
    from respc.corpora import shown_progress
    from respc.diagnostics import visible

    try:
        with shown_progress(reader) as tell:
            run.parse(job, reader, writer, workers=corpus.workers, max_errors=corpus.max_errors, tell=tell)
    except KeyboardInterrupt:
        on = "; go on with --resume" if corpus.output is not None and job.form != "parquet" else ""
        click.echo(f"interrupted{on}", err=True)
        raise
    finally:
        for line in (run.summary, *run.details):
            click.echo(visible(line), err=True)
        if run.stopped:
            click.echo(f"stopped: more than {corpus.max_errors:,} rows failed", err=True)
