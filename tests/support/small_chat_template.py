"""A small chat template and a response template that reads it back, for tests that break either."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.chat_templates import ChatTemplate
from respc.verifying import prove, writings

if TYPE_CHECKING:
    from respc.verifying import Verification, Writings

CHAT_TEMPLATE: Final = """\
{%- if tools %}<|sys|>{% for tool in tools %}{{ tool | tojson }}{% endfor %}<|end|>
{% endif %}
{%- for message in messages %}<|{{ message.role }}|>
{% if message.role == 'assistant' and message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>
{% endif %}
{%- if message.content is string %}{{ message.content }}
{%- else %}{% for part in message.content or [] %}{{ part.text or '<|image|>' }}{% endfor %}{% endif %}
{%- for call in message.tool_calls or [] %}
<call>{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}</call>
{%- endfor %}<|end|>
{% endfor %}
{%- if add_generation_prompt %}<|assistant|>
{% if enable_thinking is defined and not enable_thinking %}<think>
</think>
{% endif %}{% endif %}"""

TEMPLATE: Final[dict[str, Any]] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "repeats": True, "join": "\n"},
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": "<|end|>", "repeats": True, "join": ""},
    },
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Give the response template with another value at a path of keys; None removes the key."""
    template = deepcopy(TEMPLATE)
    *keys, last = path.split("/")
    holder = template
    for key in keys:
        holder = holder[key]
    if value is None:
        del holder[last]
    else:
        holder[last] = value
    return template


def written_by(chat_template: str = CHAT_TEMPLATE, tools: list[dict[str, Any]] | None = None) -> Writings:
    """Write all texts by a chat template, in this process."""
    return writings(ChatTemplate(chat_template, {"bos_token": "", "eos_token": ""}), tools=tools)


def proved(written: Writings, template: dict[str, Any], *, streamed: bool = False) -> Verification:
    """Read them with a response template."""
    parser: Any = respc.load(template)
    return prove(written, template, parser, streamed=streamed)
