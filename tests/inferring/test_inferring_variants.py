"""What models write otherwise than their chat templates: blanks, ids, closers, and calls that only prompts tell of."""

from __future__ import annotations

from typing import Any, Final

import pytest

from inferring.small_formats import JSON, THINK, SmallFormat, call, each_call, inferred, read

NAMED: Final = each_call("[CALLS]{{ f.name }}[ARGS]{{ f.arguments | tojson }}")
LISTED: Final = each_call(JSON, first="[CALLS][", between=", ", last="]")
PYTHON: Final = each_call(
    "{{ f.name }}({% for key, value in f.arguments.items() %}{{ key }}={{ value | tojson }}"
    "{% if not loop.last %}, {% endif %}{% endfor %})",
    first="[CALLS][",
    between=", ",
    last="]",
)
SECTIONED: Final = each_call(
    "<call>{{ f.name }}<args>{{ f.arguments | tojson }}</call>", first="<calls>", last="</calls>"
)
WITH_ID: Final = each_call("[CALLS]{{ f.name }}[ID]{{ call.id }}[ARGS]{{ f.arguments | tojson }}")
ID_WITH_NAME: Final = each_call("<call>{{ call.id }}<args>{{ f.arguments | tojson }}</call>")
BY_WORD: Final = SmallFormat(
    calls=each_call(">>>{{ f.name }}\n{{ f.arguments | tojson }}"),
    content="{% if message.content %}>>>all\n{{ message.content }}{% endif %}",
)
F: Final = call("f", a=1)


def parsed(calls: str, text: str, **pieces: Any) -> Any:
    inference = inferred(SmallFormat(calls=calls, **pieces).text)
    assert inference.clean
    assert inference.warnings == ()
    return read(inference, text)


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_blanks_may_stand_in_front_of_a_mark(blank: str) -> None:
    text = f'<think>Hm.<calls><call>f{blank}<args>{{"a": 1}}</call>{blank}</calls>'
    assert parsed(SECTIONED, text, reasoning=THINK) == {"reasoning_content": "Hm.", "tool_calls": [F]}


def test_the_end_of_a_section_ends_a_call() -> None:
    text = '<calls><call>f<args>{"a": 1}</calls>Yes.'
    assert parsed(SECTIONED, text) == {"tool_calls": [F], "content": "Yes."}


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        (NAMED, '[CALLS]f[ARGS]{"a": 1}'),
        (NAMED, '[CALLS]f[ARGS]{\n  "a":\n  1\n}'),
        (LISTED, '[CALLS][{"name": "f", "arguments": {"a": 1}}]'),
        (LISTED, '[CALLS][\n  {"name": "f",\n  "arguments": {\n"a": 1}}\n]'),
        (PYTHON, "[CALLS][f(a=1)]"),
        (PYTHON, "[CALLS][\n  f(\n    a=1\n  )\n]"),
    ],
)
def test_a_line_of_text_ends_a_call_that_no_mark_ends(calls: str, text: str) -> None:
    assert parsed(calls, text) == {"tool_calls": [F]}
    assert parsed(calls, f"{text}\nThat is all.") == {"tool_calls": [F], "content": "That is all."}


def test_the_id_of_a_call_and_its_mark_may_be_missing() -> None:
    assert parsed(WITH_ID, '[CALLS]f[ID]id1[ARGS]{"a": 1}') == {"tool_calls": [{**F, "id": "id1"}]}
    for text in ('[CALLS]f[ARGS]{"a": 1}', '[CALLS]f{"a": 1}'):
        assert parsed(WITH_ID, text) == {"tool_calls": [{**F, "id": ""}]}


def test_an_id_that_the_name_is_a_part_of_is_read_whole() -> None:
    text = '<call>functions.f:3<args>{"a": 1}</call>'
    assert parsed(ID_WITH_NAME, text) == {"tool_calls": [{**F, "id": "functions.f:3"}]}


def test_the_word_in_front_of_content_is_the_name_of_no_tool() -> None:
    inference = inferred(BY_WORD.text)
    assert inference.clean
    assert read(inference, ">>>all\nYes.") == {"content": "Yes."}
    assert read(inference, '>>>all\n{"a": 1}') == {"content": '{"a": 1}'}
    for name in ("a", "al", "alle", "all_x", "bll", "f"):
        text = f'>>>all\nYes.>>>{name}\n{{"a": 1}}'
        assert read(inference, text) == {"content": "Yes.", "tool_calls": [call(name, a=1)]}


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (
            'Call: <call>{"name": <name>, "parameters": <object>}</call>.',
            '<call>{"name": "f", "parameters": {"a": 1}}</call>',
        ),
        (
            'Call: <|call|>[{"name": <name>, "arguments": <object>}].',
            '<|call|>[{"name": "f", "arguments": {"a": 1}}]',
        ),
        (
            "Write <|call|> followed by a JSON list of tools.",
            '<|call|>[{"name": "f", "arguments": {"a": 1}}]',
        ),
    ],
)
def test_calls_that_are_never_written_are_read_as_the_prompt_tells(told: str, text: str) -> None:
    chat_template = f"{{% if tools %}}<|tools|>{{{{ {told!r} }}}}<|over|>\n{{% endif %}}" + SmallFormat().text
    inference = inferred(chat_template)
    assert inference.clean
    assert read(inference, f"So. {text}<|over|>") == {"content": "So.", "tool_calls": [F]}
    assert {seen.feature for seen in inference.observations if seen.field == "tool_calls"} == {"prompt"}


def test_tools_that_the_prompt_lists_are_no_calls() -> None:
    listed = (
        "{% if tools %}<|tools|>{% for t in tools %}{{ t.function | tojson }}{% endfor %}<|over|>{% endif %}"
    )
    assert "tool_calls" not in inferred(listed + SmallFormat().text).template["fields"]


def test_each_key_is_shown_with_the_piece_that_it_matches() -> None:
    inference = inferred(SmallFormat(calls=SECTIONED, reasoning=THINK).text)
    shown = {(seen.field, seen.key): seen.excerpt for seen in inference.observations}
    assert shown == {
        ("", "start_anchor"): "<|model|>\n",
        ("reasoning_content", "open"): "<think>",
        ("reasoning_content", "close_pattern"): "</think>\n\n",
        ("tool_calls", "open_pattern"): "<call>zfirstfun<args>",
        ("tool_calls", "close_pattern"): "</call>",
        ("tool_calls", "content"): '{"qkeyone": "wvalueone"}',
        ("content", "close_pattern"): "<|over|>\n",
    }
    assert all(seen.excerpt in seen.rendering for seen in inference.observations)
