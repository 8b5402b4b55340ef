"""Fixing: fixes are made in the text, round after round, and never clash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from respc.diagnostics import Diagnostic, Fix, diagnose
from respc.diagnostics.fixes import AddMember, Remove, RenameKey, ReplaceText, SetValue, Step
from respc.fixing import MAX_ROUNDS, FixedText, fix_text
from respc.source import TemplateSource, read_template, template_from_dict, template_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Find = Callable[[TemplateSource], Sequence[Diagnostic]]


def finding(pointer: str, *steps: Step, name: str = "null-value") -> Diagnostic:
    return diagnose(name, "a finding", pointer, fix=Fix("another text", steps))


def fixed(text: str, find: Find) -> FixedText:
    return fix_text(template_from_text("t.json", text), find)


def pointers(outcome: FixedText) -> list[str]:
    return [each.pointer for each in outcome.made]


def nulls(source: TemplateSource) -> list[Diagnostic]:
    """Every member that is null is to be removed."""
    return [finding(f"/{key}", Remove(f"/{key}")) for key, value in source.template.items() if value is None]


def test_findings_without_a_fix_change_nothing() -> None:
    source = template_from_text("t.json", '{ "a": null }')
    assert fix_text(source, lambda _: [diagnose("null-value", "a finding", "/a")]) == FixedText(
        '{ "a": null }', (), source
    )


def test_neighbours_are_removed_in_turn() -> None:
    outcome = fixed('{\n  "a": null,\n  "b": null,\n  "c": 1,\n  "d": null\n}\n', nulls)
    assert outcome.text == '{\n  "c": 1\n}\n'
    assert sorted(pointers(outcome)) == ["/a", "/b", "/d"]
    assert outcome.source.template == {"c": 1}
    assert outcome.source.digest == template_from_dict({"c": 1}).digest


def test_what_a_fix_brings_about_is_fixed_too() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        found = nulls(source)
        if source.template.get("a") == 1:
            found.append(finding("/a", SetValue("/a", None), name="flag-misread"))
        return found

    outcome = fixed('{"a": 1, "b": 2}', find)
    assert outcome.text == '{"b": 2}'
    assert [each.code.slug for each in outcome.made] == ["flag-misread", "null-value"]


def test_members_for_one_object_come_one_after_another() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        wanted = [("repeats", True), ("join", "\n")]
        return [
            finding("/f", AddMember("/f", key, value), name=name)
            for name, (key, value) in zip(("text-overwritten", "region-overwritten"), wanted, strict=True)
            if key not in source.template["f"]
        ]

    assert fixed('{"f": {}}', find).text == '{"f": {"repeats": true, "join": "\\n"}}'
    assert fixed('{"f": {\n\t"a": 1\n}}', find).text == (
        '{"f": {\n\t"a": 1,\n\t"repeats": true,\n\t"join": "\\n"\n}}'
    )


@pytest.mark.parametrize("inner_first", [True, False])
def test_a_fix_inside_what_another_removes_is_not_made_with_it(inner_first: bool) -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        if "f" not in source.template:
            return []
        found = [finding("/f", Remove("/f"))]
        if "x" not in source.template["f"]:
            found.append(finding("/f", AddMember("/f", "x", 1), name="flag-misread"))
        return found[::-1] if inner_first else found

    outcome = fixed('{"e": 0, "f": {}, "g": 1}', find)
    assert outcome.text == '{"e": 0, "g": 1}'
    assert len(outcome.made) == (2 if inner_first else 1)


def test_two_fixes_never_give_two_members_one_key() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        found = []
        if "repeat" in source.template:
            found.append(finding("/repeat", RenameKey("/repeat", "repeats"), name="unknown-field-key"))
        if "repeats" not in source.template:
            found.append(finding("", AddMember("", "repeats", True), name="region-overwritten"))
        return found

    assert fixed('{"repeat": true, "a": 1}', find).text == '{"repeats": true, "a": 1}'


def test_the_steps_of_a_fix_are_made_all_or_none() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        if source.template["b"] == 0:
            return [
                finding("/b", SetValue("/b", 1)),
                finding("/a", SetValue("/a", 2), SetValue("/b", 2), name="flag-misread"),
            ]
        return []

    assert fixed('{"a": 0, "b": 0}', find).text == '{"a": 0, "b": 1}'


def test_the_same_element_can_be_removed_again() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        literals = source.template["open"]
        twice = [index for index, literal in enumerate(literals) if literal in literals[:index]]
        return [finding(f"/open/{index}", Remove(f"/open/{index}")) for index in twice[:1]]

    outcome = fixed('{"open": ["a", "a", "a", "b", "a"]}', find)
    assert outcome.text == '{"open": ["a", "b"]}'
    assert pointers(outcome) == ["/open/1", "/open/1", "/open/2"]


def test_several_findings_about_one_string_are_all_fixed() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        bars = [index for index, character in enumerate(source.template["p"]) if character == "|"]
        unescaped = [index for index in bars if source.template["p"][index - 1 : index] != "\\"]
        return [finding("/p", ReplaceText("/p", index, index + 1, "\\|")) for index in unescaped]

    assert fixed('{"p": "<||a|>"}', find).text == '{"p": "<\\\\|\\\\|a\\\\|>"}'


def test_a_fix_that_has_no_effect_is_made_once() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        return [finding("/a", ReplaceText("/a", 0, 0, "x"))]

    outcome = fixed('{"a": ""}', find)
    assert outcome.text == '{"a": "x"}'
    assert pointers(outcome) == ["/a"]


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        if source.template["a"]:
            return [finding("/a", SetValue("/a", 0), name="flag-misread")]
        return [finding("/a", SetValue("/a", 1))]

    outcome = fixed('{"a": 0}', find)
    assert outcome.text == '{"a": 0}'
    assert len(outcome.made) == 2


def test_a_fix_that_is_in_the_text_already_is_not_made() -> None:
    source = template_from_text("t.json", '{"a": true}')
    outcome = fix_text(source, lambda _: [finding("/a", SetValue("/a", True))])
    assert outcome == FixedText('{"a": true}', (), source)


def test_the_rounds_are_counted() -> None:
    """A fix that moves on is a new one each time."""
    seen: list[TemplateSource] = []

    def find(source: TemplateSource) -> list[Diagnostic]:
        seen.append(source)
        last = len(source.template) - 1
        return [finding(f"/k{last}", RenameKey(f"/k{last}", f"{last}-"), AddMember("", f"k{last + 1}", 0))]

    outcome = fixed('{"k0": 0}', find)
    assert len(outcome.made) == len(seen) == MAX_ROUNDS
    assert len(outcome.source.template) == MAX_ROUNDS + 1


def test_only_the_template_of_a_config_changes(tmp_path: Path) -> None:
    # The keys of a template, in front and behind, are no business of the template's.
    before = '{\r\n\t"start_anchor": null , "chat_template" : "\\u00e9\\/é",\r\n\r\n\t"response_template": '
    after = ',\r\n "added_tokens": [ 1,2 ],   "version": 1.0 }\r\n\r\n'
    path = tmp_path / "tokenizer_config.json"
    path.write_bytes((before + '{"fields":{"a":null},"b":null}' + after).encode())

    source = read_template(path)
    outcome = fix_text(source, lambda read: [*nulls(read), *anchor_for(read)])
    assert outcome.text == before + '{"fields":{"a":null},"start_anchor":["<A>","<B>"]}' + after
    assert (outcome.source.name, outcome.source.root) == (str(path), "/response_template")
    assert outcome.source.template == {"fields": {"a": None}, "start_anchor": ["<A>", "<B>"]}


def anchor_for(source: TemplateSource) -> list[Diagnostic]:
    if "start_anchor" in source.template:
        return []
    return [finding("", AddMember("", "start_anchor", ["<A>", "<B>"]), name="no-start-anchor")]


def test_the_template_stays_where_it_was_though_it_looks_like_something_else() -> None:
    def find(source: TemplateSource) -> list[Diagnostic]:
        if "fields" not in source.template:
            return []
        return [finding("/fields", RenameKey("/fields", "response_template"))]

    outcome = fixed('{"fields": {"x": 1}}', find)
    assert outcome.source.root == ""
    assert outcome.source.template == {"response_template": {"x": 1}}


def test_a_template_without_text_cannot_be_fixed() -> None:
    with pytest.raises(ValueError, match="no text"):
        fix_text(template_from_dict({"a": None}), nulls)


def test_a_fix_that_cannot_be_made_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing at '/b'"):
        fixed('{"a": 1}', lambda _: [finding("/b", Remove("/b"))])


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(0, 9), st.text("ab|", max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def odd_parts(source: TemplateSource) -> list[Diagnostic]:
    """Nulls are to go, objects are to have a mark, bars are to be dashes, `b` is to be named `B`."""
    found: list[Diagnostic] = []

    def look(value: Any, pointer: str) -> None:
        if isinstance(value, str):
            found.extend(
                finding(pointer, ReplaceText(pointer, index, index + 1, "-"), name="unescaped-bar")
                for index, character in enumerate(value)
                if character == "|"
            )
        if isinstance(value, dict) and "mark" not in value:
            found.append(finding(pointer, AddMember(pointer, "mark", True), name="call-shape"))
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
        )
        for key, each in inner:
            at = f"{pointer}/{key}"
            if each is None:
                found.append(finding(at, Remove(at)))
            elif key == "b":
                found.append(finding(at, RenameKey(at, "B"), name="reasoning-name"))
            look(each, at)

    look(source.template, "")
    return found


def evened(value: Any) -> Any:
    if isinstance(value, dict):
        members = {
            "B" if key == "b" else key: evened(each) for key, each in value.items() if each is not None
        }
        return {**members, "mark": True}
    if isinstance(value, list):
        return [evened(each) for each in value if each is not None]
    return value.replace("|", "-") if isinstance(value, str) else value


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([None, 0, 2, "\t"]), st.sampled_from([(",", ":"), (", ", ": "), None]))
@example({"c": [None, "|", "||"]}, None, (",", ":"))
def test_all_fixes_are_made_in_the_end(
    template: dict[str, Any], indent: int | str | None, separators: tuple[str, str] | None
) -> None:
    around = {"tokenizer_class": None, "response_template": template, "b": [None, "|"]}
    text = json.dumps(around, indent=indent, separators=separators)
    source = template_from_text("t.json", text, "/response_template")
    outcome = fix_text(source, odd_parts)
    assert odd_parts(outcome.source) == []
    assert outcome.source.template == json.loads(outcome.text)["response_template"] == evened(template)

    start, end = offsets(source)
    new_start, new_end = offsets(outcome.source)
    assert (text[:start], text[end:]) == (outcome.text[:new_start], outcome.text[new_end:])


def offsets(source: TemplateSource) -> tuple[int, int]:
    assert source.document is not None
    return source.document.places.value_offsets(source.root)
