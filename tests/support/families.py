"""The families of ready-made parsers, with what the tests know of each: how its models write, and samples of that."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import regex
from jinja2 import Environment, StrictUndefined

from support.templates import TESTS, read_rows

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from jinja2 import Template

FAMILIES: Final = TESTS / "families"
PARSERS: Final = TESTS.parent / "generated" / "respc_parsers"

KINDS: Final = (
    "plain",
    "reasoning",
    "one_call",
    "parallel_calls",
    "text_around_calls",
    "cut_off",
    "opened_by_prompt",
)
"""What each family has a sample of, unless its ``writes.json`` says that its models never write it."""

_ENVIRONMENT: Final = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
_ENVIRONMENT.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Family:
    """One family.

    ``tests/families/<name>/`` has ``writes.json`` (what its models can write), ``render.jinja`` (how they write a
    message) and ``samples.jsonl`` (outputs with their messages).
    """

    name: str

    def __str__(self) -> str:
        return self.name

    @cached_property
    def template(self) -> dict[str, Any]:
        """The response template."""
        return dict(json.loads((PARSERS / f"{self.name}.json").read_text(encoding="utf-8")))

    @cached_property
    def module(self) -> ModuleType:
        """The committed parser."""
        return importlib.import_module(f"respc_parsers.{self.name}")

    @cached_property
    def writes(self) -> dict[str, Any]:
        """What the family's models can write."""
        return dict(json.loads((FAMILIES / self.name / "writes.json").read_text(encoding="utf-8")))

    @cached_property
    def samples(self) -> list[dict[str, Any]]:
        """Outputs: id, kind, prefix, text, tools, message."""
        return read_rows(FAMILIES / self.name / "samples.jsonl")

    def render(self, message: dict[str, Any], *, opened: bool, usual: bool = False) -> str:
        """Write a message as a model of the family does.

        Args:
            message: the message.
            opened: whether the prompt has opened the reasoning.
            usual: whether calls are all written in the usual way, and not by turns in several.
        """
        return self._writing.render(
            content=message.get("content"),
            reasoning=message.get("reasoning_content"),
            calls=message.get("tool_calls", []),
            opened=opened,
            usual=usual,
        )

    @cached_property
    def _writing(self) -> Template:
        source = (FAMILIES / self.name / "render.jinja").read_text(encoding="utf-8")
        return _ENVIRONMENT.from_string(source)

    @cached_property
    def delimiters(self) -> list[regex.Pattern[str]]:
        """The openers, closers and tags that no text of a message may hold."""
        patterns: list[str] = []
        for field in self.template["fields"].values():
            for key in ("open", "close"):
                literals = field.get(key, [])
                patterns += map(regex.escape, [literals] if isinstance(literals, str) else literals)
                patterns += [field[f"{key}_pattern"]] if f"{key}_pattern" in field else []
            patterns += (
                [field["content_args"]["tag_pattern"]]
                if "tag_pattern" in field.get("content_args", {})
                else []
            )
        compiled = [regex.compile(pattern, regex.DOTALL) for pattern in patterns]
        return [pattern for pattern in compiled if not pattern.search("")]

    def is_clear(self, text: str) -> bool:
        """Tell whether a text of a message has nothing that its format takes for a mark, nor begins one before one."""
        return all(self._is_clear_before(mark, text) for mark in ("", *self.writes.get("marks", [])))

    def _is_clear_before(self, mark: str, text: str) -> bool:
        joined = text + mark
        found = [delimiter.search(joined) for delimiter in self.delimiters]
        starts = [match.start() for match in found if match is not None]
        return min([joined.index(mark) if mark else len(text), *starts]) >= len(text)


ALIKE: Final = {
    "deepseek_v4": "deepseek_v3_2",
    "deepseek_v4_1": "deepseek_v3_2",
    "exaone4": "qwen3",
    "functionary3_1": "functionary3_2",
    "gigachat3_5": "deepseek_v3_2",
    "granite3_2": "granite3_3",
    "hy_v4": "hy_v3",
    "iquest": "glm4_7",
    "k2_horizon_json": "qwen3",
    "laguna": "glm4_7",
    "ling3": "glm4_7",
    "llama3_pythonic": "llama4",
    "llama4_json": "llama3_1",
    "longcat": "qwen3",
    "mimo": "qwen3_5",
    "nemotron3": "qwen3_5",
    "qwen2_5": "qwen3",
    "reka_edge": "qwen3",
    "smollm3": "qwen3",
    "spark2_5": "glm4_7",
    "step3_5": "qwen3_5",
}
"""Families with another's delimiters but for their texts: what is long is done with that one alone."""


def representatives() -> list[Family]:
    """Return the families without those that are like another."""
    return [family for family in families() if family.name not in ALIKE]


def families() -> list[Family]:
    """Return the families by name."""
    return [Family(path.stem) for path in template_files()]


def template_files() -> list[Path]:
    """Return the files of the templates by name; beside them is the table of models."""
    return sorted(path for path in PARSERS.glob("*.json") if path.name != "models.json")
