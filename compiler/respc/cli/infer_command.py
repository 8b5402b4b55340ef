"""``respc infer``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from respc.cli.chat_template_options import given_option, named_option, seconds_option, variables
from respc.cli.exit_codes import DONE, REFUSED_OR_STALE
from respc.cli.terminal import Failure, file_failure, print_exactly, unreadable, write_and_say

if TYPE_CHECKING:
    from respc.chat_templates import ChatTemplateSource
    from respc.inferring import Inference
    from respc.source import JsonDocument

_FORMATS: Final = ("text", "json", "github")


@click.command("infer", short_help="Make a template from a chat template, and prove it.")
@click.argument("source")
@click.option("-o", "--output", "output", metavar="FILE", help="The file to write; by default it is printed.")
@click.option("--into", metavar="FILE", help="Put it into this tokenizer_config.json, as response_template.")
@click.option("--force", is_flag=True, help="With --into, replace the response_template that is there.")
@click.option("--partial", is_flag=True, help="Write the template even if not all comes back.")
@named_option
@click.option("--eos", metavar="TEXT", help="The end-of-sequence token, where SOURCE does not say it.")
@given_option
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="text", show_default=True)
@seconds_option
def infer_command(
    source: str,
    output: str | None,
    into: str | None,
    force: bool,
    partial: bool,
    named: str | None,
    eos: str | None,
    given: tuple[str, ...],
    shown_as: str,
    seconds: float,
) -> None:
    """Make a response template from a chat template, and prove it.

    The chat template writes messages of known words; what stands around these is what the response template is made of.
    Then it has to read back all that the chat template writes, as `respc verify` finds out. SOURCE is the folder of a
    model, a tokenizer_config.json, a file of Jinja, or - for Jinja from standard input.

    The template is printed, and the report goes to standard error; with -o or --into the report is printed. The exit
    code is 1 where something does not come back: then nothing is written, unless --partial says so.
    """
    from respc.chat_templates import ChatTemplateError, Limits
    from respc.diagnostics import visible
    from respc.inferring import InferenceError, infer

    config = _config(into, output, force=force)
    try:
        chat_template = _chat_template(source)
        _require_another_file(output, source)
        if named is not None:
            chat_template = chat_template.named(named)
        values = variables(given) | ({} if eos is None else {"eos_token": eos})
        inference = infer(chat_template, given=values, limits=Limits(seconds=seconds))
    except InferenceError as error:
        click.echo(f"Error: {visible(str(error))}", err=True)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    except ChatTemplateError as error:
        raise Failure(visible(str(error))) from error
    printed = config is None and output in (None, "-")
    _report(inference, shown_as, chat_template.name, to_stderr=printed and shown_as != "json")
    if inference.clean or partial:
        _write(inference.template, output, config, printed=printed and shown_as != "json")
    else:
        click.echo("nothing is written, for not all comes back: --partial writes it all the same", err=True)
    raise click.exceptions.Exit(DONE if inference.clean else REFUSED_OR_STALE)


def _config(into: str | None, output: str | None, *, force: bool) -> JsonDocument | None:
    """Read the config that is to have the template; what cannot take it is said before anything else is done."""
    from respc.diagnostics import visible
    from respc.source import has_template

    if into is None:
        if force:
            raise click.UsageError("--force is for --into")
        return None
    if output is not None:
        raise click.UsageError("give -o or --into: the template goes to one place")
    document = _json_document(into)
    if not isinstance(document.value, dict):
        raise Failure(visible(f"{into}: the JSON is not an object, so it is no tokenizer config"))
    if has_template(document) and not force:
        raise Failure(visible(f"{into}: there is a response_template already: --force replaces it"))
    return document


def _json_document(path: str) -> JsonDocument:
    from respc.diagnostics import visible
    from respc.source import JsonError, SourceFileError, SourceText, read_json
    from respc.source.reading import TooLargeError, read_file

    try:
        return read_json(SourceText(path, read_file(path).decode("utf-8")))
    except SourceFileError as error:
        raise unreadable(error) from error
    except OSError as error:
        raise file_failure(path, error) from error
    except JsonError as error:
        place = f"{path}:{error.span.line}:{error.span.column}"
        raise Failure(visible(f"{place}: {error}")) from error
    except (TooLargeError, UnicodeDecodeError) as error:
        raise Failure(visible(f"{path}: {error}")) from error


def _chat_template(source: str) -> ChatTemplateSource:
    from respc.chat_templates import ChatTemplateSource, read_chat_template
    from respc.cli.inputs import read_text
    from respc.source import is_standard_input

    if is_standard_input(source):
        return ChatTemplateSource("<stdin>", {"default": read_text("-")}, {}, ())
    return read_chat_template(source)


def _require_another_file(output: str | None, source: str) -> None:
    """Refuse to write over the chat template, or what stands beside it and is read with it."""
    from pathlib import Path

    from respc.chat_templates.loading import FILES
    from respc.cli.inputs import require_another_file

    place = Path(source)
    folder = place if place.is_dir() else place.parent
    files = [("SOURCE", source), *((f"SOURCE's {name}", str(folder / name)) for name in FILES)]
    require_another_file(output, files)


def _report(inference: Inference, shown_as: str, name: str, *, to_stderr: bool) -> None:
    from respc.cli.tables import print_table, table_text
    from respc.diagnostics import visible
    from respc.inferring.shown import PROMISE, github_commands, json_text, observations_text
    from respc.verifying.report import explanations, summary, table_of

    verification = inference.verification
    if shown_as == "json":
        print_exactly(json_text(inference))
    elif shown_as == "github":
        commands = github_commands(inference, name)
        click.echo(commands, nl=False, err=True) if to_stderr else print_exactly(commands)
    elif to_stderr:
        parts = (observations_text(inference), table_text(table_of(verification)), explanations(verification))
        click.echo("".join(parts), nl=False, err=True)
    else:
        print_exactly(observations_text(inference))
        print_table(lambda encoding, width: table_of(verification))
        print_exactly(explanations(verification))
    if shown_as == "text":
        click.echo(PROMISE, err=True)
    click.echo(f"{visible(name)}: {summary(verification)}", err=True)


def _write(
    template: dict[str, Any], output: str | None, config: JsonDocument | None, *, printed: bool
) -> None:
    from respc.source import laid_out, with_template

    if config is not None:
        write_and_say(config.source.name, with_template(config, template))
    elif output is not None and output != "-":
        write_and_say(output, laid_out(template) + "\n")
    elif printed:
        print_exactly(laid_out(template) + "\n")
