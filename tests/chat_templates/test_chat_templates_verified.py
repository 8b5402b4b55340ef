"""`respc verify` on real chat templates: the families are clean but for what is known, and faults put in are seen."""

from __future__ import annotations

import re
from copy import deepcopy
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import respc
from chat_templates.table import ROWS, family_of, name_of
from respc.chat_templates import ChatTemplateSource
from respc.families import family_template
from respc.verifying import Kind, Verification, prove, request_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from respc.verifying import Writings

pytestmark = pytest.mark.long


def writings_of(row: dict[str, Any], folders: dict[str, Path | str]) -> Writings:
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    text = (folder / row["file"]).read_text(encoding="utf-8")
    source = ChatTemplateSource(name_of(row), {"default": text}, {}, ())
    return request_for({}, source, row.get("given")).writings()


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_family_reads_what_the_chat_template_writes(
    row: dict[str, Any], folders: dict[str, Path | str]
) -> None:
    written = writings_of(row, folders)
    family = family_of(row)
    parser: Any = import_module(f"respc_parsers.{family}")
    verification = prove(written, family_template(family).template, parser)
    found = {cause.kind.value: cause for cause in verification.causes if cause.counts}
    assert found.keys() == row.get("faults", {}).keys(), list(found.values())
    assert verification.clean == (not found)


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


def mutations(template: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a template with one fault each."""

    def changed(*path: str, value: Any = None) -> dict[str, Any]:
        copy = deepcopy(template)
        holder = copy
        for key in path[:-1]:
            holder = holder[key]
        if value is None:
            holder.pop(path[-1])
        else:
            holder[path[-1]] = value
        return copy

    call = template["fields"]["tool_calls"]
    yield "the anchor of another family", changed("start_anchor", value="<|assistant_turn|>")
    yield "an anchor with a blank more", changed("start_anchor", value=template["start_anchor"] + "\n")
    yield "reasoning dropped", changed("fields", "reasoning_content")
    yield "a call that is not repeated", changed("fields", "tool_calls", "repeats")
    once = {"close": template["fields"]["content"]["close"]}
    yield "content once", changed("fields", "content", value=once)
    yield "the end of the turn dropped", changed("fields", "content", "close")
    for key in ("close", "close_pattern"):
        if key in call:
            misspelled = call[key][:-1] + "s>"
            yield "a closer that is misspelled", changed("fields", "tool_calls", key, value=misspelled)
    if "open" in call:
        yield "an opener with a blank", changed("fields", "tool_calls", "open", value=call["open"] + " ")
        function = {"name": "{content.name}", "arguments": "{content.parameters}"}
        path = ("fields", "tool_calls", "transform", "function")
        yield "arguments under another key", changed(*path, value=function)
    else:
        named = re.sub(r"\(\?P<name>[^)]*\)", lambda _: r"(?P<name>\w{1,9})", call["open_pattern"])
        yield "a name that is too short", changed("fields", "tool_calls", "open_pattern", value=named)
        lines = call["content_args"]["tag_pattern"].replace(".*?", r"[^\n]*?")
        yield (
            "values of one line",
            changed("fields", "tool_calls", "content_args", "tag_pattern", value=lines),
        )


def warned(template: dict[str, Any]) -> int:
    return sum(each.severity.value != "note" for each in respc.check_template(template))


def test_faults_that_are_put_in_are_seen_by_check_or_verify(folders: dict[str, Path | str]) -> None:
    rows = {name_of(row): row for row in ROWS}
    seen: list[tuple[bool, bool]] = []
    missed: list[tuple[str, str]] = []
    for pair, template in PAIRS.items():
        written = writings_of(rows[pair], folders)
        verification = verified(written, template)
        assert verification.clean, (pair, [cause for cause in verification.causes if cause.counts])
        known = warned(template)
        reasons = any("<think>" in text for text in written.template.template.sources.values())
        for fault, broken in mutations(template):
            if fault == "reasoning dropped" and not reasons:
                continue
            by_verify = not verified(written, broken).clean
            by_check = warned(broken) > known
            seen.append((by_check, by_verify))
            if not by_check and not by_verify:
                missed.append((pair, fault))
    assert len(seen) >= 100
    assert len(missed) <= len(seen) * 0.05, missed
    assert sum(by_verify for _, by_verify in seen) > sum(by_check for by_check, _ in seen)


def verified(written: Writings, template: dict[str, Any]) -> Verification:
    parser: Any = respc.load(template)
    return prove(written, template, parser)


def test_the_kinds_of_known_faults_are_kinds() -> None:
    kinds = {kind for row in ROWS for kind in row.get("faults", {})}
    assert kinds <= {kind.value for kind in Kind}
