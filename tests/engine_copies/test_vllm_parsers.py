"""The parsers by name in vLLM's own `DelegatingParser`: what a server sends for answers of models."""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import pytest

from respc.families import families
from respc.integrations import vllm_parsers
from respc.integrations.vllm_plugins import register
from support.engine_stubs import StructuralTag, Tokenizer
from support.vllm_answers import BERGEN, FORMATS, TOOLS, Format, answers_of
from support.vllm_stubs import Function, Grammar, NamedChoice, Request, vllm_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import SimpleNamespace

UNFINISHED = ("cut_call", "broken")
NAMED = NamedChoice(Function("get_weather"))


class Vocabulary(Tokenizer):
    """A token for each character, a response template, and a chat template."""

    eos_token = "<end>"

    def __init__(self, template: dict[str, Any] | None, chat_template: str | None = None) -> None:
        self.response_template: Any = template
        self.chat_template = chat_template


@dataclass
class Sent:
    """What a client has of an answer."""

    reasoning: str = ""
    content: str = ""
    calls: list[list[str]] = field(default_factory=list)

    def add(self, message: Any) -> None:
        if message is None:
            return
        self.reasoning += message.reasoning or ""
        self.content += message.content or ""
        for call in message.tool_calls:
            if call.id is not None:
                assert call.index == len(self.calls)
                self.calls.append([call.function.name, ""])
            self.calls[call.index][1] += call.function.arguments or ""


@pytest.fixture(scope="module")
def vllm(vllm_sources: Path) -> Iterator[SimpleNamespace]:
    """vLLM's modules, with the parsers registered."""
    with vllm_of(vllm_sources) as modules:
        vllm_parsers._made_class.cache_clear()
        register()
        yield modules
        vllm_parsers._made_class.cache_clear()


@pytest.fixture(params=FORMATS)
def written(request: pytest.FixtureRequest) -> Format:
    """Each format."""
    return FORMATS[request.param]


def parser_of(
    vllm: SimpleNamespace, written: Format, *, reasoning: bool = True, tools: Any = True, **options: Any
) -> Any:
    """Make vLLM's parser of an answer, with a parser of vLLM's own for tools if one is given."""
    values: dict[str, Any] = {"tool_parser_cls": tools if isinstance(tools, type) else None}
    if reasoning:
        values["reasoning_parser_cls"] = vllm.reasoning.ReasoningParserManager.get_reasoning_parser(
            written.parser
        )
    if tools is True:
        values["tool_parser_cls"] = vllm.tools.ToolParserManager.get_tool_parser(written.parser)
    made: type = type("Parser", (vllm.parsers.DelegatingParser,), values)
    return made(Vocabulary(written.template, written.chat_template), **options)


def streamed(parser: Any, text: str, size: int, request: Request, prompt: str) -> Sent:
    sent, ids = Sent(), list(map(ord, prompt))
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    for piece in pieces:
        sent.add(parser.parse_delta(piece, list(map(ord, piece)), request, ids, finished=False))
    sent.add(parser.parse_delta("", [], request, ids, finished=True))
    return sent


def whole(parser: Any, text: str, request: Request, prompt: str) -> Sent:
    parser.set_prompt_token_ids(list(map(ord, prompt)))
    reasoning, content, calls = parser.parse(text, request, enable_auto_tools=True)
    return Sent(reasoning or "", content or "", [[call.name, call.arguments] for call in calls or ()])


def text_of(answer: Any) -> str:
    return str(answer if isinstance(answer, str) else answer[0]).removesuffix("<cut>")


@pytest.mark.parametrize("choice", ["auto", "none"])
@pytest.mark.parametrize("name", answers_of(FORMATS["qwen3"]))
def test_pieces_add_up_to_the_whole_answer(
    vllm: SimpleNamespace, written: Format, name: str, choice: str
) -> None:
    text = text_of(answers_of(written)[name])
    request = Request(tools=TOOLS, tool_choice=choice)
    sent = [
        streamed(parser_of(vllm, written), text, size, request, written.anchor) for size in (1, 4, 10_000)
    ]
    assert sent[0] == sent[1] == sent[2]
    at_once = whole(parser_of(vllm, written), text, request, written.anchor)
    if name in UNFINISHED and choice == "auto":
        assert (at_once.reasoning, at_once.calls) == (sent[0].reasoning, [])
    else:
        assert at_once == sent[0]


