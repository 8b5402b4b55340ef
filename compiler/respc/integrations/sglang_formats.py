"""The formats of ready-made parsers for which SGLang has detectors of its own, by the names of these."""

from __future__ import annotations

from typing import Final, NamedTuple


class OwnDetectors(NamedTuple):
    """The names that SGLang has for a format; None where it has none.

    Attributes:
        calls: a name for `--tool-call-parser`. That detector makes the grammars of required, named and strict calls.
        reasoning: a name for `--reasoning-parser`. That detector says which token ends the reasoning, and which
            requests have any: it is what a grammar for the answer waits for.
    """

    calls: str | None = None
    reasoning: str | None = None


OWN_DETECTORS: Final[dict[str, OwnDetectors]] = {
    "deepseek_r1": OwnDetectors("deepseekv3", "deepseek-r1"),
    "deepseek_v3": OwnDetectors("deepseekv3"),
    "deepseek_v3_1": OwnDetectors("deepseekv31", "deepseek-v3"),
    "deepseek_v3_2": OwnDetectors("deepseekv32", "deepseek-v3"),
    "deepseek_v4": OwnDetectors("deepseekv4", "deepseek-v4"),
    "deepseek_v4_1": OwnDetectors("deepseekv41", "deepseek-v41"),
    "dots": OwnDetectors("dots", "dots"),
    "gemma4": OwnDetectors("gemma4", "gemma4"),
    "gigachat3": OwnDetectors("gigachat3"),
    "gigachat3_5": OwnDetectors("gigachat35", "gigachat35"),
    "glm4_5": OwnDetectors("glm45", "glm45"),
    # That of calls holds them by a grammar for the whole answer, which only its own class is asked for.
    "glm4_7": OwnDetectors(None, "glm45"),
    "gpt_oss": OwnDetectors("gpt-oss", "gpt-oss"),
    "kimi_k2": OwnDetectors("kimi_k2", "kimi_k2"),
    "lfm2": OwnDetectors("lfm2"),
    "ling3": OwnDetectors("ling3", "ling3"),
    "llama3_1": OwnDetectors("llama3"),
    "mimo": OwnDetectors("mimo", "mimo"),
    "minicpm": OwnDetectors("minicpm5"),
    "minimax_m2": OwnDetectors("minimax-m2", "minimax"),
    "minimax_m3": OwnDetectors("minimax-m3", "minimax-m3"),
    "mistral_v3": OwnDetectors("mistral"),
    "nemotron3": OwnDetectors("qwen3_coder", "nemotron_3"),
    "qwen2_5": OwnDetectors("qwen25"),
    "qwen3": OwnDetectors("qwen25", "qwen3"),
    "qwen3_5": OwnDetectors("qwen3_coder", "qwen3"),
    "qwen3_coder": OwnDetectors("qwen3_coder"),
    "step3": OwnDetectors("step3", "step3"),
    "step3_5": OwnDetectors("step3p5", "step3p5"),
}
