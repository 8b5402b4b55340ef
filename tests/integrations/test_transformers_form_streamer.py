"""`FormStreamer` gives, token by token, what a form makes of the text of the tokens."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import respc
from integrations.tokenizers_of_tests import ANSWERS, BACKENDS, CALL, PROMPT, TEMPLATE, ids_of, tokenizer_of
from respc.integrations.transformers import FormStreamer
from respc_runtime.errors import MissingAnchorError, MissingPrefixError
from respc_runtime.openai import ChatCompletionParser

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PARSER = respc.load(TEMPLATE, events="serving").ResponseParser
SECONDS = 20.0
THINKING = PROMPT + "<think>\n"


@pytest.fixture(params=sorted(BACKENDS))
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerBase:
    return tokenizer_of(request.param)


def chat(prompt: str) -> ChatCompletionParser:
    return ChatCompletionParser(PARSER, prompt, make_id=lambda: "call_0")


class Recorded:
    """A form of another kind: its first items are events."""

    def __init__(self, prompt: str) -> None:
        self.initial_events = [{"prompt": prompt}]

    def feed(self, text: str) -> list[dict[str, Any]]:
        return [{"text": text}]

    def finalize(self, *, length: bool = False, stopped: bool = False) -> list[dict[str, Any]]:
        return [{"length": length, "stopped": stopped}]


def generate(prompt: list[int], ids: list[int], streamer: FormStreamer[Any]) -> None:
    """Put what the `generate` of transformers puts: the prompt as a row of a batch, tokens without one."""
    streamer.put(np.array([prompt]))
    for token in ids:
        streamer.put(np.array([token]))
    streamer.end()


@pytest.mark.parametrize("prompt", [PROMPT, THINKING], ids=["clean", "thinking"])
@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_deltas_are_those_of_the_text(tokenizer: PreTrainedTokenizerBase, answer: str, prompt: str) -> None:
    ids = ids_of(tokenizer, answer)
    streamer = FormStreamer(tokenizer, chat, timeout=SECONDS)
    thread = Thread(target=generate, args=(ids_of(tokenizer, prompt), ids, streamer))
    thread.start()
    deltas = list(streamer)
    thread.join()

    whole = chat(tokenizer.decode(ids_of(tokenizer, prompt)))
    expected = [*whole.initial_deltas, *whole.feed(tokenizer.decode(ids)), *whole.finalize()]
    assert streamer.form is not None
    assert streamer.form.message == whole.message
    for key in ("role", "content", "reasoning_content"):
        assert "".join(delta.get(key, "") for delta in deltas) == "".join(
            delta.get(key, "") for delta in expected
        )
    assert [delta for delta in deltas if "tool_calls" in delta] == [
        delta for delta in expected if "tool_calls" in delta
    ]


def test_the_last_token_tells_why_the_generation_ended(tokenizer: PreTrainedTokenizerBase) -> None:
    (stop,) = ids_of(tokenizer, "<|im_end|>")
    prompt, ids = ids_of(tokenizer, PROMPT), ids_of(tokenizer, "It rains.")
    reasons = []
    for stop_ids, end in [((), []), ((stop,), []), ((stop,), [stop]), ((stop,), None)]:
        seen: list[Any] = []
        streamer = FormStreamer(tokenizer, Recorded, on_delta=seen.append, stop_ids=stop_ids)
        generate(prompt, [] if end is None else [*ids, *end], streamer)
        assert seen[0] == {"prompt": tokenizer.decode(prompt)}
        reasons.append((seen[-1]["length"], seen[-1]["stopped"]))
    assert reasons == [(False, False), (True, False), (False, True), (False, False)]


def test_a_server_says_why_the_generation_ended(tokenizer: PreTrainedTokenizerBase) -> None:
    (stop,) = ids_of(tokenizer, "<|im_end|>")
    for said, finish_reason in [({"length": True}, "length"), ({"length": False}, "stop"), ({}, "length")]:
        streamer = FormStreamer(tokenizer, chat, skip_prompt=False, prefix=PROMPT, stop_ids=[stop])
        streamer.put(ids_of(tokenizer, "It rains."))
        streamer.end(**said)
        assert streamer.form is not None
        assert streamer.form.finish_reason == finish_reason


def test_one_streamer_serves_one_generation_after_another(tokenizer: PreTrainedTokenizerBase) -> None:
    seen: list[Any] = []
    streamer = FormStreamer(tokenizer, chat, on_delta=seen.append)
    for _ in range(2):
        seen.clear()
        generate(ids_of(tokenizer, PROMPT), ids_of(tokenizer, CALL), streamer)
        assert streamer.form is not None
        assert streamer.form.finish_reason == "tool_calls"
        assert [delta["tool_calls"][0]["index"] for delta in seen if "tool_calls" in delta] == [0]
    with pytest.raises(TypeError, match="`on_delta`"):
        iter(streamer)


def test_what_the_form_raises_ends_the_iteration(tokenizer: PreTrainedTokenizerBase) -> None:
    streamer = FormStreamer(tokenizer, chat, timeout=SECONDS)
    with pytest.raises(MissingAnchorError):
        streamer.put(np.array([ids_of(tokenizer, "no anchor")]))
    with pytest.raises(MissingAnchorError):
        list(streamer)
    generate(ids_of(tokenizer, PROMPT), ids_of(tokenizer, "It rains."), streamer)
    assert "".join(delta.get("content", "") for delta in streamer) == "It rains."


def test_without_the_prompt_a_prefix_is_needed(tokenizer: PreTrainedTokenizerBase) -> None:
    with pytest.raises(MissingPrefixError):
        FormStreamer(tokenizer, chat, skip_prompt=False)
