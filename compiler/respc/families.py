"""The ready-made parsers: which there are, for which models, and the templates that they were compiled from."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from respc.source import template_from_text

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from respc.source import TemplateSource

_NAME = re.compile(r"[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Family:
    """A format that several models write.

    Attributes:
        name: of the module in `respc_parsers`.
        title: what people call it.
        models: names of models on the Hugging Face Hub that write it; not all.
        reasoning: whether the model opens its reasoning itself, the prompt does, or there is none.
        tokens: the special tokens that a detokeniser has to keep, or the parser cannot find what they delimit.
        source: where the facts of the format are from.
        limits: what of the format does not reach the message, or is not read; "" where there is no such thing.
        other_format_of: the family of the format that its models write if the prompt asks for nothing else.
        chat_template: why the project's tests read no chat template with it; "" where they do.
    """

    name: str
    title: str
    models: tuple[str, ...]
    reasoning: Literal["output", "prompt", "none"]
    tokens: tuple[str, ...]
    source: str
    limits: str
    other_format_of: str = ""
    chat_template: str = ""


@cache
def families() -> dict[str, Family]:
    """Give the families by name, sorted."""
    found = [entry for entry in (_parsers() / "families").iterdir() if entry.name.endswith(".json")]
    names = sorted(entry.name.removesuffix(".json") for entry in found)
    return {name: _family(name) for name in names}


def family_template(name: str) -> TemplateSource:
    """Read the template of a family; KeyError when there is none of this name."""
    if name not in families():
        raise KeyError(name)
    file = family_file(name)
    return template_from_text(file.name, file.read_text(encoding="utf-8"))


def family_with_template(file_name: str, digest: str) -> str | None:
    """Give the name of the family whose template this is, by the name of its file and its sha256; None if none has."""
    name = file_name.removesuffix(".json")
    # Asked of one file: to read all families takes longer than to compile a template.
    if _NAME.fullmatch(name) is None or not (_parsers() / "families" / f"{name}.json").is_file():
        return None
    file = family_file(name)
    return name if template_from_text(file.name, file.read_text(encoding="utf-8")).digest == digest else None


def family_file(name: str) -> Traversable:
    """Give the file of the template of a family."""
    return _parsers() / f"{name}.json"


def closest_family(name: str) -> str | None:
    """Give the name of the family that was perhaps meant."""
    matches = get_close_matches(name.lower().replace("-", "_").replace(".", "_"), families(), n=1)
    return matches[0] if matches else None


def _parsers() -> Traversable:
    return files("respc_parsers")


def _family(name: str) -> Family:
    written = json.loads((_parsers() / "families" / f"{name}.json").read_text(encoding="utf-8"))
    return Family(
        name=name,
        title=written["title"],
        models=tuple(written["models"]),
        reasoning=written["reasoning"],
        tokens=tuple(written["tokens"]),
        source=written["source"],
        limits=written.get("limits", ""),
        other_format_of=written.get("other_format_of", ""),
        chat_template=written.get("chat_template", ""),
    )
