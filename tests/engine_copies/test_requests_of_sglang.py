"""All that a request to SGLang can ask of its calls, and the grammar that it gets of the detector."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine_copies.test_sglang_plugin import adapter, named
from engine_copies.test_vllm_parsers import Vocabulary
from support.asked_calls import ASKED, LIKE_CHOICES, NAME, grammar, needs_grammar, with_function
from support.engine_wheels import ENGINES
from support.vllm_answers import TOOLS

__all__ = ["adapter", "named"]

pytestmark = pytest.mark.parametrize(
    "engine", [each for each in ENGINES if each.name == "sglang"], ids=str, indirect=True
)


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize(("choice", "strict", "parallel"), [each for each in ASKED if each[0] != "none"])
def test_the_grammar_of_a_request(
    named: Any, choice: str, strict: bool, parallel: bool, thinking: bool
) -> None:
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


@pytest.mark.parametrize("name", LIKE_CHOICES)
def test_a_function_whose_name_is_that_of_a_choice(named: Any, name: str) -> None:
    tools = with_function(TOOLS, name)
    detector = named["respc_qwen3"].calls(tokenizer=Vocabulary(None))
    chosen: Any = SimpleNamespace(function=SimpleNamespace(name=name))
    tag = detector.validate_structure_constraint_request(chosen, True, False, tools=tools)
    assert tag.model_dump() == grammar(tools[-1:], "required", True, "none")
