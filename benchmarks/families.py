"""The measured families: a template each, written after the facts of a format, and how a model writes in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks import floors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.floors import Message
    from benchmarks.workload import Call

Template = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A format.

    Attributes:
        name: what ``--family`` calls it.
        title: what is special about it.
        template: the response template.
        prompt: what the model continues; some prompts open a region.
        marks: what the format's tokenizers have as one token.
        reasoning: what stands before and after the reasoning.
        answer: what stands before and after the answer.
        write_calls: writes the tool calls.
        end: what closes the generation.
        floor: parses such a generation, and no other.
    """

    name: str
    title: str
    template: Template
    prompt: str
    marks: tuple[str, ...]
    reasoning: tuple[str, str]
    answer: tuple[str, str]
    write_calls: Callable[[Sequence[Call]], str]
    end: str
    floor: Callable[[str, str], Message]

    def write(self, reasoning: str, answer: str, calls: Sequence[Call]) -> str:
        """Write a whole generation; without calls it ends with the answer."""
        before, after = self.reasoning
        text = f"{before}{reasoning}{after}{self.answer[0]}{answer}{self.answer[1]}"
        return text + (self.write_calls(calls) if calls else "") + self.end


_NAMED_CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
_CHATML_PROMPT = "<|im_start|>user\nWhat will the weather be?<|im_end|>\n<|im_start|>assistant\n"
_CHATML = {"defaults": {"role": "assistant"}, "start_anchor": "<|im_start|>assistant\n"}
_CHATML_MARKS = ("<|im_start|>", "<|im_end|>", "<think>", "</think>")


def _plain(value: object) -> str:
    """Write a value as the text of a tag."""
    return value if isinstance(value, str) else json.dumps(value)


def _smollm3_calls(calls: Sequence[Call]) -> str:
    bodies = (json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
    return "".join(f"<tool_call>\n{body}\n</tool_call>" for body in bodies)


def _gpt_oss_calls(calls: Sequence[Call]) -> str:
    return "".join(
        f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
        f"{json.dumps(arguments, ensure_ascii=False)}<|call|>"
        for name, arguments in calls
    )


def _qwen_calls(calls: Sequence[Call]) -> str:
    return "\n".join(
        f"<tool_call>\n<function={name}>\n"
        + "".join(f"<parameter={key}>\n{_plain(value)}\n</parameter>\n" for key, value in arguments.items())
        + "</function>\n</tool_call>"
        for name, arguments in calls
    )


def _glm_calls(calls: Sequence[Call]) -> str:
    return "\n".join(
        f"<tool_call>{name}\n"
        + "".join(
            f"<arg_key>{key}</arg_key>\n<arg_value>{_plain(value)}</arg_value>\n"
            for key, value in arguments.items()
        )
        + "</tool_call>"
        for name, arguments in calls
    )


def _gemma_calls(calls: Sequence[Call]) -> str:
    def written(value: object) -> str:
        return f'<|"|>{value}<|"|>' if isinstance(value, str) else json.dumps(value)

    return "".join(
        f"<|tool_call>call:{name}{{"
        + ",".join(f"{key}:{written(value)}" for key, value in arguments.items())
        + "}<tool_call|>"
        for name, arguments in calls
    )


def _cohere_calls(calls: Sequence[Call]) -> str:
    records = [
        {"tool_call_id": str(index), "tool_name": name, "parameters": arguments}
        for index, (name, arguments) in enumerate(calls)
    ]
    lines = ",\n".join(f"    {json.dumps(record, ensure_ascii=False)}" for record in records)
    return f"<|START_ACTION|>[\n{lines}\n]<|END_ACTION|>"


def _lfm2_calls(calls: Sequence[Call]) -> str:
    def written(value: object) -> str:
        return str(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)

    bodies = (
        f"{name}({', '.join(f'{key}={written(value)}' for key, value in arguments.items())})"
        for name, arguments in calls
    )
    return f"<|tool_call_start|>[{', '.join(bodies)}]<|tool_call_end|>"


SMOLLM3 = Family(
    name="smollm3",
    title="literals",
    template={
        **_CHATML,
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>"},
            "tool_calls": {
                "open": "<tool_call>",
                "close": "</tool_call>",
                "repeats": True,
                "content": "json",
                "transform": {"type": "function", "function": "{content}"},
            },
            "content": {"close": "<|im_end|>"},
        },
    },
    prompt=_CHATML_PROMPT,
    marks=(*_CHATML_MARKS, "<tool_call>", "</tool_call>"),
    reasoning=("<think>\n", "\n</think>\n\n"),
    answer=("", "\n\n"),
    write_calls=_smollm3_calls,
    end="<|im_end|>",
    floor=floors.smollm3,
)

GPT_OSS = Family(
    name="gpt-oss",
    title="headers",
    template={
        "defaults": {"role": "assistant"},
        "start_anchor": "<|start|>assistant",
        "fields": {
            "reasoning_content": {"open": "<|channel|>analysis<|message|>", "close": "<|end|>"},
            "content": {"open": "<|channel|>final<|message|>", "close": ["<|return|>", "<|end|>"]},
            "tool_calls": {
                "open_pattern": r"<\|channel\|>commentary to=functions\.(?P<name>[\w.-]+).*?<\|message\|>",
                "close": "<|call|>",
                "repeats": True,
                "content": "json",
                "transform": _NAMED_CALL,
            },
        },
    },
    prompt="<|start|>user<|message|>What will the weather be?<|end|><|start|>assistant",
    marks=("<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|return|>", "<|call|>"),
    reasoning=("<|channel|>analysis<|message|>", "<|end|><|start|>assistant"),
    answer=("<|channel|>final<|message|>", "<|end|>"),
    write_calls=_gpt_oss_calls,
    end="",
    floor=floors.gpt_oss,
)

