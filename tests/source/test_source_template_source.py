"""Loading templates from files, folders, standard input and Python values."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import OrderedDict
from enum import Enum, IntEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respc.source import (
    MAX_DEPTH,
    SourceFileError,
    Span,
    TemplateSourceError,
    duplicate_key_warnings,
    read_template,
    template_from_dict,
)
from respc.source.plain_values import digest_of

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<|assistant|>",
    "fields": {"content": {"close": "é\ud800"}, "n": {"open": ["<n>"], "content": "int"}},
    "defaults": {"big": 10**40, "f": 1e400, "z": -0.0},
}
PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec=None))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


def written(path: Path, value: Any, **options: Any) -> Path:
    path.write_text(json.dumps(value, **options), encoding="utf-8")
    return path


def only_diagnostic(error: TemplateSourceError) -> tuple[str, str, Span | None]:
    (diagnostic,) = error.diagnostics
    return diagnostic.code.slug, diagnostic.pointer, diagnostic.span


def test_a_template_has_the_same_digest_wherever_it_came_from(tmp_path: Path) -> None:
    plain = written(tmp_path / "t.json", TEMPLATE)
    config = written(tmp_path / "c.json", {"tokenizer_class": "X", "response_template": TEMPLATE}, indent=3)
    folder = tmp_path / "model"
    folder.mkdir()
    written(folder / "response_template.json", TEMPLATE, separators=(",", ":"))
    stream = io.BytesIO(json.dumps(TEMPLATE).encode())
    sources = [
        read_template(plain),
        read_template(str(config)),
        read_template(folder),
        read_template("-", stream),
    ]
    sources.append(template_from_dict(TEMPLATE, "here"))
    assert [source.template for source in sources] == [TEMPLATE] * 5
    assert {source.digest for source in sources} == {digest_of(TEMPLATE)}
    assert [source.root for source in sources] == ["", "/response_template", "", "", ""]
    folder_name = str(folder / "response_template.json")
    assert [source.name for source in sources] == [str(plain), str(config), folder_name, "<stdin>", "here"]


def test_places_are_relative_to_the_template(tmp_path: Path) -> None:
    text = '{"response_template":\n {"fields":\n  {"x": {"open_pattern": "\\u003c(a"}}}}'
    path = tmp_path / "tokenizer_config.json"
    path.write_text(text, encoding="utf-8")
    source = read_template(path)
    assert source.span_of("") == Span(2, 2, 3, 39)
    assert source.span_of("", key=True) == Span(1, 2, 1, 21)
    assert source.span_of("/fields/x") == Span(3, 9, 3, 37)
    assert source.span_of("/fields/x", key=True) == Span(3, 4, 3, 7)
    assert source.span_of("/fields/x/close/0") == source.span_of("/fields/x")
    assert source.span_of("/fields/x/close", key=True) == source.span_of("/fields/x", key=True)
    assert source.span_in_string("/fields/x/open_pattern", 1) == Span(3, 33, 3, 34)
    assert source.span_in_string("/fields/x/open_pattern", 0, 2) == Span(3, 27, 3, 34)
    assert source.span_in_string("/fields/x/open_pattern", 9) == source.span_of("/fields/x/open_pattern")
    assert source.span_in_string("/fields", 0) == source.span_of("/fields")


def test_a_template_without_a_text_has_no_places() -> None:
    source = template_from_dict(TEMPLATE)
    assert source.name == "<template>"
    assert source.document is source.text is None
    assert source.span_of("/fields") is source.span_in_string("/start_anchor", 0) is None
    assert duplicate_key_warnings(source) == ()


def test_a_config_in_a_folder_is_preferred_when_it_has_the_key(tmp_path: Path) -> None:
    written(tmp_path / "response_template.json", {"fields": {"beside": {}}})
    written(tmp_path / "tokenizer_config.json", {"tokenizer_class": "X"})
    assert list(read_template(tmp_path).template["fields"]) == ["beside"]
    written(tmp_path / "tokenizer_config.json", {"response_template": None})
    assert read_template(tmp_path).template is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tokenizer_config.json", {}),
        ("tokenizer_config.json", []),
        ("x.json", {"chat_template": ""}),
        ("y.json", {"tokenizer_class": "T"}),
    ],
)
def test_a_config_without_the_key_says_what_to_add(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(TemplateSourceError) as caught:
        read_template(written(tmp_path / name, value))
    assert only_diagnostic(caught.value)[0] == "no-template-in-config"
    assert "add the key `response_template`" in (caught.value.diagnostics[0].help or "")
    if name == "tokenizer_config.json":
        with pytest.raises(TemplateSourceError, match="no key `response_template`"):
            read_template(tmp_path)


def test_an_object_with_fields_is_a_template_whatever_its_other_keys_and_name(tmp_path: Path) -> None:
    value = {"response_template": {"fields": {}}, "fields": {"a": {}}, "tokenizer_class": "X"}
    source = read_template(written(tmp_path / "tokenizer_config.json", value))
    assert (source.root, source.template) == ("", value)


def test_what_is_no_file_or_folder_with_a_template_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "tokenizer_config.json").mkdir()
    os.mkfifo(tmp_path / "pipe")
    reasons = {
        tmp_path / "missing.json": "no such file or folder",
        tmp_path: "neither a tokenizer_config.json nor a response_template.json",
        tmp_path / "pipe": "not a regular file",
        tmp_path / "config": "not a regular file",
        tmp_path / "pipe" / "below": "Not a directory",
        tmp_path / ("n" * 300): "File name too long",
        Path("a\0b"): "null",
    }
    for path, reason in reasons.items():
        with pytest.raises(SourceFileError, match=reason):
            read_template(path)
    with pytest.raises(SourceFileError, match="the path is empty"):
        read_template("")


def test_errors_of_reading_are_file_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path / "t.json", TEMPLATE)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceFileError, match=r"t\.json: Permission denied"):
        read_template(path)

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(SourceFileError, match="<stdin>: Input/output error"):
        read_template("-", Broken())


@pytest.mark.parametrize(
    ("data", "slug", "span", "message"),
    [
        (b'{"a": 1,}', "invalid-json", Span(1, 8, 1, 9), "a trailing comma"),
        ('{\n "é": "ü\xff"}'.encode("latin-1"), "invalid-encoding", Span(2, 3, 2, 4), "0xE9 at offset 4"),
        ('{\n "é": '.encode() + b'"\xff"}', "invalid-encoding", Span(2, 8, 2, 9), "0xFF at offset 10"),
        (b'"\xed\xa0\x80"', "invalid-encoding", Span(1, 2, 1, 3), "0xED at offset 1"),
        (b'\n"\xe2\x82', "invalid-encoding", Span(2, 2, 2, 3), "0xE2 at offset 2"),
        (b"\xef\xbb\xbf{}", "byte-order-mark", Span(1, 1, 1, 2), "byte order mark"),
        (b"", "invalid-json", Span(1, 1, 1, 1), "the document is empty"),
        (b"[" * 70, "nesting-too-deep", Span(1, 65, 1, 66), "64 deep"),
        (b"9" * 5000, "integer-too-long", Span(1, 1, 1, 5001), "more digits"),
    ],
)
def test_content_that_is_not_json_is_a_finding_with_its_place(
    data: bytes, slug: str, span: Span, message: str
) -> None:
    with pytest.raises(TemplateSourceError, match=message) as caught:
        read_template("-", io.BytesIO(data))
    assert only_diagnostic(caught.value) == (slug, "", span)
    assert caught.value.name == "<stdin>"
    assert caught.value.text is not None
    assert span.line <= caught.value.text.line_count


def test_utf_16_is_recognised() -> None:
    with pytest.raises(TemplateSourceError) as caught:
        read_template("-", io.BytesIO("{}".encode("utf-16")))
    assert "UTF-16" in (caught.value.diagnostics[0].help or "")


def test_duplicate_keys_of_the_template_and_of_what_holds_it_are_warned_of() -> None:
    text = '{"other": {"z": 1, "z": 2}, "response_template": 0, "response_template": {"a~/b": 1, "a~/b": 2}}'
    warnings = duplicate_key_warnings(read_template("-", io.BytesIO(text.encode())))
    assert [warning.pointer for warning in warnings] == ["", "/a~0~1b"]
    assert [warning.span for warning in warnings] == [Span(1, 53, 1, 72), Span(1, 86, 1, 92)]
    assert "`a~/b`" in warnings[1].message


@settings(deadline=None)
@given(PLAIN)
def test_the_digest_is_of_the_compact_ascii_json(value: Any) -> None:
    dumped = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    assert digest_of(value) == sha256(dumped.encode("ascii")).hexdigest()


def test_the_digest_tells_order_types_and_tuples_apart() -> None:
    values: list[Any] = [
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
        1,
        1.0,
        True,
        "1",
        [1],
        (1,),
        ((1,),),
        [(1,)],
        0.0,
        -0.0,
    ]
    assert len({digest_of(value) for value in values}) == len(values)


def test_values_from_python_are_copied_into_plain_types() -> None:
    class Text(str, Enum):
        A = "a"

    class Number(IntEnum):
        ONE = 1

    class Real(float):
        pass

    class Items(list[Any]):
        pass

    given_value = OrderedDict({Text.A: Items([Number.ONE, Real(0.5), True, None, (Text.A, [2])])})
    template = template_from_dict(given_value).template
    assert template == {"a": [1, 0.5, True, None, ("a", [2])]}
    assert [type(template), *map(type, template)] == [dict, str]
    elements = template["a"]
    assert [type(elements), *map(type, elements)] == [list, int, float, bool, type(None), tuple]
    assert [*map(type, elements[4])] == [str, list]
    given_value[Text.A][4][1].append(3)
    assert template["a"][4][1] == [2]


def doubled(times: int) -> list[Any]:
    shared: list[Any] = []
    for _ in range(times):
        shared = [shared, shared]
    return shared


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def holding_itself() -> dict[str, Any]:
    value: dict[str, Any] = {"a": [0]}
    value["a"].append({"b/c": value["a"]})
    return value


@pytest.mark.parametrize(
    ("value", "slug", "pointer"),
    [
        ({"a": [1, {2, 3}]}, "value-not-json", "/a/1"),
        ({"a": (b"x",)}, "value-not-json", "/a/0"),
        ({"a": {"b": object()}}, "value-not-json", "/a/b"),
        ({"a": {1: 2}}, "value-not-json", "/a"),
        ({"a": 1j}, "value-not-json", "/a"),
        ({"a": [10**5000]}, "integer-too-long", "/a/0"),
        (holding_itself(), "cyclic-value", "/a/1/b~1c"),
        (nested(MAX_DEPTH + 1), "nesting-too-deep", "/0" * MAX_DEPTH),
        (nested(100_000), "nesting-too-deep", "/0" * MAX_DEPTH),
        (doubled(60), "template-too-large", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_json_cannot_hold_is_a_finding_with_its_pointer(
    value: Any, slug: str, pointer: str | None
) -> None:
    with pytest.raises(TemplateSourceError) as caught:
        template_from_dict(value, "here")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code.slug == slug
    assert diagnostic.span is None
    if pointer is not None:
        assert diagnostic.pointer == pointer


def test_shared_values_are_not_cycles_and_the_limit_of_depth_is_allowed() -> None:
    shared = {"open": "<a>"}
    assert template_from_dict({"x": shared, "y": [shared]}).template == {"x": shared, "y": [shared]}
    assert template_from_dict(nested(MAX_DEPTH)).template == nested(MAX_DEPTH)


@pytest.mark.parametrize("package", ["respc.source", "respc.diagnostics"])
def test_importing_loads_nothing_heavy(package: str) -> None:
    heavy = "{'rich', 'jinja2', 'black', 'click', 'regex'}"
    program = f"import sys, {package}; print(sorted({heavy} & set(sys.modules)))"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"
