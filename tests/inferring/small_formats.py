"""Small chat templates, made here: each writes reasoning, content and calls in a way of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.inferring import InferenceRequest, inferred_here

if TYPE_CHECKING:
    from respc.inferring import Inference

JSON: Final = "{{ {'name': f.name, 'arguments': f.arguments} | tojson }}"
"""A call as a JSON object."""


@dataclass(frozen=True)
class SmallFormat:
    """The pieces that a chat template is made of.

    Attributes:
        calls: what writes `message.tool_calls`; "" where calls are left out.
        reasoning: what writes `message.reasoning_content`.
        content: what writes `message.content`.
        user: what begins and ends another turn than the model's.
        begin: what begins a turn of the model.
        end: what ends it.
        prompt: what prompts have behind `begin`.
        result: what writes the result of a tool, and begins the rest of the turn.
    """

    calls: str = ""
    reasoning: str = ""
    content: str = "{{ message.content or '' }}"
    user: tuple[str, str] = ("<|user|>", "<|over|>\n")
    begin: str = "<|model|>\n"
    end: str = "<|over|>\n"
    prompt: str = ""
    result: str = ""

    @property
    def text(self) -> str:
        """The chat template."""
        begun, ended = self.user
        result = self.result or f"{begun}<result>{{{{ message.content }}}}</result>{ended}{self.begin}"
        tools = "{% if tools %}<|tools|>{% for t in tools %}{{ t | tojson }}{% endfor %}<|over|>\n{% endif %}"
        model = f"{self.reasoning}{self.content}{self.calls}{self.end}"
        return (
            f"{tools}{{% set ns = namespace(open=false) %}}{{% for message in messages %}}"
            "{% if message.role == 'assistant' %}"
            f"{{% if not ns.open %}}{self.begin}{{% endif %}}{model}{{% set ns.open = false %}}"
            f"{{% elif message.role == 'tool' %}}{result}{{% set ns.open = true %}}"
            f"{{% else %}}{begun}{{{{ message.content if message.content is string else '' }}}}{ended}{{% endif %}}"
            "{% endfor %}"
            f"{{% if add_generation_prompt %}}{{% if not ns.open %}}{self.begin}{{% endif %}}{self.prompt}{{% endif %}}"
        )


def each_call(body: str, *, first: str = "", between: str = "", last: str = "") -> str:
    """Write calls one by one.

    Args:
        body: one call; the function is `f`, and the call `call`.
        first: in front of all.
        between: between two.
        last: behind all.
    """
    # As expressions: Jinja takes away the line feed behind a block.
    begun, separator, ended = (f"{{{{ {text!r} }}}}" if text else "" for text in (first, between, last))
    if separator:
        separator = f"{{% if not loop.last %}}{separator}{{% endif %}}"
    return (
        f"{{% if message.tool_calls %}}{begun}{{% for call in message.tool_calls %}}{{% set f = call.function %}}"
        f"{body}{separator}{{% endfor %}}{ended}{{% endif %}}"
    )


THINK: Final = (
    "{% if message.reasoning_content %}<think>\n{{ message.reasoning_content }}\n</think>\n\n{% endif %}"
)


@cache
def inferred(chat_template: str) -> Inference:
    """Infer a response template, in this process."""
    return inferred_here(
        InferenceRequest({"default": chat_template}, given={"bos_token": "", "eos_token": ""})
    )


def read(inference: Inference, text: str, prompt: str = "<|model|>\n") -> Any:
    """Read a text with the template that was inferred, without the role."""
    message = respc.parse_response(text, inference.template, prefix=prompt)
    return {key: value for key, value in message.items() if key != "role"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Give a call as messages have it."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}}
