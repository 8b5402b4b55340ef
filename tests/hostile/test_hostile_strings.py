"""Strings of templates are data wherever they stand: none becomes code, all mean what they should."""

from __future__ import annotations

from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import respc
from support.checking import check
from support.modules import code_names, module_of
from support.oracle import Refusal, compile_or_refuse, refused_by_interpreter

CANARY = "canary_that_sings"
PAYLOADS = [
    f'"); {CANARY}() #',
    f"'); {CANARY}() #",
    f'"""\n{CANARY}()\n"""',
    f"'''\n{CANARY}()\n'''",
    f"\n{CANARY}()\n",
    f"\\\n{CANARY}()",
    f"\r{CANARY}()\r\n",
    f"\u2028{CANARY}()\u2029\x85\x0b\x0c\x1c",
    f'\\"); {CANARY}() #',
    f"\\'); {CANARY}() #\\",
    f"{{{{ {CANARY}() }}}}",
    f"{{% set x = {CANARY}() %}}{{# {CANARY} #}}",
    f"{{{CANARY}()}}",
    f"%({CANARY})s$({CANARY})`{CANARY}`",
    f"# {CANARY}\n{CANARY}()",
    f"\x00{CANARY}()\x00",
    f"\ud800{CANARY}()\udfff",
    f"\u202e{CANARY}()\u2066",
    f"\N{FULLWIDTH QUOTATION MARK}); {CANARY}()",
    f"\\N{{QUOTATION MARK}}); {CANARY}() #",
    f"\\x22); {CANARY}() #",
    f"\\u0022); {CANARY}() #",
    f"# -*- coding: utf-7 -*-\n+ACI-); {CANARY}()",
    f"    {CANARY}()",
    f"\t{CANARY}()",
    f"# fmt: off\n# type: ignore {CANARY}",
    "\\",
    "'",
    '"',
    "\n",
    "{",
    "}",
    "}}",
    "\x01\x02",
]
ALPHABET = (
    st.sampled_from("\\\"'\n\r\t{}#%()[]<>:;, ab\x00\x01\x1b\x85\u2028\u202e\ufeffé字\ud800\udfff\U0001f600")
    | st.characters()
)
STRINGS = st.sampled_from(PAYLOADS) | st.text(ALPHABET, max_size=12)
LITERALS = STRINGS.filter(bool)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=8,
)


def template_of(strings: list[str], values: list[Any]) -> dict[str, Any]:
    """Return a template with the strings in every slot that takes any."""
    name, opener, closer, line_sep, kv_sep, join, mark, key, anchor = strings
    return {
        "defaults": {key: values[0], name + "?": values[1]},
        "start_anchor": [anchor, "<A>"],
        "fields": {
            name: {
                "open": ["<lines>", opener],
                "close": "</lines>",
                "content": "kv-lines",
                "content_args": {"line_sep": line_sep, "kv_sep": kv_sep, "strip": False},
                "repeats": True,
                "transform": {key: "{content}", name: values[2]},
            },
            name + "!": {
                "open_pattern": "<json " + regex.escape(opener) + r"(?P<group>\w*)>",
                "close": ["</json>", closer],
                "content": "json",
                "content_args": {"string_delims": [[mark, closer], ["«", "»"]], "allow_non_json": True},
                "transform": [key, "{group}", "{content}", {key + "2": [values[2]]}],
            },
            name + "+": {
                "open": "<joined>",
                "close_pattern": "</joined" + regex.escape(closer) + "|</joined>",
                "repeats": True,
                "join": join,
            },
            name + "#": {
                "open": "<tags>",
                "close": "</tags>",
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": regex.escape(mark) + r"(?P<key>[^=]*)=(?P<value>\w*)",
                    "merge_duplicates": True,
                },
            },
            name + "_": {},
        },
    }


def text_of(strings: list[str]) -> str:
    name, opener, closer, line_sep, kv_sep, join, mark, key, _ = strings
    return (
        f"start<lines>{key}{kv_sep}{name}{line_sep}{join}{kv_sep}{mark}</lines>"
        f"{name}{opener}{key}{kv_sep}1{line_sep}</lines>"
        f"<json {opener}word>[{mark}{key}{closer}, «{name}»]</json>"
        f"<joined>{join}</joined{closer}<joined>{name}</joined>"
        f"<tags>{mark}{key}=a{mark}{key}=b{mark}=c</tags>{closer}"
    )


