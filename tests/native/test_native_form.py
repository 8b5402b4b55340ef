"""What mypyc is given of a module: the same lines, but for what it makes otherwise than Python."""

from __future__ import annotations

import ast
import sys
from io import StringIO
from random import Random
from typing import Any

import pytest

import respc
from respc.native.form import native_form
from support.families import Family, representatives


def standalone(template: dict[str, Any], events: str = "default") -> str:
    return respc.compile_template(template, standalone=True, events=events, formatted=False).source


def statements(source: str) -> set[tuple[str, int]]:
    """Return what each statement is and on which line it stands, but what only type checkers read."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.body = [statement for statement in node.body if not isinstance(statement, ast.If)]
    named = {
        (node.name, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    return named | {
        (type(node).__name__, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.stmt)
    }


@pytest.mark.parametrize("events", ["default", pytest.param("serving", marks=pytest.mark.long)])
@pytest.mark.parametrize("family", representatives(), ids=str)
def test_lines_stay_where_they_are(family: Family, events: str) -> None:
    source = standalone(family.template, events)
    added = statements(native_form(source)) ^ statements(source)
    length = source.count("\n")
    # Two statements are added on the lines of the first import and under it; the others stand behind the module.
    under = source.split("\n").index("from __future__ import annotations") + 2
    assert {place for _, place in added if place <= length} == {under}


def test_exceptions_stay_classes_of_python_and_parsers_can_be_derived_from() -> None:
    lines = native_form(standalone({"start_anchor": "A", "fields": {"content": {}}})).split("\n")
    assert "class ResponseValueError(ResponseError, ValueError, metaclass=type):" in lines
    assert "class MissingPrefixError(ResponseValueError, metaclass=type):" in lines
    place = lines.index("class ResponseParser(Stream[Message, Event]):")
    assert lines[place - 1].startswith("@mypyc_attr(allow_interpreted_subclasses=True")
    assert not any("overload" in line for line in lines if not line.startswith(("from ", "    overload")))


def test_it_says_what_it_was_made_of() -> None:
    one = native_form(standalone({"start_anchor": "A", "fields": {"content": {}}}))
    other = native_form(standalone({"start_anchor": "B", "fields": {"content": {}}}))
    assert one.splitlines()[-1].startswith('_BUILT_OF: str = "')
    assert one.splitlines()[-1] != other.splitlines()[-1]


@pytest.mark.parametrize("events", ["default", pytest.param("serving", marks=pytest.mark.long)])
@pytest.mark.parametrize("family", representatives(), ids=str)
def test_what_most_chunks_pass_through_looks_up_no_method_by_its_name(family: Family, events: str) -> None:
    source = standalone(family.template, events)
    tree = ast.parse(native_form(source))
    parsers = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Parser", "Stream"))
    ]
    quick = [
        node
        for parser in parsers
        for node in parser.body
        if isinstance(node, ast.FunctionDef) and node.name == "feed" and "self._chunk" in ast.unparse(node)
    ]
    assert {ast.unparse(node.returns) for node in quick if node.returns is not None} == {"list[Any]"}
    for node in quick:
        condition = next(each.test for each in node.body if isinstance(each, ast.If))
        assert ast.unparse(condition).startswith("chunk is not None and isinstance(text, str) and text and ")
        assert ("text[-1].isspace()" in ast.unparse(condition)) is ("ord(text[-1])" in ast.unparse(condition))
    # Every stream keeps its text in a class of the module, and chunks are dicts.
    assert "self._body.write(" in source
    assert "_body: _KeptText" in ast.unparse(tree)
    assert "= text_buffer()" in source
    assert "= text_buffer()" not in ast.unparse(tree)
    assert "_chunk: dict[str, Any] | None" in ast.unparse(tree)


def kept_text() -> Any:
    """Return the class that text is kept in, as Python has it."""
    tree = ast.parse(native_form(standalone({"start_anchor": "A", "fields": {"content": {}}})))
    (written,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "_KeptText")
    written.decorator_list = []
    names: dict[str, Any] = {}
    exec(compile(ast.Module([written], []), "kept text", "exec"), names)
    return names["_KeptText"]()


@pytest.mark.parametrize("seed", range(20))
def test_text_is_kept_as_a_buffer_keeps_it(seed: int) -> None:
    random = Random(seed)
    kept, buffer = kept_text(), StringIO()
    for number in range(400):
        for each in (kept, buffer):
            each.write(f"{number} é😀"[: number % 5])
        if random.random() < 0.05:
            assert kept.getvalue() == buffer.getvalue()
        if random.random() < 0.05:
            assert kept.tell() == buffer.tell()
        if random.random() < 0.01:
            for each in (kept, buffer):
                each.truncate(0)
                each.seek(0)
        assert len(kept.pieces) < 64
    assert kept.getvalue() == buffer.getvalue()
    assert kept.tell() == buffer.tell()


def test_what_is_said_of_a_last_character_holds_for_all_characters() -> None:
    source = standalone({"start_anchor": "A", "fields": {"content": {"close_pattern": r"\s*<end>"}}})
    tree = ast.parse(native_form(source))
    conditions = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
    }
    (condition,) = (each for each in conditions if "ord(text[-1])" in each)
    said = eval(f"lambda text: {condition}")
    characters = map(chr, range(sys.maxunicode + 1))
    assert [each for each in characters if said(each) is each.isspace()] == []
