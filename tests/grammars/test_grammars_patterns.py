"""Patterns of strings: a grammar has texts of them only, and of those all that can be written."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from jsonschema import Draft202012Validator

import respc
from grammars.test_grammars_kinds import VOCABULARY, arguments_of
from grammars.test_grammars_walks import SEED
from respc.grammars import GrammarError
from respc.grammars.patterned import patterned_string
from respc.grammars.string_patterns import NotAgreedError, pattern_tree
from support.families import Family
from support.grammar_engines import decoded
from support.grammar_families import spelling_of, walker_of
from support.grammar_texts import pattern_of

if TYPE_CHECKING:
    from support.grammar_engines import Engine

PATTERNS: Final = [
    r"^[A-Z]{2}-\d+$",
    r"^\w+([.-]?\w+)*@\w+\.\w{2,3}$",
    r"^\d{4}-(0[1-9]|1[0-2])-\d{2}$",
    r"^(\+47 ?)?\d{2,3}( \d\d){2}$",
    r"^#?([0-9a-f]{3}){1,2}$",
    r"^https?://[^\s/]+(/\S*)?$",
    r"[aeiou\W]|^ba+r|x$",
    r"^(a|b*)$",
    r"^$",
    r"^(|a|b?c?)d*$",
    r'^[^\d\s]{0,9}[.!?"]$',
    r'^say "[^"\\]{0,9}"\n?$',
    r"^[\\/]{1,2}[\w.-]+?$",
    r"^.{0,3}$",
    r"^(?<year>\d\d)(?:[\u00e6-\u00f8]|\x41\t)*$",
    "",
]
FAMILIES: Final = [
    Family(name) for name in ("qwen3", "apertus", "gemma4", "llama4", "qwen3_coder", "minicpm", "kimi_k3")
]
FEW, MANY = 3, 200


@pytest.mark.parametrize("pattern", [each for each in PATTERNS if each], ids=repr)
@pytest.mark.parametrize(("letters", "end"), [("escaped", '"'), ("any", "</p>")])
def test_texts_are_those_of_the_pattern(pattern: str, letters: Any, end: str) -> None:
    written = re.compile(pattern_of(patterned_string(pattern, "", letters, end, ())), re.DOTALL)
    found = set()
    for length in range(5):
        for characters in product('ab."0-\\\n', repeat=length):
            text = "".join(characters)
            quoted = json.dumps(text, ensure_ascii=False)[1:-1] if letters == "escaped" else text
            right = re.search(pattern.replace("(?<", "(?P<"), text) is not None
            # To Python, `$` is also in front of a last line break.
            if not (text.endswith("\n") and pattern.endswith("$")):
                assert (written.fullmatch(quoted + end) is not None) is right, text
            found.add(right)
    assert found >= {False}


@pytest.mark.parametrize("letters", ["escaped", "any"])
def test_no_text_has_what_a_delimiter_begins_with(letters: Any) -> None:
    written = re.compile(pattern_of(patterned_string("^a?.{1,2}$", "", letters, '"', ("<x", "}"))), re.DOTALL)
    texts = ["a", "b>", "<", "b<", "a}", "<x", "a'b"]
    assert [each for each in texts if written.fullmatch(each + '"')] == ["a", "b>", "a'b"]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("^(?=a)b", "conditions"),
        ("(?i)a", "flags"),
        (r"\bword\b", "not read the same"),
        (r"(a)\1", "not read the same"),
        (r"\p{L}", "not read the same"),
        ("a**", "a repeat is repeated"),
        ("(a|b", "a group has no end"),
        ("(^a)", "means nothing for all"),
        ("(a$)", "a group has no end, or an anchor in it"),
        ("a)", "no group"),
        ("[a", "a class has no end"),
        ("[]", "a class is empty"),
        ("[z-a]", "no two ends"),
        ("[a[b]]", "a class is in a class"),
        ("a{2,1}", "wrong way round"),
        ("a{9999}", "more than 1000 times"),
        ("a{x}", "means nothing for all"),
        (r"\ud83d", "half of a character"),
        ("a$b", "no group"),
        ("(" * 50 + ")" * 50, "too deeply"),
        ("\\", "not read the same"),
    ],
)
def test_what_readers_do_not_agree_about_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(NotAgreedError, match=re.escape(reason)):
        pattern_tree(pattern)
    with pytest.raises(GrammarError) as refused:
        respc.grammar("qwen3", [tool_of(pattern)])
    assert refused.value.code.slug == "grammar-schema"
    assert refused.value.path == "/0/function/parameters/properties/level/pattern"


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^<$"},
        {"pattern": 5},
        {"pattern": "^a", "maxLength": 3},
        {"pattern": "^a", "minLength": 1},
        {"pattern": "(abcdefghij){1}" * 300},
    ],
    ids=repr,
)
def test_what_cannot_be_written_is_refused(schema: dict[str, Any]) -> None:
    tool = tool_of("")
    tool["function"]["parameters"]["properties"]["level"] = {"type": "string", **schema}
    with pytest.raises(GrammarError) as refused:
        respc.grammar("qwen3_coder", [tool])
    assert refused.value.path == "/0/function/parameters/properties/level/pattern"


@pytest.mark.parametrize("schema", [{"pattern": "^a"}, {"minLength": 2}], ids=repr)
def test_where_blanks_around_a_string_are_lost_it_is_not_held_to_all_of_it(schema: dict[str, Any]) -> None:
    family = Family("seed_oss")
    tool = tool_of("")
    tool["function"]["parameters"]["properties"] = {"level": {"type": "string", **schema}}
    assert respc.grammar(family.template, [tool], spelling=spelling_of(family))
    template = deepcopy(family.template)
    arguments = template["fields"]["tool_calls"]["content_args"]
    arguments["tag_pattern"] = r"<parameter=(?P<key>[^<>\n]+)>\s*(?P<value>.*?)\s*</parameter>"
    with pytest.raises(GrammarError, match="blanks around a string do not come back"):
        respc.grammar(template, [tool], spelling=spelling_of(family))


def tool_of(pattern: str) -> dict[str, Any]:
    """Make a tool with a string of a pattern, and a list of such."""
    text = {"type": "string", "pattern": pattern}
    parameters = {
        "type": "object",
        "properties": {"level": text, "names": {"type": "array", "items": text}},
        "required": ["level"],
    }
    return {"type": "function", "function": {"name": "set_lamp", "parameters": parameters}}


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_strings_of_patterns_are_read_back(family: Family, engine: Engine, count: int) -> None:
    walker = walker_of(family, VOCABULARY)
    for pattern in PATTERNS:
        tool = tool_of(pattern)
        # Readers of Python have another way to name groups.
        validator = Draft202012Validator(tool_of(pattern.replace("(?<", "(?P<"))["function"]["parameters"])
        grammar = respc.grammar(family.template, [tool], format=engine.name, parallel=False)
        held = engine.compiled(grammar, VOCABULARY)
        for number in range(count):
            text = decoded(VOCABULARY, walker.walk(held, Random(SEED + number)))
            (arguments,) = arguments_of(family, text, tool)
            assert [*validator.iter_errors(arguments)] == [], (pattern, text)
