"""``respc verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from respc.cli.chat_template_options import given_option, named_option, seconds_option, variables
from respc.cli.exit_codes import DONE, REFUSED_OR_STALE
from respc.cli.terminal import Failure, file_failure, print_exactly, print_findings, unreadable

if TYPE_CHECKING:
    from respc.chat_templates import ChatTemplateSource
    from respc.source import TemplateSource
    from respc.verifying import Verification

_FORMATS: Final = ("text", "json", "github")


@click.command("verify", short_help="Find out if it reads back what the chat template writes.")
@click.argument("source")
@click.option(
    "--chat-template",
    "chat_template",
    metavar="FILE",
    help="A file of Jinja, a tokenizer_config.json, or the folder of a model; by default SOURCE's own.",
)
@named_option
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="text", show_default=True)
@click.option("--streamed", is_flag=True, help="Read each text in chunks, too.")
@click.option("--messages", "messages_file", metavar="FILE", help="Verify these conversations (JSON).")
@click.option("--tools", "tools_file", metavar="FILE", help="Verify with these tools (a JSON list).")
@given_option
@click.option("--tokens", "tokenizer_file", metavar="FILE", help="Look at delimiters with a tokenizer.json.")
@seconds_option
def verify_command(
    source: str,
    chat_template: str | None,
    named: str | None,
    shown_as: str,
    streamed: bool,
    messages_file: str | None,
    tools_file: str | None,
    given: tuple[str, ...],
    tokenizer_file: str | None,
    seconds: float,
) -> None:
    """Find out whether a response template reads back what the chat template writes.

    The chat template writes messages of every kind in several conversations; what a model would have generated of each
    is cut out, parsed, and compared with the message. SOURCE is the folder of a model, a tokenizer_config.json, a
    response template in a .json file, - for standard input, or the name of a ready-made parser. The last three have no
    chat template of their own. The exit code is 1 where a message does not come back.
    """
    from dataclasses import replace

    from respc.chat_templates import ChatTemplateError, Limits
    from respc.diagnostics import visible
    from respc.verifying import OwnConversationError, request_for, token_notes, verified

    template = _read(source)
    try:
        written = _chat_template(source, chat_template)
        if named is not None:
            written = written.named(named)
        request = replace(
            request_for(template.template, written, variables(given)),
            messages=_messages(messages_file),
            tools=_tools(tools_file),
            streamed=streamed,
        )
        verification = verified(request, Limits(seconds=seconds))
        if tokenizer_file is not None:
            verification = replace(verification, tokens=token_notes(template.template, tokenizer_file))
    except ChatTemplateError as error:
        raise Failure(visible(str(error))) from error
    except OwnConversationError as error:
        raise Failure(visible(f"{messages_file}: {error}")) from error
    _show(verification, shown_as, template.name, written.name)
    raise click.exceptions.Exit(DONE if verification.clean else REFUSED_OR_STALE)


def _read(source: str) -> TemplateSource:
    """Read the response template, and compile it; leaves with the findings where it is refused."""
    from respc.api import load
    from respc.cli.sources import read_source
    from respc.errors import TemplateError
    from respc.source import SourceFileError

    try:
        template = read_source(source)
        load(template.template, name=template.name)
    except SourceFileError as error:
        raise unreadable(error) from error
    except TemplateError as error:
        errors = [finding for finding in error.diagnostics if finding.severity.value == "error"]
        print_findings(errors, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    return template


def _chat_template(source: str, given: str | None) -> ChatTemplateSource:
    """Read the chat template; ChatTemplateError where there is none."""
    from respc.chat_templates import ChatTemplateError, NoChatTemplateError, read_chat_template
    from respc.cli.sources import is_family_name
    from respc.source import is_standard_input

    if given is not None:
        return read_chat_template(given)
    if is_family_name(source) or is_standard_input(source):
        raise click.UsageError(f"SOURCE {source} has no chat template: give one with --chat-template")
    try:
        return read_chat_template(source)
    except NoChatTemplateError as error:
        raise ChatTemplateError(f"{error}, with --chat-template") from error


def _messages(path: str | None) -> list[list[dict[str, Any]]] | None:
    from respc.verifying.own_conversations import conversations_of_text

    return None if path is None else conversations_of_text(_text(path))


def _tools(path: str | None) -> list[dict[str, Any]] | None:
    from respc.diagnostics import visible
    from respc.verifying.own_conversations import OwnConversationError, tools_of_text

    if path is None:
        return None
    try:
        return tools_of_text(_text(path))
    except OwnConversationError as error:
        raise Failure(visible(f"{path}: {error}")) from error


def _text(path: str) -> str:
    from respc.diagnostics import visible
    from respc.source.reading import SourceFileError, TooLargeError, read_file

    try:
        return read_file(path).decode("utf-8")
    except SourceFileError as error:
        raise unreadable(error) from error
    except (TooLargeError, UnicodeDecodeError) as error:
        raise Failure(visible(f"{path}: {error}")) from error
    except OSError as error:
        raise file_failure(path, error) from error


def _show(verification: Verification, shown_as: str, name: str, written_by: str) -> None:
    from respc.cli.tables import print_table
    from respc.diagnostics import visible
    from respc.verifying.report import commands_for_github, explanations, json_text, summary, table_of

    if shown_as == "json":
        print_exactly(json_text(verification))
    elif shown_as == "github":
        print_exactly(commands_for_github(verification, name))
    else:
        print_table(lambda encoding, width: table_of(verification))
        print_exactly(explanations(verification))
    click.echo(f"{visible(name)}, {visible(written_by)}: {summary(verification)}", err=True)
