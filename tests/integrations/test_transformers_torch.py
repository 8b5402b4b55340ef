"""Real tensors, and a real `generate` of a small model with random weights."""

from __future__ import annotations

import copy
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from transformers import LlamaConfig, LlamaForCausalLM, pipeline

from integrations.tokenizers_of_tests import ANSWERS, BACKENDS, CALL, PROMPT, ids_of, tokenizer_of
from respc.integrations.transformers import EventStreamer, attach, detach
from support.outcomes import Raised, assert_same_outcome, outcome
from support.strictness import first_difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from transformers import PreTrainedTokenizerBase

torch = pytest.importorskip("torch", reason="torch is large, and not among what the tests need")

SECONDS = 60.0
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(params=sorted(BACKENDS))
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerBase:
    return tokenizer_of(request.param, chat_template=CHAT_TEMPLATE)


@pytest.fixture
def model(tokenizer: PreTrainedTokenizerBase) -> Any:
    torch.manual_seed(5)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    return LlamaForCausalLM(config).eval()


def prompt_of(tokenizer: PreTrainedTokenizerBase) -> Any:
    return torch.tensor([ids_of(tokenizer, PROMPT)])


def settings(prompt: Any, **others: Any) -> dict[str, Any]:
    return {
        "inputs": prompt,
        "attention_mask": torch.ones_like(prompt),
        "max_new_tokens": 40,
        "do_sample": False,
        **others,
    }


def says(answer: list[int], prompt: Any, end: int) -> Callable[[int, Any], list[int]]:
    """Return what makes a model say this, and then the token of the end."""
    said = [*answer, end]
    return lambda _, ids: [said[min(len(ids) - prompt.shape[1], len(answer))]]


