"""Headers that a chat template writes in one way are read in the others that models write."""

from __future__ import annotations

from typing import Any, Final

import pytest

from inferring.small_formats import SmallFormat, call, each_call, inferred, read

BEGIN: Final = "<|start|>model"
FORMAT: Final = SmallFormat(
    calls=each_call(" to=tools.{{ f.name }}<|lane|>notes json<|text|>{{ f.arguments | tojson }}<|call|>"),
    reasoning="{% if message.reasoning_content %}<|lane|>thought<|text|>{{ message.reasoning_content }}<|stop|>"
    f"{BEGIN}{{% endif %}}",
    content="{% if message.content %}<|lane|>answer<|text|>{{ message.content }}"
    f"{{% if message.tool_calls %}}<|stop|>{BEGIN}{{% endif %}}{{% endif %}}",
    user=("<|start|>user<|text|>", "<|stop|>"),
    begin=BEGIN,
    end="{% if not message.tool_calls %}<|return|>{% endif %}",
    result=f"<|start|>tool<|text|>{{{{ message.content }}}}<|stop|>{BEGIN}",
)
F: Final = call("f", a=1)


def parsed(text: str) -> Any:
    inference = inferred(FORMAT.text)
    assert inference.clean
    assert inference.warnings == ()
    return read(inference, text, BEGIN)


@pytest.mark.parametrize(
    "header",
    [
        " to=tools.f<|lane|>notes json<|text|>",
        " to=tools.f<|lane|>thought<|text|>",
        " to=tools.f<|text|>",
        " to=f<|lane|>notes<|text|>",
        "<|lane|>notes to=tools.f<|text|>",
        "<|lane|>notes to=tools.f <|form|>json<|text|>",
        "<|lane|>thought to=tools.f<|text|>",
    ],
)
def test_the_recipient_of_a_call_stands_anywhere(header: str) -> None:
    assert parsed(f'{header}{{"a": 1}}<|call|>') == {"tool_calls": [F]}
    reasoned = parsed(f'<|lane|>thought<|text|>Hm.<|stop|>{BEGIN}{header}{{"a": 1}}<|call|>')
    assert reasoned == {"reasoning_content": "Hm.", "tool_calls": [F]}


def test_a_header_with_another_word_is_one_of_content() -> None:
    assert parsed("<|lane|>notes<|text|>So.<|return|>") == {"content": "So."}
    text = f"<|lane|>thought<|text|>Hm.<|stop|>{BEGIN}<|lane|>notes<|text|>So.<|stop|>{BEGIN}<|lane|>answer<|text|>Yes."
    assert parsed(text) == {"reasoning_content": "Hm.", "content": "So.\nYes."}


def test_what_only_looks_like_a_recipient_is_text() -> None:
    assert parsed("<|lane|>answer<|text|>Write to=tools.f for it.") == {"content": "Write to=tools.f for it."}
