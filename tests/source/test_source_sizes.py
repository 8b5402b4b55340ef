"""How large templates and their files may be: the largest are read, one step more is refused before it costs."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from respc.source import TemplateSourceError, read_template, template_from_dict, template_from_text
from respc.source.sizes import MAX_BYTES, MAX_CHARACTERS, MAX_DOCUMENT_VALUES, MAX_VALUES

if TYPE_CHECKING:
    from pathlib import Path

    from respc.diagnostics import Diagnostic


def template(defaults: dict[str, Any]) -> dict[str, Any]:
    return {"start_anchor": "A", "fields": {"f": {}}, "defaults": defaults}


OTHER_VALUES = 5  # the template, its anchor, its fields, the field, its defaults
OTHER_CHARACTERS = len("start_anchor" + "A" + "fields" + "f" + "defaults" + "d")

LARGEST: dict[str, dict[str, Any]] = {
    "values of a list": template({"d": [0] * (MAX_VALUES - OTHER_VALUES - 1)}),
    "values of an object": template({str(number): [] for number in range(MAX_VALUES - OTHER_VALUES)}),
    "a text": template({"d": "x" * (MAX_CHARACTERS - OTHER_CHARACTERS)}),
    "a key": template({"d" + "x" * (MAX_CHARACTERS - OTHER_CHARACTERS): 0}),
    "the texts of a list": template({"d": ["x" * 1000] * ((MAX_CHARACTERS - OTHER_CHARACTERS) // 1000)}),
}


def with_one_more(largest: dict[str, Any]) -> dict[str, Any]:
    """Add a value to each, and enough characters for all that are near the bound of those."""
    return {**largest, "defaults": {**largest["defaults"], "more": "y" * 1000}}


def refused(read: Any) -> Diagnostic:
    with pytest.raises(TemplateSourceError) as caught:
        read()
    (finding,) = caught.value.diagnostics
    assert finding.code.slug == "template-too-large"
    return finding


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_is_read_and_one_step_more_is_not(name: str, tmp_path: Path) -> None:
    largest = LARGEST[name]
    more = with_one_more(largest)
    path = tmp_path / "t.json"
    for given, whole in ((largest, True), (more, False)):
        text = json.dumps(given)
        path.write_text(text, encoding="utf-8")
        for read in (
            lambda given=given: template_from_dict(given),
            lambda text=text: template_from_text("t", text),
            lambda text=text: template_from_text("t", f'{{"inner": {text}}}', "/inner"),
            lambda text=text: read_template("-", io.BytesIO(text.encode())),
            lambda: read_template(path),
        ):
            if whole:
                assert read().template == given
            else:
                message = refused(read).message
                assert f"more than {MAX_VALUES if 'values' in name else MAX_CHARACTERS:,} " in message


def test_the_place_is_that_of_the_template_in_its_document() -> None:
    config = json.dumps({"tokenizer_class": "T", "response_template": [0] * MAX_VALUES})
    finding = refused(lambda: read_template("-", io.BytesIO(config.encode())))
    assert finding.span is not None
    assert finding.span.column == config.index("[") + 1


@pytest.mark.parametrize("element", ["0", "[]", '""', "{}", '{"k":0}'])
def test_a_document_may_hold_more_than_the_template_in_it_but_not_everything(element: str) -> None:
    inner = json.dumps(template({}))

    def config(number: int) -> str:
        return f'{{"added": [{",".join([element] * number)}], "response_template": {inner}}}'

    each = 2 if "k" in element else 1
    number = (MAX_DOCUMENT_VALUES - 2 - OTHER_VALUES) // each
    assert template_from_text("t", config(number), "/response_template").template == template({})
    finding = refused(lambda: template_from_text("t", config(number + 1), "/response_template"))
    assert "more than 250,000 values" in finding.message
    assert finding.span is not None


class Endless(io.RawIOBase):
    """A stream that never ends, and remembers how much was asked of it."""

    given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "all of it was asked for"
        self.given += size
        return b" " * size


def test_no_more_is_read_than_a_file_may_have(tmp_path: Path) -> None:
    endless: Any = Endless()
    assert "16,000,000 bytes" in refused(lambda: read_template("-", endless)).message
    assert endless.given == MAX_BYTES + 1
    path = tmp_path / "t.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES * 1000)  # a hole, which takes no place on the disk
    assert "16,000,000 bytes" in refused(lambda: read_template(path)).message
    assert "16,000,000 characters" in refused(lambda: template_from_text("t", " " * (MAX_BYTES + 1))).message


def test_a_file_of_line_breaks_is_read_as_any_other() -> None:
    text = json.dumps(template({}))
    source = template_from_text("t", "\r\n" * 1_000_000 + text + "\n" * 1_000_000)
    span = source.span_of("/start_anchor")
    assert span is not None
    assert span.line == 1_000_001
    assert source.text is not None
    assert source.text.line(1_000_001) == text
    assert source.text.line(2_000_001) == ""


def test_what_stands_for_more_than_memory_holds_is_counted() -> None:
    texts: Any = ["x" * 100_000] * 100
    assert "characters" in refused(lambda: template_from_dict(template({"d": texts}))).message
    shared: Any = []
    for _ in range(60):
        shared = [shared, shared]
    assert "values" in refused(lambda: template_from_dict(template({"d": shared}))).message