def test_all_parts_of_an_answer_arrive(vllm: SimpleNamespace, written: Format) -> None:
    text = answers_of(written)["again"]
    sent = streamed(parser_of(vllm, written), text, 3, Request(tools=TOOLS), written.anchor)
    assert sent.reasoning == "Why — because 🦊.\nonce more\nat last"
    assert sent.content == "First.Then."
    assert [(name, json.loads(arguments)) for name, arguments in sent.calls] == [BERGEN]


def test_calls_nobody_asked_for_stay_text(vllm: SimpleNamespace, written: Format) -> None:
    text = answers_of(written)["again"]
    sent = streamed(parser_of(vllm, written), text, 3, Request(tool_choice="none"), written.anchor)
    assert sent.calls == []
    assert sent.content.startswith("First.Then.\n")
    assert written.call(*BERGEN).strip() in sent.content


def test_a_call_that_the_end_of_the_answer_ends(vllm: SimpleNamespace) -> None:
    written = Format(
        "respc_llama3_1", "<|start_header_id|>assistant<|end_header_id|>\n\n", (), lambda *call: ""
    )
    text = '{"name": "get_weather", "parameters": {"city": "Bergen"}}'
    expected = Sent(calls=[["get_weather", '{"city": "Bergen"}']])
    for size in (1, 4, 10_000):
        request = Request(tools=TOOLS)
        assert streamed(parser_of(vllm, written), text, size, request, written.anchor) == expected
        assert whole(parser_of(vllm, written), text, request, written.anchor) == expected


def test_arguments_are_streamed(vllm: SimpleNamespace) -> None:
    written = FORMATS["qwen3"]
    parser, ids = parser_of(vllm, written), list(map(ord, written.anchor))
    text = answers_of(written)["big"]
    messages = [
        parser.parse_delta(mark, [ord(mark)], Request(tools=TOOLS), ids, finished=False) for mark in text
    ]
    assert sum(bool(message and message.tool_calls) for message in messages) > len(text) // 2


@pytest.mark.parametrize("size", [1, 4, 10_000])
def test_reasoning_that_the_prompt_begins(vllm: SimpleNamespace, written: Format, size: int) -> None:
    prompt = f"{written.anchor}<think>\n"
    text = answers_of(written)["opened"]
    expected = Sent("so it is open.", "The answer is 4.")
    assert streamed(parser_of(vllm, written), text, size, Request(), prompt) == expected
    assert whole(parser_of(vllm, written), text, Request(), prompt) == expected


@pytest.mark.parametrize("tools", [True, False])
def test_a_continued_answer_keeps_its_first_blank(
    vllm: SimpleNamespace, written: Format, tools: bool
) -> None:
    prompt = f"{written.anchor}It goes on"
    expected = Sent(content=" and so on.")
    parser = parser_of(vllm, written, tools=tools)
    assert streamed(parser, " and so on.", 2, Request(), prompt) == expected
    assert whole(parser_of(vllm, written, tools=tools), " and so on.", Request(), prompt) == expected


def test_without_a_tool_parser_reasoning_is_told_from_content(vllm: SimpleNamespace, written: Format) -> None:
    text = "<think>Why?</think>First.<think>Again.</think>Then."
    expected = Sent("Why?\nAgain.", "First.Then.")
    for size in (1, 5, 10_000):
        sent = streamed(parser_of(vllm, written, tools=False), text, size, Request(), written.anchor)
        assert sent == expected
    assert whole(parser_of(vllm, written, tools=False), text, Request(), written.anchor) == expected


