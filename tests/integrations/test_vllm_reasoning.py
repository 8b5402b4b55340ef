"""Whether reasoning has ended is known at the very token that ends it, and costs the same at every step."""

from __future__ import annotations

import pytest

from respc.families import families
from respc.integrations.vllm_formats import format_of_family
from respc.integrations.vllm_reasoning import ReasoningCounter, ReasoningWatch, prompt_end

QWEN = format_of_family("qwen3")
START = "<|im_start|>assistant\n"
CLOSED = [
    family
    for family in families()
    if format_of_family(family).reasoning_opener and format_of_family(family).reasoning_closer
]


def ids_of(text: str) -> list[int]:
    return list(map(ord, text))


def text_of(ids: list[int]) -> str:
    return "".join(map(chr, ids))


def watch(family: str = "qwen3", *, no_reasoning: bool = False) -> ReasoningWatch:
    return ReasoningWatch(format_of_family(family), text_of, no_reasoning=no_reasoning)


def steps(watched: ReasoningWatch, prompt: str, text: str, size: int = 1) -> list[bool]:
    """Ask after each step of so many tokens."""
    ids = ids_of(prompt + text)
    ends = range(len(prompt) + size, len(ids) + 1, size)
    return [watched.ended_with(ids[:end], ids[end - size : end]) for end in ends]


def test_most_families_have_delimiters_of_reasoning() -> None:
    assert len(CLOSED) >= 45


@pytest.mark.parametrize("family", CLOSED)
def test_it_ends_with_the_closer(family: str) -> None:
    served = format_of_family(family)
    # No answer begins in the prompt: it begins with the text.
    opened = f"{served.reasoning_opener}Because it is < so."
    closer = served.reasoning_closer
    assert closer is not None
    assert steps(watch(family), ".", opened + closer) == [
        *[False] * (len(opened) + len(closer) - 1),
        True,
    ]


@pytest.mark.parametrize(
    ("prompt", "ended"),
    [
        (START, False),
        (f"{START}<think>\n", False),
        (f"{START}<think>\n\n</think>\n\n", True),
        (f"{START}<think>\n\n</think>", True),
        (f"{START}The answer", True),
        (f"{START}<tool_call>", True),
        (f"{START}<think>x</think><think>", False),
        (f"{START}<think>x</think>Done.<|im_end|>\n<|im_start|>user\nMore<|im_end|>\n{START}", False),
        ("no answer begins here", False),
        ("", False),
    ],
)
def test_prompts(prompt: str, ended: bool) -> None:
    assert watch().ended(ids_of(prompt)) is ended


def test_a_request_without_reasoning() -> None:
    assert watch(no_reasoning=True).ended(ids_of(START))
    assert not watch(no_reasoning=True).ended(ids_of(f"{START}<think>\n"))


def test_a_format_without_reasoning() -> None:
    assert watch("qwen3_coder").ended(ids_of(START))
    assert watch("qwen3_coder").ended_with(ids_of(START), [1])


def test_blanks_before_the_reasoning_are_no_end() -> None:
    assert steps(watch(), START, "\n <think>x") == [False] * 10


def test_an_answer_without_reasoning_ends_it() -> None:
    assert steps(watch(), START, "\nHi") == [False, True, True]


def test_a_call_ends_it() -> None:
    assert steps(watch(), f"{START}<think>", 'so<tool_call>\n{"') == [*[False] * 14, True, True]


def test_tokens_that_are_taken_back() -> None:
    watched = watch()
    ids = ids_of(f"{START}<think>\n")
    for mark in "It is so.":
        # What was drafted is another text, of which nothing is kept.
        for draft, ended in (("</think>", True), ("</think", False), ("</think>{", True), ("<think>", False)):
            assert watched.ended_with(ids + ids_of(draft), ids_of(draft)) is ended
        ids.append(ord(mark))
    assert watched.ended_with(ids + ids_of("</think>"), ids_of("</think>"))


def test_another_answer_begins_again() -> None:
    watched = watch()
    assert steps(watched, f"{START}<think>", "x</think>")[-1]
    assert not any(steps(watched, f"{START}<think>another", " one"))


def test_the_prompt_is_read_from_its_end() -> None:
    decoded: list[int] = []

    def decode(ids: list[int]) -> str:
        decoded.append(len(ids))
        return text_of(ids)

    prompt = f"{'long ' * 4_000}{START}<think>"
    assert prompt_end(QWEN, decode, ids_of(prompt)).endswith(f"{START}<think>")
    assert sum(decoded) < 1_000


@pytest.mark.parametrize("length", [400, 3_000, 9_000])
def test_a_long_beginning_of_the_answer_is_read(length: int) -> None:
    prompt = f"{'long ' * 4_000}{START}{'x' * length}"
    assert prompt_end(QWEN, text_of, ids_of(prompt)).endswith(f"{START}{'x' * length}")


def test_an_answer_that_begins_nowhere() -> None:
    assert prompt_end(QWEN, text_of, ids_of("x" * 9_000)) == ""


def test_tokens_are_counted_as_they_come() -> None:
    text = "\n<think>four</think>and<think> six</think>"
    counter = ReasoningCounter(QWEN, START, text_of)
    counts = [counter.count(ids_of(text)[:end]) for end in range(len(text) + 1)]
    assert counts[: len("\n<think>")] == [0] * len("\n<think>")
    assert counts[len("\n<think>four")] == 4
    assert counts[len("\n<think>four</think>")] == 4
    assert counts[len("\n<think>four</think>and<think> six")] == 8
    assert counts[-1] == 8


def test_tokens_go_on_from_the_prompt() -> None:
    assert ReasoningCounter(QWEN, f"{START}<think>\n", text_of).count(ids_of("abc</think>\n\nHi")) == 3


def test_a_token_counts_that_is_reasoning_in_part() -> None:
    tokens = ["<thi", "nk>a", "b", "c</th", "ink>d", "e"]
    counter = ReasoningCounter(QWEN, START, lambda ids: "".join(tokens[token] for token in ids))
    assert counter.count(range(len(tokens))) == 3


@pytest.mark.parametrize(
    ("family", "behind", "no_reasoning", "begins"),
    [
        ("qwen3", "", False, "open"),
        ("qwen3", "", True, "none"),
        ("qwen3", "<think>\n", False, "prompt"),
        ("qwen3", "<think>\n", True, "prompt"),
        ("qwen3", "<think>\n\n</think>\n\n", False, "none"),
        ("qwen3", "It rains in", False, "none"),
        ("qwen3_coder", "", False, "none"),
    ],
)
def test_where_an_answer_begins(family: str, behind: str, no_reasoning: bool, begins: str) -> None:
    assert watch(family, no_reasoning=no_reasoning).begins(START + behind) == begins
