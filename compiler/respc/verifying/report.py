"""What people and programs are shown of a verification."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from respc.diagnostics import visible
from respc.diagnostics.render.github import workflow_command
from respc.verifying.outcomes import Cause, Kind, Outcome, TokenNote, Verification

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.table import Table

_WORST_FIRST: Final = (Outcome.DIFFERS, Outcome.AMBIGUOUS, Outcome.OK, Outcome.ABSENT)
_MOST_NAMES: Final = 8


def table_of(verification: Verification) -> Table:
    """Make the table of features by context: the worst that became of a message."""
    from rich.box import ROUNDED
    from rich.table import Table

    rows = verification.rows
    contexts = list(dict.fromkeys(row.context for row in rows))
    table = Table(box=ROUNDED)
    table.add_column("feature", no_wrap=True)
    for context in contexts:
        table.add_column(visible(context))
    for feature in dict.fromkeys(row.feature for row in rows):
        cells = [
            _cell({row.outcome for row in rows if (row.feature, row.context) == (feature, context)})
            for context in contexts
        ]
        table.add_row(visible(feature), *cells)
    return table


def _cell(outcomes: set[Outcome]) -> str:
    return next((outcome.value for outcome in _WORST_FIRST if outcome in outcomes), "")


def summary(verification: Verification) -> str:
    """Say in a line what was found."""
    counts = verification.counts()
    said = ", ".join(
        f"{counts[outcome]} {outcome.value}" for outcome in reversed(_WORST_FIRST) if counts[outcome]
    )
    return f"{'clean' if verification.clean else 'not clean'}: {said or 'nothing was written'}"


def explanations(verification: Verification) -> str:
    """Explain each cause once, and say what a tokenizer does to delimiters."""
    parts = ["\n".join(_explained(cause)) for cause in verification.causes if cause.kind != Kind.REFUSED]
    refused = [cause for cause in verification.causes if cause.kind == Kind.REFUSED]
    if refused:
        lines = [
            f"  {visible(cause.subject)}: {_named(cause.features)}; {_named(cause.contexts)}"
            for cause in refused
        ]
        parts.append("\n".join(["absent: the chat template refuses", *lines]))
    parts += list(_of_tokens(verification.tokens))
    return "".join(f"\n{part}\n" for part in parts)


def _explained(cause: Cause) -> Iterator[str]:
    outcome = Outcome.DIFFERS if cause.counts else Outcome.AMBIGUOUS
    yield f"{outcome.value}: {cause.kind.value}: {visible(cause.subject)}"
    if cause.detail:
        yield f"  {visible(cause.detail)}"
    if cause.prefix:
        yield f"  prompt  …{_quoted(cause.prefix)}"
    if cause.text:
        yield f"  text    {_quoted(cause.text)}"
    if cause.caret is not None:
        before = _quoted(cause.text[: cause.caret])[:-1]
        marked = _quoted(cause.text[cause.caret : cause.caret + cause.caret_length])[1:-1]
        yield f"          {' ' * len(before)}{'^' * max(1, len(marked))}"
    count = "1 text" if cause.rows == 1 else f"{cause.rows} texts"
    yield f"  in {count}: {_named(cause.features)}; {_named(cause.contexts)}"


def _quoted(text: str) -> str:
    return visible(json.dumps(text, ensure_ascii=False))


def _named(names: Sequence[str]) -> str:
    listed = ", ".join(visible(name) for name in names[:_MOST_NAMES])
    return listed if len(names) <= _MOST_NAMES else f"{listed} and {len(names) - _MOST_NAMES} more"


def _of_tokens(notes: Iterable[TokenNote]) -> Iterator[str]:
    lines = [f"  {_token_line(note)}" for note in notes]
    if lines:
        yield "\n".join(["tokens", *lines])


def _token_line(note: TokenNote) -> str:
    where = "start anchor" if not note.field else f"`{visible(note.field)}`"
    said: list[str] = []
    if len(note.tokens) != 1:
        said.append(f"{len(note.tokens)} tokens")
    if note.dropped:
        said.append("special, so that decoding with skip_special_tokens drops it")
    return f"{_quoted(note.delimiter)} of {where}: {'; '.join(said)}"


def json_text(verification: Verification) -> str:
    """Write all of it as one JSON object."""
    return json.dumps(verification.as_json(), indent=2, ensure_ascii=True) + "\n"


def commands_for_github(verification: Verification, name: str) -> str:
    """Write a workflow command for each cause."""
    return "".join(f"{_annotation(cause, name)}\n" for cause in verification.causes)


def _annotation(cause: Cause, name: str) -> str:
    level = "error" if cause.counts else "notice" if cause.kind == Kind.REFUSED else "warning"
    message = visible(cause.subject) + (f"\n{visible(cause.detail)}" if cause.detail else "")
    where = f"\nin {cause.rows} texts: {_named(cause.features)}; {_named(cause.contexts)}"
    return workflow_command(
        level, {"file": name, "title": f"respc verify: {cause.kind.value}"}, message + where
    )
