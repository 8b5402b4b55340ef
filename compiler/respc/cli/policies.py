"""The options `--select`, `--ignore` and `--error`, some of which `check` and `compile` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from respc.diagnostics import Policy


def policy_from_options(
    ignore: tuple[str, ...],
    error: tuple[str, ...],
    *,
    select: tuple[str, ...] = (),
    extend_select: tuple[str, ...] = (),
) -> Policy:
    """Make the policy that the options ask for; a usage error for a code that cannot be treated so."""
    from respc.diagnostics import PolicyError, policy_of

    try:
        return policy_of(ignore, error, select=select, extend_select=extend_select)
    except PolicyError as wrong:
        raise click.UsageError(str(wrong)) from wrong
