"""``respc engine-template``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from respc.cli.engine_names import ENGINE_NAMES
from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.terminal import (
    Failure,
    print_exactly,
    print_findings,
    say_sentence,
    unreadable,
    write_and_say,
)

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.engines import Engine, EngineTemplate, Wishes


@click.command("engine-template", short_help="Write the template that vLLM or SGLang takes.")
@click.argument("source")
@click.option(
    "--for",
    "engine_name",
    type=click.Choice(ENGINE_NAMES),
    required=True,
    help="The engine that is to serve it.",
)
@click.option("-o", "--output", "output", metavar="FILE", help="The file to write; by default it is printed.")
@click.option("--drop", multiple=True, metavar="FIELD", help="Leave a field out; may be repeated.")
@click.option("--keep-closer", is_flag=True, help="Leave a pattern that closes the reasoning as it is.")
def engine_template_command(
    source: str, engine_name: str, output: str | None, drop: tuple[str, ...], keep_closer: bool
) -> None:
    """Write the response template in SOURCE as a serving engine takes it.

    vLLM and SGLang do not take every template. What is changed for them is named on standard error: fields get the
    names that the engine knows, and what it cannot do is left out, each with what is different then in the messages.
    Nothing is written where that is not enough, or where the engine has no place for a field: --drop leaves it out.

    SOURCE is a template in a .json file, a tokenizer_config.json with the key response_template, a folder that holds
    one, - for standard input, or the name of a ready-made parser (see `respc list`).
    """
    from respc.cli.inputs import files_of_source, require_another_file
    from respc.engines import Wishes, engine_named

    require_another_file(output, [("SOURCE", path) for path in files_of_source(source)])
    engine = engine_named(engine_name)
    made = _made(source, engine, Wishes(frozenset(drop), keep_closer))
    if output is None or output == "-":
        print_exactly(made.text)
    else:
        write_and_say(output, made.text)


def _made(source: str, engine: Engine, wishes: Wishes) -> EngineTemplate:
    """Make the template, and say how; leaves with what cannot be changed where that is refused."""
    from respc.cli.sources import read_source
    from respc.engines import template_for_engine
    from respc.errors import InternalError, TemplateError
    from respc.source import SourceFileError

    try:
        template = read_source(source)
        _require_fields(template.template, wishes)
        made = template_for_engine(template, engine, wishes)
    except SourceFileError as error:
        raise unreadable(error) from error
    except TemplateError as error:
        print_findings(error.diagnostics, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    except InternalError as error:
        raise Failure(f"{error}\nThis is a fault of respc, nothing was written: please report it.") from error
    for change in made.changes:
        _say(template.name, change)
    for finding in made.left:
        _say(template.name, finding)
    return made


def _require_fields(template: object, wishes: Wishes) -> None:
    """Refuse to drop a field that there is not: it is perhaps another that was meant."""
    from respc.diagnostics import listed
    from respc.source.json_kinds import is_object

    fields = template.get("fields") if is_object(template) else None
    if not is_object(fields) or not wishes.dropped:
        return
    for name in sorted(wishes.dropped - set(fields)):
        raise click.BadParameter(f"no field {name!r}; there are {listed(fields)}", param_hint="'--drop'")
    if not set(fields) - wishes.dropped:
        raise click.BadParameter("no field would be left", param_hint="'--drop'")


def _say(name: str, finding: Diagnostic) -> None:
    """Say what is different and why, or what stays as it is and what comes of that: each on a line of its own."""
    from respc.diagnostics import visible

    place = "" if finding.span is None else f":{finding.span.line}:{finding.span.column}"
    because = f"{finding.message} [{finding.code.code}]"
    if finding.fix is None:
        said, details = f"not changed: {finding.label}", [f"because: {because}"]
    else:
        said, details = finding.fix.changes, [*finding.notes, f"because: {because}"]
    say_sentence(visible(f"{name}{place}: {said}"))
    for detail in details:
        say_sentence(visible(detail), indent=2)
