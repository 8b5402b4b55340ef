"""vLLM's own API server on the CPU, with an engine that says what a test has written instead of asking a model.

Run as a script, in an environment that has vLLM: `python -m support.vllm_server SETTINGS`. It serves a checkpoint at a
port for each of the settings, and prints a line of JSON with the ports when all of them answer.

What is not vLLM's own: the engine. It takes its answer from the prompt, which says `#name@steps#`, and gives so many
tokens a step, through vLLM's own detokenizer. `#walk_7@1#` asks for the seventh random text of the request's grammar.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from support.grammar_walks import endings_of
from support.vllm_walks import WalkedAnswers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

END = "<|end_of_answer|>"
ASKED = re.compile(r"#(\w+)@(\d+)#")
WALK = "walk_"
NAME = "model"
_TRAINED_ON = (
    "The weather in Bergen is rainy. Let me think about the tools that I can call with arguments. " * 20
)
_SETTINGS = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_TARGET_DEVICE": "cpu",
}


def make_checkpoint(
    folder: Path,
    *,
    anchor: str,
    marks: list[str],
    response_template: dict[str, Any] | None = None,
    chat_template: str | None = None,
) -> None:
    """Write a checkpoint that has no weights: a config, and a tokenizer that has the marks as tokens."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer: Any = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([_TRAINED_ON], trainer)
    tokenizer.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in (END, *marks)])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    chat_template = chat_template or (
        "{% for message in messages %}{% if message.role == 'assistant' %}ANCHOR{{ message.content }}"
        "{% else %}[{{ message.role }}]{{ message.content }}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}ANCHOR{{ opened or '' }}{% endif %}"
    ).replace("ANCHOR", anchor)
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "pad_token": END,
        "model_max_length": 32768,
        "clean_up_tokenization_spaces": False,
        "chat_template": chat_template,
    }
    if response_template is not None:
        config["response_template"] = response_template
    _write(folder / "tokenizer_config.json", config)
    end = tokenizer.token_to_id(END)
    _write(
        folder / "config.json",
        {
            "architectures": ["Qwen2ForCausalLM"],
            "model_type": "qwen2",
            "vocab_size": tokenizer.get_vocab_size(),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "max_position_embeddings": 32768,
            "torch_dtype": "bfloat16",
            "bos_token_id": end,
            "eos_token_id": end,
            "hidden_act": "silu",
            "rms_norm_eps": 1e-6,
            "tie_word_embeddings": True,
        },
    )
    _write(folder / "generation_config.json", {"eos_token_id": end})


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


class Choice:
    """One answer while it is generated."""

    def __init__(self, tokenizer: Any, ids: list[int], prompt: list[int], sampling: Any) -> None:
        from vllm.v1.engine.detokenizer import IncrementalDetokenizer

        self.end = tokenizer.convert_tokens_to_ids(END)
        self.ids = ids
        request: Any = SimpleNamespace(
            sampling_params=sampling, request_id="request", prompt_token_ids=prompt
        )
        self.detokenizer: Any = IncrementalDetokenizer.from_new_request(tokenizer, request)
        self.sampling = sampling
        self.place = 0
        self.finish_reason: str | None = None
        self.stop_reason: str | None = None

    def step(self, count: int, *, delta: bool) -> tuple[str, list[int]]:
        """Generate the next tokens."""
        most = self.sampling.max_tokens or len(self.ids)
        new = self.ids[self.place : min(self.place + count, most)]
        self.place += len(new)
        has_ended = bool(new) and new[-1] == self.end
        self.stop_reason = self.detokenizer.update(new, has_ended)
        if self.stop_reason is not None or has_ended:
            self.finish_reason = "stop"
        elif self.place >= min(most, len(self.ids)):
            self.finish_reason = "length"
        text = self.detokenizer.get_next_output_text(self.finish_reason is not None, delta)
        return text, new if delta else list(self.detokenizer.output_token_ids)


def answers_to(engine: Any, name: str, sampling: Any) -> list[list[int]]:
    """Give the tokens of the answers of a name."""
    tokenizer = engine.renderer.tokenizer
    end = tokenizer.convert_tokens_to_ids(END)
    if name.startswith(WALK):
        if engine.walked is None:
            endings = sorted(endings_of(engine.answers["call"], ("Bergen", "<think>")))
            engine.walked = WalkedAnswers(engine.vllm_config, tokenizer, end, endings)
        return [engine.walked.ids(sampling, int(name.removeprefix(WALK)))]
    written = engine.answers[name]
    found = []
    for text in [written] if isinstance(written, str) else written:
        cut = text.removesuffix("<cut>")
        ids = tokenizer.encode(cut, add_special_tokens=False)
        found.append([*ids, end] if cut == text else ids)
    return found


