"""Ready-made parsers, one module a family of formats, and the way from the name of a model to the parser of its format.

`for_model` goes by the table `models.json` alone, whose rows are tried from the top. A row's pattern is an owner and a
name on the Hugging Face Hub. A ``*`` in it stands for words between hyphens that say nothing of the format: sizes,
dates, ``Instruct``, ``Chat`` and the like; words that say how the weights are stored, as ``GGUF`` or ``AWQ``, may
follow every pattern. So a version that has no row is no parser's, however near another is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc_runtime.protocols import ServingModule

__all__ = ["ModelRow", "UnknownModelError", "for_model", "model_rows", "row_of_model"]

_STORED: Final = re.compile(
    r"gguf|ggml|mlx|onnx|awq|gptq|exl[23]|bnb|hqq|aqlm|qat|imatrix|i1|dwq|ud|unsloth|dynamic|block|quantized|"
    r"autoround|(?:bf|fp|f|mxfp|nvfp|int|uint)\d+|w\d+a\d+|q\d+|\d+bits?|hf|safetensors"
)
"""Words of a name that say how the weights are stored."""
_PLAIN: Final = re.compile(
    r"[ae]?\d+(?:\.\d+)?[bemtk]?|\d+x\d+(?:\.\d+)?[bm]|v\d+(?:\.\d+)*|instruct|chat|it|base|pt"
)
"""Words of a name that say which model of a family it is, and leave the format alone: sizes, dates, tuning."""
_LONGEST_NAME: Final = 96
"""Characters of a name on the Hub, without its owner."""
_MOST_SUGGESTIONS: Final = 3
_LIKENESS: Final = 0.5


class ModelRow(NamedTuple):
    """A row of the table of models.

    Attributes:
        pattern: an owner and a name on the Hugging Face Hub.
        family: the module in `respc_parsers` that parses what these models write.
        checked: what that was checked against.
    """

    pattern: str
    family: str
    checked: str


class UnknownModelError(KeyError):
    """No row of the table names the model, or those that do disagree."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError shows it in quotes


def for_model(name: str) -> ServingModule:
    """Import the parser of the format that a model writes.

    Args:
        name: of the model on the Hugging Face Hub. The name of somebody else's copy does too, and so does a path, if
            its last part is a name that the table knows, with words behind it at most that say how the weights are
            stored.

    Raises:
        UnknownModelError: a `KeyError`; the message has the nearest rows of the table.
    """
    from importlib import import_module

    return cast("ServingModule", import_module(f"{__name__}.{row_of_model(name).family}"))


def row_of_model(name: str) -> ModelRow:
    """Find the row of the table that a model's name falls under.

    Args:
        name: as for `for_model`.

    Raises:
        UnknownModelError: there is none.
    """
    owner, _, own_name = name.strip().strip("/").rpartition("/")
    owner = owner.lower()
    words = _words(own_name) if len(own_name) <= _LONGEST_NAME else ()
    found: dict[str, ModelRow] = {}
    for row, row_owner, row_words in _table():
        # somebody/Qwen_Qwen3-8B-GGUF is a copy of Qwen/Qwen3-8B
        fits = _matches(words, row_words) or (words[:1] == (row_owner,) and _matches(words[1:], row_words))
        if fits and row_owner not in found:
            found[row_owner] = row
    if owner in found:
        return found[owner]
    rows = list(found.values())
    if len({row.family for row in rows}) == 1:
        return rows[0]
    raise UnknownModelError(_explained(name, rows))


@cache
def model_rows() -> tuple[ModelRow, ...]:
    """Return the table of models: the first row that fits a name is the one that counts."""
    import json
    from importlib.resources import files

    rows = json.loads((files(__name__) / "models.json").read_text(encoding="utf-8"))
    return tuple(ModelRow(**row) for row in rows)


@cache
def _table() -> list[tuple[ModelRow, str, tuple[str, ...]]]:
    """Return the rows with their owners, and the words of their names."""
    split = ((row, *row.pattern.partition("/")) for row in model_rows())
    return [(row, owner.lower(), _words(name)) for row, owner, _, name in split]


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.split("[-_]", name.lower()))


def _matches(words: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether the words of a name are those of a pattern, and others only where it lets them."""
    if not pattern:
        return all(map(_STORED.fullmatch, words))
    if not words:
        return False
    if pattern[0] != "*":
        return words[0] == pattern[0] and _matches(words[1:], pattern[1:])
    if _PLAIN.fullmatch(words[0]) is None:
        return False
    return _matches(words[1:], pattern[1:]) or _matches(words[1:], pattern)


def _explained(name: str, rows: Sequence[ModelRow]) -> str:
    """Say why there is no parser for a model, and where to look."""
    where = (
        "compare the model's chat template with the formats that `respc list` shows, and import the parser by the name "
        "of its family"
    )
    if rows:
        named = ", ".join(f"{row.pattern} ({row.family})" for row in rows)
        return f"{name!r} is the name of several models of different formats: {named}; give its owner, or {where}"
    near = ", ".join(f"{row.pattern} ({row.family})" for row in _nearest(name))
    hint = f"; near it: {near}, which may write something else" if near else ""
    return f"no ready-made parser is known for the model {name!r}{hint}; {where}"


def _nearest(name: str) -> list[ModelRow]:
    """Give the rows whose patterns a name is most like: those that it begins as, and those that are spelt alike."""
    from difflib import SequenceMatcher
    from itertools import takewhile

    own_name = name.rpartition("/")[2].lower()[:_LONGEST_NAME]
    likeness: dict[ModelRow, float] = {}
    for row in model_rows():
        pattern = row.pattern.partition("/")[2].lower().rstrip("*")
        begun = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own_name, pattern, strict=False))
        )
        ratio = SequenceMatcher(None, own_name, pattern).ratio()
        if begun == len(pattern) or ratio >= _LIKENESS:
            likeness[row] = 2 * begun - len(pattern) + ratio
    return sorted(likeness, key=lambda row: -likeness[row])[:_MOST_SUGGESTIONS]
