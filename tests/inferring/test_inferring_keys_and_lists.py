"""Tags that are named after the keys of arguments, and chat templates that change their own lists."""

from __future__ import annotations

from typing import Final

from inferring.small_formats import JSON, SmallFormat, call, each_call, inferred, read

KEY_TAGS: Final = each_call(
    "<tool={{ f.name }}>{% for key, value in f.arguments.items() %}"
    "<arg:{{ key }}>{{ value if value is string else value | tojson }}</arg:{{ key }}>{% endfor %}</tool>"
)
GATHERED: Final = (
    "{% if message.tool_calls %}{% set gathered = [] %}{% for call in message.tool_calls %}"
    f"{{% set f = call.function %}}{{% set _ = gathered.append('<call>' ~ {JSON[3:-3]} ~ '</call>') %}}{{% endfor %}}"
    "{{ gathered | join }}{% endif %}"
)


def test_a_tag_may_have_the_name_of_its_argument() -> None:
    inference = inferred(SmallFormat(calls=KEY_TAGS).text)
    assert inference.clean
    text = "<tool=f><arg:a>x > <b>y</b></arg:a><arg:long_key>{}</arg:long_key></tool><tool=g></tool><|over|>"
    assert read(inference, text) == {"tool_calls": [call("f", a="x > <b>y</b>", long_key="{}"), call("g")]}


def test_a_chat_template_may_change_its_own_lists() -> None:
    inference = inferred(SmallFormat(calls=GATHERED).text)
    assert inference.clean
    text = 'So.<call>{"name": "f", "arguments": {"a": 1}}</call>'
    assert read(inference, text) == {"content": "So.", "tool_calls": [call("f", a=1)]}
