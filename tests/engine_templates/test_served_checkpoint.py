"""What the documentation tells operators to do with a checkpoint that has no template."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from click.testing import CliRunner

from respc.cli import main
from support.devices import needs_posix
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGE = (TESTS.parent / "docs" / "serving_engines.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Templates that engines take\n")[1].split("\n## ")[0]


@needs_posix
def test_the_folder_of_the_documentation_is_one_that_vllm_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = tmp_path / "Qwen3-8B"
    checkpoint.mkdir()
    (checkpoint / "model.safetensors").write_bytes(b"weights")
    config = {"tokenizer_class": "Qwen2Tokenizer", "chat_template": "é"}
    (checkpoint / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"^respc (engine-template .*)$", SECTION, re.MULTILINE)
    assert CliRunner().invoke(main, command.split()).exit_code == 0
    (code,) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    exec(compile(code, "serving_engines.md", "exec"), {})

    (checked,) = re.findall(r"`respc (check [^`]*)` then", SECTION)
    assert CliRunner().invoke(main, checked.split()).exit_code == 0
    served = tmp_path / "Qwen3-8B-served"
    written = json.loads((served / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert written == {
        **config,
        "response_template": json.loads((tmp_path / "qwen3_for_vllm.json").read_text()),
    }
    assert (served / "model.safetensors").read_bytes() == b"weights"
    assert json.loads((checkpoint / "tokenizer_config.json").read_text(encoding="utf-8")) == config
