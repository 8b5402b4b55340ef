"""All that a request can ask of its calls, and the grammar that it gets: in vLLM's own parser, and of SGLang's detector.

What is promised for `strict` functions holds for all of them; without one, `auto` and several calls need no grammar.
"""

from __future__ import annotations

import json
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from engine_copies.test_sglang_plugin import adapter, named
from engine_copies.test_vllm_parsers import NAMED, STRICT, Vocabulary, parser_of, vllm
from support.engine_wheels import ENGINES
from support.vllm_answers import FORMATS, TOOLS
from support.vllm_stubs import Request, StrictLevel

if TYPE_CHECKING:
    from respc.grammars.building import Thinking

__all__ = ["adapter", "named", "vllm"]

NAME: Final = "get_weather"
WRITTEN: Final = FORMATS["qwen3"]
CHOICES: Final[dict[str, Any]] = {"none": "none", "auto": "auto", "required": "required", NAME: NAMED}
PROMPTS: Final[dict[str, Thinking]] = {"": "open", "<think>\n": "prompt", "<think>\n\n</think>\n\n": "none"}
ASKED: Final = [*product(CHOICES, (False, True), (False, True))]


def needs_grammar(choice: str, strict: bool, parallel: bool) -> bool:
    """Tell what OpenAI's own service promises something about."""
    return choice != "none" and (choice != "auto" or strict or not parallel)


def grammar(tools: list[Any], choice: str, parallel: bool, reasoning: Thinking) -> Any:
    """Write the grammar that is expected."""
    return json.loads(respc.grammar("qwen3", tools, choice=choice, parallel=parallel, reasoning=reasoning))


@pytest.mark.parametrize("prompt", PROMPTS, ids=repr)
@pytest.mark.parametrize(("choice", "strict", "parallel"), ASKED)
def test_in_vllm(vllm: SimpleNamespace, choice: str, strict: bool, parallel: bool, prompt: str) -> None:
    parser = parser_of(vllm, WRITTEN)
    parser.set_prompt_token_ids(list(map(ord, WRITTEN.anchor + prompt)))
    tools = STRICT if strict else TOOLS
    request = Request(tools=tools, tool_choice=CHOICES[choice], parallel_tool_calls=parallel)
    adjusted = parser.adjust_request(request)
    if not needs_grammar(choice, strict, parallel):
        assert adjusted.structured_outputs is None
        return
    expected = grammar(tools, choice, parallel, PROMPTS[prompt])
    assert json.loads(adjusted.structured_outputs.structural_tag) == expected
    # The grammar has the reasoning in it, so that vLLM waits for nothing.
    assert adjusted._grammar_from_parser is True


@pytest.mark.parametrize(("choice", "strict", "parallel"), ASKED)
def test_in_vllm_without_a_parser_of_reasoning(
    vllm: SimpleNamespace, choice: str, strict: bool, parallel: bool
) -> None:
    parser = parser_of(vllm, WRITTEN, reasoning=False)
    tools = STRICT if strict else TOOLS
    request = Request(tools=tools, tool_choice=CHOICES[choice], parallel_tool_calls=parallel)
    given = parser.adjust_request(request).structured_outputs
    if needs_grammar(choice, strict, parallel):
        assert json.loads(given.structural_tag) == grammar(tools, choice, parallel, "none")
    else:
        assert given is None


def test_in_vllm_where_the_client_turned_reasoning_off(vllm: SimpleNamespace) -> None:
    parser = parser_of(vllm, WRITTEN, chat_template_kwargs={"enable_thinking": False})
    parser.set_prompt_token_ids(list(map(ord, WRITTEN.anchor)))
    adjusted = parser.adjust_request(Request(tools=TOOLS, tool_choice="required"))
    expected = grammar(TOOLS, "required", True, "none")
    assert json.loads(adjusted.structured_outputs.structural_tag) == expected


def test_in_vllm_where_the_operator_is_strict_with_all_tools(vllm: SimpleNamespace) -> None:
    parser = parser_of(vllm, WRITTEN)
    parser.set_prompt_token_ids(list(map(ord, WRITTEN.anchor)))
    for level in (StrictLevel.FUNCTION, StrictLevel.PARAMETER):
        type(parser).tool_strict_level = level
        adjusted = parser.adjust_request(Request(tools=TOOLS))
        expected = grammar(TOOLS, "auto", True, "open")
        assert json.loads(adjusted.structured_outputs.structural_tag) == expected


@pytest.mark.parametrize(
    "engine", [each for each in ENGINES if each.name == "sglang"], ids=str, indirect=True
)
@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize(("choice", "strict", "parallel"), [each for each in ASKED if each[0] != "none"])
def test_in_sglang(named: Any, choice: str, strict: bool, parallel: bool, thinking: bool) -> None:
    chosen: Any = SimpleNamespace(function=SimpleNamespace(name=NAME)) if choice == NAME else choice
    detector = named["respc_qwen3"].calls(tokenizer=Vocabulary(None))
    tag = detector.validate_structure_constraint_request(
        chosen, parallel, strict, tools=TOOLS, thinking_mode=thinking
    )
    if needs_grammar(choice, strict, parallel):
        # With a parser of reasoning SGLang itself waits until that is over, and says that there is none.
        assert tag.model_dump() == grammar(TOOLS, choice, parallel, "open" if thinking else "none")
    else:
        assert tag is None