async def generate(
    engine: Any, prompt: Any, sampling: Any, request_id: str, **options: Any
) -> AsyncIterator[Any]:
    """Stand in for the method of vLLM's engine client."""
    from vllm.outputs import CompletionOutput, RequestOutput
    from vllm.sampling_params import RequestOutputKind

    tokenizer = engine.renderer.tokenizer
    ids = list(prompt["prompt_token_ids"])
    text = tokenizer.decode(ids)
    name, steps = ASKED.findall(text)[-1]
    delta = sampling.output_kind == RequestOutputKind.DELTA
    whole = sampling.output_kind == RequestOutputKind.FINAL_ONLY
    answers = answers_to(engine, name, sampling)
    choices = [
        Choice(tokenizer, answers[place % len(answers)], ids, sampling) for place in range(sampling.n or 1)
    ]
    engine.grammars[name] = str(sampling.structured_outputs), str(options.get("reasoning_ended"))
    last: dict[int, Any] = {}
    while any(choice.finish_reason is None for choice in choices):
        outputs: list[Any] = []
        for index, choice in enumerate(choices):
            if choice.finish_reason is None:
                said, new = choice.step(int(steps), delta=delta)
                last[index] = CompletionOutput(
                    index=index,
                    text=said,
                    token_ids=new,
                    cumulative_logprob=None,
                    logprobs=None,
                    finish_reason=choice.finish_reason,
                    stop_reason=choice.stop_reason,
                )
                outputs.append(last[index])
        finished = all(choice.finish_reason for choice in choices)
        if finished or not whole:
            yield RequestOutput(
                request_id=request_id,
                prompt=text,
                prompt_token_ids=ids,
                prompt_logprobs=None,
                outputs=list(last.values()) if whole else outputs,
                finished=finished,
            )
        await asyncio.sleep(0)


def fake_engine(vllm_config: Any, answers: dict[str, Any]) -> Any:
    """Make an engine client that says the answers."""
    from vllm.engine.protocol import EngineClient
    from vllm.renderers import renderer_from_config

    async def nothing(*args: Any, **options: Any) -> None:
        return None

    values: dict[str, Any] = dict.fromkeys(EngineClient.__abstractmethods__, nothing)
    values |= {"is_running": True, "is_stopped": False, "errored": False, "dead_error": RuntimeError("dead")}
    engine: Any = type("FakeEngine", (EngineClient,), {**values, "generate": generate})()
    engine.vllm_config = vllm_config
    engine.model_config = vllm_config.model_config
    engine.renderer = renderer_from_config(vllm_config)
    engine.input_processor = SimpleNamespace()
    engine.answers = answers
    engine.grammars = {}
    engine.walked = None
    return engine


async def make_app(folder: str, parsers: list[str], answers: dict[str, Any]) -> Any:
    """Make vLLM's server of a checkpoint, as `vllm serve` makes it, with parsers as its command line names them."""
    from vllm.config import VllmConfig
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.entrypoints.common.cli_args import (
        make_arg_parser,
        validate_api_server_args,
        validate_parsed_serve_args,
    )
    from vllm.entrypoints.launchers.api_server.app_state import init_app_state
    from vllm.entrypoints.launchers.app import build_app
    from vllm.logger import configure_logging_from_args
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser: Any = make_arg_parser(FlexibleArgumentParser())
    args = parser.parse_args([folder, "--served-model-name", NAME, *parsers])
    args.model = getattr(args, "model_tag", None) or args.model
    configure_logging_from_args(args)
    validate_parsed_serve_args(args)
    validate_api_server_args(args)
    engine_args = AsyncEngineArgs.from_cli_args(args)
    model_config = engine_args.create_model_config()
    structured: Any = engine_args.create_structured_outputs_config()
    config = VllmConfig(model_config=model_config, structured_outputs_config=structured)
    app: Any = build_app(args, ("generate",), model_config)
    engine = fake_engine(config, answers)
    await init_app_state(engine, app.state, args, ("generate",))

    @app.get("/grammars")
    async def grammars() -> Any:
        return engine.grammars

    return app


async def serve(settings: list[dict[str, Any]]) -> None:
    """Serve all of the settings until the process is ended."""
    import uvicorn

    servers: list[Any] = []
    for setting in settings:
        make_checkpoint(
            Path(setting["folder"]),
            anchor=setting["anchor"],
            marks=setting["marks"],
            response_template=setting["response_template"],
            chat_template=setting["chat_template"],
        )
        app = await make_app(setting["folder"], setting["parsers"], setting["answers"])
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="off")
        servers.append(uvicorn.Server(config))
    tasks = [asyncio.create_task(server.serve()) for server in servers]
    while not all(server.started for server in servers):
        await asyncio.sleep(0.05)
    print(json.dumps([server.servers[0].sockets[0].getsockname()[1] for server in servers]), flush=True)
    await asyncio.gather(*tasks)


if __name__ == "__main__":
    for variable, value in _SETTINGS.items():
        os.environ.setdefault(variable, value)
    import vllm.platforms  # noqa: F401

    asyncio.run(serve(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
