"""llama.cpp's own test cases: what models wrote, and the messages that have to come of it.

They are read out of a file of its tests in a package, and nothing of them is kept here but what `vectors.json` says of
those that cannot be compared and those that a parser is wrong about, by the name of the chat template and their number.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from chat_templates.inferences import inferred_parser
from chat_templates.table import ROWS, family_of
from respc.chat_templates import NotRenderedError
from support.chat_templates import PACKAGES, source_file_of, templates_of
from support.llama_cpp_vectors import vectors_of
from support.templates import TESTS
from support.vector_judging import Fault, Judge, not_comparable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from support.llama_cpp_vectors import Vector, Vectors

PACKAGE: Final = PACKAGES[0]
TABLE: Final = TESTS / "chat_templates" / "vectors.json"
_SOURCE: Final = "vendor/llama.cpp/tests/test-chat.cpp"
_ROWS: Final = {row["file"]: row for row in ROWS if row["package"] == PACKAGE.title}


@dataclass(frozen=True)
class Cases:
    """The test cases, and the chat templates that they are for.

    Attributes:
        vectors: the cases.
        folder: where the chat templates are.
    """

    vectors: Vectors
    folder: Path

    def source(self, file: str) -> str:
        """Give the text of a chat template."""
        return (self.folder / file).read_text(encoding="utf-8")


@dataclass
class Judgement:
    """What became of all cases with one kind of parser.

    Attributes:
        right: how many cases the parsers are right about.
        faults: how they are wrong about others.
        left_out: how many cases cannot be compared, by the reason.
    """

    right: int = 0
    faults: list[tuple[Vector, Fault]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter[str])

    @property
    def share(self) -> float:
        """The part of the cases compared that the parsers are right about."""
        return self.right / (self.right + len(self.faults))


def cases(kept_in: Path) -> Cases:
    """Fetch the test cases and their chat templates.

    Raises:
        NoTemplatesError: they cannot be fetched.
    """
    source = source_file_of(PACKAGE, _SOURCE, kept_in).read_text(encoding="utf-8")
    vectors = vectors_of(source)
    folder = templates_of(PACKAGE, sorted({file_of(vector) for vector in vectors.read}), kept_in)
    return Cases(vectors, folder)


def file_of(vector: Vector) -> str:
    """Give the file of the chat template of a case."""
    return vector.template.rpartition("/")[2]


def given_of(file: str) -> dict[str, Any]:
    """Give what a chat template is given beside the conversation."""
    return dict(_ROWS.get(file, {}).get("given", {}))


class NotForThisCaseError(Exception):
    """A kind of parser has none that a case could be put to; the message says why."""


def family_parser(known: Cases, vector: Vector) -> ModuleType | None:
    """Give the ready-made parser for a case.

    Raises:
        NotForThisCaseError: there is none.
    """
    file = file_of(vector)
    if file not in _ROWS:
        raise NotForThisCaseError("no ready-made parser")
    return import_module(f"respc_parsers.{family_of(_ROWS[file])}")


def parser_inferred(known: Cases, vector: Vector) -> ModuleType | None:
    """Give the parser that is inferred from the chat template of a case; None where nothing can be inferred.

    Raises:
        NotForThisCaseError: the chat template shows nothing of what the case expects.
    """
    file = file_of(vector)
    inferred = inferred_parser(file, known.source(file), given_of(file))
    if inferred.module is not None and vector.expected.tool_calls and "tool_calls" in inferred.left_out:
        raise NotForThisCaseError("the chat template writes no calls")
    return inferred.module


def judged(known: Cases, parser_of: Callable[[Cases, Vector], ModuleType | None]) -> Judgement:
    """Judge parsers by all cases.

    Args:
        known: the cases.
        parser_of: gives the module of the parser for a case.
    """

    @cache
    def judge(file: str) -> Judge:
        return Judge(known.source(file), given_of(file))

    judgement = Judgement()
    for vector in known.vectors.read:
        if (reason := not_comparable(vector)) is not None:
            judgement.left_out[reason] += 1
            continue
        try:
            module = parser_of(known, vector)
            fault = Fault("no parser") if module is None else judge(file_of(vector)).fault(vector, module)
        except (NotForThisCaseError, NotRenderedError) as error:
            judgement.left_out[str(error)] += 1
            continue
        if fault is None:
            judgement.right += 1
        else:
            judgement.faults.append((vector, fault))
    return judgement


def table() -> dict[str, Any]:
    """Give what is known of the cases."""
    return dict(json.loads(TABLE.read_text(encoding="utf-8")))
