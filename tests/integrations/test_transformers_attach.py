"""An attached tokenizer does what its own methods did, for every shape that ids, texts and prefixes come in."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from transformers import AutoTokenizer

import respc
from integrations.tokenizers_of_tests import (
    ANSWERS,
    BACKENDS,
    CALL,
    PROMPT,
    TEMPLATE,
    ids_of,
    own_rows,
    tokenizer_of,
)
from respc.integrations.transformers import MissingTemplateError, attach, detach, parser_for
from support.outcomes import Raised, assert_same_outcome, outcome
from support.templates import own_template

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from transformers import PreTrainedTokenizerBase

METHODS = ("parse_response", "get_response_parser")
LOOK_UP = {
    "type": "function",
    "function": {
        "name": "look_up",
        "parameters": {
            "type": "object",
            "properties": {"count": {"type": "integer"}, "place": {"type": "string"}},
        },
    },
}


def look_up(count: int, place: str) -> str:
    """
    Looks something up.

    Args:
        count: how often.
        place: where.
    """
    return place * count


class Tensor:
    """As much of a tensor as there is where torch is not installed: it can become a list, or an array."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def tolist(self) -> Any:
        return self.values


class OnlyArray(Tensor):
    tolist = None

    def __array__(self) -> Any:
        return np.array(self.values)


@pytest.fixture(params=sorted(BACKENDS))
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerBase:
    return tokenizer_of(request.param)


def compare(tokenizer: PreTrainedTokenizerBase, *arguments: Any, **named: Any) -> Any:
    """Return what both the original and the attached method gave; fail where that differs."""
    expected = outcome(detach(tokenizer).parse_response, *copy.deepcopy(arguments), **named)
    actual = outcome(attach(tokenizer).parse_response, *arguments, **named)
    assert_same_outcome(expected, actual)
    return actual


def padded(batch: list[list[int]], filler: int) -> Any:
    longest = max(map(len, batch))
    return np.array([ids + [filler] * (longest - len(ids)) for ids in batch])


@pytest.mark.parametrize("method", METHODS)
def test_signature_is_that_of_the_class(method: str) -> None:
    original = tokenizer_of()
    attached = attach(tokenizer_of())
    told = inspect.signature(getattr(attached, method))
    parameters = [each for each in told.parameters.values() if each.name != "errors"]
    assert told.replace(parameters=parameters) == inspect.signature(getattr(original, method))
    assert ("errors" in told.parameters) == (method == "parse_response")
    assert getattr(attached, method).__name__ == method


@pytest.mark.parametrize("method", METHODS)
def test_parameters_are_those_that_the_signature_tells(method: str) -> None:
    attached = getattr(attach(tokenizer_of()), method)
    told = inspect.signature(attached).parameters.values()
    taken = inspect.signature(type(attached).__call__).parameters.values()
    assert [(p.name, p.kind, p.default) for p in told] == [(p.name, p.kind, p.default) for p in taken][1:]


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda ids: ids, id="list"),
        pytest.param(tuple, id="tuple"),
        pytest.param(np.array, id="array"),
        pytest.param(lambda ids: list(np.array(ids, dtype=np.int32)), id="list of NumPy numbers"),
        pytest.param(lambda ids: {"input_ids": ids}, id="dict"),
        pytest.param(lambda ids: np.array([ids]), id="array of one row"),
    ],
)
@pytest.mark.parametrize("answer", ANSWERS)
def test_ids(tokenizer: PreTrainedTokenizerBase, answer: str, shape: Callable[[list[int]], Any]) -> None:
    ids = shape(ids_of(tokenizer, answer))
    assert isinstance(compare(tokenizer, ids, prefix=PROMPT), (dict, list))
    compare(tokenizer, ids, prefix=shape(ids_of(tokenizer, PROMPT)))


@pytest.mark.parametrize("answer", ANSWERS)
def test_text(tokenizer: PreTrainedTokenizerBase, answer: str) -> None:
    assert compare(tokenizer, answer, prefix=PROMPT)["role"] == "assistant"
    compare(tokenizer, np.str_(answer), prefix=np.str_(PROMPT))


