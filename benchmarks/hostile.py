"""Texts made to be slow, for parsers that search again or backtrack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.families import COHERE, GEMMA, GLM, GPT_OSS, LFM2, QWEN, SMOLLM3

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.families import Family


@dataclass(frozen=True, slots=True)
class Hostile:
    """A text for a family: what stands before, what is repeated up to the wanted length, and what stands after it."""

    what: str
    family: Family
    before: str
    repeated: str | Callable[[int], str]
    after: str = ""
    in_prompt: bool = False

    def write(self, characters: int) -> tuple[str, str]:
        """Give a prompt and a text of about so many characters; the text is short where the prompt is what is long."""
        if isinstance(self.repeated, str):
            middle = self.repeated * max(1, characters // len(self.repeated))
        else:
            middle = self.repeated(characters)
        if self.in_prompt:
            return self.before + middle + self.after, "Yes."
        return self.family.prompt, self.before + middle + self.after


def _numbered(pattern: str) -> Callable[[int], str]:
    """Repeat a pattern with a running number in it, up to the wanted length."""

    def write(characters: int) -> str:
        return "".join(pattern.format(number) for number in range(max(1, characters // (len(pattern) + 2))))

    return write


_QWEN_OPEN = "</think><tool_call>\n<function=look>\n"
_VALUE_END = "x\n</parameter>\n</function>\n</tool_call>"
_CALL = "<tool_call>\n<function=look>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\n"
_RECORD = '{"tool_call_id":"","tool_name":"","parameters":{}}'
_TURN = "<|im_start|>user\nHi  \n<|im_end|>\n<|im_start|>assistant\n"
_LFM2_OPEN = "<|tool_call_start|>[look("
_LFM2_CLOSE = ")]<|tool_call_end|>"

HOSTILE = (
    Hostile("half delimiters", SMOLLM3, "", "<tool_cal"),
    Hostile("first characters only", SMOLLM3, "", "<"),
    Hostile("half closers in a region", SMOLLM3, "<think>", "</think"),
    Hostile("many empty regions", SMOLLM3, "", "<think></think>"),
    Hostile("many tiny calls", SMOLLM3, "", "<tool_call>{}</tool_call>"),
    Hostile("a call never closed", SMOLLM3, '<tool_call>{"a": "', "x"),
    Hostile("a header that never ends", GPT_OSS, "<|channel|>commentary to=functions.look", " word"),
    Hostile("a name that never ends", GPT_OSS, "<|channel|>commentary to=functions.", "x"),
    Hostile("headers begun again and again", GPT_OSS, "", "<|channel|>commentary to=functions.look "),
    Hostile("text outside all regions", GPT_OSS, "", "word "),
    Hostile("blanks before delimiters", QWEN, "</think>", " "),
    Hostile("lines of blanks before delimiters", QWEN, "</think>", "a   \n\n"),
    Hostile("many calls", QWEN, "</think>", _CALL),
    Hostile("blanks in an opener", QWEN, "</think><tool_call>", " "),
    Hostile("a call cut off in blanks", QWEN, _QWEN_OPEN + "<parameter=a>\n", " "),
    Hostile("blanks in a value", QWEN, _QWEN_OPEN + "<parameter=a>\n", " ", _VALUE_END),
    Hostile("many tags never closed", QWEN, _QWEN_OPEN, "<parameter=a>", "</function></tool_call>"),
    Hostile("many tags", QWEN, _QWEN_OPEN, _numbered("<parameter=k{}>\n1\n</parameter>\n"), "</function></tool_call>"),
    Hostile("blanks after closers", GLM, "<think></think>", "\n"),
    Hostile("a name without end", GLM, "<tool_call>", "x"),
    Hostile("keys never closed", GLM, "<tool_call>look\n", "<arg_key>k", "</tool_call>"),
    Hostile("many strings of a dialect", GEMMA, '<|tool_call>call:look{a:[', '<|"|>x<|"|>,', "1]}<tool_call|>"),
    Hostile("marks of strings never paired", GEMMA, "<|tool_call>call:look{a:", '<|"|', "}<tool_call|>"),
    Hostile("escaped quotes never closed", GEMMA, '<|tool_call>call:look{a:"', '\\"', "}<tool_call|>"),
    Hostile("commas before a bare key", GEMMA, "<|tool_call>call:look{", ", ", "}<tool_call|>"),
    Hostile("many records", COHERE, "<|START_ACTION|>[", _RECORD + ",", _RECORD + "]<|END_ACTION|>"),
    Hostile("many arguments", LFM2, _LFM2_OPEN, _numbered("a{}=1, "), "z=0" + _LFM2_CLOSE),
    Hostile("escapes in a string", LFM2, _LFM2_OPEN + 'a="', "\\n", '"' + _LFM2_CLOSE),
    Hostile("a string never closed", LFM2, _LFM2_OPEN + 'a="', "x", _LFM2_CLOSE),
    Hostile("a prompt without an anchor", SMOLLM3, "", "word ", in_prompt=True),
    Hostile("a prompt of anchors", SMOLLM3, "", "<|im_start|>assistant\n", in_prompt=True),
    Hostile("a prompt of many turns", QWEN, "", _TURN, in_prompt=True),
    Hostile("a prompt that ends in blanks", QWEN, "<|im_start|>assistant\n", " ", in_prompt=True),
)  # fmt: skip
