"""Prove the templates of a repository: python prove_all.py PLACE...

A PLACE is a chat template, the folder of a model, or a folder with any number of either. Where a response template is
there, in `tokenizer_config.json`, as `response_template.json`, or beside `NAME.jinja` as `NAME.json`, it is verified;
elsewhere one is inferred. The exit code is 1 if any chat template is not read back.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import respc
from respc.chat_templates import ChatTemplateError
from respc.source import read_template
from respc.verifying import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.verifying import Verification

CONFIG = "tokenizer_config.json"
TEMPLATE = "response_template.json"


@dataclass(frozen=True)
class Proof:
    """What was found of a chat template.

    Attributes:
        chat_template: the file.
        proved: what was proved: the file of a response template, or that it was inferred.
        clean: whether all comes back that the chat template writes; None if it could not be found out.
        counts: the texts of each outcome.
        why: the kinds of fault, or what could not be done.
    """

    chat_template: Path
    proved: str
    clean: bool | None
    counts: tuple[int, ...]
    why: str


def chat_templates(place: Path) -> Iterator[Path]:
    """Yield the files with chat templates in a place; of a config beside a file of Jinja, that file is the one."""
    if not place.is_dir():
        yield place
        return
    for file in sorted(place.rglob("*")):
        beside = file.with_name("chat_template.jinja")
        if file.suffix == ".jinja" or (
            file.name == CONFIG and not beside.exists() and "chat_template" in read_json(file)
        ):
            yield file


def response_template(chat_template: Path) -> Path | None:
    """Find the response template for a chat template."""
    config, alone = chat_template.with_name(CONFIG), chat_template.with_name(TEMPLATE)
    if chat_template.name in (CONFIG, "chat_template.jinja"):
        if config.exists() and read_json(config).get("response_template"):
            return config
        return alone if alone.exists() else None
    beside = chat_template.with_suffix(".json")
    return beside if beside.exists() else None


def read_json(file: Path) -> dict[str, Any]:
    """Read an object of JSON; one that cannot be read is empty here, and an error where it is needed."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def prove(chat_template: Path) -> Proof:
    """Verify the response template for a chat template, or infer one."""
    found = response_template(chat_template)
    proved = "inferred" if found is None else found.name
    try:
        if found is None:
            verification = respc.infer(chat_template).verification
        else:
            verification = respc.verify(read_template(found).template, chat_template)
    except (ChatTemplateError, respc.TemplateError, OSError) as error:
        reason = " ".join(str(error).split()).removeprefix(f"{chat_template}: ")
        return Proof(chat_template, proved, None, (), reason)
    return Proof(chat_template, proved, verification.clean, counts_of(verification), faults_of(verification))


def counts_of(verification: Verification) -> tuple[int, ...]:
    """Count the texts of each outcome."""
    counts = verification.counts()
    return tuple(counts[outcome] for outcome in Outcome)


def faults_of(verification: Verification) -> str:
    """Name the kinds of fault of the response template."""
    return ", ".join(dict.fromkeys(cause.kind.value for cause in verification.causes if cause.counts))


def table_of(proofs: list[Proof]) -> Table:
    """Make a table with a row for each chat template."""
    table = Table()
    table.add_column("chat template", overflow="fold", ratio=3)
    for heading in ("response template", "proof", *(outcome.value for outcome in Outcome)):
        table.add_column(heading, no_wrap=True)
    table.add_column("why", ratio=4)
    for proof in proofs:
        counts = map(str, proof.counts or ("",) * len(Outcome))
        said = {True: "clean", False: "not clean", None: "none"}[proof.clean]
        table.add_row(Text(str(proof.chat_template)), proof.proved, said, *counts, Text(proof.why))
    return table


def main(places: list[str]) -> int:
    """Prove all, print the table, and give the exit code."""
    files = [file for place in places for file in chat_templates(Path(place))]
    if not files:
        print(__doc__, file=sys.stderr)
        return 2
    # Each runs in a process of its own, and this one waits.
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        proofs = list(threads.map(prove, files))
    Console(width=None if sys.stdout.isatty() else 160).print(table_of(proofs))
    clean = sum(proof.clean is True for proof in proofs)
    print(f"{clean} of {len(proofs)} are read back")
    return 0 if clean == len(proofs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
