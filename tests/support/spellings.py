"""The spellings of families: learnt from how the tests write for them, or from a chat template that shows more."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from jinja2 import UndefinedError

from respc.analysis import analyse
from respc.codegen.forms import calls_of
from respc.grammars.examples import MESSAGES
from respc.grammars.formats import learn_spelling
from respc.grammars.learning import Example
from respc.grammars.proving import Proof, proved
from respc.source import template_from_dict
from support.families import PARSERS, Family, families

if TYPE_CHECKING:
    from pathlib import Path

    from respc.ir import ParserIR

SPELLINGS: Final = PARSERS / "spellings"

FROM_CHAT_TEMPLATES: Final = {
    "minicpm": "openbmb-MiniCPM5-1B.jinja",
    "mistral_v11": "unsloth-mistral-Devstral-Small-2507.jinja",
}
"""Chat templates, by the families whose samples have several spellings by turns, or strings alone."""


def file_of(family: Family) -> Path:
    """Return the file with the spelling of a family."""
    return SPELLINGS / f"{family.name}.json"


def ir_of(family: Family) -> ParserIR:
    """Return the intermediate representation of a family's template."""
    ir = analyse(template_from_dict(family.template, family.name), only_refusals=True).ir
    assert ir is not None
    return ir


def families_with_calls() -> list[Family]:
    """Return the families whose parsers read calls."""
    return [family for family in families() if calls_of(ir_of(family))]


def examples_of_samples(family: Family) -> list[Example]:
    """Write the messages that show a spelling as the family's samples are written."""
    examples: list[Example] = []
    for message in MESSAGES:
        for opened in (False, True):
            prefix = family.writes["opened_prefix" if opened else "prefix"]
            if prefix is not None and (not opened or "reasoning_content" in message):
                try:
                    written = family.render(_with_ids(message), opened=opened, usual=True)
                except UndefinedError:  # how it is written is not known, or it is not read
                    continue
                examples.append(Example(written, prefix, message))
    return examples


def proof_of(family: Family, examples: list[Example]) -> Proof:
    """Learn a spelling, and prove it with the family's parser behind the family's own prompts."""
    spelling = replace(
        learn_spelling(examples, ir_of(family)),
        prefix=family.writes["prefix"],
        opened_prefix=family.writes["opened_prefix"],
    )
    return proved(spelling, cast("Any", family.module))


def record_of(proof: Proof) -> str:
    """Write the file of a spelling."""
    written = json.dumps(proof.spelling.as_json(), ensure_ascii=False, indent=2) + "\n"
    # The characters that stand for names and the like are none that anybody could see.
    return re.sub("[\ue000-\ue003]", lambda found: f"\\u{ord(found[0]):04x}", written)


def _with_ids(message: dict[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls", [])
    numbered = [{**call, "id": f"calls{number:04}"} for number, call in enumerate(calls)]
    return {**message, "tool_calls": numbered}
