"""A model for llama.cpp with weights of zero, made here, that writes what it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

CONTROL: Final = (
    "<|im_start|>",
    "<|im_end|>",
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<|end|>",
    "<|call|>",
)
_FURTHER_CONTROL: Final = ("<|return|>", "<|constrain|>")
_PLAIN: Final = ("<think>", "</think>", "<tool_call>", "</tool_call>")
_WIDTH: Final = 32


def write_model(path: Path, chat_template: str | None, end_of_turn: str, name: str) -> None:
    """Write a model whose tokens are bytes, but for the delimiters of formats."""
    import gguf
    import numpy as np

    tokens = [*_byte_letters(), *CONTROL, *_FURTHER_CONTROL, *_PLAIN]
    controls = {*CONTROL, *_FURTHER_CONTROL}
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name(name)
    writer.add_context_length(2048)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_WIDTH)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    kinds = gguf.TokenType
    # What is no control token, yet has to be found in a text.
    defined = [
        kinds.CONTROL if token in controls else kinds.USER_DEFINED if token in _PLAIN else kinds.NORMAL
        for token in tokens
    ]
    writer.add_token_types(defined)
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(tokens.index(end_of_turn))
    writer.add_bos_token_id(tokens.index("<|im_start|>"))
    writer.add_add_bos_token(False)
    if chat_template is not None:
        writer.add_chat_template(chat_template)
    square, vocabulary = (_WIDTH, _WIDTH), (len(tokens), _WIDTH)
    matrices = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": vocabulary,
        "output": vocabulary,
        "output_norm": (_WIDTH,),
    }
    shapes |= {f"blk.0.{matrix}": square for matrix in matrices}
    shapes |= {f"blk.0.{norm}": (_WIDTH,) for norm in ("attn_norm", "ffn_norm")}
    for tensor, shape in shapes.items():
        writer.add_tensor(f"{tensor}.weight", np.zeros(shape, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def script_processor(llama: Any, text: str) -> Any:
    """Make a processor of logits by which the model writes a text."""
    import llama_cpp
    import numpy as np

    script = llama.tokenize(text.encode(), add_bos=False, special=True)
    begun: list[int] = []

    def processor(tokens: Any, scores: Any) -> Any:
        begun[:] = begun or [len(tokens)]
        place = len(tokens) - begun[0]
        forced = np.full_like(scores, -np.inf)
        # A script without an end is followed by nothing but one letter.
        forced[script[place] if place < len(script) else 0] = 0.0
        return forced

    return llama_cpp.LogitsProcessorList([processor])


def _byte_letters() -> list[str]:
    """Give the letters that stand for the bytes in vocabularies like that of GPT-2."""
    shown = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters |= {byte: chr(256 + place) for place, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]
