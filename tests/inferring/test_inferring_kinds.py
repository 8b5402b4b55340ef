"""Each way to write reasoning and calls is found, and read back clean without a warning."""

from __future__ import annotations

from typing import Any, Final

import pytest

import respc
from inferring.small_formats import JSON, THINK, SmallFormat, call, each_call, inferred, read
from respc.verifying import Kind, Outcome

TAGS: Final = (
    "<tool>{{ f.name }}{% for key, value in f.arguments.items() %}"
    "<key>{{ key }}</key><value>{{ value if value is string else value | tojson }}</value>{% endfor %}</tool>"
)
INVOKE: Final = (
    '<invoke name="{{ f.name }}">{% for key, value in f.arguments.items() %}\n'
    '<param name="{{ key }}" string="{{ (value is string) | tojson }}">'
    "{{ value if value is string else value | tojson }}</param>{% endfor %}\n</invoke>\n"
)
LINES: Final = (
    "<tool>\n<function={{ f.name }}>\n{% for key, value in f.arguments.items() %}<parameter={{ key }}>\n"
    "{{ value if value is string else value | tojson }}\n</parameter>\n{% endfor %}</function>\n</tool>"
)
PYTHON: Final = (
    "{{ f.name }}({% for key, value in f.arguments.items() %}{{ key }}={{ value | tojson }}"
    "{% if not loop.last %}, {% endif %}{% endfor %})"
)
CDATA: Final = (
    '<function name="{{ f.name }}">{% for key, value in f.arguments.items() %}<param name="{{ key }}">'
    "{% if value is not string %}{{ value | tojson }}"
    "{% elif '<' in value or '&' in value or '\n' in value %}<![CDATA[{{ value }}]]>"
    "{% else %}{{ value }}{% endif %}</param>{% endfor %}</function>"
)
DIALECT: Final = (
    "{% macro write(v) %}{% if v is string %}<|q|>{{ v }}<|q|>{% elif v is mapping %}"
    "{ {%- for k, i in v.items() %}{{ k }}:{{ write(i) }}{% if not loop.last %},{% endif %}{% endfor -%} }"
    "{% elif v is iterable %}[{% for i in v %}{{ write(i) }}{% if not loop.last %},{% endif %}{% endfor %}]"
    "{% else %}{{ v | tojson }}{% endif %}{% endmacro %}"
)
ARGUMENTS: Final = "{{ f.arguments | tojson }}"

