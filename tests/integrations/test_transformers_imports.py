"""The integration imports nothing of transformers."""

from __future__ import annotations

import subprocess
import sys

from support.templates import TESTS


def test_import_leaves_transformers_alone() -> None:
    script = (
        "import sys, respc.integrations.transformers as integration; integration.EventStreamer\n"
        "print(sorted({'transformers', 'tokenizers', 'numpy', 'torch'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=TESTS.parent, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
