"""What vLLM's grammars of calls let a model write.

Run as a script, in an environment that has vLLM: it prints in JSON which grammars do not accept these texts.
"""

from __future__ import annotations

import json
from typing import Any, Final

TOOL: Final[dict[str, Any]] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
_ARGUMENTS: Final = '{"city": "Bergen"}'
_DSML: Final = (
    '<｜DSML｜{0}invoke name="get_weather">\n<｜DSML｜{0}parameter name="city" string="true">Bergen'
    "</｜DSML｜{0}parameter>\n</｜DSML｜{0}invoke>\n"
)
WRITTEN: Final = {
    "deepseek_r1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        f"```json\n{_ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek_v3_1": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{_ARGUMENTS}"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek_v3_2": f"\n\n<｜DSML｜function_calls>\n{_DSML.format('')}</｜DSML｜function_calls>",
    "deepseek_v4": f"\n\n<｜DSML｜tool_calls>\n{_DSML.format('')}</｜DSML｜tool_calls>",
    "deepseek_v4_1": f"\n\n<｜DSML｜ calls>\n{_DSML.format(' ')}</｜DSML｜ calls>",
    "glm_4_7": ("<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bergen</arg_value></tool_call>"),
    "hermes": f'<tool_call>\n{{"name": "get_weather", "arguments": {_ARGUMENTS}}}\n</tool_call>',
    "hy_v4": (
        "<tool_calls><tool_call>get_weather<arg_key>city</arg_key><arg_value>Bergen</arg_value></tool_call>"
        "</tool_calls>"
    ),
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        f"<|tool_call_argument_begin|>{_ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "kimi_k3": (
        '<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" '
        'index="0"<|sep|><|open|>argument key="city" type="string"<|sep|>Bergen<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>"
    ),
    "llama": f'{{"name": "get_weather", "parameters": {_ARGUMENTS}}}',
    "longcat": (
        f'<longcat_tool_call>\n{{"name": "get_weather", "arguments": {_ARGUMENTS}}}\n</longcat_tool_call>'
    ),
    "mimo": ("<tool_call><function=get_weather><parameter=city>Bergen</parameter></function></tool_call>"),
    "minimax": (
        '\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Bergen</parameter>'
        "</invoke>\n</minimax:tool_call>"
    ),
    "plamo3": (
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
        f"<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{_ARGUMENTS}"
        "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>"
    ),
    "qwen_3_coder": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nBergen\n</parameter>\n</function>\n</tool_call>"
    ),
}
"""A call in each, by vLLM's name of the grammar."""


def refused() -> dict[str, str]:
    """Give the grammars that do not accept their text, or cannot be had, and why."""
    import vllm.platforms  # noqa: F401
    import xgrammar
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionToolsParam
    from vllm.tool_parsers.structural_tag_registry import get_model_structural_tag
    from xgrammar.testing import _is_grammar_accept_string

    tools: Any = [ChatCompletionToolsParam(**TOOL)]
    found: dict[str, str] = {}
    for model, text in WRITTEN.items():
        try:
            tag: Any = get_model_structural_tag(model, tools, "required", reasoning=False)
            if not _is_grammar_accept_string(xgrammar.Grammar.from_structural_tag(tag), text):
                found[model] = "does not accept the text"
        except Exception as error:
            found[model] = f"{type(error).__name__}: {error}"
    return found


if __name__ == "__main__":
    print(json.dumps(refused()))