CALLS: Final[dict[str, str]] = {
    "an object in marks": each_call(f"<call>{JSON}</call>"),
    "an object in marks and lines": each_call(f"<call>\n{JSON}\n</call>", between="\n"),
    "an object behind a mark": each_call(f"<|call|>{JSON}"),
    "an object behind a word": each_call(f"Call: {JSON}", between="\n"),
    "an object of another shape": each_call(
        "<call>{{ {'type': 'function', 'function': {'tool': f.name, 'parameters': f.arguments}} | tojson }}</call>"
    ),
    "objects in a section": each_call(f"<c>{JSON}</c>", first="<calls>", last="</calls>"),
    "objects one behind another in a section": each_call(
        JSON, first="<calls>\n", between="\n", last="\n</calls>"
    ),
    "an object that nothing opens": each_call(JSON, between="\n"),
    "a list in marks": each_call(JSON, first="<calls>[", between=", ", last="]</calls>"),
    "a list behind a word": each_call(JSON, first="Action: [", between=", ", last="]"),
    "a list with ids": each_call(
        "{{ {'name': f.name, 'arguments': f.arguments, 'id': call.id} | tojson }}",
        first="[CALLS][",
        between=", ",
        last="]",
    ),
    "a name and JSON": each_call(f"<call>{{{{ f.name }}}}<args>{ARGUMENTS}</call>"),
    "a name and JSON in a section": each_call(
        f"<call>function<sep>{{{{ f.name }}}}\n```json\n{ARGUMENTS}\n```</call>",
        first="<calls>",
        between="\n",
        last="</calls>",
    ),
    "a name, JSON and an index": each_call(
        f"<call>functions.{{{{ f.name }}}}:{{{{ loop.index0 }}}}<args>{ARGUMENTS}</call>"
    ),
    "an id, a name and JSON": each_call(
        f"<call>{{{{ call.id }}}}<name>{{{{ f.name }}}}<args>{ARGUMENTS}</call>"
    ),
    "a name that opens, and JSON": each_call(f"[CALLS]{{{{ f.name }}}}[ARGS]{ARGUMENTS}"),
    "a name as a key": each_call(
        f'{{"{{{{ f.name }}}}": {ARGUMENTS}}}', first="<calls>[", between=", ", last="]</calls>"
    ),
    "a name in a tag and JSON": each_call(f"<function={{{{ f.name }}}}>{ARGUMENTS}</function>"),
    "nearly JSON": DIALECT + each_call("<|call>{{ f.name }}{{ write(f.arguments) }}<call|>"),
    "a list of calls in Python": each_call(PYTHON, first="<calls>[", between=", ", last="]</calls>"),
    "a list of calls in Python that nothing opens": each_call(PYTHON, first="[", between=", ", last="]"),
    "tags": each_call(TAGS),
    "tags with types, in a section": each_call(INVOKE, first="<calls>\n", last="</calls>"),
    "tags in lines": each_call(LINES, between="\n"),
    "tags whose values have two forms": each_call(CDATA),
    "tags with JSON strings": each_call(
        "<tool>{{ f.name }}{% for key, value in f.arguments.items() %}"
        '<arg key="{{ key }}">{{ value | tojson }}</arg>{% endfor %}</tool>'
    ),
    "tags, and the name twice": each_call(
        '<|to|>{{ f.name }}<|text|><invoke name="{{ f.name }}">'
        '{% for key, value in f.arguments.items() %}<param name="{{ key }}">'
        "{{ value if value is string else value | tojson }}</param>{% endfor %}</invoke>"
    ),
    "tags of several marks": each_call(
        '<|open|>call tool="{{ f.name }}" index="{{ loop.index }}"<|sep|>'
        '{% for key, value in f.arguments.items() %}<|open|>argument key="{{ key }}"<|sep|>'
        "{{ value if value is string else value | tojson }}<|close|>argument<|sep|>{% endfor %}"
        "<|close|>call<|sep|>",
        first="<|open|>tools<|sep|>",
        last="<|close|>tools<|sep|>",
    ),
}

REASONING: Final[dict[str, SmallFormat]] = {
    "from a field": SmallFormat(reasoning=THINK),
    "with an empty pair": SmallFormat(
        reasoning="<think>\n{{ message.reasoning_content or '' }}\n</think>\n\n"
    ),
    "opened by the prompt": SmallFormat(
        reasoning="<think>{{ message.reasoning_content or '' }}</think>", prompt="<think>"
    ),
    "closed by itself alone": SmallFormat(
        reasoning="{% if message.reasoning_content %}<think>{{ message.reasoning_content }}{% endif %}</think>",
    ),
    "with marks of several tokens": SmallFormat(
        reasoning="<|open|>think<|sep|>{{ message.reasoning_content or '' }}<|close|>think<|sep|>",
        content="<|open|>response<|sep|>{{ message.content or '' }}<|close|>response<|sep|>",
    ),
    "as a channel": SmallFormat(
        begin="<|start|>model",
        reasoning="{% if message.reasoning_content %}"
        "<|channel|>analysis<|text|>{{ message.reasoning_content }}<|end|><|start|>model{% endif %}",
        content="<|channel|>final<|text|>{{ message.content or '' }}",
    ),
    "in words": SmallFormat(
        reasoning="{% if message.reasoning_content %}Here is what I think:\n{{ message.reasoning_content }}\n"
        "[BEGIN ANSWER]\n{% endif %}",
    ),
    "in blocks of the content": SmallFormat(
        content="{% if message.content is string %}{{ message.content }}{% else %}"
        "{% for part in message.content or [] %}{% if part.type == 'thinking' %}[THINK]{{ part.thinking }}[/THINK]"
        "{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}",
    ),
}