def must_be_equal(template: dict[str, Any], prefix: str, text: str) -> None:
    """Assert that the template is refused as by the interpreter, or means the same and is data alone."""
    modules: dict[Any, Any] = {}
    refused = refused_by_interpreter(template)
    result = compile_or_refuse(template)
    if refused is not None or isinstance(result, Refusal):
        assert isinstance(result, Refusal), refused
        assert refused is not None, result.reason
        assert result.error == refused.error
        return
    modules[None] = result
    source = respc.compile_template(template, standalone=True, formatted=False).source
    assert CANARY not in code_names(source)
    assert source.isascii() or "…" in source
    modules[("standalone",)] = module_of(source)
    check(template, modules, prefix, [("whole", [text]), ("characters", list(text))])


@given(st.lists(LITERALS, min_size=9, max_size=9), st.lists(VALUES, min_size=3, max_size=3))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_strings_in_all_slots(strings: list[str], values: list[Any]) -> None:
    must_be_equal(template_of(strings, values), f"x{strings[-1]}", text_of(strings))


@pytest.mark.long
@given(st.lists(LITERALS, min_size=9, max_size=9), st.lists(VALUES, min_size=3, max_size=3))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_many_strings_in_all_slots(strings: list[str], values: list[Any]) -> None:
    must_be_equal(template_of(strings, values), f"x{strings[-1]}", text_of(strings))


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_one_payload_in_all_slots(payload: str) -> None:
    strings = [f"{payload}{number}" for number in range(9)]
    values = [payload, {payload: [payload]}, [payload]]
    template = template_of(strings, values)
    assert refused_by_interpreter(template) is None
    must_be_equal(template, f"x{strings[-1]}<lines>a", text_of(strings))


def test_payloads_in_a_formatted_module() -> None:
    """All at once, because black takes its time."""
    fields: dict[str, Any] = {}
    for number, payload in enumerate(PAYLOADS):
        fields[payload] = {
            "open": f"<{number}>{payload}",
            "close": payload + "</>",
            "transform": {payload: [payload, "{content}"]},
        }
    template = {
        "defaults": {payload: payload for payload in PAYLOADS},
        "start_anchor": PAYLOADS,
        "fields": fields,
    }
    text = "".join(f"<{number}>{payload}{number}{payload}</>" for number, payload in enumerate(PAYLOADS))
    modules: dict[Any, Any] = {}
    for standalone in (False, True):
        compilation = respc.compile_template(template, name=PAYLOADS[2], standalone=standalone)
        assert CANARY not in code_names(compilation.source)
        assert not any(line.startswith(CANARY) for line in compilation.source.splitlines())
        modules[(str(standalone),)] = module_of(compilation.source)
    traces = check(template, modules, "", [("whole", [text]), ("characters", list(text))])
    assert traces[0].message is not None
    assert len(traces[0].message) == len(PAYLOADS)


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_the_same_payload_as_a_pattern(payload: str) -> None:
    """Most are no regular expressions, or match something else than themselves: as the interpreter says."""
    template = {
        "start_anchor_pattern": payload,
        "fields": {
            "f": {"open_pattern": f"<f>|{payload}", "close_pattern": f"</f>|{payload}", "repeats": True},
            "content": {},
        },
    }
    result, refused = compile_or_refuse(template), refused_by_interpreter(template)
    if refused is not None or isinstance(result, Refusal):
        assert isinstance(result, Refusal)
        assert refused is not None, result.reason
        assert result.error == refused.error
        return
    text = f"a<f>b</f>c{payload}d</f>e"
    check(template, {None: result}, f"p{payload}q", [("whole", [text]), ("characters", list(text))])


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_faults_and_unknown_names_quote_a_payload_as_data(payload: str) -> None:
    """What fails only when text is parsed is written into the module as a message."""
    template = {
        "start_anchor": "A",
        "fields": {
            "k": {
                "open": "<k>",
                "close": "</k>",
                "content": "kv-lines",
                "content_args": {"value_parser": {"name": payload, "args": payload}},
            },
            "t": {"open": "<t>", "close": "</t>", "transform": {payload: "{" + "undefined" + "}"}},
            "j": {
                "open": "<j>",
                "close": "</j>",
                "content": "json",
                "content_args": {"string_delims": [[payload]]},
            },
            "x": {
                "open": "<x>",
                "close": "</x>",
                "content": "xml-inline",
                "content_args": {"tag_pattern": f"({payload}"},
            },
        },
    }
    source = respc.compile_template(template, formatted=False).source
    assert CANARY not in code_names(source)
    module = module_of(source)
    for field in template["fields"]:
        text = f"<{field}>a:b</{field}>"
        check(template, {None: module}, "", [("whole", [text])])
