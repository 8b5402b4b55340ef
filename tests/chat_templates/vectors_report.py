"""Prints which of llama.cpp's test cases a kind of parser is wrong about, by what is wrong.

    python -m chat_templates.vectors_report FOLDER families

FOLDER keeps what is fetched.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chat_templates.vectors import Judgement, cases, family_parser, judged, table

if TYPE_CHECKING:
    from support.llama_cpp_vectors import Vector
    from support.vector_judging import Fault

_PARSERS: Final = {"families": (family_parser, "no ready-made parser")}


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


def main() -> None:
    """Print the report."""
    folder, kind = sys.argv[1:]
    parser_of, reason = _PARSERS[kind]
    print(report(judged(cases(Path(folder)), parser_of, reason), table()[kind]["wrong"]))


if __name__ == "__main__":
    main()
