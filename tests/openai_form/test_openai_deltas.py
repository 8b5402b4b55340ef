"""`ChatCompletionParser`: texts, calls, ids, finish reasons, and what becomes of regions that cannot be read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import respc
from openai_form.completions_of_tests import (
    CALL,
    OBJECTS,
    TEMPLATE,
    numbered_ids,
    parser_of,
    run,
    serving_parser,
    with_field,
)
from respc_runtime.openai import ChatCompletionParser, make_call_id
from respc_runtime.tools import prepare_tools
from support.chunking import characters, single_cuts
from support.families import Family

BODY = '{"name": "f", "arguments": {"city": "Århus"}}'
WHOLE_CALL = f"<call>{BODY}</call>"
NAMED = {
    "open_pattern": r"<call (?P<name>\w+)>",
    "open": None,
    "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
}


def calls_of(deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for delta in deltas for part in delta.get("tool_calls", [])]


def test_order_of_the_deltas() -> None:
    text = f"<think> Hm. </think>\n\nI look.\n{WHOLE_CALL}<end>"
    parser, deltas = run(TEMPLATE, [text])
    call = {"id": "made_0", "type": "function", "function": {"name": "f", "arguments": '{"city": "Århus"}'}}
    assert deltas == [
        {"role": "assistant"},
        {"reasoning_content": "Hm."},
        {"content": "I look."},
        {"tool_calls": [{"index": 0, **call}]},
    ]
    assert parser.message == {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Hm.",
        "tool_calls": [call],
    }
    assert parser.finish_reason == "tool_calls"
    assert parser.unread == []


def test_an_answer_without_text_has_no_content() -> None:
    parser, deltas = run(TEMPLATE, ["<end>"])
    assert deltas == [{"role": "assistant"}]
    assert parser.message == {"role": "assistant", "content": None}
    assert parser.finish_reason == "stop"


def test_text_goes_out_with_its_chunk() -> None:
    parser = ChatCompletionParser(serving_parser(TEMPLATE), "")
    assert [parser.feed(chunk) for chunk in ("  \n", " one", " two ", "\n", "three", "\n")] == [
        [],
        [{"content": "one"}],
        [{"content": " two"}],
        [],
        [{"content": " \nthree"}],
        [],
    ]
    assert parser.finalize() == []
    assert parser.message is not None
    assert parser.message["content"] == "one two \nthree"


@pytest.mark.parametrize("join", ["", "\n", "---", " - "])
@pytest.mark.parametrize(
    "blocks", [["a", "b"], [" a ", "\n", " b"], ["", "a", ""], [" ", ""], ["a", "", "", "b c"], ["a"]]
)
def test_regions_are_joined_as_in_the_message(join: str, blocks: list[str]) -> None:
    template = with_field("reasoning_content", join=join)
    text = "".join(f"<think>{block}</think>x" for block in blocks)
    for chunks in ([text], characters(text)):
        parser, _ = run(template, chunks)
        assert parser.message is not None
        assert parser.parsed is not None
        joined = parser.parsed.get("reasoning_content", "").strip()
        assert parser.message.get("reasoning_content", "").strip() == joined


def test_text_that_is_not_stripped_goes_out_as_it_is() -> None:
    template = with_field("content", content_args={"strip": False})
    parser, deltas = run(template, [" a", " ", f"b {WHOLE_CALL}\n"])
    assert [delta["content"] for delta in deltas if "content" in delta] == [" a", " ", "b ", "\n"]
    assert parser.message is not None
    assert parser.parsed is not None
    assert parser.message["content"] == parser.parsed["content"] == " a b \n"


def test_structured_content_comes_whole_at_its_close() -> None:
    template = with_field("reasoning_content", content="json", repeats=None, join=None)
    parser, deltas = run(template, ['<think>"a', ' b"</think>'])
    assert deltas[1:] == [{"reasoning_content": "a b"}]
    assert parser.parsed == {"role": "assistant", "reasoning_content": "a b"}
    parser, deltas = run(template, ['<think>{"a":', '"é"}</think>'])
    assert deltas[1:] == [{"reasoning_content": '{"a": "é"}'}]


def test_text_goes_out_as_text_whatever_its_transform_makes_of_it() -> None:
    template = with_field("content", repeats=None, join=None, transform={"text": "{content}"})
    parser, deltas = run(template, ["an", "swer", "<end>"])
    assert deltas[1:] == [{"content": "an"}, {"content": "swer"}]
    assert parser.message == {"role": "assistant", "content": "answer"}
    assert parser.parsed == {"role": "assistant", "content": {"text": "answer"}}


def test_fields_are_mapped() -> None:
    template = {**TEMPLATE, "fields": {**TEMPLATE["fields"], "note": {"open": "<note>", "close": "</note>"}}}
    text = "<note>n</note>a"
    parser, deltas = run(template, [text])
    assert deltas[1:] == [{"content": "a"}]
    assert parser.message == {"role": "assistant", "content": "a", "note": "n"}
    parser, deltas = run(template, [text], texts={"note": "reasoning_content", "content": "content"})
    assert deltas[1:] == [{"reasoning_content": "n"}, {"content": "a"}]
    assert parser.message == {"role": "assistant", "content": "a", "reasoning_content": "n"}


def test_thinking_is_reasoning() -> None:
    fields = {"thinking": {"open": "<t>", "close": "</t>"}, "content": {}}
    parser, _ = run({**TEMPLATE, "fields": fields}, ["<t>a</t>b"])
    assert parser.message == {"role": "assistant", "content": "b", "reasoning_content": "a"}


def test_defaults_of_the_template_go_out() -> None:
    template = {**TEMPLATE, "defaults": {"role": "assistant", "reasoning_content": "none", "extra": 1}}
    parser, deltas = run(template, ["a"])
    assert deltas[1:] == [{"content": "a"}, {"reasoning_content": "none"}]
    assert parser.message is not None
    assert parser.message["extra"] == 1


def test_the_name_goes_out_with_the_opener() -> None:
    template = with_field("tool_calls", **NAMED)
    parser = ChatCompletionParser(serving_parser(template), "", make_id=numbered_ids())
    assert parser.feed("<call f>") == [
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "made_0",
                    "type": "function",
                    "function": {"name": "f", "arguments": ""},
                }
            ]
        }
    ]
    assert parser.feed('{"a": "\\u00e9"}') == []
    assert parser.feed("</call>") == [{"tool_calls": [{"index": 0, "function": {"arguments": '{"a": "é"}'}}]}]


def test_calls_are_numbered_over_regions_and_lists() -> None:
    record = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}
    template = with_field("tool_calls", transform=record, transform_each=True, repeats=None)
    text = f"<call>[{BODY}, {BODY}]</call><call>[{BODY}]</call>"
    parser, deltas = run(template, [text])
    assert [part["index"] for part in calls_of(deltas)] == [0, 1, 2]
    assert [part["id"] for part in calls_of(deltas)] == ["made_0", "made_1", "made_2"]
    assert parser.message is not None
    assert len(parser.message["tool_calls"]) == 3


@pytest.mark.parametrize("name", ["kimi_k2", "cohere_command"])
def test_ids_are_those_of_the_format(name: str) -> None:
    family = Family(name)
    sample = next(each for each in family.samples if each["kind"] == "parallel_calls")
    parser = ChatCompletionParser(parser_of(family), sample["prefix"], tools=sample["tools"])
    parser.feed(sample["text"])
    parser.finalize()
    assert parser.message is not None
    ids = [call["id"] for call in parser.message["tool_calls"]]
    assert ids == [call["id"] for call in sample["message"]["tool_calls"]]


def test_made_ids_are_all_different() -> None:
    ids = {make_call_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"call_[A-Za-z0-9]{24}", each) for each in ids)


def test_an_id_that_is_a_number_is_text() -> None:
    template = with_field("tool_calls", transform={**CALL, "id": "{content.id}"})
    for stream_arguments in (False, True):
        body = '<call>{"id": 7, "name": "f", "arguments": {}}</call>'
        parser, _ = run(template, [body], stream_arguments=stream_arguments)
        assert parser.message is not None
        assert parser.message["tool_calls"][0]["id"] == "7"


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ('{"a": "é"}', '{"a": "é"}'),
        ("null", "{}"),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('"text"', '"text"'),
        ("[1]", "[1]"),
        ('{"a": "\\ud83d"}', '{"a": "\\ud83d"}'),
    ],
)
def test_arguments_as_text(arguments: str, written: str) -> None:
    parser, _ = run(TEMPLATE, [f'<call>{{"name": "f", "arguments": {arguments}}}</call>'])
    assert parser.message is not None
    assert parser.message["tool_calls"][0]["function"]["arguments"] == written
    assert written.encode()


@pytest.mark.parametrize("stream_arguments", [False, True])
def test_a_cut_off_call_is_unread(stream_arguments: bool) -> None:
    text = f"a{WHOLE_CALL}<call>{BODY}"
    parser, _ = run(TEMPLATE, [text], stream_arguments=stream_arguments)
    assert parser.finish_reason == "stop"
    assert parser.message is not None
    assert len(parser.message["tool_calls"]) == 1
    [region] = parser.unread
    assert region.text == f"<call>{BODY}"
    assert region.is_call
    assert region.indexes == ((1,) if stream_arguments else ())
    assert "ended before the call did" in str(region.error)


def test_a_call_is_whole_without_its_closer_when_the_model_stopped() -> None:
    text = f"<call>{BODY}"
    assert run(TEMPLATE, [text], stopped=True)[0].finish_reason == "tool_calls"
    assert run(TEMPLATE, [text[:-1]], stopped=True)[0].finish_reason == "stop"
    parser, _ = run(TEMPLATE, [text], stopped=True, length=True)
    assert parser.finish_reason == "length"
    assert parser.message == {"role": "assistant", "content": None}


def test_a_limit_after_whole_calls() -> None:
    parser, _ = run(TEMPLATE, [f"{WHOLE_CALL}and"], length=True)
    assert parser.finish_reason == "length"
    assert parser.message is not None
    assert len(parser.message["tool_calls"]) == 1


@pytest.mark.parametrize("stream_arguments", [False, True])
@pytest.mark.parametrize(
    "body", ['{"name": "f", "arguments": {"a": 1}', "nothing", '{"arguments": {}}', "[]"]
)
def test_a_malformed_call_is_kept_and_parsing_goes_on(body: str, stream_arguments: bool) -> None:
    text = f"a <call>{body}</call> b{WHOLE_CALL}"
    for _, chunks in single_cuts(text):
        parser, _ = run(TEMPLATE, chunks, stream_arguments=stream_arguments)
        assert [region.text for region in parser.unread] == [f"<call>{body}</call>"]
        assert parser.finish_reason == "stop"
        assert parser.message is not None
        assert parser.message["content"] == "a  b"
        assert len(parser.message["tool_calls"]) == 1


def test_an_empty_block_is_nothing() -> None:
    for _, chunks in single_cuts(f"a <call> </call> b{WHOLE_CALL}"):
        parser, _ = run(TEMPLATE, chunks)
        assert parser.unread == []
        assert parser.finish_reason == "tool_calls"
        assert parser.message is not None
        assert parser.message["content"] == "a  b"


def test_raw_text_can_be_given_back() -> None:
    text = f"a\n<call>no</call>b<call>{BODY}"
    for chunks in ([text], characters(text)):
        parser, _ = run(TEMPLATE, chunks, unread_as_content=True)
        assert parser.message == {
            "role": "assistant",
            "content": f"a\n<call>no</call>b\n<call>{BODY}",
        }
        assert [region.text for region in parser.unread] == ["<call>no</call>", f"<call>{BODY}"]


def test_a_value_that_is_no_call_is_unread() -> None:
    template = with_field("tool_calls", transform={"called": "{content.name}"})
    parser, _ = run(template, [WHOLE_CALL])
    assert [region.text for region in parser.unread] == [WHOLE_CALL]
    assert parser.finish_reason == "stop"


def test_text_that_is_no_number_is_unread() -> None:
    fields = {"content": {"open": "<n>", "close": "</n>", "content": "int"}}
    template = {**TEMPLATE, "fields": fields}
    parser, _ = run(template, ["<n>4x</n>"], unread_as_content=True)
    assert parser.message == {"role": "assistant", "content": "<n>4x</n>"}
    assert [(region.text, region.is_call) for region in parser.unread] == [("<n>4x</n>", False)]


@pytest.mark.parametrize("prefill", [True, False])
def test_text_in_the_prompt(prefill: bool) -> None:
    prefix = "<turn>ab<turn><think>so\n</think>The answer "
    parser, deltas = run(TEMPLATE, ["is", " 42"], prefix, prefill=prefill)
    assert parser.message is not None
    if prefill:
        assert parser.message["reasoning_content"] == "so"
        assert parser.message["content"] == "The answer is 42"
    else:
        assert deltas == [{"role": "assistant"}, {"content": "is"}, {"content": " 42"}]


@pytest.mark.parametrize("held", ["<", "<en", "<cal", "a<", "a <thin"])
@pytest.mark.parametrize("text", ["x", "", "y<end>z", "<call>", "d>x", "l>", WHOLE_CALL, "k>r</think>s"])
def test_the_end_of_the_prompt_is_no_boundary(held: str, text: str) -> None:
    for chunks in ([text], characters(text)):
        parser, _ = run(TEMPLATE, chunks, f"<turn>{held}", stopped=True)
        assert parser.message is not None
        assert parser.parsed is not None
        for key in ("content", "reasoning_content"):
            # Blanks aside: the form keeps the model's own between two texts.
            assert (parser.message.get(key) or "").split() == parser.parsed.get(key, "").split() or (
                "".join((parser.message.get(key) or "").split()) == parser.parsed.get(key)
            )
        without, _ = run(TEMPLATE, chunks, f"<turn>{held}", prefill=False, stopped=True)
        assert without.message is not None
        assert (parser.message["content"] or "").endswith((without.message["content"] or "").strip())


@pytest.mark.parametrize("stream_arguments", [False, True])
def test_a_call_that_the_prompt_began(stream_arguments: bool) -> None:
    for place in range(len(WHOLE_CALL)):
        begun, text = WHOLE_CALL[:place], WHOLE_CALL[place:]
        parser, _ = run(TEMPLATE, [text], f"<turn>{begun}", stream_arguments=stream_arguments)
        assert parser.finish_reason == "tool_calls"
        assert parser.message is not None
        assert parser.message["tool_calls"][0]["function"]["arguments"] == '{"city": "Århus"}'


@pytest.mark.parametrize("stream_arguments", [False, True])
@pytest.mark.parametrize("held", [list, tuple, iter, prepare_tools])
def test_tools_cast_arguments_whatever_holds_them(held: Any, stream_arguments: bool) -> None:
    tool = {"name": "f", "parameters": {"properties": {"city": {"type": "integer"}}}}
    text = '<call>{"name": "f", "arguments": {"city": "7"}}</call>'
    parser, _ = run(TEMPLATE, [text], stream_arguments=stream_arguments, tools=held([tool]))
    assert parser.message is not None
    assert parser.message["tool_calls"][0]["function"]["arguments"] == '{"city": 7}'


def test_an_instance_can_be_given() -> None:
    made = serving_parser(TEMPLATE)("<turn><think>")
    parser = ChatCompletionParser(made)
    parser.feed("a</think>b")
    parser.finalize()
    assert parser.message == {"role": "assistant", "content": "b", "reasoning_content": "a"}
    with pytest.raises(TypeError, match="prefix"):
        ChatCompletionParser(serving_parser(TEMPLATE)(""), "")


def test_a_parser_without_serving_events_is_refused() -> None:
    with pytest.raises(TypeError, match="--events serving"):
        ChatCompletionParser(respc.load(TEMPLATE).ResponseParser, "")


def test_a_prefix_is_required() -> None:
    with pytest.raises(ValueError, match="prefix"):
        ChatCompletionParser(serving_parser(TEMPLATE))


def test_a_missing_required_field_is_an_error() -> None:
    template = with_field("reasoning_content", optional=False)
    parser = ChatCompletionParser(serving_parser(template), "")
    parser.feed("a")
    with pytest.raises(ValueError, match="reasoning_content"):
        parser.finalize()


def test_objects_are_valid_for_the_openai_package() -> None:
    parser, deltas = run(TEMPLATE, [f"<think>a</think>b{WHOLE_CALL}"])
    chunks = [*map(OBJECTS.chunk, deltas), OBJECTS.last_chunk(parser.finish_reason)]
    for chunk in chunks:
        read = ChatCompletionChunk.model_validate_json(json.dumps(chunk), strict=True)
        assert read.model_extra == {}
        assert read.choices[0].model_extra == {}
        assert set(read.choices[0].delta.model_extra or ()) <= {"reasoning_content"}
        assert read.model_dump(exclude_unset=True, mode="json") == chunk
    assert ChatCompletionChunk.model_validate(chunks[-1]).choices[0].finish_reason == "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    completion = OBJECTS.completion(parser.message, parser.finish_reason, usage)
    whole = ChatCompletion.model_validate_json(json.dumps(completion), strict=True)
    assert whole.model_dump(exclude_unset=True, mode="json") == completion
    assert whole.choices[0].message.tool_calls is not None
    assert whole.usage is not None


def test_parsers_do_not_import_the_openai_form() -> None:
    code = (
        "import sys, respc_parsers.qwen3\n"
        "mine = {'openai', 'argument_text', 'call_deltas', 'input_text', 'message_texts', 'streamed_text'}\n"
        "print([name for name in sys.modules if name.removeprefix('respc_runtime.') in mine])\n"
        "before = set(sys.modules)\n"
        "import respc_runtime.openai\n"
        "roots = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(roots - set(sys.stdlib_module_names) - {'respc_runtime'}))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n[]\n"
