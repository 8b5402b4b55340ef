"""How JSON is laid out: it stays what it is, and what is short stands on one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respc.families import families, family_file
from respc.source import SourceText, laid_out, read_json, with_template

VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=20), inner, max_size=6),
    max_leaves=30,
)
TEMPLATE = {"start_anchor": "<bot>", "fields": {"content": {"close": "é\n", "repeats": True}}}


@given(VALUES, st.sampled_from(["  ", "\t"]), st.booleans())
def test_the_value_stays(value: Any, step: str, on_one_line: bool) -> None:
    text = laid_out(value, step=step, on_one_line=on_one_line)
    assert json.loads(text) == value
    text.encode()
    assert not (on_one_line and "\n" in text)


def test_members_have_a_line_each_unless_they_fit_on_one() -> None:
    assert laid_out({}) == "{}"
    assert laid_out({"short": [1, {"a": 2}]}) == '{\n  "short": [1, {"a": 2}]\n}'
    long = {"name": "x" * 60, "other": ["y" * 30, {}]}
    assert laid_out(long) == "\n".join(
        ["{", f'  "name": "{"x" * 60}",', f'  "other": ["{"y" * 30}", {{}}]', "}"]
    )


@pytest.mark.parametrize("family", ["qwen3", "mistral_v11"])
def test_ready_made_templates_are_laid_out_so(family: str) -> None:
    assert family in families()
    text = family_file(family).read_text(encoding="utf-8")
    assert laid_out(json.loads(text)) + "\n" == text


@pytest.mark.parametrize(
    "config",
    [
        "{}",
        '{"a":1}',
        '{"a": 1, "b": {"c": [ ]}}',
        '{\n\t"a": 1\n}\n',
        '\n{\r\n  "a" : 1,\r\n\r\n  "b": 2\r\n}\r\n',
        '{"response_template": 1, "a": 2}',
        '{\n "a": 2,\n "response_template":\n {"fields": {}}\n}',
    ],
)
def test_a_config_keeps_all_else(config: str) -> None:
    written = with_template(read_json(SourceText("config", config)), TEMPLATE)
    before = json.loads(config)
    assert json.loads(written) == before | {"response_template": TEMPLATE}
    assert list(json.loads(written)) == list(before | {"response_template": 0})
    again = with_template(read_json(SourceText("config", written)), TEMPLATE)
    assert again == written


def test_only_an_object_is_a_config() -> None:
    with pytest.raises(ValueError, match="not an object"):
        with_template(read_json(SourceText("config", "[]")), TEMPLATE)