def test_without_a_reasoning_parser_reasoning_is_content(vllm: SimpleNamespace, written: Format) -> None:
    text = f"<think>Why?</think>First.{written.calls(BERGEN)}"
    parser = parser_of(vllm, written, reasoning=False)
    sent = streamed(parser, text, 3, Request(tools=TOOLS), written.anchor)
    assert "Why?" in sent.content
    assert "First." in sent.content
    assert sent.reasoning == ""
    assert len(sent.calls) == 1
    at_once = whole(parser_of(vllm, written, reasoning=False), text, Request(tools=TOOLS), written.anchor)
    assert at_once == sent


def test_a_tool_parser_of_vllm_is_given_the_calls(vllm: SimpleNamespace, written: Format) -> None:
    seen: list[str] = []

    class Another(vllm.tools.ToolParser):  # type: ignore[misc,name-defined]
        engine_based_streaming = True

        def extract_tool_calls_streaming(self, before: str, now: str, text: str, *rest: Any) -> Any:
            seen.append(text)

    text = f"<think>Why?</think>First.{written.calls(BERGEN)}"
    parser = parser_of(vllm, written, tools=Another)
    sent = streamed(parser, text, 1, Request(tools=TOOLS), written.anchor)
    assert sent == Sent("Why?", "First.")
    assert "".join(seen).strip() == written.call(*BERGEN).strip() + written.block[1]


def structural_tag(request: Request) -> Any:
    assert request.structured_outputs is not None
    assert request.structured_outputs.json is None
    return json.loads(request.structured_outputs.structural_tag)


STRICT = [{**tool, "function": {**tool["function"], "strict": True}} for tool in TOOLS]


