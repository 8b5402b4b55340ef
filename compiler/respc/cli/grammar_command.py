"""``respc grammar``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from respc.cli.chat_template_options import seconds_option
from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.terminal import Failure, print_exactly, print_findings, unreadable, write_and_say

if TYPE_CHECKING:
    from respc.chat_templates import ChatTemplateSource
    from respc.grammars import GrammarError
    from respc.source import TemplateSource

_FORMATS: Final = ("xgrammar", "llguidance", "gbnf")
_REASONING: Final = ("open", "prompt", "none")


@click.command("grammar", short_help="Write a grammar of what a model may write.")
@click.argument("source")
@click.option("--tools", "tools_file", metavar="FILE", required=True, help="A JSON list of the tools.")
@click.option(
    "--format",
    "written_as",
    type=click.Choice(_FORMATS),
    default="xgrammar",
    show_default=True,
    help="A structural tag in JSON, Lark, or a grammar of llama.cpp.",
)
@click.option(
    "--choice",
    default="required",
    show_default=True,
    metavar="auto|required|NAME",
    help="Text or calls, at least one call, or calls of one tool.",
)
@click.option("--parallel/--one", default=True, show_default=True, help="Several calls, or one.")
@click.option(
    "--reasoning",
    type=click.Choice(_REASONING),
    default="none",
    show_default=True,
    help="The model may open reasoning, the prompt has opened it, or there is none.",
)
@click.option(
    "--chat-template",
    "chat_template",
    metavar="FILE",
    help="A file of Jinja, a tokenizer_config.json, or the folder of a model; by default SOURCE's own.",
)
@click.option(
    "--special-tokens",
    "tokens_file",
    metavar="FILE",
    help="The added tokens, for llguidance: a tokenizer.json, or a JSON list of them or object with their ids.",
)
@seconds_option
@click.option("-o", "--output", "output", metavar="OUT", help="The file to write; by default it is printed.")
def grammar_command(
    source: str,
    tools_file: str,
    written_as: Any,
    choice: str,
    parallel: bool,
    reasoning: Any,
    chat_template: str | None,
    tokens_file: str | None,
    seconds: float,
    output: str | None,
) -> None:
    """Write a grammar of what a model may write, for an engine that constrains it.

    All that the grammar allows is read back by the parser of the template in SOURCE: a template in a .json file, a
    tokenizer_config.json with the key response_template, a folder that holds one, - for standard input, or the name of
    a ready-made parser. How a model spells calls is taken from its chat template; for the templates of ready-made
    parsers it is known. The exit code is 1 where there is no such grammar.
    """
    from respc.api import load
    from respc.chat_templates import ChatTemplateError, Limits
    from respc.cli.inputs import read_tools, require_own_files
    from respc.diagnostics import visible
    from respc.errors import TemplateError
    from respc.grammars import GrammarError, grammar

    files = {"--tools": tools_file, "--chat-template": chat_template, "--special-tokens": tokens_file}
    require_own_files(("SOURCE", source), files, [output])
    template = _read(source)
    try:
        load(template.template, name=template.name)
        made = grammar(
            template.template,
            read_tools(tools_file),
            format=written_as,
            choice=choice,
            parallel=parallel,
            reasoning=reasoning,
            chat_template=_chat_template(template, source, chat_template),
            special_tokens={} if tokens_file is None else _special_tokens(tokens_file),
            limits=Limits(seconds=seconds),
        )
    except TemplateError as error:
        errors = [finding for finding in error.diagnostics if finding.severity.value == "error"]
        print_findings(errors, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    except ChatTemplateError as error:
        raise Failure(visible(str(error))) from error
    except GrammarError as error:
        _refuse(error, template.name, tools_file)
    if output is None or output == "-":
        print_exactly(made if made.endswith("\n") else f"{made}\n")
    else:
        write_and_say(output, made)


def _read(source: str) -> TemplateSource:
    from respc.cli.sources import read_source
    from respc.source import SourceFileError

    try:
        return read_source(source)
    except SourceFileError as error:
        raise unreadable(error) from error


def _chat_template(template: TemplateSource, source: str, given: str | None) -> ChatTemplateSource | None:
    """Read the chat template that was given, or else SOURCE's own where one is needed."""
    from respc.chat_templates import ChatTemplateError, read_chat_template
    from respc.grammars import is_ready_made
    from respc.source import is_standard_input

    if given is not None:
        return read_chat_template(given)
    if is_ready_made(template) or is_standard_input(source):
        return None
    try:
        return read_chat_template(source)
    except ChatTemplateError:  # a template alone, which may do
        return None


def _special_tokens(path: str) -> dict[str, int | None]:
    from respc.cli.inputs import read_text
    from respc.diagnostics import visible
    from respc.grammars import special_tokens_of_text

    try:
        return special_tokens_of_text(read_text(path))
    except (ValueError, RecursionError) as error:
        raise Failure(visible(f"{path}: {error}")) from error


def _refuse(error: GrammarError, name: str, tools_file: str) -> NoReturn:
    """Say why there is no grammar, and leave."""
    from respc.diagnostics import visible

    place = f"{tools_file}{error.path}" if error.path else name
    click.echo(visible(f"{place}: error[{error.code.code}] {error.reason}"), err=True)
    click.echo(f"  `respc explain {error.code.code}` says more", err=True)
    raise click.exceptions.Exit(REFUSED_OR_STALE) from error
