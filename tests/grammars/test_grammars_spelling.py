"""Calls are spelled as a chat template writes them, and what does not come back is no part of a grammar."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any, Final

import pytest

import respc
from respc.chat_templates import chat_template_source
from respc.grammars import GrammarError, Spelling
from respc.grammars.formats import family_spelling, format_of
from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE, changed

TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": "set_alarm",
        "parameters": {
            "type": "object",
            "properties": {"hour": {"enum": [6, 7]}, "sound": {"type": "boolean"}},
            "required": ["hour"],
        },
    }
]


def written(template: Any = TEMPLATE, chat_template: str | None = CHAT_TEMPLATE, **options: Any) -> str:
    """Write the rules of a grammar for llama.cpp, with the name of the tool's rule as `tool`."""
    grammar = respc.grammar(template, TOOLS, format="gbnf", chat_template=chat_template, **options)
    name = next(line.split()[0] for line in grammar.splitlines() if line.startswith("call-"))
    return grammar.replace(name, "tool")


def test_a_grammar_in_the_spelling_of_a_chat_template() -> None:
    assert written(parallel=False).splitlines() == [
        r'root ::= "<call>{\"name\": \"" calls',
        "calls ::= tool",
        r'tool ::= "set_alarm\", \"arguments\": {\"hour\": " ("6" | "7") '
        r'(", \"sound\": " ("true" | "false"))? "}}</call>"',
    ]


def test_several_calls_are_separated_as_the_chat_template_does_it() -> None:
    assert r'calls ::= call ("<call>{\"name\": \"" call)*' in written()


def test_another_chat_template_is_another_spelling() -> None:
    spaced = CHAT_TEMPLATE.replace("<call>{{", "<call> {{").replace("}}</call>", "}} </call>")
    assert r'"<call> {\"name\": \""' in written(chat_template=spaced)
    assert '}} </call>"' in written(chat_template=spaced)


def test_reasoning_is_closed_as_it_is_written() -> None:
    # The end is found letter by letter, and what follows it stands as it is.
    prompt = written(reasoning="prompt")
    assert prompt.startswith("root ::= text-")
    assert r'[>] "\n<call>{\"name\": \""' in prompt
    opened = written(reasoning="open")
    assert r'root ::= "<call>{\"name\": \"" calls | "<think>\n" text-' in opened


def test_text_may_have_no_mark_in_it() -> None:
    automatic = respc.grammar(
        TEMPLATE, TOOLS, format="llguidance", choice="auto", chat_template=CHAT_TEMPLATE
    )
    terminals = [line for line in automatic.splitlines() if line.startswith("TEXT_")]
    assert terminals
    assert all("<call>" in line and "<think>" in line for line in terminals)


def test_a_structural_tag_holds_the_same_rules() -> None:
    tag = json.loads(respc.grammar(TEMPLATE, TOOLS, chat_template=CHAT_TEMPLATE))
    gbnf = respc.grammar(TEMPLATE, TOOLS, format="gbnf", chat_template=CHAT_TEMPLATE)
    assert tag == {"type": "structural_tag", "format": {"type": "grammar", "grammar": gbnf}}


def test_special_tokens_are_no_text_for_llguidance() -> None:
    def grammar(tokens: Any) -> str:
        return respc.grammar(
            TEMPLATE, TOOLS, format="llguidance", chat_template=CHAT_TEMPLATE, special_tokens=tokens
        )

    assert r'start: <call> "{\"name\": \""' in grammar(["<call>", "</call>"])
    assert r'start: <[7]> "{\"name\": \""' in grammar({"<call>": 7})
    template = json.loads(json.dumps(TEMPLATE).replace("<call>", "[call]"))
    chat_template = CHAT_TEMPLATE.replace("<call>", "[call]")
    with pytest.raises(GrammarError, match="RT928"):
        respc.grammar(
            template, TOOLS, format="llguidance", chat_template=chat_template, special_tokens=["[call]"]
        )


def test_a_spelling_can_be_given() -> None:
    spelling = family_spelling("qwen3")
    assert spelling is not None
    template = changed("fields/tool_calls/open", "<tool_call>")
    template["fields"]["tool_calls"]["close"] = "</tool_call>"
    template["start_anchor"] = "<|im_start|>assistant\n"
    expected = written(template, None, spelling=spelling)
    assert r'"<tool_call>\n{\"name\": \""' in expected
    assert written(template, None, spelling=spelling.as_json()) == expected
    assert Spelling.from_json(json.loads(json.dumps(spelling.as_json()))) == spelling


def test_a_ready_made_template_is_known_by_what_it_says() -> None:
    from respc.families import family_template

    assert written(family_template("qwen3").template, None) == written("qwen3", None)


@pytest.mark.parametrize(
    ("template", "chat_template", "code", "options"),
    [
        (TEMPLATE, None, "RT921", {}),
        (TEMPLATE, "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}", "RT921", {}),
        (changed("fields/tool_calls", None), CHAT_TEMPLATE, "RT920", {}),
        (changed("fields/tool_calls/close", "</calls>"), CHAT_TEMPLATE, "RT922", {}),
        (
            changed(
                "fields/tool_calls/transform",
                {"type": "function", "function": {"name": "{content.n}", "arguments": "{content.a}"}},
            ),
            CHAT_TEMPLATE,
            "RT922",
            {},
        ),
        (TEMPLATE, CHAT_TEMPLATE, "RT925", {"choice": "set_clock"}),
        ("qwen2_5", None, "RT924", {"reasoning": "open"}),
        ("command_r_plus", None, "RT924", {"reasoning": "prompt"}),
    ],
)
def test_where_there_is_no_sound_grammar_a_code_says_why(
    template: Any, chat_template: str | None, code: str, options: dict[str, Any]
) -> None:
    with pytest.raises(GrammarError) as refused:
        written(template, chat_template, **options)
    assert refused.value.code.code == code


