"""All that a request to vLLM can ask of its calls, and the grammar that it gets in vLLM's own parser.

What is promised for strict functions holds for all; without one, calls that may be none or several need no grammar.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from engine_copies.test_vllm_parsers import NAMED, STRICT, parser_of, vllm
from support.asked_calls import ASKED, LIKE_CHOICES, NAME, grammar, needs_grammar, with_function
from support.vllm_answers import FORMATS, TOOLS
from support.vllm_stubs import Function, NamedChoice, Request, StrictLevel

if TYPE_CHECKING:
    from types import SimpleNamespace

    from respc.grammars.building import Thinking

__all__ = ["vllm"]

WRITTEN: Final = FORMATS["qwen3"]
CHOICES: Final[dict[str, Any]] = {"none": "none", "auto": "auto", "required": "required", NAME: NAMED}
PROMPTS: Final[dict[str, Thinking]] = {"": "open", "<think>\n": "prompt", "<think>\n\n</think>\n\n": "none"}


@pytest.mark.parametrize("prompt", PROMPTS, ids=repr)
@pytest.mark.parametrize(("choice", "strict", "parallel"), ASKED)
def test_the_grammar_of_a_request(
    vllm: SimpleNamespace, choice: str, strict: bool, parallel: bool, prompt: str
) -> None:
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
def test_without_a_parser_of_reasoning(
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


def test_where_the_client_turned_reasoning_off(vllm: SimpleNamespace) -> None:
    parser = parser_of(vllm, WRITTEN, chat_template_kwargs={"enable_thinking": False})
    parser.set_prompt_token_ids(list(map(ord, WRITTEN.anchor)))
    adjusted = parser.adjust_request(Request(tools=TOOLS, tool_choice="required"))
    expected = grammar(TOOLS, "required", True, "none")
    assert json.loads(adjusted.structured_outputs.structural_tag) == expected


def test_where_the_operator_is_strict_with_all_tools(vllm: SimpleNamespace) -> None:
    parser = parser_of(vllm, WRITTEN)
    parser.set_prompt_token_ids(list(map(ord, WRITTEN.anchor)))
    for level in (StrictLevel.FUNCTION, StrictLevel.PARAMETER):
        type(parser).tool_strict_level = level
        adjusted = parser.adjust_request(Request(tools=TOOLS))
        expected = grammar(TOOLS, "auto", True, "open")
        assert json.loads(adjusted.structured_outputs.structural_tag) == expected


@pytest.mark.parametrize("name", LIKE_CHOICES)
def test_a_function_whose_name_is_that_of_a_choice(vllm: SimpleNamespace, name: str) -> None:
    tools = with_function(TOOLS, name)
    request = Request(tools=tools, tool_choice=NamedChoice(Function(name)))
    given = parser_of(vllm, WRITTEN, reasoning=False).adjust_request(request).structured_outputs
    assert json.loads(given.structural_tag) == grammar(tools[-1:], "required", True, "none")
