"""Faults that are put into good templates are seen by `respc check` or `respc verify`, which are silent about the good.

The good ones are simple templates that were written by hand, and those that are inferred, which take care of much that
no chat template writes: a fault in that care is the hardest to see.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

import respc
from chat_templates.inferences import inferred_parser, left_out
from chat_templates.table import ROWS, name_of
from respc.verifying import prove
from support.template_faults import faulty_templates

if TYPE_CHECKING:
    from pathlib import Path

    from chat_templates.inferences import InferredParser
    from respc.verifying import Verification, Writings

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("inferred"),  # one process infers for all
]


def simple(anchor: str, call: dict[str, Any], end: str) -> dict[str, Any]:
    """Write a response template without any precaution, so that each fault that is put into it is one."""
    return {
        "defaults": {"role": "assistant"},
        "start_anchor": anchor,
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>", "repeats": True, "join": "\n"},
            "tool_calls": {"repeats": True, **call},
            "content": {"close": end, "repeats": True, "join": "\n"},
        },
    }


FUNCTION = {"name": "{name}", "arguments": "{content}"}
HERMES = simple(
    "<|im_start|>assistant\n",
    {
        "open": "<tool_call>",
        "close": "</tool_call>",
        "content": "json",
        "transform": {
            "type": "function",
            "function": {"name": "{content.name}", "arguments": "{content.arguments}"},
        },
    },
    "<|im_end|>",
)
CODER = simple(
    "<|im_start|>assistant\n",
    {
        "open_pattern": r"<tool_call>\s*<function=(?P<name>[^>]+)>",
        "close_pattern": r"</function>\s*</tool_call>",
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r"<parameter=(?P<key>[^>]+)>\n?(?P<value>.*?)\n?</parameter>",
        },
        "transform": {"type": "function", "function": FUNCTION},
    },
    "<|im_end|>",
)
PAIRS = {
    "TRL/qwen2_5": HERMES,
    "TRL/qwen3": HERMES,
    "TRL/qwen3_instruct_2507": HERMES,
    "TRL/qwen3_vl": HERMES,
    "llama.cpp/MiMo-VL": HERMES,
    "llama.cpp/Qwen-Qwen2.5-7B-Instruct": HERMES,
    "llama.cpp/Qwen-Qwen3-0.6B": HERMES,
    "llama.cpp/NousResearch-Hermes-3-Llama-3.1-8B-tool_use": HERMES,
    "llama.cpp/Qwen3-Coder": CODER,
    "vLLM/examples/tool_chat_template_qwen3coder": CODER,
    "TRL/qwen3_5_think": CODER,
    "TRL/qwen3_6": CODER,
}


@dataclass
class Seen:
    """What was seen of faults, each a name of a pair and of what was done."""

    by_check: set[tuple[str, str]] = field(default_factory=set)
    by_verify: set[tuple[str, str]] = field(default_factory=set)
    by_none: set[tuple[str, str]] = field(default_factory=set)

    @property
    def faults(self) -> int:
        """How many faults were put in."""
        return len(self.by_check | self.by_verify | self.by_none)

    def look(self, pair: str, written: Writings, template: dict[str, Any]) -> None:
        """Put all faults into a template, which has to be clean without."""
        clean = verified(written, template)
        assert clean.clean, (pair, [cause for cause in clean.causes if cause.counts])
        unknown = {"reasoning_content", "tool_calls"} - left_out(clean)
        known = warned(template)
        for faulty in faulty_templates(template):
            if faulty.needs and faulty.needs.isdisjoint(unknown):
                continue
            fault = (pair, faulty.fault)
            if warned(faulty.template) > known:
                self.by_check.add(fault)
            if refused(faulty.template):  # there is nothing to verify
                continue
            if not verified(written, faulty.template).clean:
                self.by_verify.add(fault)
            if fault not in self.by_check | self.by_verify:
                self.by_none.add(fault)


def warned(template: dict[str, Any]) -> int:
    return sum(each.severity.value != "note" for each in respc.check_template(template))


def refused(template: dict[str, Any]) -> bool:
    return any(each.severity.value == "error" for each in respc.check_template(template))


def verified(written: Writings, template: dict[str, Any]) -> Verification:
    parser: Any = respc.load(template)
    return prove(written, template, parser, until_first_fault=True)


def parser_of(row: dict[str, Any], folders: dict[str, Path | str]) -> InferredParser:
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    return inferred_parser(
        row["file"], (folder / row["file"]).read_text(encoding="utf-8"), row.get("given", {})
    )


def test_faults_in_templates_written_by_hand_are_seen(folders: dict[str, Path | str]) -> None:
    rows = {name_of(row): row for row in ROWS}
    seen = Seen()
    for pair, template in PAIRS.items():
        seen.look(pair, parser_of(rows[pair], folders).written, template)
    assert seen.faults >= 100
    assert len(seen.by_none) <= seen.faults * 0.05, seen.by_none
    assert len(seen.by_verify) > len(seen.by_check)


def test_faults_in_templates_that_are_inferred_are_seen(folders: dict[str, Path | str]) -> None:
    seen = Seen()
    for row in ROWS:
        if row["package"] != "llama.cpp":
            continue
        parser = parser_of(row, folders)
        if parser.inference is not None and parser.inference.clean:
            seen.look(name_of(row), parser.written, parser.inference.template)
    assert seen.faults >= 400
    assert len(seen.by_none) <= seen.faults * 0.05, seen.by_none
    assert len(seen.by_verify) > len(seen.by_check)
