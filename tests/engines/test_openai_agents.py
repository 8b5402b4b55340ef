"""An agent of openai-agents at the example server: its Responses model, tools that it runs, and the turn after them."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING, Any

import pytest
from openai import AsyncOpenAI

from forms.server_of_tests import AFTER_TOOL, running_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forms.server_of_tests import Served

if importlib.util.find_spec("agents") is None:
    pytest.skip(
        "openai-agents is not among what the tests need: pip install '.[engines]' in a checkout",
        allow_module_level=True,
    )

from agents import (
    Agent,
    ModelBehaviorError,
    ModelSettings,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)

set_tracing_disabled(True)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running_server() as server:
        yield server


class Ran:
    """The calls that the agent ran."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def tools(self) -> list[Any]:
        @function_tool
        def add(a: int, b: str) -> str:
            """Add."""
            self.calls.append(("add", a, b))
            return f"{a}{b}"

        @function_tool
        def end() -> str:
            """End."""
            self.calls.append(("end",))
            return "ended"

        return [add, end]


def run(served: Served, key: str, *, streamed: bool, **settings: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    """Run an agent, and give its result with the calls that it ran."""
    ran = Ran()

    async def running() -> Any:
        async with AsyncOpenAI(base_url=f"{served.address}/v1", api_key="none", max_retries=0) as client:
            model = OpenAIResponsesModel("qwen3", client)
            agent = Agent("adder", instructions="Add.", model=model, tools=ran.tools(), **settings)
            if not streamed:
                return await Runner.run(agent, f"#{key}")
            result = Runner.run_streamed(agent, f"#{key}")
            async for _ in result.stream_events():
                pass
            return result

    return asyncio.run(running()), ran.calls


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("key", "calls"), [("call", [("add", 1, "Ås")]), ("calls", [("add", 1, "Ås"), ("end",)])]
)
def test_tools_are_run_and_their_results_sent(
    served: Served, key: str, calls: list[tuple[Any, ...]], streamed: bool
) -> None:
    result, ran = run(served, key, streamed=streamed)
    assert sorted(ran) == sorted(calls)
    assert result.final_output == AFTER_TOOL.removesuffix("<|im_end|>")
    kinds = [item.type for item in result.new_items]
    assert kinds.count("tool_call_output_item") == len(calls)
    assert ("reasoning_item" in kinds) == (key == "call")
    assert "<|im_start|>tool\n1Ås<|im_end|>" in served.prompts[-1]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("key", "text"), [("reasoning", "It is 4."), ("malformed", "Hm.\n\nSorry."), ("plain", "Hello, Åse! 🎉")]
)
def test_an_answer(served: Served, key: str, text: str, streamed: bool) -> None:
    result, ran = run(served, key, streamed=streamed)
    assert (result.final_output, ran) == (text, [])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("key", ["cut_call", "long"])
def test_a_response_that_is_cut_off_is_an_error_and_runs_no_call(
    served: Served, key: str, streamed: bool
) -> None:
    with pytest.raises(ModelBehaviorError, match="max_output_tokens"):
        run(served, key, streamed=streamed, model_settings=ModelSettings(max_tokens=30))