UNCALLABLE: Final[list[tuple[list[dict[str, Any]], str]]] = [
    ([], "RT925"),
    ([{"parameters": {}}], "RT925"),
    ([{"name": 'a"b'}], "RT925"),
    ([{"name": "a", "parameters": []}, {"name": "b", "parameters": [1]}], "RT926"),
    ([{"name": "a", "parameters": {"type": "string"}}], "RT926"),
]


@pytest.mark.parametrize(("tools", "code"), UNCALLABLE, ids=repr)
def test_tools_that_cannot_be_called(tools: list[dict[str, Any]], code: str) -> None:
    with pytest.raises(GrammarError) as refused:
        respc.grammar("qwen3", tools)
    assert refused.value.code.code == code


def test_a_name_that_the_opener_does_not_take_is_refused() -> None:
    template = json.loads(json.dumps(TEMPLATE))
    calls = template["fields"]["tool_calls"]
    del calls["open"]
    calls["open_pattern"] = r"<call>(?=\{\"name\": \"\w+\")"
    with pytest.raises(GrammarError, match="set-alarm") as refused:
        respc.grammar(template, [{"name": "set-alarm"}], chat_template=CHAT_TEMPLATE)
    assert refused.value.code.slug == "grammar-tool"


def test_what_does_not_come_back_is_left_out() -> None:
    commas = CHAT_TEMPLATE.replace("\n<call>", "{{ ', ' if not loop.first }}<call>")
    known = format_of(TEMPLATE, chat_template_source(commas), None)
    assert known.spelling.calls.separator is None
    assert any("several calls" in gap for gap in known.gaps)


def test_a_kind_of_arguments_that_the_chat_template_does_not_show_is_refused() -> None:
    calls = "{%- for call in message.tool_calls or [] %}"
    booleans = "{% for value in call.function.arguments.values() if value is boolean %}"
    silent = CHAT_TEMPLATE.replace(calls, f"{calls}{booleans}{{{{ raise_exception('no') }}}}{{% endfor %}}")
    assert silent != CHAT_TEMPLATE
    with pytest.raises(GrammarError, match=r"RT927 /0/parameters/properties/sound: .* a boolean "):
        written(chat_template=silent)


def test_a_chat_template_that_writes_no_call_says_why() -> None:
    refusing = CHAT_TEMPLATE.replace("<call>{{", "{{ raise_exception('no calls here') }}<call>{{")
    with pytest.raises(
        GrammarError, match=r"RT921 .*writes no call of the model: TemplateError: no calls here"
    ):
        written(chat_template=refusing)


def test_text_in_front_of_calls_may_be_opened_otherwise() -> None:
    # As gpt-oss does it.
    template = deepcopy(TEMPLATE)
    ends = r"<end>|(?=<call>)|<\|end\|>"
    template["fields"]["content"] = {"open": ["<say>", "<tell>"], "close_pattern": ends}
    said = "{%- if message.content is string %}{{ message.content }}\n"
    marks = (
        "{%- if message.role == 'assistant' %}{% if message.content and message.tool_calls %}<tell>"
        "{{ message.content }}{% elif message.content %}<say>{{ message.content }}<end>{% endif %}\n"
    )
    marked = CHAT_TEMPLATE.replace(said, marks + said.replace("if", "elif", 1)).replace(
        "%}\n<call>", "%}<call>"
    )
    assert marked.count("<tell>") == 1
    spelling = format_of(template, chat_template_source(marked), None).spelling
    assert (spelling.content.opens, spelling.content.opens_before_call) == ("<say>", "<tell>")


def test_an_id_behind_the_arguments_has_as_many_letters_as_one_in_front() -> None:
    for one, other in (("'id': call.id, ", ""), ("", ", 'id': call.id")):
        named = "'name': call.function.name, 'arguments': call.function.arguments"
        with_id = CHAT_TEMPLATE.replace(named, f"{one}{named}{other}")
        assert with_id != CHAT_TEMPLATE
        assert "[0-9A-Za-z]{9}" in written(chat_template=with_id)


def test_a_prompt_that_a_message_is_written_behind_has_closed_its_reasoning() -> None:
    # The history closes reasoning in front of every message, also where the prompt has just opened it.
    closing = CHAT_TEMPLATE.replace(
        "{% if message.role == 'assistant' and message.reasoning_content %}<think>\n"
        "{{ message.reasoning_content }}\n</think>\n{% endif %}",
        "{% if message.role == 'assistant' %}<think>{{ message.reasoning_content }}</think>{% endif %}",
    ).replace(
        "{% if enable_thinking is defined and not enable_thinking %}<think>\n</think>\n{% endif %}", "<think>"
    )
    assert closing.count("<think>") == 2
    known = format_of(TEMPLATE, chat_template_source(closing), None)
    assert known.spelling.prefix.endswith("<think></think>")
    assert not known.gaps


def test_calls_may_begin_a_turn_with_blanks_that_they_have_nowhere_else() -> None:
    blank = family_spelling("jamba")
    assert blank is not None
    assert blank.calls.dropped == " "
    written = respc.grammar("jamba", TOOLS, format="gbnf", choice="auto", parallel=False)
    (root,) = (line for line in written.splitlines() if line.startswith("root ::="))
    # Behind a text, what opens calls is found letter by letter.
    assert '"<tool_calls>' in root.partition('" "')[2]
    assert " <tool_calls>" not in root
