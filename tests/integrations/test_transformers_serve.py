"""What `transformers serve` streams and sends whole is parsed by compiled code, and is the same as before."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from transformers.cli.serving import utils as serving

from integrations.tokenizers_of_tests import ANSWERS, CALL, PROMPT, TEMPLATE, ids_of, tokenizer_of
from respc.integrations.transformers import use_compiled_parsers, use_interpreter
from respc_runtime.stream import Stream
from support.families import representatives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.families import Family

MODEL: Any = SimpleNamespace(config=SimpleNamespace(model_type="of no fallback"))
# Special to this tokenizer, so that it needs no training for a family.
TOOLS = [
    {
        "type": "function",
        "function": {"name": "look_up", "parameters": {"properties": {"count": {"type": "integer"}}}},
    }
]


@pytest.fixture(autouse=True)
def interpreter_afterwards() -> Iterator[None]:
    yield
    use_interpreter()


def streamed(tokenizer: Any, prompt: str, text: str, tools: Any = None) -> tuple[Any, list[Any]]:
    """Return the parser of a stream, and what goes into the queue of the server."""

    async def run() -> tuple[Any, list[Any]]:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        parser = serving.build_response_parser(tokenizer, MODEL, ids_of(tokenizer, prompt), tools=tools)
        loop = asyncio.get_running_loop()
        streamer = serving.DirectStreamer(tokenizer._tokenizer, loop, queue, response_parser=parser)
        streamer.put(np.array([0]))  # the prompt
        for token in ids_of(tokenizer, text):
            streamer.put(np.array([token]))
        streamer.end()
        items = []
        while (item := await queue.get()) is not None:
            items.append((type(item).__name__, item if isinstance(item, str) else vars(item)))
        return parser, items

    return asyncio.run(run())


def whole(tokenizer: Any, prompt: str, text: str, tools: Any = None) -> Any:
    ids = np.array(ids_of(tokenizer, text))
    return serving.parse_assistant_message(tokenizer, MODEL, ids, ids_of(tokenizer, prompt), tools=tools)


def joined(items: list[Any]) -> list[Any]:
    """Join pieces: how long text is held back is not the same."""
    result: list[Any] = []
    for kind, value in items:
        text = value if isinstance(value, str) else value.get("text")
        if text is not None and result and result[-1][0] == kind and isinstance(result[-1][1], str):
            result[-1] = (kind, result[-1][1] + text)
        else:
            result.append((kind, value if text is None else text))
    return result


def test_streams_run_compiled_code() -> None:
    interpreted, _ = streamed(tokenizer_of(), PROMPT, ANSWERS[0])
    assert not isinstance(interpreted, Stream)
    use_compiled_parsers(TEMPLATE)
    compiled, _ = streamed(tokenizer_of(), PROMPT, ANSWERS[0])
    assert isinstance(compiled, Stream)
    use_interpreter()
    again, _ = streamed(tokenizer_of(), PROMPT, ANSWERS[0])
    assert type(again) is type(interpreted)


def test_whole_messages_run_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    use_compiled_parsers()
    from transformers.utils.chat_parsing import response_parser

    monkeypatch.setattr(response_parser, "ResponseParser", lambda *given, **options: called.append(given))
    assert whole(tokenizer_of(), PROMPT, ANSWERS[0]) == ("It rains.", None, None)
    assert tokenizer_of().parse_response(ANSWERS[0], prefix=PROMPT) == {
        "role": "assistant",
        "content": "It rains.",
    }
    assert isinstance(tokenizer_of().get_response_parser(prefix=PROMPT), Stream)
    assert called == []


@pytest.mark.parametrize("prompt", [PROMPT, f"{PROMPT}<think>\n"])
@pytest.mark.parametrize("text", ANSWERS)
def test_same_as_the_interpreter(text: str, prompt: str) -> None:
    tokenizer = tokenizer_of()
    for tools in (None, TOOLS):
        use_interpreter()
        before = whole(tokenizer, prompt, text, tools), joined(streamed(tokenizer, prompt, text, tools)[1])
        use_compiled_parsers()
        assert (
            whole(tokenizer, prompt, text, tools),
            joined(streamed(tokenizer, prompt, text, tools)[1]),
        ) == before


def test_models_without_a_template(caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = tokenizer_of(template=None)
    assert streamed(tokenizer, PROMPT, CALL)[0] is None
    use_compiled_parsers(for_models_without="qwen3")
    parser, items = streamed(tokenizer, PROMPT, f"<think>Hm.</think>Look.{CALL}")
    assert isinstance(parser, Stream)
    assert joined(items) == [
        ("ReasoningText", "Hm."),
        ("str", "Look."),
        ("ToolCall", {"name": "look_up", "arguments": '{"count": "3", "place": "Troms\\u00f8"}'}),
    ]
    assert whole(tokenizer, PROMPT, "Look.") == ("Look.", None, None)
    # The template of a model comes first.
    assert serving.get_response_template(tokenizer_of(), MODEL) == TEMPLATE
    use_interpreter()
    assert streamed(tokenizer, PROMPT, CALL)[0] is None


def test_an_unknown_parser_changes_nothing() -> None:
    before = serving.get_response_template, serving.ResponseParser
    with pytest.raises(KeyError):
        use_compiled_parsers(for_models_without="qwen33")
    assert (serving.get_response_template, serving.ResponseParser) == before


def test_a_template_that_cannot_be_compiled_is_interpreted(caplog: pytest.LogCaptureFixture) -> None:
    endless = {
        "start_anchor": "^",
        "fields": {"content": {"open_pattern": "(?=a)", "close_pattern": "(?=a)"}},
    }
    use_compiled_parsers()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            parser = serving.build_response_parser(tokenizer_of(template=endless), MODEL, [])
            assert not isinstance(parser, Stream)
    assert len([record for record in caplog.records if record.name.startswith("respc")]) == 1


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_every_family_can_be_served(family: Family) -> None:
    tokenizer = tokenizer_of(template=None)
    use_compiled_parsers(for_models_without=family.name)
    for sample in family.samples[:4]:
        parser = serving.ResponseParser(
            family.template, prefix=sample["prefix"], tools=sample["tools"] or None
        )
        parser.feed(sample["text"])
        assert isinstance(parser, Stream)
        assert serving.get_response_template(tokenizer, MODEL) == family.template
