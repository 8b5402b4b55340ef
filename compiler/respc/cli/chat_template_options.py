"""What commands that run a chat template are given for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS: Final = 60.0

named_option: Final[Callable[[Any], Any]] = click.option(
    "--named", metavar="NAME", help="Use this one of several chat templates, as tool_use."
)
given_option: Final[Callable[[Any], Any]] = click.option(
    "--given",
    multiple=True,
    metavar="KEY=VALUE",
    help="Give the chat template a variable, as eos_token=</s>; JSON or a text; may be repeated.",
)
seconds_option: Final[Callable[[Any], Any]] = click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=_SECONDS,
    show_default=True,
    help="End a chat template that runs for longer.",
)


def variables(given: tuple[str, ...]) -> dict[str, Any]:
    """Read what the chat template is given: a value is JSON, or else a text."""
    import json

    values: dict[str, Any] = {}
    for pair in given:
        key, equals, written = pair.partition("=")
        if not equals or not key.isidentifier():
            raise click.UsageError(f"--given {pair}: write it as KEY=VALUE, with a name for KEY")
        try:
            values[key] = json.loads(written)
        except ValueError:
            values[key] = written
    return values
