"""Prints which of llama.cpp's test cases a kind of parser is wrong about, by what is wrong.

    python -m chat_templates.vectors_report FOLDER families|inferred [--write]

FOLDER keeps what is fetched. With --write, the table is made anew; why a parser is wrong about another case than
before is then its kind, until someone says more.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chat_templates.vectors import (
    TABLE,
    Judgement,
    cases,
    family_parser,
    judged,
    parser_inferred,
    table,
)

if TYPE_CHECKING:
    from support.llama_cpp_vectors import Vector
    from support.vector_judging import Fault

_PARSERS: Final = {"families": family_parser, "inferred": parser_inferred}


def report(judgement: Judgement, known: dict[str, str]) -> str:
    """Say what a judgement is, with all that is wrong."""
    lines = [f"{judgement.right} right, {len(judgement.faults)} wrong: {judgement.share:.1%}"]
    lines += [f"{count} left out: {reason}" for reason, count in judgement.left_out.items()]
    by_kind: dict[str, list[tuple[Vector, Fault]]] = defaultdict(list)
    for vector, fault in judgement.faults:
        by_kind[fault.kind].append((vector, fault))
    for kind, faults in sorted(by_kind.items()):
        lines.append(f"\n== {kind}: {len(faults)}")
        for vector, fault in faults:
            lines += [
                f"\n{vector.name} (line {vector.line}): {known.get(vector.name, 'not known')}",
                f"  prompt    …{fault.prompt!r}",
                f"  text      {vector.text!r}",
                f"  expected  {fault.wanted!r}",
                f"  got       {fault.got!r}",
            ]
    return "\n".join(lines)


def write(kind: str, judgement: Judgement) -> None:
    """Write what a judgement is into the table."""
    known = table()
    reasons = known.get(kind, {}).get("wrong", {})
    known[kind] = {
        "right": judgement.right,
        "left out": dict(sorted(judgement.left_out.items())),
        "wrong": {vector.name: reasons.get(vector.name, fault.kind) for vector, fault in judgement.faults},
    }
    TABLE.write_text(json.dumps(known, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Print the report."""
    folder, kind, *more = sys.argv[1:]
    judgement = judged(cases(Path(folder)), _PARSERS[kind])
    print(report(judgement, table().get(kind, {}).get("wrong", {})))
    if more:
        write(kind, judgement)


if __name__ == "__main__":
    main()
