"""Test cases are read out of C++: strings as they are written, the chains that make cases, and nothing by guess."""

from __future__ import annotations

import pytest

from support.cpp_tokens import tokens_of
from support.llama_cpp_vectors import Call, Message, vectors_of

SOURCE = r"""
#include "chat.h"

static common_chat_tool bell_tool{ /* .name = */ "bell", /* .description = */ "Rings.", R"({"type": "object"})" };
const common_chat_msg message_plain = simple_assist_msg("So\nit \"is\".");
static common_chat_msg simple_assist_msg(const std::string & content) { return content; }

static void all_of(const std::string & path, bool debug) {
    auto tst = peg_tester(path, debug);
    tst.test("one").expect(message_plain).run(); // tst.test("not this")
}

static void test_all(bool debug) {
    {
        auto tst = peg_tester("models/templates/Mill.jinja", debug);
        const std::string call = "<call>"
            R"x({"a": ")"})x";
        tst.test("Before. " + call)
            .enable_thinking(false)
            .tools({ bell_tool })
            .expect_content("Before.")
            .expect_tool_calls({ { "bell", R"({"a": ")\""})", {} } })
            .run();

        common_chat_msg begun;
        begun.role = "assistant";
        begun.content = "It ";
        tst.test("is.").messages({ begun }).expect(simple_assist_msg("It is.", "Why?")).run();

        tst.test("\xc3\xa9\u00e9").expect(message_plain).expect_reasoning("")
            .run();
        tst.test(made_up("text")).expect(message_plain).run();
        if (debug) {
            tst.test("perhaps").expect(message_plain).run();
        }
    }
    for (const char * path : { "models/templates/A.jinja", "models/templates/B.jinja" }) {
        all_of(path, debug);
    }
}
"""


def test_cases_are_read() -> None:
    vectors = vectors_of(SOURCE)
    assert [vector.name for vector in vectors.read] == ["Mill/1", "Mill/2", "Mill/3", "A/1", "B/1"]
    call, begun, escaped, *looped = vectors.read
    assert call.text == 'Before. <call>{"a": ")"}'
    assert call.template == "models/templates/Mill.jinja"
    assert call.options == {"enable_thinking": False, "tools": [["bell", "Rings.", '{"type": "object"}']]}
    assert call.expected == Message("", "Before.", "", (Call("bell", '{"a": ")\\""}', ""),))
    assert begun.options == {"messages": [Message("assistant", "It ")]}
    assert begun.expected == Message("assistant", "It is.", "Why?")
    assert escaped.text == "éé"
    assert {vector.expected.content for vector in [escaped, *looped]} == {'So\nit "is".'}


def test_what_is_not_known_is_said() -> None:
    vectors = vectors_of(SOURCE)
    lines = SOURCE.splitlines()
    assert {lines[line - 1].strip() for line in vectors.unreadable} == {
        'tst.test(made_up("text")).expect(message_plain).run();',
        'tst.test("perhaps").expect(message_plain).run();',
    }
    assert any("the function made_up" in reason for reason in vectors.unreadable.values())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r'"a\tb\\n"', "a\tb\\n"),
        (r'"a" /* and */ "b"', "ab"),
        (r'R"(a\n)" "\n"', "a\\n\n"),
        (r'"\x41\102\u20ac\U0001f600"', "AB€😀"),
        ('R"end(a)"b)end"', 'a)"b'),
    ],
)
def test_strings_are_what_they_say(source: str, text: str) -> None:
    (token,) = tokens_of(source)
    assert (token.text, token.is_string) == (text, True)
