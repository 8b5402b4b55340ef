"""A model's name gives the parser of its format, by the table of models and by nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import pytest

import respc_parsers
from respc.families import families
from respc_parsers import ModelRow, UnknownModelError, for_model, model_rows, row_of_model, smollm3
from support.families import PARSERS

IMPORTED = """
import sys
from respc_parsers import for_model
for_model("HuggingFaceTB/SmolLM3-3B")
print(sorted(name for name in sys.modules if name.partition(".")[0] in {"respc", "respc_parsers", "jinja2"}))
"""


def like(pattern: str) -> str:
    """Return a name that a pattern is for."""
    return pattern.replace("*", "8B-Instruct")


def test_the_parser_is_the_module_of_the_family() -> None:
    parser = for_model("HuggingFaceTB/SmolLM3-3B")
    assert parser is smollm3
    assert parser.parse_response("Hi", prefix="") == {"role": "assistant", "content": "Hi"}
    assert parser.ResponseParser is smollm3.ResponseParser
    assert parser.ServingParser is smollm3.ServingParser


def test_nothing_else_is_imported() -> None:
    result = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout == "['respc_parsers', 'respc_parsers.smollm3']\n"


def test_each_model_that_is_named_with_a_family_is_of_it() -> None:
    for family in families().values():
        for model in family.models:
            assert row_of_model(model).family in (family.name, family.other_format_of), model


def test_rows_are_whole_and_no_row_hides_another() -> None:
    written = json.loads((PARSERS / "models.json").read_text(encoding="utf-8"))
    assert [tuple(row) for row in written] == [ModelRow._fields] * len(written)
    patterns = [row.pattern.lower() for row in model_rows()]
    assert len(set(patterns)) == len(patterns)
    for row in model_rows():
        assert row.checked
        assert row.family in families()
        assert row.pattern.count("/") == 1
        assert row_of_model(like(row.pattern)).family == row.family


def test_a_row_that_is_hidden_by_one_before_says_nothing_else() -> None:
    for row in model_rows():
        found = row_of_model(like(row.pattern))
        assert found == row or found.family == row.family


def test_a_star_is_behind_a_hyphen_so_that_no_version_is_guessed() -> None:
    for row in model_rows():
        parts = row.pattern.split("*")
        assert all(
            before.endswith(("-", "_")) and after[:1] in ("", "-") for before, after in pairwise(parts)
        )


def test_every_family_is_found_by_a_name() -> None:
    named = {row.family for row in model_rows()}
    assert named <= set(families())
    assert all(name in named or family.other_format_of for name, family in families().items())


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen/Qwen3-8B", "qwen3"),
        ("qwen/qwen3-8b", "qwen3"),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507-FP8", "qwen3"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder"),
        ("Qwen/Qwen3-Coder-Next", "qwen3_coder"),
        ("Qwen/Qwen3.6-35B-A3B", "qwen3_5"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3"),
        ("Qwen/QwQ-32B-AWQ", "qwen3"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "deepseek_r1"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek_v3_2"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek_v3_1"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "qwen2_5"),
        ("mistralai/Ministral-3-8B-Reasoning-2512", "magistral"),
        ("mistralai/Ministral-3-8B-Instruct-2512", "mistral_v11"),
        ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "nemotron3"),
        ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron_nano"),
    ],
)
def test_the_most_special_row_counts(name: str, family: str) -> None:
    assert row_of_model(name).family == family


@pytest.mark.parametrize(
    "name",
    [
        "Qwen3-8B",
        "somebody/Qwen3-8B-GGUF",
        "somebody/Qwen_Qwen3-8B-GGUF",
        "somebody/Qwen3-8B-4bit",
        "somebody/Qwen3-8B-unsloth-bnb-4bit",
        "nvidia/Qwen3-8B-NVFP4",
        "/models/Qwen3-8B/",
    ],
)
def test_a_copy_by_somebody_else_is_known_by_the_part_behind_the_owner(name: str) -> None:
    assert row_of_model(name) == row_of_model("Qwen/Qwen3-8B")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Qwen/Qwen3.7-8B", "Qwen/Qwen3.5-* (qwen3_5)"),
        ("Qwen/Qwen30-8B", "Qwen/Qwen3-* (qwen3)"),
        ("somebody/Qwen3-8B-Shopping", "Qwen/Qwen3-* (qwen3)"),
        ("Qwen/Qwen3-Embedding-8B", "Qwen/Qwen3-* (qwen3)"),
        ("Qwen/Quen3-8B", "Qwen/Qwen3-* (qwen3)"),
        ("moonshotai/Kimi-K2.7", "moonshotai/Kimi-K2.5 (kimi_k2)"),
        ("nvidia/Llama-3.1-Nemotron-Nano-8B-v1", "meta-llama/Llama-3.1-* (llama3_1)"),
    ],
)
def test_what_is_only_near_is_named_and_not_taken(name: str, near: str) -> None:
    with pytest.raises(KeyError) as caught:
        for_model(name)
    message = str(caught.value)
    assert message.startswith(f"no ready-made parser is known for the model '{name}'; near it: ")
    assert near in message
    assert "`respc list`" in message


@pytest.mark.parametrize("name", ["", "/", "*", "-", "Qwen/*", "8b-" * 5000, "x" * 100_000])
def test_what_is_no_name_is_unknown(name: str) -> None:
    with pytest.raises(UnknownModelError):
        row_of_model(name)


def test_one_name_of_different_formats_needs_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (ModelRow("one/Same-*", "qwen3", "-"), ModelRow("two/Same-*", "lfm2", "-"))
    monkeypatch.setattr(respc_parsers, "model_rows", lambda: rows)
    respc_parsers._table.cache_clear()
    try:
        assert row_of_model("two/Same-7B").family == "lfm2"
        with pytest.raises(UnknownModelError, match=r"several models .* one/Same-\* \(qwen3\), two/Same"):
            row_of_model("three/Same-7B")
    finally:
        respc_parsers._table.cache_clear()
