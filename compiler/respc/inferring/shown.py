"""What people and programs are shown of an inference: what was seen, and what it is worth."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Final

from respc.diagnostics import visible
from respc.diagnostics.render.github import workflow_command
from respc.verifying.report import commands_for_github

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.inference import Inference, Observation

PROMISE: Final = (
    "This was read from the chat template, and the model may write otherwise. What is promised is what the table has "
    "as `ok`, and no more."
)
_LONGEST_EXCERPT: Final = 160
_READERS: Final = frozenset({"content", "content_args"})
"""The keys that read a body, and match no delimiter."""


def observations_text(inference: Inference) -> str:
    """Say of each part of the template what it was read from, and show the rendering that proves it."""
    lines: list[str] = []
    for _, group in groupby(inference.observations, _what_was_seen):
        lines += _observed(list(group))
    lines += [f"{each.code} at {visible(each.path)}: {visible(each.message)}" for each in inference.warnings]
    chosen = (
        "the only candidate"
        if inference.tried == 1
        else f"one of {inference.tried} candidates that were tried"
    )
    return "\n".join([*lines, f"This template is {chosen}.", ""])


def _what_was_seen(observation: Observation) -> tuple[str, ...]:
    """What parts of a field that were read from one rendering have in common."""
    return (
        observation.field,
        observation.what,
        observation.feature,
        observation.context,
        observation.rendering,
    )


def _observed(observations: list[Observation]) -> Iterator[str]:
    """Say what was seen of a field, and below it what each key of the field is about."""
    seen = observations[0]
    yield f"{visible(seen.field or seen.key)}: {visible(seen.what)}"
    where = ", ".join(part for part in (seen.feature, seen.context) if part)
    yield f"  {visible(where)}: {_quoted(_shortened(seen.rendering))}"
    for each in observations:
        about = _quoted(_shortened(each.excerpt)) if each.excerpt else "what the model may write, too"
        yield f"    {visible(each.key)} {_quoted(each.value)}"
        yield f"      {'reads' if each.key in _READERS else 'matches'} {about}"


def _shortened(text: str) -> str:
    return (
        text
        if len(text) <= _LONGEST_EXCERPT
        else f"{text[: _LONGEST_EXCERPT // 2]} … {text[-_LONGEST_EXCERPT // 2 :]}"
    )


def _quoted(text: str) -> str:
    return visible(json.dumps(text, ensure_ascii=False))


def json_text(inference: Inference) -> str:
    """Write all of it as one JSON object."""
    return json.dumps(inference.as_json(), indent=2, ensure_ascii=True) + "\n"


def github_commands(inference: Inference, name: str) -> str:
    """Write a workflow command for each cause, and for what `respc check` warns of."""
    warnings = [
        workflow_command(
            "warning", {"file": name, "title": f"respc infer: {each.code}"}, visible(each.message)
        )
        for each in inference.warnings
    ]
    return commands_for_github(inference.verification, name) + "".join(f"{each}\n" for each in warnings)
