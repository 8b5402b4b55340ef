"""The engines that `--for` takes: written out here, so that `--help` imports no compiler."""

from __future__ import annotations

from typing import Final

ENGINE_NAMES: Final = ("vllm", "sglang")