QWEN = Family(
    name="qwen3.5",
    title="blanks in front of delimiters, tags",
    template={
        **_CHATML,
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>"},
            "tool_calls": {
                "open_pattern": r"\s*<tool_call>\s*<function=(?P<name>[^>\n]+)>",
                "close_pattern": r"</function>\s*</tool_call>",
                "repeats": True,
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>",
                },
                "transform": _NAMED_CALL,
            },
            "content": {"close_pattern": r"\s*(?:<\|im_end\|>|<\|endoftext\|>)"},
        },
    },
    prompt=_CHATML_PROMPT + "<think>\n",
    marks=(*_CHATML_MARKS, "<|endoftext|>", "<tool_call>", "</tool_call>"),
    reasoning=("", "\n</think>\n\n"),
    answer=("", "\n\n"),
    write_calls=_qwen_calls,
    end="<|im_end|>",
    floor=floors.qwen,
)

GLM = Family(
    name="glm",
    title="closers that match at the end, tags",
    template={
        "defaults": {"role": "assistant"},
        "start_anchor": "<|assistant|>",
        "fields": {
            "reasoning_content": {"open": "<think>", "close_pattern": r"</think>\s*"},
            "tool_calls": {
                "open_pattern": r"<tool_call>(?P<name>\S+)\n?",
                "close_pattern": r"</tool_call>\s*",
                "repeats": True,
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": r"<arg_key>(?P<key>[^<]+)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
                },
                "transform": _NAMED_CALL,
            },
            "content": {"close_pattern": r"<\|user\|>\s*|$"},
        },
    },
    prompt="[gMASK]<sop><|user|>\nWhat will the weather be?<|assistant|>",
    marks=(
        *("<|user|>", "<|assistant|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
        *("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    ),
    reasoning=("\n<think>", "</think>\n"),
    answer=("", "\n"),
    write_calls=_glm_calls,
    end="<|user|>",
    floor=floors.glm,
)

GEMMA = Family(
    name="gemma",
    title="bodies in a dialect of JSON",
    template={
        "defaults": {"role": "assistant"},
        "start_anchor": "<|turn>model\n",
        "fields": {
            "reasoning_content": {"open": "<|channel>thought\n", "close": "<channel|>"},
            "tool_calls": {
                "open_pattern": r"<\|tool_call>call:(?P<name>\w+)",
                "close": "<tool_call|>",
                "repeats": True,
                "content": "json",
                "content_args": {"string_delims": [['<|"|>', '<|"|>']], "unquoted_keys": True},
                "transform": _NAMED_CALL,
            },
            "content": {"close": "<turn|>"},
        },
    },
    prompt="<|turn>user\nWhat will the weather be?<turn|>\n<|turn>model\n",
    marks=("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", '<|"|>'),
    reasoning=("<|channel>thought\n", "<channel|>"),
    answer=("", ""),
    write_calls=_gemma_calls,
    end="<turn|>",
    floor=floors.gemma,
)

COHERE = Family(
    name="cohere",
    title="a list of calls in JSON",
    template={
        "defaults": {"role": "assistant"},
        "start_anchor": "<|CHATBOT_TOKEN|>",
        "fields": {
            "reasoning_content": {"open": "<|START_THINKING|>", "close": "<|END_THINKING|>"},
            "content": {"open": "<|START_RESPONSE|>", "close": "<|END_RESPONSE|>"},
            "tool_calls": {
                "open": "<|START_ACTION|>",
                "close": "<|END_ACTION|>",
                "content": "json",
                "transform_each": True,
                "transform": {
                    "id": "{tool_call_id}",
                    "type": "function",
                    "function": {"name": "{tool_name}", "arguments": "{parameters}"},
                },
            },
        },
    },
    prompt="<|USER_TOKEN|>What will the weather be?<|END_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    marks=(
        *(
            "<|USER_TOKEN|>",
            "<|CHATBOT_TOKEN|>",
            "<|END_OF_TURN_TOKEN|>",
            "<|START_THINKING|>",
            "<|END_THINKING|>",
        ),
        *("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_ACTION|>", "<|END_ACTION|>"),
    ),
    reasoning=("<|START_THINKING|>", "<|END_THINKING|>"),
    answer=("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    write_calls=_cohere_calls,
    end="<|END_OF_TURN_TOKEN|>",
    floor=floors.cohere,
)

LFM2 = Family(
    name="lfm2",
    title="a list of calls as in Python",
    template={
        **_CHATML,
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>"},
            "tool_calls": {
                "open": "<|tool_call_start|>",
                "close": "<|tool_call_end|>",
                "content": "python-call-list",
                "transform_each": True,
                "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
            },
            "content": {"close": "<|im_end|>"},
        },
    },
    prompt=_CHATML_PROMPT,
    marks=(*_CHATML_MARKS, "<|tool_call_start|>", "<|tool_call_end|>"),
    reasoning=("<think>\n", "\n</think>\n\n"),
    answer=("", "\n\n"),
    write_calls=_lfm2_calls,
    end="<|im_end|>",
    floor=floors.lfm2,
)

FAMILIES = (SMOLLM3, GPT_OSS, QWEN, GLM, GEMMA, COHERE, LFM2)
