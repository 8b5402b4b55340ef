"""All that a run measured, to and from JSON."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.growth import GrowthRow, HostileRow
from benchmarks.memory import MemoryRow
from benchmarks.modules import ModuleRow
from benchmarks.near_miss import NearMissRow
from benchmarks.openai_form import OpenAIFormMemoryRow, OpenAIFormRow
from benchmarks.peer import PeerRow
from benchmarks.prose import ProseRow
from benchmarks.serving import ServingRow
from benchmarks.shape_growth import ShapeRow
from benchmarks.start_up import CommandRow, CompileRow, ImportRow
from benchmarks.streaming import SteadinessRow, StreamedRow
from benchmarks.whole_text import BatchRow, WholeTextRow

_PACKAGES = ("respc", "transformers", "regex", "tokenizers", "openai-harmony")


@dataclass(slots=True)
class Figures:
    """The rows of each section that was run; a section that was not has none."""

    environment: dict[str, Any] = field(default_factory=dict)
    streamed: list[StreamedRow] = field(default_factory=list)
    steadiness: list[SteadinessRow] = field(default_factory=list)
    near_miss: list[NearMissRow] = field(default_factory=list)
    prose: list[ProseRow] = field(default_factory=list)
    modules: list[ModuleRow] = field(default_factory=list)
    whole_text: list[WholeTextRow] = field(default_factory=list)
    batches: list[BatchRow] = field(default_factory=list)
    serving: list[ServingRow] = field(default_factory=list)
    openai_form: list[OpenAIFormRow] = field(default_factory=list)
    growth: list[GrowthRow] = field(default_factory=list)
    hostile: list[HostileRow] = field(default_factory=list)
    shapes: list[ShapeRow] = field(default_factory=list)
    memory: list[MemoryRow] = field(default_factory=list)
    openai_form_memory: list[OpenAIFormMemoryRow] = field(default_factory=list)
    imports: list[ImportRow] = field(default_factory=list)
    compiling: list[CompileRow] = field(default_factory=list)
    commands: list[CommandRow] = field(default_factory=list)
    peer: list[PeerRow] = field(default_factory=list)

    def to_json(self, goals: list[dict[str, Any]]) -> str:
        """Write everything, with the goals, rounded to what was measured."""
        return json.dumps(_rounded({**asdict(self), "goals": goals}), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Figures:
        """Read what `to_json` wrote; there may be no rows of a section. The goals are computed anew."""
        read = json.loads(text)
        rows = {name: [row(**values) for values in read.get(name, ())] for name, row in ROWS.items()}
        return cls(environment=read["environment"], **rows)


ROWS: dict[str, Any] = {
    "streamed": StreamedRow,
    "steadiness": SteadinessRow,
    "near_miss": NearMissRow,
    "prose": ProseRow,
    "modules": ModuleRow,
    "whole_text": WholeTextRow,
    "batches": BatchRow,
    "serving": ServingRow,
    "openai_form": OpenAIFormRow,
    "growth": GrowthRow,
    "hostile": HostileRow,
    "shapes": ShapeRow,
    "memory": MemoryRow,
    "openai_form_memory": OpenAIFormMemoryRow,
    "imports": ImportRow,
    "compiling": CompileRow,
    "commands": CommandRow,
    "peer": PeerRow,
}
"""The kind of row of each section."""
assert list(ROWS) == [each.name for each in fields(Figures)][1:]


def describe_environment() -> dict[str, Any]:
    """Say what the figures depend on, and nothing about whose machine it was."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _rounded(value: Any) -> Any:
    """Keep four digits of each float; the rest is noise."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return value
