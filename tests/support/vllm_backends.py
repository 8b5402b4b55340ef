"""What vLLM's backends of structured outputs make of a grammar of calls, by vLLM's own checks.

Run as a script, in an environment that has vLLM: it prints in JSON in which form each backend has it, or none.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from support.vllm_answers import FORMATS, TOOLS
from support.vllm_server import make_checkpoint

BACKENDS: Final = ("auto", "xgrammar", "guidance", "outlines", "lm-format-enforcer")
FORMS: Final = ("structural_tag", "grammar")


def forms() -> dict[str, str]:
    """Give the form that each backend has in the end, sent from one process to another."""
    import vllm.platforms  # noqa: F401
    from msgspec import msgpack
    from transformers import AutoTokenizer
    from vllm.config.structured_outputs import StructuredOutputsConfig
    from vllm.exceptions import VLLMValidationError
    from vllm.sampling_params import SamplingParams

    from respc.families import family_template
    from respc.integrations.engine_grammars import CallGrammars, Wanted
    from respc.integrations.vllm_backends import parameters_of

    written = FORMATS["qwen3"]
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        make_checkpoint(Path(folder), anchor=written.anchor, marks=[*written.marks])
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        grammars = CallGrammars("qwen3", family_template("qwen3").template, tokenizer)
        held = grammars.holding(TOOLS, Wanted("auto", reasoning="open"))
        assert held is not None
        for backend in BACKENDS:
            asked = SamplingParams(structured_outputs=parameters_of(held.tag, held.lark)).clone()
            model: Any = SimpleNamespace(is_diffusion=False)
            try:
                asked._validate_structured_outputs(model, StructuredOutputsConfig(backend=backend), tokenizer)
            except VLLMValidationError:
                found[backend] = "refused"
                continue
            sent = msgpack.decode(msgpack.encode(asked), type=SamplingParams).structured_outputs
            found[backend] = next(form for form in FORMS if getattr(sent, form) is not None)
    return found


if __name__ == "__main__":
    os.environ.update(HF_HUB_OFFLINE="1", VLLM_TARGET_DEVICE="cpu")
    print(json.dumps(forms()))
