"""The least that a parser in Python could do, as a second measure beside the interpreter.

`LiteralFloor` keeps a chunk and gives its event, and looks at nothing. The functions parse a whole text of one
family, and only such a text as `benchmarks.families` writes: they know which part comes after which, so they
call ``find`` for the next mark, ``json.loads`` for bodies, and build dicts. They check nothing, and another
text would be taken apart wrongly.
"""

from __future__ import annotations

from json import loads
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]


class LiteralFloor:
    """Appends a text and gives a four-key dict display in a list of one."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[str] = []

    def feed(self, text: str) -> list[dict[str, Any]]:
        self._parts.append(text)
        return [{"type": "region_chunk", "field": "content", "text": text, "dirty": False}]


def _begun(prefix: str, anchor: str) -> str:
    return prefix[prefix.rfind(anchor) + len(anchor) :]


def smollm3(text: str, prefix: str) -> Message:
    _begun(prefix, "<|im_start|>assistant\n")
    find = text.find
    start = find("<think>") + 7
    end = find("</think>", start)
    reasoning = text[start:end].strip()
    start = find("<tool_call>", end)
    content = text[end + 8 : start if start >= 0 else find("<|im_end|>", end)].strip()
    calls = []
    while start >= 0:
        end = find("</tool_call>", start)
        calls.append({"type": "function", "function": loads(text[start + 11 : end])})
        start = find("<tool_call>", end)
    message: Message = {"role": "assistant", "reasoning_content": reasoning, "content": content}
    if calls:
        message["tool_calls"] = calls
    return message


def gpt_oss(text: str, prefix: str) -> Message:
    _begun(prefix, "<|start|>assistant")
    find = text.find
    start = find("<|message|>") + 11
    end = find("<|end|>", start)
    reasoning = text[start:end].strip()
    start = find("<|message|>", end) + 11
    end = find("<|end|>", start)
    content = text[start:end].strip()
    calls = []
    start = find("to=functions.", end)
    while start >= 0:
        name = text[start + 13 : find(" ", start)]
        start = find("<|message|>", start) + 11
        end = find("<|call|>", start)
        calls.append({"type": "function", "function": {"name": name, "arguments": loads(text[start:end])}})
        start = find("to=functions.", end)
    message: Message = {"role": "assistant", "reasoning_content": reasoning, "content": content}
    if calls:
        message["tool_calls"] = calls
    return message


def qwen(text: str, prefix: str) -> Message:
    begun = _begun(prefix, "<|im_start|>assistant\n")
    find = text.find
    end = find("</think>")
    reasoning = (begun[7:] + text[:end]).strip()
    start = find("<tool_call>", end)
    content = text[end + 8 : start if start >= 0 else find("<|im_end|>", end)].strip()
    calls = []
    while start >= 0:
        start = find("<function=", start) + 10
        name_end = find(">", start)
        last = find("</function>", name_end)
        arguments = {}
        key = find("<parameter=", name_end, last)
        while key >= 0:
            key_end = find(">", key)
            end = find("</parameter>", key_end)
            arguments[text[key + 11 : key_end]] = text[key_end + 1 : end].strip()
            key = find("<parameter=", end, last)
        calls.append({"type": "function", "function": {"name": text[start:name_end], "arguments": arguments}})
        start = find("<tool_call>", last)
    message: Message = {"role": "assistant", "reasoning_content": reasoning, "content": content}
    if calls:
        message["tool_calls"] = calls
    return message


def glm(text: str, prefix: str) -> Message:
    _begun(prefix, "<|assistant|>")
    find = text.find
    start = find("<think>") + 7
    end = find("</think>", start)
    reasoning = text[start:end].strip()
    start = find("<tool_call>", end)
    content = text[end + 8 : start if start >= 0 else find("<|user|>", end)].strip()
    calls = []
    while start >= 0:
        name_end = find("\n", start)
        last = find("</tool_call>", name_end)
        arguments = {}
        key = find("<arg_key>", name_end, last)
        while key >= 0:
            key_end = find("</arg_key>", key)
            value = find("<arg_value>", key_end) + 11
            end = find("</arg_value>", value)
            arguments[text[key + 9 : key_end]] = text[value:end]
            key = find("<arg_key>", end, last)
        calls.append(
            {"type": "function", "function": {"name": text[start + 11 : name_end], "arguments": arguments}}
        )
        start = find("<tool_call>", last)
    # The line break before the reasoning opens the answer's region first.
    message: Message = {"role": "assistant", "content": content, "reasoning_content": reasoning}
    if calls:
        message["tool_calls"] = calls
    return message


def gemma(text: str, prefix: str) -> Message:
    _begun(prefix, "<|turn>model\n")
    find = text.find
    start = find("<|channel>thought\n") + 18
    end = find("<channel|>", start)
    reasoning = text[start:end].strip()
    start = find("<|tool_call>call:", end)
    content = text[end + 10 : start if start >= 0 else find("<turn|>", end)].strip()
    calls = []
    while start >= 0:
        brace = find("{", start)
        end = find("<tool_call|>", brace)
        body = text[brace:end].replace('<|"|>', '"')
        body = (
            body.replace("{city:", '{"city":').replace(",days:", ',"days":').replace(",hours:", ',"hours":')
        )
        arguments = loads(body.replace(",metric:", ',"metric":').replace(",note:", ',"note":'))
        calls.append(
            {"type": "function", "function": {"name": text[start + 17 : brace], "arguments": arguments}}
        )
        start = find("<|tool_call>call:", end)
    message: Message = {"role": "assistant", "reasoning_content": reasoning, "content": content}
    if calls:
        message["tool_calls"] = calls
    return message


def cohere(text: str, prefix: str) -> Message:
    _begun(prefix, "<|CHATBOT_TOKEN|>")
    find = text.find
    start = find("<|START_THINKING|>") + 18
    end = find("<|END_THINKING|>", start)
    reasoning = text[start:end].strip()
    start = find("<|START_RESPONSE|>", end) + 18
    end = find("<|END_RESPONSE|>", start)
    content = text[start:end].strip()
    message: Message = {"role": "assistant", "reasoning_content": reasoning, "content": content}
    start = find("<|START_ACTION|>", end)
    if start >= 0:
        message["tool_calls"] = [
            {
                "id": call["tool_call_id"],
                "type": "function",
                "function": {"name": call["tool_name"], "arguments": call["parameters"]},
            }
            for call in loads(text[start + 16 : find("<|END_ACTION|>", start)])
        ]
    return message


def lfm2(text: str, prefix: str) -> Message:
    _begun(prefix, "<|im_start|>assistant\n")
    find = text.find
    start = find("<think>") + 7
    end = find("</think>", start)
    reasoning = text[start:end].strip()
    start = find("<|tool_call_start|>", end)
    content = text[end + 8 : start if start >= 0 else find("<|im_end|>", end)].strip()
    message: Message = {"role": "assistant", "reasoning_content": reasoning, "content": content}
    if start >= 0:
        calls = message["tool_calls"] = []
        for call in text[start + 20 : find("<|tool_call_end|>", start) - 2].split("), "):
            name, _, body = call.partition("(")
            body = (
                body.replace("city=", '{"city":')
                .replace(", days=", ',"days":')
                .replace(", hours=", ',"hours":')
            )
            body = body.replace(", metric=T", ',"metric":t').replace(", metric=F", ',"metric":f')
            arguments = loads(body.replace(", note=", ',"note":') + "}")
            calls.append({"type": "function", "function": {"name": name, "arguments": arguments}})
    return message
