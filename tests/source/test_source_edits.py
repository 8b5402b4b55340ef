"""Steps become edits that keep the layout of a text."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respc.diagnostics import Fix
from respc.diagnostics.fixes import AddMember, Remove, RenameKey, ReplaceText, SetValue, Step
from respc.source import (
    Edit,
    apply_edits,
    child_pointer,
    edits_of,
    template_from_dict,
    template_from_text,
)


def changed(text: str, *steps: Step, root: str = "") -> str:
    return apply_edits(text, edits_of(Fix("", steps), template_from_text("t.json", text, root)))


PRETTY = """{
  "version": 1,
  "defaults": {},
  "fields": {
    "a": {"open": "<a>", "close": ["</a>", "</a>"], "repeats": 0},
    "b": {
      "close": "</b>"
    }
  }
}
"""


def test_set_value_leaves_all_else_alone() -> None:
    expected = PRETTY.replace('"repeats": 0', '"repeats": true')
    assert changed(PRETTY, SetValue("/fields/a/repeats", True)) == expected


def test_set_value_on_an_object_writes_one_line() -> None:
    text = '{\n  "a": {\n    "b": 1\n  }\n}'
    assert changed(text, SetValue("/a", {"é": [1, None]})) == '{\n  "a": {"é": [1, null]}\n}'
    assert changed(text, SetValue("", {"a": 1})) == '{"a": 1}'


def test_rename_key_takes_the_place_of_the_key() -> None:
    expected = PRETTY.replace('"repeats"', '"optional"')
    assert changed(PRETTY, RenameKey("/fields/a/repeats", "optional")) == expected
    assert changed('{"a":1}', RenameKey("/a", 'é"\\\n\x00\x7f')) == '{"é\\"\\\\\\n\\u0000\x7f":1}'
    assert changed('{"a" : 1}', RenameKey("/a", "\ud800")) == '{"\\ud800" : 1}'


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ('{"a": 1, "b": 2, "c": 3}', "a", '{"b": 2, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', "b", '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', "c", '{"a": 1, "b": 2}'),
        ('{ "a": 1 , "b": 2 }', "a", '{ "b": 2 }'),
        ('{ "a": 1 , "b": 2 }', "b", '{ "a": 1 }'),
        ('{"a":1,"b":2}', "a", '{"b":2}'),
        ('{"a":1}', "a", "{}"),
        ('{\n  "a": 1\n}', "a", "{}"),
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "a", '{\n  "b": 2,\n  "c": 3\n}\n'),
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "b", '{\n  "a": 1,\n  "c": 3\n}\n'),
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "c", '{\n  "a": 1,\n  "b": 2\n}\n'),
        ('{\r\n\t"a": 1,\r\n\t"b": {\r\n\t}\r\n}', "b", '{\r\n\t"a": 1\r\n}'),
        ('{\r\n\t"a": 1,\r\n\t"b": 2\r\n}', "a", '{\r\n\t"b": 2\r\n}'),
        ('{\n  "a": 1\n  , "b": 2\n  , "c": 3\n}', "b", '{\n  "a": 1\n  , "c": 3\n}'),
        # Where lines hold several members, the others stay on their lines.
        ('{\n  "a": 1, "b": 2,\n  "c": 3\n}', "b", '{\n  "a": 1,\n  "c": 3\n}'),
        ('{\n  "a": 1,\n  "b": 2, "c": 3\n}', "b", '{\n  "a": 1,\n  "c": 3\n}'),
        ('{\n  "a": 1,\n\n  "b": 2,\n  "c": 3\n}', "b", '{\n  "a": 1,\n\n  "c": 3\n}'),
        ('{\n  "a": 1,\n      "b": 2,\n  "c": 3\n}', "b", '{\n  "a": 1,\n  "c": 3\n}'),
        # Both are the member: were one left, it would come back.
        ('{"a": 1, "b": 2, "a": 3}', "a", '{"b": 2}'),
    ],
)
def test_remove_leaves_no_trace(text: str, key: str, expected: str) -> None:
    assert changed(text, Remove(f"/{key}")) == expected


@pytest.mark.parametrize(
    ("indexes", "expected"),
    [
        ([0], '["b", "c"]'),
        ([1], '["a", "c"]'),
        ([2], '["a", "b"]'),
        ([0, 1], '["c"]'),
        ([2, 1], '["a"]'),
        ([0, 2], '["b"]'),
        ([0, 1, 2], "[]"),
    ],
)
def test_removed_elements_are_counted_before_any_is_removed(indexes: list[int], expected: str) -> None:
    steps = [Remove(f"/l/{index}") for index in indexes]
    assert changed('{"l": ["a", "b", "c"]}', *steps) == f'{{"l": {expected}}}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{"k": [1, 2], "l": null}'),
        ("{ \n}\n", '{"k": [1, 2], "l": null}\n'),
        ('{"a": 1}', '{"a": 1, "k": [1, 2], "l": null}'),
        ('{ "a" : 1 }', '{ "a" : 1, "k" : [1, 2], "l" : null }'),
        ('{"a":1}', '{"a":1,"k":[1,2],"l":null}'),
        ('{"a":1,"b":{}}', '{"a":1,"b":{},"k":[1,2],"l":null}'),
        ('{"a": 1 ,"b": 2}', '{"a": 1 ,"b": 2 ,"k": [1, 2] ,"l": null}'),
        ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "k": [1, 2],\n    "l": null\n}\n'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"k": [1, 2],\r\n\t"l": null\r\n}'),
        ('{\n"a":\n 1\n}', '{\n"a":\n 1,\n"k": [1, 2],\n"l": null\n}'),
        ('{\n  "a": 1,\n\n  "b": 2 }', '{\n  "a": 1,\n\n  "b": 2,\n  "k": [1, 2],\n  "l": null }'),
        ('{\n  "a": 1\n  , "b": 2\n}', '{\n  "a": 1\n  , "b": 2\n  , "k": [1, 2]\n  , "l": null\n}'),
    ],
)
def test_added_members_stand_as_the_last_one_does(text: str, expected: str) -> None:
    assert changed(text, AddMember("", "k", [1, 2]), AddMember("", "l", None)) == expected


def test_an_empty_object_takes_the_style_around_it() -> None:
    assert changed('{"l":[{}]}', AddMember("/l/0", "k", {"a": 1})) == '{"l":[{"k":{"a":1}}]}'
    assert changed('{"l" : [{}]}', AddMember("/l/0", "k", {"a": 1})) == '{"l" : [{"k" : {"a": 1}}]}'
    assert changed("[{}]", AddMember("/0", "k", 1)) == '[{"k": 1}]'
    assert changed('{"a":1}', SetValue("/a", [1, {"b": 2}])) == '{"a":[1,{"b":2}]}'


@pytest.mark.parametrize(
    ("string", "start", "end", "text", "expected"),
    [
        ('"abc"', 1, 2, "", '"ac"'),
        ('"abc"', 3, 3, "d", '"abcd"'),
        ('"abc"', 0, 0, '"\\', '"\\"\\\\abc"'),
        ('"abc"', 0, 3, "\r\té", '"\\r\\té"'),
        ('"\\u00e9\\\\\\n|"', 1, 2, "x", '"\\u00e9x\\n|"'),
        ('"\\ud83d\\ude00x😀"', 1, 2, "", '"\\ud83d\\ude00😀"'),
        ('"\\ud83d\\ude00x😀"', 0, 1, "\ud800", '"\\ud800x😀"'),
        ('""', 0, 0, "a", '"a"'),
        ('""', 0, 0, 'a"', '"a\\""'),
    ],
)
def test_replace_text_counts_characters_as_they_are_read(
    string: str, start: int, end: int, text: str, expected: str
) -> None:
    outcome = changed(f'{{\n "\\u0061": [{string}]}}', ReplaceText("/a/0", start, end, text))
    assert outcome == f'{{\n "\\u0061": [{expected}]}}'


def test_steps_of_one_fix_work_together() -> None:
    text = '{"a": "xyz", "b": {"c": 1}, "d": 2}'
    steps = (
        ReplaceText("/a", 2, 3, ""),
        RenameKey("/a", "A"),
        ReplaceText("/a", 0, 1, "-"),
        AddMember("", "a", 5),
        Remove("/d"),
        RenameKey("/b", "d"),
        Remove("/b/c"),
        AddMember("/b", "e", 1),
        AddMember("", "b", 6),
    )
    assert changed(text, *steps) == '{"A": "-y", "d": {"e": 1}, "a": 5, "b": 6}'


def test_a_member_in_place_of_the_only_one_keeps_its_line() -> None:
    text = '{\n  "a": 1\n}'
    assert changed(text, Remove("/a"), AddMember("", "b", 2)) == '{\n  "b": 2\n}'


def test_pointers_start_at_the_template() -> None:
    text = '{\n "fields": {"a": 1},\n "response_template": {"fields":{"a":1}},\n "z": 0\n}'
    steps = [SetValue("/fields/a", 2), AddMember("", "version", 1)]
    expected = text.replace('{"fields":{"a":1}}', '{"fields":{"a":2},"version":1}')
    assert changed(text, *steps, root="/response_template") == expected


def test_a_pointer_may_hold_any_key() -> None:
    text = '{"a/b": {"~": {"": 1}}, "0": [[1, 2]]}'
    assert changed(text, Remove("/a~1b/~0/")) == '{"a/b": {"~": {}}, "0": [[1, 2]]}'
    assert changed(text, Remove("/0/0/1")) == '{"a/b": {"~": {"": 1}}, "0": [[1]]}'


def test_a_member_that_stands_twice_is_renamed_twice() -> None:
    assert changed('{"a": 1, "a": 2}', RenameKey("/a", "b")) == '{"b": 1, "b": 2}'
    assert changed('{"a": 1, "a": 2}', SetValue("/a", 3)) == '{"a": 1, "a": 3}'


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([SetValue("/x", 1)], "nothing at '/x'"),
        ([SetValue("x", 1)], "nothing at 'x'"),
        ([Remove("/l/2")], "nothing at '/l/2'"),
        ([Remove("")], "template itself"),
        ([RenameKey("", "b")], "template itself"),
        ([RenameKey("/l/0", "b")], "has no key"),
        ([RenameKey("/a", "l")], "'l' twice"),
        ([AddMember("/l", "b", 1)], "not an object"),
        ([AddMember("", "a", 1)], "'a' twice"),
        ([AddMember("", "b", 1), AddMember("", "b", 1)], "'b' twice"),
        ([RenameKey("/a", "b"), AddMember("", "b", 1)], "'b' twice"),
        ([ReplaceText("/l", 0, 0, "")], "not a string"),
        ([ReplaceText("/a", 0, 5, "")], "no character"),
        ([ReplaceText("/a", 2, 1, "")], "no range"),
        ([ReplaceText("/a", -1, 1, "")], "no range"),
        ([ReplaceText("/a", 0, 2, ""), ReplaceText("/a", 1, 3, "")], "overlap"),
        ([SetValue("/l", 1), SetValue("/l/0", 2)], "overlap"),
        ([Remove("/l"), Remove("/l/0")], "overlap"),
    ],
)
def test_steps_that_cannot_be_made_are_refused(steps: list[Step], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        changed('{"a": "abcd", "l": [1, 2]}', *steps)


def test_a_template_without_text_has_no_edits() -> None:
    with pytest.raises(ValueError, match="no text"):
        edits_of(Fix("", (SetValue("/a", 1),)), template_from_dict({"a": 0}))


def test_what_changes_nothing_is_no_edit() -> None:
    source = template_from_text("t.json", '{"a": [1]}')
    assert edits_of(Fix("", (SetValue("/a", [1]), RenameKey("/a", "a"))), source) == ()


def test_edits_come_in_any_order_but_never_overlap() -> None:
    edits = [Edit(4, 5, "E"), Edit(1, 2, ""), Edit(2, 2, "x"), Edit(2, 2, "y"), Edit(2, 4, "z")]
    assert apply_edits("abcdef", edits) == "axyzEf"
    assert apply_edits("abc", []) == "abc"
    for clash in ([Edit(0, 2, ""), Edit(1, 3, "")], [Edit(0, 2, ""), Edit(1, 1, "x")], [Edit(0, 1, "")] * 2):
        with pytest.raises(ValueError, match="overlap"):
            apply_edits("abc", clash)


KEYS = st.one_of(st.text(max_size=3), st.sampled_from(["", "/", "~", "~1", "0", "1", "\n", '"', "😀"]))
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
)
OBJECTS = st.dictionaries(KEYS, TREES, max_size=4)


@st.composite
def trees_and_steps(draw: st.DrawFn, new_values: st.SearchStrategy[Any] = TREES) -> tuple[Any, list[Step]]:
    """An object, and steps that can be made together, in any order."""
    steps: list[Step] = []

    def choose(value: Any, pointer: str) -> None:
        kind = draw(st.sampled_from(["keep", "into", "into", "into", "set"]))
        if kind == "set":
            steps.append(SetValue(pointer, draw(new_values)))
        elif kind == "keep":
            return
        elif isinstance(value, str):
            ends = sorted(draw(st.lists(st.integers(0, len(value)), min_size=2, max_size=2)))
            steps.append(ReplaceText(pointer, *ends, draw(st.text(max_size=3))))
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if draw(st.booleans()):
                    steps.append(Remove(child_pointer(pointer, index)))
                else:
                    choose(element, child_pointer(pointer, index))
        elif isinstance(value, dict):
            fresh = [key for key in draw(st.lists(KEYS, max_size=4, unique=True)) if key not in value]
            for key, member in value.items():
                fate = draw(st.sampled_from(["remove", "rename", "keep"]))
                if fate == "remove":
                    steps.append(Remove(child_pointer(pointer, key)))
                    continue
                if fate == "rename" and fresh:
                    steps.append(RenameKey(child_pointer(pointer, key), fresh.pop()))
                choose(member, child_pointer(pointer, key))
            steps.extend(AddMember(pointer, key, draw(new_values)) for key in fresh)

    value = draw(OBJECTS)
    choose(value, "")
    return value, draw(st.permutations(steps))


def parts_with_steps(value: Any, steps: list[Step], pointer: str = "", marked: bool = False) -> Any:
    """The value with the steps made in it; with ``marked``, what is new is ANY."""
    for step in steps:
        if step.pointer == pointer and isinstance(step, SetValue):
            return ANY if marked else step.value
    here = [step for step in steps if step.pointer == pointer]
    removed = {step.pointer for step in steps if isinstance(step, Remove)}
    renamed = {step.pointer: step.key for step in steps if isinstance(step, RenameKey)}
    if isinstance(value, list):
        named = [(child_pointer(pointer, index), element) for index, element in enumerate(value)]
        return [parts_with_steps(element, steps, at, marked) for at, element in named if at not in removed]
    if isinstance(value, dict):
        outcome: dict[str, Any] = {}
        for key, member in value.items():
            at = child_pointer(pointer, key)
            if at not in removed:
                outcome[renamed.get(at, key)] = parts_with_steps(member, steps, at, marked)
        added = {step.key: ANY if marked else step.value for step in here if isinstance(step, AddMember)}
        return {**outcome, **added}
    for step in here:
        if isinstance(step, ReplaceText):
            return ANY if marked else value[: step.start] + step.text + value[step.end :]
    return value


def scattered(draw: st.DrawFn, value: Any) -> str:
    """A value as JSON with any blanks wherever blanks may stand."""

    def blanks() -> str:
        return draw(st.sampled_from(["", "", " ", "\n", "\r\n\t", "\n\n  ", " \n "]))

    if isinstance(value, list):
        return "[" + ",".join(blanks() + scattered(draw, each) + blanks() for each in value) + blanks() + "]"
    if isinstance(value, dict):
        members = (
            blanks() + json.dumps(key) + blanks() + ":" + blanks() + scattered(draw, member) + blanks()
            for key, member in value.items()
        )
        return "{" + ",".join(members) + blanks() + "}"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def in_order(value: Any) -> Any:
    """A value that is equal to another only if all keys come in the same order."""
    if isinstance(value, dict):
        return [(key, in_order(member)) for key, member in value.items()]
    return [in_order(element) for element in value] if isinstance(value, list) else value


def texts_of(text: str, value: Any, pointer: str = "") -> Any:
    """A value with the text of each scalar in its place."""
    if isinstance(value, dict):
        return {key: texts_of(text, each, child_pointer(pointer, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [texts_of(text, each, child_pointer(pointer, index)) for index, each in enumerate(value)]
    document = template_from_text("t.json", text).document
    assert document is not None
    start, end = document.places.value_offsets(pointer)
    return text[start:end]


@settings(deadline=None)
@given(trees_and_steps(), st.data())
def test_the_text_says_what_the_steps_say(case: tuple[Any, list[Step]], data: st.DataObject) -> None:
    value, steps = case
    text = data.draw(st.composite(scattered)(value))
    outcome = changed(text, *steps)
    assert in_order(json.loads(outcome)) == in_order(parts_with_steps(value, steps))
    untouched = parts_with_steps(texts_of(text, value), steps, marked=True)
    assert untouched == texts_of(outcome, json.loads(outcome))


@settings(deadline=None)
@given(trees_and_steps(), st.booleans())
def test_on_one_line_all_is_as_if_written_so_at_once(case: tuple[Any, list[Step]], ascii_only: bool) -> None:
    value, steps = case
    outcome = changed(json.dumps(value, ensure_ascii=ascii_only), *steps)
    expected = parts_with_steps(value, steps)
    assert ascii_only or outcome == json.dumps(expected, ensure_ascii=False)
    assert json.dumps(json.loads(outcome)) == json.dumps(expected)


@settings(deadline=None)
@given(
    trees_and_steps(SCALARS),
    st.sampled_from([0, 1, 2, 4, "\t"]),
    st.sampled_from([": ", ":", " : "]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_one_a_line_all_is_as_if_written_so_at_once(
    case: tuple[Any, list[Step]], indent: int | str, colon: str, line_break: str
) -> None:
    value, steps = case

    def written(tree: Any) -> str:
        text = json.dumps(tree, indent=indent, separators=(",", colon), ensure_ascii=False)
        return text.replace("\n", line_break)

    # An object that had no member has no lines to go by.
    steps = [step for step in steps if not (isinstance(step, AddMember) and not at(value, step.pointer))]
    assert changed(written(value), *steps) == written(parts_with_steps(value, steps))


def at(value: Any, pointer: str) -> Any:
    source = template_from_text("t.json", json.dumps({"x": value}))
    document = source.document
    assert document is not None
    start, end = document.places.value_offsets("/x" + pointer)
    return json.loads(document.source.text[start:end])


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.lists(st.tuples(KEYS, TREES), max_size=3), st.data())
def test_what_is_added_can_be_removed_again(
    value: Any, members: list[tuple[str, Any]], data: st.DataObject
) -> None:
    text = data.draw(st.composite(scattered)(value))
    added = {key: member for key, member in members if key not in value}
    longer = changed(text, *(AddMember("", key, member) for key, member in added.items()))
    assert json.loads(longer) == {**value, **added}
    assert changed(longer, *(Remove(child_pointer("", key)) for key in added)) == text
