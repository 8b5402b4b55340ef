"""Where a parser that is inferred from a chat template gives another message than the ready-made one of its models.

Both read the samples of the family, which are what its models write and not only what the chat template shows.
`agreement.json` has, for one chat template of each family, the samples that they disagree about, by the kind of reason:

- ``another prompt``: the sample's prompt is not that of this chat template, so that no start anchor is in it;
- ``not shown``: the chat template never writes what the sample's message has;
- ``as it is written``: the chat template writes the message as the sample has it, and the inferred parser is wrong;
- ``another way``: the chat template writes the message otherwise than the sample has it;
- ``no message``: the sample has none, or the ready-made parser refuses it.

    python -m chat_templates.agreement FOLDER

makes the table anew; FOLDER keeps what is fetched.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from chat_templates.inferences import inferred_parser
from chat_templates.table import ROWS, family_of, name_of
from respc.chat_templates import NotRenderedError
from respc.verifying.comparing import comparable, difference
from respc_runtime.errors import ResponseError
from support.chat_templates import PACKAGES, ChatTemplate, templates_of
from support.families import Family
from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from chat_templates.inferences import InferredParser

TABLE: Final = TESTS / "chat_templates" / "agreement.json"
Reason = Literal["another prompt", "not shown", "as it is written", "another way", "no message"]
_QUESTION: Final = {"role": "user", "content": "Which way to the mill?"}
_MODES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"enable_thinking": True, "thinking": True},
    {"enable_thinking": False, "thinking": False},
)


@dataclass(frozen=True)
class Pair:
    """A family and a chat template of its models.

    Attributes:
        family: the family.
        row: the row of the chat template.
    """

    family: Family
    row: dict[str, Any]

    def __str__(self) -> str:
        return self.family.name


def pairs() -> list[Pair]:
    """Give one chat template for each family that has any: the first."""
    first: dict[str, dict[str, Any]] = {}
    for row in ROWS:
        first.setdefault(family_of(row), row)
    return [Pair(Family(name), row) for name, row in sorted(first.items())]


def disagreements(pair: Pair, folder: Path) -> dict[str, Any]:
    """Give what the table has of a pair."""
    source = (folder / pair.row["file"]).read_text(encoding="utf-8")
    given = pair.row.get("given", {})
    inferred = inferred_parser(pair.row["file"], source, given)
    found: dict[str, list[str]] = defaultdict(list)
    if inferred.module is None:
        return {"chat template": name_of(pair.row), "nothing is inferred": True}
    template = ChatTemplate(source, given)
    for sample in pair.family.samples:
        reason = _reason(sample, pair.family.module, inferred, template)
        if reason is not None:
            found[reason].append(sample["id"])
    agree = len(pair.family.samples) - sum(map(len, found.values()))
    return {"chat template": name_of(pair.row), "agree": agree, **dict(sorted(found.items()))}


def _reason(
    sample: dict[str, Any], ready_made: ModuleType, inferred: InferredParser, template: ChatTemplate
) -> Reason | None:
    """Say why the parsers disagree about a sample; None where they agree."""
    wanted, got = _read(ready_made, sample), _read(inferred.module, sample)
    if None not in (wanted, got) and difference(wanted, got) is None:
        return None
    if wanted is None and got is None:
        return None
    if wanted is None:
        return "no message"
    if _misses_anchor(inferred.module, sample["prefix"]):
        return "another prompt"
    if not inferred.left_out.isdisjoint(wanted):
        return "not shown"
    texts = _written(template, sample)
    return "as it is written" if _bare(sample["text"], texts) else "another way"


def _read(module: Any, sample: dict[str, Any]) -> Any:
    try:
        message = module.parse_response(sample["text"], prefix=sample["prefix"], tools=sample["tools"])
    except ResponseError:
        return None
    return comparable(message)


def _misses_anchor(module: Any, prefix: str) -> bool:
    return hasattr(module, "ServingParser") and module.ServingParser(prefix).anchor_found is False


def _written(template: ChatTemplate, sample: dict[str, Any]) -> Iterator[str]:
    """Yield what the chat template writes for the message of a sample."""
    for options in _MODES:
        try:
            found = template.generations([_QUESTION], sample["message"], sample["tools"] or [], options)
        except NotRenderedError:
            continue
        yield from (generation.text for generation in found)


def _bare(text: str, written: Iterator[str]) -> bool:
    """Tell whether a text is among those written, with the end of the turn or without it."""
    bare = "".join(text.split())
    return any(bare and "".join(each.split()).startswith(bare) for each in written)


def main() -> None:
    """Make the table anew."""
    kept = Path(sys.argv[1])
    folders = {}
    for package in PACKAGES:
        names = [row["file"] for row in ROWS if row["package"] == package.title]
        folders[package.title] = templates_of(package, names, kept)
    table = {str(pair): disagreements(pair, folders[pair.row["package"]]) for pair in pairs()}
    TABLE.write_text(json.dumps(table, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
