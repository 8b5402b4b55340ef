"""Deltas of an answer do not depend on its pieces, and are sent in an order that vLLM can send."""

from __future__ import annotations

from typing import Any

import pytest

from respc.integrations.vllm_formats import format_of_family
from respc.integrations.vllm_generation import Answer, CallIds, DeltaQueue, Generation, continues_call

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>\n'
LINES = "<function_calls>f(a=1)</function_calls>"


def generation(family: str = "qwen3", *, calls_wanted: bool = True, prompt: str = "") -> Generation:
    return Generation(format_of_family(family), prompt, [], CallIds(), calls_wanted=calls_wanted)


def outcome(made: Generation, text: str, size: int) -> tuple[str, str, list[tuple[Any, Any]]]:
    answer = Answer()
    for start in range(0, len(text), size):
        answer.add(made.feed(text[start : start + size]))
    answer.add(made.finish())
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in answer.calls]
    return "".join(answer.reasoning), "".join(answer.content), calls


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize(
    ("family", "text", "wanted", "expected"),
    [
        ("qwen3", f"Hi.{CALL}Done.", True, ("", "Hi.\nDone.", [("f", '{"a": 1}')])),
        ("qwen3", f"Hi.{CALL}Done.", False, ("", f"Hi.\n{CALL}Done.", [])),
        # A call that no client knows of when it breaks stays text; of another one its beginning is out.
        ("qwen3", "A<tool_call>{oops}</tool_call>B", True, ("", "A\n<tool_call>{oops}</tool_call>B", [])),
        ("qwen3", '<tool_call>{"name": "f", oops}</tool_call>B', True, ("", "B", [("f", "")])),
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a', True, ("", "", [("f", '{"a')])),
        ("qwen3", "A<tool_ca", True, ("", "A", [])),
        ("qwen3", "<think>a</think>A<think>b</think>B", True, ("a\nb", "AB", [])),
        # A field that has no place in vLLM's messages, and one that only marks.
        (
            "olmo3",
            "A<function_calls>f(a=1)</function_calls>B",
            True,
            ("", "A\n<function_calls>f(a=1)</function_calls>B", []),
        ),
        ("granite3_3", "<think>a</think><response>B</response>", True, ("a", "B", [])),
    ],
)
def test_pieces(family: str, text: str, wanted: bool, expected: Any, size: int) -> None:
    assert outcome(generation(family, calls_wanted=wanted), text, size) == expected


def test_a_whole_answer_has_whole_calls_alone() -> None:
    answer = generation().whole(f'{CALL}<tool_call>{{"name": "f", oops}}</tool_call>B')
    assert [call["function"] for call in answer.calls] == [{"name": "f", "arguments": '{"a": 1}'}]
    assert "".join(answer.content) == '<tool_call>{"name": "f", oops}</tool_call>B'
    assert generation().whole('<tool_call>{"name": "f", "arguments": {"a').calls == []


def test_the_first_region_that_is_no_text_is_found() -> None:
    made = generation(calls_wanted=False)
    made.feed("<think>a</think>A<tool_call>")
    assert made.other_text is None
    made.feed('\n{"name"')
    assert made.other_text == '<tool_call>\n{"name"'


def test_ids_are_the_same_again() -> None:
    ids = CallIds()
    first, second = ids.maker(), ids.maker()
    assert [first(), first()] == [second(), second()]
    assert first() == second()
    assert len({*ids._made}) == 3


def call(index: int, *, begins: bool) -> dict[str, Any]:
    head = {"id": f"call_{index}", "type": "function"} if begins else {}
    return {"tool_calls": [{"index": index, **head, "function": {"arguments": "x"}}]}


def test_what_vllm_would_send_too_early_waits() -> None:
    queue = DeltaQueue()
    thought, text, begun, more = (
        {"reasoning_content": "r"},
        {"content": "c"},
        call(0, begins=True),
        call(0, begins=False),
    )
    queue.add([thought, text, begun, more, text, call(1, begins=True), thought])
    assert queue.next_message() == [thought, text, begun, more]
    assert queue.next_message() == [text, call(1, begins=True)]
    queue.add([text])
    assert queue.last_message() == [thought, text]
    assert queue.next_message() == []


def test_more_of_a_call_is_known() -> None:
    assert continues_call([call(0, begins=False)])
    assert continues_call([call(0, begins=True), call(1, begins=True), call(0, begins=False)]) is False
    assert not continues_call([{"content": "c"}, call(0, begins=True)])