@pytest.mark.parametrize(
    "prefix",
    [
        pytest.param(lambda tokenizer, n: PROMPT, id="one text"),
        pytest.param(lambda tokenizer, n: "", id="no text"),
        pytest.param(lambda tokenizer, n: [], id="no ids"),
        pytest.param(lambda tokenizer, n: (), id="no ids in a tuple"),
        pytest.param(lambda tokenizer, n: np.array([]), id="an empty array"),
        pytest.param(lambda tokenizer, n: np.zeros((0, 3)), id="an array without rows"),
        pytest.param(lambda tokenizer, n: [PROMPT, PROMPT + "<think>"] * (n // 2), id="a text each"),
        pytest.param(lambda tokenizer, n: ids_of(tokenizer, PROMPT), id="one list of ids"),
        pytest.param(lambda tokenizer, n: np.array(ids_of(tokenizer, PROMPT)), id="one array"),
        pytest.param(lambda tokenizer, n: np.array([ids_of(tokenizer, PROMPT)] * n), id="an array each"),
        pytest.param(lambda tokenizer, n: [np.array(ids_of(tokenizer, PROMPT))] * n, id="a list of arrays"),
        pytest.param(lambda tokenizer, n: [PROMPT] * (n + 1), id="too many texts"),
        pytest.param(lambda tokenizer, n: np.array([ids_of(tokenizer, PROMPT)] * 2), id="too few arrays"),
        pytest.param(lambda tokenizer, n: [PROMPT] * (n - 1) + [None], id="one is None"),
        pytest.param(lambda tokenizer, n: None, id="none"),
        pytest.param(lambda tokenizer, n: 3.5, id="a number"),
    ],
)
def test_batch(tokenizer: PreTrainedTokenizerBase, prefix: Callable[[Any, int], Any]) -> None:
    before = prefix(tokenizer, len(ANSWERS))
    ids = [ids_of(tokenizer, answer) for answer in ANSWERS]
    filler = tokenizer.convert_tokens_to_ids("<|im_end|>")
    for batch in (
        ANSWERS,
        tuple(ANSWERS),
        ids,
        [np.array(row, dtype=int) for row in ids],
        padded(ids, filler),
    ):
        given = compare(tokenizer, batch, prefix=before)
        assert isinstance(given, Raised) or len(given) == len(ANSWERS)
    compare(tokenizer, ANSWERS[1], prefix=before)


@pytest.mark.parametrize("tools", [None, [], [LOOK_UP], [LOOK_UP["function"]], [look_up], (look_up,), 7])
def test_tools(tokenizer: PreTrainedTokenizerBase, tools: Any) -> None:
    message = compare(tokenizer, f"{CALL}<|im_end|>", prefix=PROMPT, tools=tools)
    if tools and tools != 7:
        assert message["tool_calls"][0]["function"]["arguments"]["count"] == 3
    compare(tokenizer, ids_of(tokenizer, CALL), prefix=ids_of(tokenizer, PROMPT), tools=tools)
    compare(tokenizer, [CALL, ""], prefix=PROMPT, tools=tools)


@pytest.mark.parametrize(
    "response",
    [
        [],
        (),
        np.array([]),
        np.zeros((0, 4), dtype=int),
        np.zeros((2, 0), dtype=int),
        np.int64(9),
        9,
        [[], []],
        ["text", None],
        ["text", 3],
        [["text"]],
        [3, "text"],
        3.5,
        None,
        -1,
        [10**9],
        [1, [2]],
        [[1], 2],
        b"bytes",
        {"other": 1},
        '<tool_call>{"name": </tool_call>',
        ["fine", "<tool_call>nothing</tool_call>"],
    ],
    ids=repr,
)
def test_odd_responses(tokenizer: PreTrainedTokenizerBase, response: Any) -> None:
    compare(tokenizer, response, prefix=PROMPT)


@pytest.mark.parametrize(
    "schema",
    [
        own_template("scalars"),
        {},
        [],
        {"version": 2, "fields": {"content": {}}},
        {"start_anchor": "a", "fields": {"content": {"open_pattern": "("}}},
        {"start_anchor": "a", "fields": {"content": 3}},
        {"start_anchor": "a", "fields": {"content": {"content": []}}},
    ],
    ids=repr,
)
@pytest.mark.parametrize("prefix", [None, PROMPT, [PROMPT, PROMPT]], ids=repr)
def test_schema_in_place_of_the_template(
    tokenizer: PreTrainedTokenizerBase, schema: Any, prefix: Any
) -> None:
    for response in ("text", [], ["text", "other"]):
        compare(tokenizer, response, schema, prefix=prefix)


def test_every_own_sample_by_its_template() -> None:
    tokenizer = tokenizer_of()
    for name, row in own_rows():
        tokenizer.response_template = own_template(name)
        compare(tokenizer, row["text"], prefix=row["prefix"], tools=row["tools"])
        compare(tokenizer, [ids_of(tokenizer, row["text"])], prefix=[row["prefix"]], tools=row["tools"])


@pytest.mark.parametrize("kind", [Tensor, OnlyArray])
def test_anything_that_becomes_a_list_or_an_array_is_ids(
    tokenizer: PreTrainedTokenizerBase, kind: type[Tensor]
) -> None:
    ids = ids_of(tokenizer, ANSWERS[1])
    prompt = ids_of(tokenizer, PROMPT)
    expected = tokenizer.parse_response(ids, prefix=prompt)
    attach(tokenizer)
    assert tokenizer.parse_response(kind(ids), prefix=kind(prompt)) == expected
    assert tokenizer.parse_response(kind([ids, ids]), prefix=kind([prompt, prompt])) == [expected] * 2
    assert tokenizer.parse_response([kind(ids), kind(ids)], prefix=kind(prompt)) == [expected] * 2
    assert tokenizer.get_response_parser(prefix=kind(prompt)).feed("a") != []


@pytest.mark.parametrize(
    "prefix",
    [
        PROMPT,
        "",
        PROMPT + "<think>\nWell",
        None,
        [],
        ["a", "b"],
        [[1, 2], [3]],
        [3, 4, 5],
        np.array([3, 4]),
        np.array([[3, 4]]),
        3.5,
    ],
    ids=repr,
)
@pytest.mark.parametrize("template", [None, own_template("hermes_joined"), {}], ids=["own", "other", "empty"])
def test_parser_for_streams(tokenizer: PreTrainedTokenizerBase, prefix: Any, template: Any) -> None:
    def run(tokenizer: PreTrainedTokenizerBase) -> Any:
        parser = tokenizer.get_response_parser(template, prefix=prefix, tools=[look_up])
        fed = [parser.feed(chunk) for chunk in ("It ra", "ins.", CALL[:9], CALL[9:], "<|im_end|>")]
        return [parser.initial_events, fed, parser.finalize()]

    assert_same_outcome(outcome(run, detach(tokenizer)), outcome(run, attach(tokenizer)))
    if isinstance(prefix, str) and template is None:
        assert isinstance(tokenizer.get_response_parser(prefix=prefix), respc.ResponseParser)


def test_template_that_changes_is_followed() -> None:
    tokenizer = attach(tokenizer_of(template=copy.deepcopy(TEMPLATE)))
    tokenizer.response_template["fields"]["content"]["close"] = "STOP"
    assert compare(tokenizer, "a STOP", prefix=PROMPT)["content"] == "a"
    attach(tokenizer)
    tokenizer.response_template = None
    for method in (
        tokenizer.parse_response,
        lambda text, prefix: tokenizer.get_response_parser(prefix=prefix),
    ):
        with pytest.raises(MissingTemplateError, match="has no response template"):
            method("a", prefix="")
    assert tokenizer.parse_response("a", TEMPLATE, prefix="") == {"role": "assistant", "content": "a"}


@pytest.mark.parametrize("call", [attach, parser_for])
def test_tokenizer_without_a_template_is_refused(call: Callable[..., Any]) -> None:
    tokenizer = tokenizer_of(template=None, name_or_path="some/model")
    with pytest.raises(
        MissingTemplateError, match=r"some/model has no response template.*`response_template`"
    ):
        call(tokenizer)
    with pytest.raises(AttributeError):
        call(tokenizer)
    assert not set(METHODS) & set(vars(tokenizer))


@pytest.mark.parametrize("call", [attach, parser_for])
def test_template_that_does_not_compile_is_named(call: Callable[..., Any]) -> None:
    template = {"start_anchor": "a", "fields": {"content": {"open_patern": "x"}}}
    tokenizer = tokenizer_of(template=template, name_or_path="some/model")
    with pytest.raises(
        respc.TemplateError, match=r"response_template of the .*some/model.*open_patern"
    ) as raised:
        call(tokenizer)
    assert isinstance(raised.value, ValueError)
    assert raised.value.diagnostics[0].pointer == "/fields/content/open_patern"
    assert not set(METHODS) & set(vars(tokenizer))


@pytest.mark.parametrize("call", [attach, detach, parser_for])
@pytest.mark.parametrize("given", ["some/model", None])
def test_what_is_no_tokenizer_is_refused(call: Callable[..., Any], given: Any) -> None:
    with pytest.raises(TypeError, match=f"a tokenizer is needed.*{type(given).__name__} was given"):
        call(given)


def test_parser_for_gives_the_module() -> None:
    module = parser_for(tokenizer_of(name_or_path='some/model\'s\n"one"'))
    assert module.parse_response(ANSWERS[0], prefix=PROMPT) == {"role": "assistant", "content": "It rains."}
    assert module.ResponseParser(PROMPT).feed("a")[0] == {"type": "region_open", "field": "content"}


def test_attached_can_be_detached() -> None:
    tokenizer = tokenizer_of()
    before = dict(vars(tokenizer))
    assert attach(attach(tokenizer)) is tokenizer
    assert set(vars(tokenizer)) - set(before) == set(METHODS)
    assert detach(tokenizer) is tokenizer
    assert vars(tokenizer) == before
    assert detach(tokenizer) is tokenizer


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda tokenizer: pickle.loads(pickle.dumps(tokenizer))])
def test_copy_is_attached_to_itself(copied: Callable[[Any], Any]) -> None:
    tokenizer = attach(tokenizer_of())
    other = copied(tokenizer)
    other.response_template["fields"]["content"]["close"] = "STOP"
    assert other.parse_response("a STOP b", prefix=PROMPT)["content"] == "a\nb"
    assert isinstance(other.get_response_parser(prefix=""), respc.ResponseParser)
    assert tokenizer.parse_response("a STOP b", prefix=PROMPT)["content"] == "a STOP b"
    assert inspect.signature(other.parse_response) == inspect.signature(tokenizer.parse_response)