@pytest.mark.parametrize("kind", CALLS)
def test_calls(kind: str) -> None:
    inference = inferred(SmallFormat(calls=CALLS[kind], reasoning=THINK).text)
    assert inference.clean, [cause for cause in inference.verification.causes if cause.counts]
    assert inference.warnings == ()
    features = {row.feature for row in inference.verification.rows if row.outcome is Outcome.OK}
    assert {"answer", "reasoning", "call", "text and call", "several calls", "no arguments"} <= features


@pytest.mark.parametrize("kind", REASONING)
def test_reasoning(kind: str) -> None:
    inference = inferred(REASONING[kind].text)
    assert inference.clean, [cause for cause in inference.verification.causes if cause.counts]
    assert inference.warnings == ()
    features = {row.feature for row in inference.verification.rows if row.outcome is Outcome.OK}
    assert {"answer", "reasoning"} <= features


def test_reasoning_only_with_calls() -> None:
    kept = "{% if message.reasoning_content and message.tool_calls %}"
    reasoning = f"{kept}<think>{{{{ message.reasoning_content }}}}</think>{{% endif %}}"
    inference = inferred(SmallFormat(calls=CALLS["an object in marks"], reasoning=reasoning).text)
    assert inference.clean
    assert read(inference, "<think>Hm.</think>Yes.") == {"reasoning_content": "Hm.", "content": "Yes."}


def test_reasoning_that_is_taken_out_of_the_content() -> None:
    content = "{{ (message.content or '').split('</think>')[-1] }}"
    inference = inferred(SmallFormat(content=content).text)
    assert inference.clean
    assert read(inference, "<think>Hm.</think>Yes.<|over|>") == {
        "reasoning_content": "Hm.",
        "content": "Yes.",
    }


def test_an_id_in_the_opener_of_a_call_is_kept() -> None:
    inference = inferred(SmallFormat(calls=CALLS["an id, a name and JSON"], reasoning=THINK).text)
    message = read(inference, '<call>abc<name>f<args>{"a": 1}</call>')
    assert message["tool_calls"] == [{**call("f", a=1), "id": "abc"}]


def test_an_id_in_a_record_may_be_missing() -> None:
    inference = inferred(SmallFormat(calls=CALLS["a list with ids"], reasoning=THINK).text)
    for record in (
        '{"name": "f", "arguments": {"a": 1}}',
        '{"name": "f", "arguments": {"a": 1}, "id": "abc"}',
    ):
        assert read(inference, f"[CALLS][{record}]")["tool_calls"] == [call("f", a=1)]


def test_a_template_without_calls_has_no_field_for_them() -> None:
    inference = inferred(SmallFormat().text)
    assert inference.clean
    assert list(inference.template["fields"]) == ["content"]


def test_what_a_chat_template_loses_is_its_own_fault() -> None:
    write = DIALECT.replace("{{ v | tojson }}", "{{ v if v is none else v | tojson }}")
    inference = inferred(
        SmallFormat(calls=write + each_call("<|call>{{ f.name }}{{ write(f.arguments) }}<call|>")).text
    )
    losses = [cause.subject for cause in inference.verification.causes if cause.kind is Kind.LOST]
    assert losses == ["null, written as Python writes it"]


@pytest.mark.parametrize("kind", CALLS)
def test_what_is_inferred_compiles_and_is_checked(kind: str) -> None:
    template: dict[str, Any] = inferred(SmallFormat(calls=CALLS[kind], reasoning=THINK).text).template
    found = [each for each in respc.check_template(template) if each.severity.value != "note"]
    assert not found