def whole_characters(tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    """Return what keeps a model from tokens of one byte, which by chance make no characters."""
    return {
        "suppress_tokens": [token for name, token in tokenizer.get_vocab().items() if name.startswith("<0x")]
    }


def in_a_thread(model: Any, streamer: EventStreamer, **named: Any) -> tuple[list[Any], list[int]]:
    """Return the events of a generation, and the ids that it gave."""
    ids: list[int] = []

    def run() -> None:
        try:
            ids.extend(model.generate(streamer=streamer, **named)[0, named["inputs"].shape[1] :].tolist())
        except ValueError as error:
            streamer.fail(error)

    thread = Thread(target=run)
    thread.start()
    try:
        return list(streamer), ids
    finally:
        thread.join()


def padded(rows: list[list[int]], filler: int) -> Any:
    longest = max(map(len, rows))
    return torch.tensor([row + [filler] * (longest - len(row)) for row in rows])


@pytest.mark.parametrize(
    "prefix",
    [
        pytest.param(lambda ids, n: torch.tensor(ids), id="one"),
        pytest.param(lambda ids, n: torch.tensor([ids]), id="a row"),
        pytest.param(lambda ids, n: torch.tensor([ids] * n), id="rows"),
        pytest.param(lambda ids, n: [torch.tensor(ids)] * n, id="a list"),
        pytest.param(lambda ids, n: torch.tensor([], dtype=torch.long), id="no ids"),
        pytest.param(lambda ids, n: torch.zeros((0, 3), dtype=torch.long), id="no rows"),
    ],
)
def test_tensors_are_ids(tokenizer: PreTrainedTokenizerBase, prefix: Callable[[Any, int], Any]) -> None:
    rows = [ids_of(tokenizer, answer) for answer in ANSWERS]
    before = prefix(ids_of(tokenizer, PROMPT), len(rows))
    failed = []
    for response in (
        torch.tensor(rows[1]),
        torch.tensor(rows[1], dtype=torch.int32),
        torch.tensor(rows[1][0]),
        [torch.tensor(token) for token in rows[1]],
        torch.tensor([rows[1]]),
        padded(rows, tokenizer.eos_token_id),
        [torch.tensor(row, dtype=torch.long) for row in rows],
        torch.zeros((2, 0), dtype=torch.long),
        torch.tensor([0.5]),
        torch.tensor([[rows[1]]]),
        ANSWERS,
        ANSWERS[1],
    ):
        expected = outcome(detach(tokenizer).parse_response, copy.deepcopy(response), prefix=before)
        actual = outcome(attach(tokenizer).parse_response, response, prefix=before)
        assert_same_outcome(expected, actual)
        failed.append(isinstance(expected, Raised))
    assert not all(failed)


def test_prefix_of_a_parser_is_a_tensor(tokenizer: PreTrainedTokenizerBase) -> None:
    thinking = torch.tensor(ids_of(tokenizer, PROMPT + "<think>"))
    events = attach(tokenizer).get_response_parser(prefix=thinking).initial_events
    assert events == [{"type": "region_open", "field": "reasoning_content"}]
    with pytest.raises(ValueError, match="several sequences"):
        tokenizer.get_response_parser(prefix=thinking[None])


@pytest.mark.parametrize("answer", ANSWERS)
def test_generation_gives_the_events_of_the_original(
    tokenizer: PreTrainedTokenizerBase, model: Any, answer: str
) -> None:
    prompt = prompt_of(tokenizer)
    forced = says(ids_of(tokenizer, answer), prompt, tokenizer.eos_token_id)
    events, ids = in_a_thread(
        model,
        streamer := EventStreamer(tokenizer, timeout=SECONDS),
        **settings(prompt, prefix_allowed_tokens_fn=forced, max_new_tokens=400),
    )
    interpreter = tokenizer.get_response_parser(prefix=prompt[0])
    expected = interpreter.feed(tokenizer.decode(ids))
    message, last = interpreter.finalize()
    assert first_difference(message, streamer.message) is None
    whole = [event for event in events if event["type"] != "region_chunk"]
    assert whole == [event for event in [*expected, *last] if event["type"] != "region_chunk"]


@pytest.mark.parametrize(
    "others",
    [
        {"do_sample": True, "temperature": 3.0},
        {"prompt_lookup_num_tokens": 3},
        {"return_dict_in_generate": True},
    ],
    ids=["sampled", "assisted", "dict"],
)
def test_message_is_that_of_the_ids_that_are_returned(
    tokenizer: PreTrainedTokenizerBase, model: Any, others: dict[str, Any]
) -> None:
    prompt = prompt_of(tokenizer)
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    given = model.generate(streamer=streamer, **settings(prompt, **whole_characters(tokenizer), **others))
    ids = getattr(given, "sequences", given)[0, prompt.shape[1] :]
    assert len(ids)
    assert first_difference(tokenizer.parse_response(ids, prefix=prompt[0]), streamer.message) is None
    assert next(streamer)["type"] == "region_open"


def test_streamer_is_used_again_after_failures(tokenizer: PreTrainedTokenizerBase, model: Any) -> None:
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    prompt = prompt_of(tokenizer)
    with pytest.raises(ValueError, match="beam"):
        in_a_thread(model, streamer, **settings(prompt, num_beams=2))
    with pytest.raises(ValueError, match="a batch of 2"):
        in_a_thread(model, streamer, **settings(prompt.repeat(2, 1)))
    for answer in ("<tool_call>no JSON</tool_call>", "It rains."):
        forced = says(ids_of(tokenizer, answer), prompt, tokenizer.eos_token_id)
        named = settings(prompt, prefix_allowed_tokens_fn=forced)
        if "JSON" in answer:
            with pytest.raises(ValueError, match="tool_calls"):
                in_a_thread(model, streamer, **named)
        else:
            in_a_thread(model, streamer, **named)
    assert streamer.message == {"role": "assistant", "content": "It rains."}


def test_prompt_of_embeddings_has_its_prefix_given(tokenizer: PreTrainedTokenizerBase, model: Any) -> None:
    prompt = prompt_of(tokenizer)
    streamer = EventStreamer(tokenizer, timeout=SECONDS, prefix=prompt)
    embeddings = model.get_input_embeddings()(prompt)
    ids = model.generate(
        inputs_embeds=embeddings,
        streamer=streamer,
        max_new_tokens=10,
        do_sample=False,
        **whole_characters(tokenizer),
    )
    assert streamer.message == tokenizer.parse_response(ids[0], prefix=PROMPT)


def test_pipeline_runs_the_compiled_code(tokenizer: PreTrainedTokenizerBase, model: Any) -> None:
    chat = [{"role": "user", "content": "Which weather has Ålesund?"}]
    prompt = prompt_of(tokenizer)
    generator = pipeline("text-generation", model=model, tokenizer=tokenizer)
    forced = says(ids_of(tokenizer, CALL), prompt, tokenizer.eos_token_id)
    options = {"max_new_tokens": 200, "prefix_allowed_tokens_fn": forced}
    expected = generator(chat, **options)
    streamer = EventStreamer(attach(tokenizer), timeout=SECONDS)
    assert generator(chat, streamer=streamer, **options) == expected
    assert expected[0]["generated_text"][-1] == streamer.message
    assert streamer.message["tool_calls"][0]["function"]["name"] == "look_up"