def test_attached_tokenizer_is_saved_as_before(tmp_path: Path) -> None:
    tokenizer = tokenizer_of()
    tokenizer.save_pretrained(tmp_path / "before")
    attach(tokenizer).save_pretrained(tmp_path / "after")
    for path in (tmp_path / "before").iterdir():
        assert path.read_bytes() == (tmp_path / "after" / path.name).read_bytes()
    loaded = attach(AutoTokenizer.from_pretrained(tmp_path / "after"))
    assert loaded.parse_response(ANSWERS[0], prefix=PROMPT) == {"role": "assistant", "content": "It rains."}


def test_tokenizer_of_another_library_gets_the_methods() -> None:
    class Words:
        response_template = TEMPLATE

        def decode(self, token_ids: Any, **options: Any) -> str:
            return " ".join("word" for _ in token_ids)

    words: Any = attach(Words())
    assert words.parse_response([1, 2], prefix="") == {"role": "assistant", "content": "word word"}
    assert list(inspect.signature(words.parse_response).parameters) == [
        "response",
        "schema",
        "prefix",
        "tools",
        "errors",
    ]


def test_a_batch_is_collected_where_one_text_cannot_be_read() -> None:
    words: Any = attach(tokenizer_of())
    bad = "<tool_call>no</tool_call>"
    good, broken = words.parse_response(["Yes.", bad], prefix="", errors="collect")
    assert good.unread == []
    assert good.message == words.parse_response("Yes.", prefix="")
    assert [each.text for each in broken.unread] == [bad]
    with pytest.raises(ValueError, match="tool_calls"):
        words.parse_response(["Yes.", bad], prefix="")
