"""A processor can be given in place of its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from transformers import ProcessorMixin

import respc
from integrations.tokenizers_of_tests import ANSWERS, CALL, PROMPT, TEMPLATE, ids_of, tokenizer_of
from respc.integrations.transformers import EventStreamer, MissingTemplateError, attach, detach, parser_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from transformers import PreTrainedTokenizerBase


class Processor(ProcessorMixin):
    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        super().__init__(tokenizer)


TOOL = {"name": "look_up", "parameters": {"properties": {"count": {"type": "integer"}}}}


@pytest.mark.parametrize("part", [lambda processor: processor, lambda processor: processor.tokenizer])
def test_parses_by_its_attached_tokenizer(part: Callable[[Any], Any]) -> None:
    processor = Processor(tokenizer_of())
    ids = ids_of(processor.tokenizer, CALL)
    expected = processor.parse_response([ids, ids], prefix=PROMPT, tools=[TOOL])
    assert attach(part(processor)) is part(processor)
    assert isinstance(processor.tokenizer.get_response_parser(prefix=""), respc.ResponseParser)
    assert processor.parse_response([ids, ids], prefix=PROMPT, tools=[TOOL]) == expected
    assert expected[0]["tool_calls"][0]["function"]["arguments"]["count"] == 3
    assert detach(part(processor)) is part(processor)
    assert not isinstance(processor.tokenizer.get_response_parser(prefix=""), respc.ResponseParser)


def test_is_saved_as_before(tmp_path: Path) -> None:
    processor = Processor(tokenizer_of())
    processor.save_pretrained(tmp_path / "before")
    attach(processor).save_pretrained(tmp_path / "after")
    for path in (tmp_path / "before").iterdir():
        assert path.read_bytes() == (tmp_path / "after" / path.name).read_bytes()


def test_gives_the_module_and_streams() -> None:
    processor = Processor(tokenizer_of())
    expected = {"role": "assistant", "content": "It rains."}
    assert parser_for(processor).parse_response(ANSWERS[0], prefix=PROMPT) == expected
    streamer = EventStreamer(processor)
    streamer.put(np.array([ids_of(processor.tokenizer, PROMPT)]))
    streamer.put(np.array(ids_of(processor.tokenizer, ANSWERS[0])))
    streamer.end()
    assert streamer.message == expected


@pytest.mark.parametrize("call", [attach, parser_for, EventStreamer])
def test_message_names_the_tokenizer_that_has_no_template(call: Callable[[Any], Any]) -> None:
    processor = Processor(tokenizer_of(template=None, name_or_path="some/model"))
    # Its own `parse_response` asks the tokenizer only, so a template here would do nothing.
    processor.response_template = TEMPLATE
    with pytest.raises(MissingTemplateError, match="some/model has no response template"):
        call(processor)


def test_tokenizer_that_wraps_another_librarys_is_meant_itself() -> None:
    class Wrapped:
        def decode(self, token_ids: Any) -> str:
            raise AssertionError(token_ids)

    tokenizer = tokenizer_of()
    tokenizer.tokenizer = Wrapped()
    attach(tokenizer)
    assert isinstance(tokenizer.get_response_parser(prefix=""), respc.ResponseParser)
    assert tokenizer.parse_response(ids_of(tokenizer, "a"), prefix="") == {
        "role": "assistant",
        "content": "a",
    }
