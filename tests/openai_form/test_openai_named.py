"""Which parser the OpenAI form takes, under which keys its texts go out, and which field is open."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import respc_parsers
from openai_form.completions_of_tests import TEMPLATE, serving_parser
from respc_parsers import qwen3
from respc_runtime.named_parsers import UnknownParserError, serving_parser_named
from respc_runtime.openai import OPENAI_TEXTS, ChatCompletionParser
from support.families import families

PROMPT = "<|im_start|>assistant\n"
CALL = ["<call>", '{"name": "f"', ', "arguments": {}}', "</call>"]
THOUGHTS = ["<think>", "Ber", "gen. ", "</think>", "It", " rains.\n", *CALL]
BOTH = ("reasoning", "reasoning_content")

WITHOUT_PARSERS = """
import sys
sys.modules["respc_parsers"] = None
from respc_runtime.openai import ChatCompletionParser
try:
    ChatCompletionParser("qwen3", "")
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["qwen3", "Qwen/Qwen3-8B", "somebody/Qwen3-8B-GGUF"])
def test_a_name_stands_for_the_serving_parser_of_its_family(name: str) -> None:
    assert serving_parser_named(name) is qwen3.ServingParser
    form = ChatCompletionParser(name, f"{PROMPT}<think>", tools=[])
    assert form.feed("Rain?\n</think>\n\nIt rains.") == [
        {"reasoning_content": "Rain?"},
        {"content": "It rains."},
    ]


@pytest.mark.parametrize("family", families(), ids=str)
def test_each_family_has_its_name(family: Any) -> None:
    assert serving_parser_named(family.name) is family.module.ServingParser


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("qwen33", ["'qwen33' is no family", "families near it: qwen3", "Qwen/Qwen3-* (qwen3)"]),
        ("Qwen3_Coder ", ["families near it: qwen3_coder"]),
        ("Qwen/Qwen3.7-8B", ["'Qwen/Qwen3.7-8B' is no family", "Qwen/Qwen3.5-* (qwen3_5)"]),
        ("families", ["'families' is no family", "`respc list`"]),
        ("__init__", ["'__init__' is no family"]),
        ("", ["'' is no family"]),
        ("../qwen3", ["'../qwen3' is no family"]),
    ],
)
def test_a_name_that_is_not_known_says_what_is_near(name: str, near: list[str]) -> None:
    with pytest.raises(UnknownParserError) as caught:
        ChatCompletionParser(name, PROMPT)
    assert all(part in str(caught.value) for part in near), str(caught.value)
    assert isinstance(caught.value, LookupError)


def test_without_the_package_of_ready_made_parsers_a_name_says_so() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_PARSERS], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(
        "the package respc_parsers is not installed, so nothing is known by the name 'qwen3'"
    )


def test_an_error_inside_of_the_package_is_not_taken_for_its_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ModuleNotFoundError("no regex", name="regex")

    monkeypatch.setattr("respc_runtime.named_parsers.import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="no regex"):
        serving_parser_named("a name that nobody asked for before")


def test_the_runtime_does_not_import_ready_made_parsers_by_itself() -> None:
    assert respc_parsers.__name__ in sys.modules
    code = "import sys, respc_runtime.openai; print('respc_parsers' in sys.modules, 'difflib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False False\n"


@pytest.mark.parametrize("keys", ["reasoning", "reasoning_content", BOTH, BOTH[::-1], ("reasoning",)])
@pytest.mark.parametrize("chunks", [THOUGHTS, ["".join(THOUGHTS)], list("".join(THOUGHTS))])
def test_reasoning_goes_out_under_the_keys_that_are_asked_for(keys: Any, chunks: list[str]) -> None:
    texts = {"content": "content", "reasoning_content": keys}
    form = ChatCompletionParser(serving_parser(TEMPLATE), "", texts=texts)
    deltas = [delta for chunk in chunks for delta in form.feed(chunk)] + form.finalize()
    wanted = {keys} if isinstance(keys, str) else set(keys)
    assert {key for delta in deltas for key in delta} == {*wanted, "content", "tool_calls"}
    assert all(not wanted & delta.keys() or len({*map(delta.get, wanted)}) == 1 for delta in deltas)
    message = form.message
    assert message is not None
    for key in wanted:
        assert message[key] == "".join(delta.get(key, "") for delta in deltas) == "Bergen."
    assert {*message} == {"role", "content", "tool_calls", *wanted}


def test_fields_of_the_same_keys_are_one_text() -> None:
    texts: Any = {"reasoning_content": BOTH, "content": BOTH[::-1]}
    form = ChatCompletionParser(serving_parser(TEMPLATE), "", texts=texts)
    form.feed("a<think>b</think>c")
    form.finalize()
    assert form.message is not None
    assert form.message["reasoning"] == form.message["reasoning_content"] == "a\nbc"
    assert form.message["content"] is None


@pytest.mark.parametrize(
    ("texts", "part"),
    [
        ({"thinking": "thoughts"}, "'thoughts' for the field 'thinking'"),
        ({"thinking": ()}, "() for the field 'thinking'"),
        ({"thinking": None}, "None for the field 'thinking'"),
        ({"thinking": ("content", "reasoning")}, "('content', 'reasoning') for the field 'thinking'"),
        ({"thinking": ("reasoning", "reasoning")}, "('reasoning', 'reasoning') for"),
        ({"thinking": ["reasoning"]}, "['reasoning'] for the field"),
        (
            {"a": "reasoning", "b": BOTH},
            "'reasoning' for the fields 'a' and 'b', but another key for one of them",
        ),
    ],
)
def test_other_keys_are_refused_before_the_first_delta(texts: Any, part: str) -> None:
    with pytest.raises(ValueError, match="`texts` has ") as caught:
        ChatCompletionParser(serving_parser(TEMPLATE), "", texts=texts)
    assert part in str(caught.value)


def test_the_field_whose_region_is_open_is_known_at_every_chunk() -> None:
    form = ChatCompletionParser(serving_parser(TEMPLATE), "<turn><think>")
    opened = [form.open_field]
    for chunk in THOUGHTS[1:]:
        form.feed(chunk)
        opened.append(form.open_field)
    reasoning = ["reasoning_content"] * 3
    assert opened == [*reasoning, None, "content", "content", *["tool_calls"] * 3, None]
    form.finalize()
    assert form.open_field is None


def test_the_texts_that_go_out_by_default_can_be_said() -> None:
    parser = serving_parser(TEMPLATE)
    texts = "".join(THOUGHTS[:6])
    said = ChatCompletionParser(parser, "", texts=OPENAI_TEXTS)
    assert said.feed(texts) == ChatCompletionParser(parser, "").feed(texts) != []