class TestCallsThatAGrammarHolds:
    """The calls are in the model's own format, whether vLLM has a grammar of that or not."""

    @pytest.mark.parametrize(
        "asked",
        [
            {"tools": TOOLS, "tool_choice": "required"},
            {"tools": TOOLS, "tool_choice": NAMED},
            {"tools": TOOLS, "parallel_tool_calls": False},
            {"tools": STRICT},
        ],
        ids=["required", "named", "one", "strict"],
    )
    def test_the_request_has_a_grammar(
        self, vllm: SimpleNamespace, written: Format, asked: dict[str, Any]
    ) -> None:
        parser, request = parser_of(vllm, written), Request(**asked)
        parser.set_prompt_token_ids(list(map(ord, written.anchor)))
        adjusted = parser.adjust_request(request)
        assert structural_tag(adjusted)["type"] == "structural_tag"
        assert adjusted._grammar_from_parser is True
        assert adjusted.skip_special_tokens is False

    @pytest.mark.parametrize("backend", ["auto", "xgrammar", "guidance", "outlines"])
    def test_each_backend_is_given_the_form_that_it_reads(
        self, vllm: SimpleNamespace, written: Format, backend: str
    ) -> None:
        parser = parser_of(vllm, written)
        parser.set_prompt_token_ids(list(map(ord, written.anchor)))
        request = parser.adjust_request(Request(tools=TOOLS, tool_choice="required"))
        given = deepcopy(request.structured_outputs)
        tag = given.structural_tag
        # vLLM says so when it looks at a request; what it chooses for `auto` it says afterwards.
        given._backend = backend
        if backend == "guidance":
            assert given.structural_tag is None
            assert "start: " in given.grammar
        else:
            assert (given.structural_tag, given.grammar) == (tag, None)
        given._backend = "xgrammar" if backend == "auto" else backend
        assert type(given) is Grammar
        assert vars(given).keys() <= {each.name for each in fields(Grammar)}
        request.structured_outputs = given
        text = f"<think>Why?</think>{written.calls(BERGEN)}"
        sent = streamed(parser_of(vllm, written), text, 4, request, written.anchor)
        assert [(name, json.loads(arguments)) for name, arguments in sent.calls] == [BERGEN]

    def test_a_grammar_that_vllm_joins_with_another_stays_a_tag(
        self, vllm: SimpleNamespace, written: Format, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in {
            "_xgrammar_supports": lambda given: True,
            "structured_outputs_to_format": lambda given: "of the request",
            "OrFormat": lambda elements: elements,
            "StructuralTag": StructuralTag,
        }.items():
            monkeypatch.setattr(vllm.parsers, name, value)
        given = Grammar(json={"type": "object"})
        request = Request(tools=STRICT, structured_outputs=given)
        adjusted = parser_of(vllm, written).adjust_request(request)
        adjusted.structured_outputs._backend = "guidance"
        assert structural_tag(adjusted)["format"][1] == "of the request"

    def test_no_grammar_where_nothing_is_asked_of_the_calls(
        self, vllm: SimpleNamespace, written: Format
    ) -> None:
        for choice in ("auto", "none"):
            request = Request(tools=TOOLS, tool_choice=choice)
            assert parser_of(vllm, written).adjust_request(request).structured_outputs is None

    def test_it_holds_from_where_the_prompt_ends(self, vllm: SimpleNamespace, written: Format) -> None:
        grammars = []
        for opened in ("", "<think>\n", "<think></think>"):
            parser = parser_of(vllm, written)
            parser.set_prompt_token_ids(list(map(ord, written.anchor + opened)))
            request = Request(tools=TOOLS, tool_choice="required")
            grammars.append(json.dumps(structural_tag(parser.adjust_request(request))))
        assert len({*grammars}) == 3

    def test_with_the_tool_parser_alone_vllm_waits_for_no_reasoning(
        self, vllm: SimpleNamespace, written: Format
    ) -> None:
        request = Request(tools=TOOLS, tool_choice="required")
        adjusted = parser_of(vllm, written, reasoning=False).adjust_request(request)
        assert structural_tag(adjusted)
        assert not hasattr(adjusted, "_grammar_from_parser")

    @pytest.mark.parametrize("size", [1, 4, 10_000])
    def test_the_calls_are_read_in_the_format(
        self, vllm: SimpleNamespace, written: Format, size: int
    ) -> None:
        for choice in ("required", NAMED):
            request = Request(tools=TOOLS, tool_choice=choice)
            parser_of(vllm, written).adjust_request(request)
            text = f"<think>Why?</think>{written.calls(BERGEN)}"
            sent = streamed(parser_of(vllm, written), text, size, request, written.anchor)
            assert [(name, json.loads(arguments)) for name, arguments in sent.calls] == [BERGEN]
            assert (sent.reasoning, sent.content) == ("Why?", "")
            assert whole(parser_of(vllm, written), text, request, written.anchor) == sent

    def test_what_cannot_be_held_is_said_once(
        self, vllm: SimpleNamespace, caplog: pytest.LogCaptureFixture
    ) -> None:
        unknown = {"type": "object", "properties": {"a": {"not": {"type": "string"}}}}
        tools = [{"type": "function", "function": {"name": "f", "parameters": unknown}}]
        for _ in range(2):
            request = Request(tools=tools, tool_choice="required")
            adjusted = parser_of(vllm, FORMATS["template"]).adjust_request(request)
            assert adjusted.structured_outputs.json == {"type": "array"}
        said = [record.getMessage() for record in caplog.records if "no grammar" in record.getMessage()]
        assert len(said) == 1
        assert "/0/function/parameters" in said[0]


class TestCallsThatAreAList:
    """Where the operator turned grammars of calls off: the calls are a list in JSON, or the arguments alone."""

    LIST = (
        '<think>Why?</think> [{"name": "get_weather", "parameters": {"city": "B"}}, '
        '{"name": "write", "parameters": {}}]'
    )

    @pytest.fixture(autouse=True)
    def _no_grammars(self, vllm: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys.modules["vllm.envs"], "VLLM_ENFORCE_STRICT_TOOL_CALLING", False)

    def test_the_request_asks_for_a_list(self, vllm: SimpleNamespace, written: Format) -> None:
        for choice in ("required", NAMED):
            request = Request(tools=TOOLS, tool_choice=choice)
            adjusted = parser_of(vllm, written).adjust_request(request)
            assert adjusted.structured_outputs.json == {"type": "array"}
            assert adjusted.skip_special_tokens is False

    @pytest.mark.parametrize("size", [1, 4, 10_000])
    def test_required(self, vllm: SimpleNamespace, size: int) -> None:
        written, request = FORMATS["template"], Request(tools=TOOLS, tool_choice="required")
        expected = Sent("Why?", "", [["get_weather", '{"city": "B"}'], ["write", "{}"]])
        assert streamed(parser_of(vllm, written), self.LIST, size, request, written.anchor) == expected
        assert whole(parser_of(vllm, written), self.LIST, request, written.anchor) == expected

    def test_required_but_not_followed(self, vllm: SimpleNamespace) -> None:
        written, request = FORMATS["template"], Request(tools=TOOLS, tool_choice="required")
        expected = Sent("", "No.")
        assert streamed(parser_of(vllm, written), "No.", 1, request, written.anchor) == expected
        assert whole(parser_of(vllm, written), "No.", request, written.anchor) == expected

    @pytest.mark.parametrize("size", [1, 4, 10_000])
    def test_named(self, vllm: SimpleNamespace, size: int) -> None:
        written, request = FORMATS["template"], Request(tools=TOOLS, tool_choice=NAMED)
        text = '<think>Why?</think>{"city": "B"}'
        expected = Sent("Why?", "", [["get_weather", '{"city": "B"}']])
        assert streamed(parser_of(vllm, written), text, size, request, written.anchor) == expected
        assert whole(parser_of(vllm, written), text, request, written.anchor) == expected

    def test_named_but_cut_off(self, vllm: SimpleNamespace) -> None:
        written, request = FORMATS["template"], Request(tools=TOOLS, tool_choice=NAMED)
        assert whole(parser_of(vllm, written), '{"ci', request, written.anchor) == Sent("", '{"ci')


def test_tokens_of_reasoning_are_counted(vllm: SimpleNamespace, written: Format) -> None:
    parser = parser_of(vllm, written)
    parser.set_prompt_token_ids(list(map(ord, written.anchor)))
    text = "<think>four</think>and<think>six...</think>"
    ids = list(map(ord, text))
    assert [parser.count_reasoning_tokens(ids[:end]) for end in (7, 9, 11)] == [0, 2, 4]
    assert parser.count_reasoning_tokens(ids) == len("four") + len("six...")
    assert parser.count_reasoning_tokens(ids[:9]) == 2


def test_the_reparsed_answer_has_the_ids_of_the_stream(vllm: SimpleNamespace) -> None:
    written = FORMATS["qwen3"]
    parser, ids = parser_of(vllm, written), list(map(ord, written.anchor))
    text, request = answers_of(written)["two"], Request(tools=TOOLS)
    message = parser.parse_delta(text, [], request, ids, finished=True)
    sent = [call.id for call in message.tool_calls if call.id is not None]
    _, _, calls = parser.parse(text, request, enable_auto_tools=True)
    assert len(sent) == 2
    assert [call.id for call in calls] == sent


def test_every_family_has_both_parsers(vllm: SimpleNamespace) -> None:
    for family in families():
        tool = vllm.tools.ToolParserManager.get_tool_parser(f"respc_{family}")
        reasoning = vllm.reasoning.ReasoningParserManager.get_reasoning_parser(f"respc_{family}")
        made: type = type(
            "Parser",
            (vllm.parsers.DelegatingParser,),
            {"tool_parser_cls": tool, "reasoning_parser_cls": reasoning},
        )
        parser: Any = made(Vocabulary(None))
        sent = streamed(parser, "Hello.", 1, Request(tools=TOOLS), "")
        assert sent == Sent(content="Hello."), family


def test_a_tokenizer_without_a_template_is_told_at_the_start(vllm: SimpleNamespace) -> None:
    with pytest.raises(AttributeError, match="has no response template"):
        parser_of(vllm, FORMATS["template"].__class__("respc", "<bot>", (), FORMATS["qwen3"].call))
