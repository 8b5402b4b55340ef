"""The pictures: everything has its place, nothing lies over another, and no text of a template gets out of its own."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from respc.analysis import analyse
from respc.show import Machine, machine_of
from respc.show.breaks import broken_into_lines, pieces_of
from respc.show.html import html
from respc.show.layout import layout
from respc.show.mermaid import mermaid
from respc.show.svg import svg
from respc.source import template_from_dict
from support.templates import own_names, own_template

if TYPE_CHECKING:
    from respc.show.layout import Box, Label, Picture

HOSTILE = "</title></style></svg>]]><script>alert(1)</script><!-- \" ' & ; : --> %% \n end \x1b \ud800"
SPACE = "{http://www.w3.org/2000/svg}"


def machine(template: dict[str, Any], name: str = "model.json") -> Machine:
    ir = analyse(template_from_dict(template)).ir
    assert ir is not None
    return machine_of(ir, name)


def wide(fields: int) -> dict[str, Any]:
    """Return a template of long names, long patterns, many literals and wide characters."""
    template: dict[str, Any] = {
        "start_anchor": "<|" + "anchor" * 20 + "|>",
        "fields": {"rest": {"close": [f"<|end{number}|>" * 5 for number in range(9)], "repeats": True}},
    }
    for number in range(fields):
        template["fields"][f"field_{number}" * (1 + 5 * (number % 2))] = {
            "open_pattern": f"<field{number}>\\s*<name=(?P<name>[^<>]+)>" + "x" * 40 * (number % 3),
            "close": ["<｜名前｜終｜>" * 4, f"</field{number}>", "</", "<end>"],
            "repeats": True,
            "join": "long " * 20,
            "transform": {"name": "{name}"} if number % 2 else "{content}",
        }
    return template


TEMPLATES = {
    **{name: own_template(name) for name in own_names()},
    **{f"wide {fields}": wide(fields) for fields in (0, 1, 2, 8)},
    "no closers": {"start_anchor": "A", "fields": {"a": {"open": "<a>"}}},
    "hostile": {
        "start_anchor": HOSTILE,
        "fields": {
            HOSTILE: {
                "open": HOSTILE,
                "close_pattern": re.escape(HOSTILE),
                "transform": {HOSTILE: [HOSTILE]},
            },
            "rest": {"close": HOSTILE + "x", "repeats": True, "join": HOSTILE},
        },
    },
}


@cache
def shown(name: str) -> Machine:
    """Return the machine of one of the templates, made once for all tests."""
    return machine(TEMPLATES[name])


@cache
def picture_of(name: str) -> Picture:
    """Return its picture."""
    return layout(shown(name))


every_template = pytest.mark.parametrize("name", TEMPLATES)


def rectangle(label: Label) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text."""
    line = label.line
    return label.x, label.y - line.size * 0.8, label.x + line.room, label.y + line.size * 0.25


def overlap(one: tuple[float, float, float, float], two: tuple[float, float, float, float]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def of_box(box: Box) -> tuple[float, float, float, float]:
    return box.x, box.y, box.x + box.width, box.y + box.height


def of_arrows(picture: Picture) -> list[tuple[float, float, float, float]]:
    pieces = []
    for arrow in picture.arrows:
        for (x, y), (to_x, to_y) in zip(arrow.points, arrow.points[1:], strict=False):
            pieces.append((min(x, to_x), min(y, to_y) - 0.75, max(x, to_x) + 0.75, max(y, to_y) + 0.75))
    return pieces


@every_template
def test_texts_boxes_and_arrows_do_not_lie_over_each_other(name: str) -> None:
    picture = picture_of(name)
    texts = {label: rectangle(label) for label in picture.labels}
    boxes = list(map(of_box, picture.boxes))
    for (one, place), (two, other) in combinations(texts.items(), 2):
        assert not overlap(place, other), (one, two)
    assert not any(overlap(one, two) for one, two in combinations(boxes, 2))
    for label, place in texts.items():
        assert not any(overlap(place, arrow) for arrow in of_arrows(picture)), label
        for box in boxes:
            inside = box[0] < place[0] and box[1] < place[1] and place[2] < box[2] and place[3] < box[3]
            assert inside or not overlap(place, box), label


@every_template
def test_everything_is_inside_the_picture(name: str) -> None:
    picture = picture_of(name)
    places = [*map(rectangle, picture.labels), *map(of_box, picture.boxes), *of_arrows(picture)]
    assert min(place[0] for place in places) > 0
    assert min(place[1] for place in places) > 0
    assert max(place[2] for place in places) < picture.width < 1_000
    assert max(place[3] for place in places) < picture.height


@every_template
def test_every_delimiter_has_its_arrow_and_every_field_its_box(name: str) -> None:
    template = TEMPLATES[name]
    picture = picture_of(name)
    fields = template["fields"].values()
    opened = [field for field in fields if "open" in field or "open_pattern" in field]
    closed = [field for field in fields if "close" in field or "close_pattern" in field]
    assert len(picture.boxes) == 1 + len(opened)
    assert [arrow.style for arrow in picture.arrows].count("opens") == 1 + len(opened)
    assert [arrow.style for arrow in picture.arrows].count("closes") == len(closed)


@every_template
def test_the_svg_is_well_formed_and_needs_nothing_from_outside(name: str) -> None:
    text = svg(shown(name))
    root = ElementTree.fromstring(text)
    assert {element.tag.removeprefix(SPACE) for element in root.iter()} <= {
        "svg", "title", "style", "rect", "circle", "polyline", "polygon", "text",
    }  # fmt: skip
    assert not re.search(
        r"(?:href|src|url\(|@import)", ElementTree.tostring(root.find(f"{SPACE}style")).decode()
    )
    for element in root.iter():
        assert not any("href" in key or key.startswith("on") for key in element.attrib)
    assert "prefers-color-scheme:dark" in text


def test_text_of_a_template_stays_text() -> None:
    hostile = machine(TEMPLATES["hostile"], HOSTILE)
    root = ElementTree.fromstring(svg(hostile))
    texts = "".join(root.itertext())
    assert "<script>alert(1)</script>" in texts
    page = html(hostile)
    assert "<script" not in page
    assert page.count("</svg>") == page.count("</title>") - svg(hostile).count("</title>") == 1
    assert page.isprintable() or set(filter(lambda character: not character.isprintable(), page)) == {"\n"}


@every_template
def test_the_page_has_the_picture_and_every_row(name: str) -> None:
    page = html(shown(name))
    assert svg(shown(name), titled=False).rstrip("\n") in page
    assert page.count("<tr") == 1 + len(list(shown(name).rows()))
    assert not re.search(r"<(?:script|link|img|iframe)\b", page)


@every_template
def test_a_cut_text_is_there_in_full_as_a_title(name: str) -> None:
    for label in picture_of(name).labels:
        if label.line.text.endswith("…"):
            assert len(label.line.full) > len(label.line.text)


STATEMENT = re.compile(
    r'stateDiagram-v2|    direction LR|    state "(?:[\w ]|#\d+;)+" as (?:outside|field\d+)'
    r"|    (?:\[\*\]|outside|field\d+) --> (?:\[\*\]|outside|field\d+) : (?:[\w ]|#\d+;)+"
)


@every_template
def test_mermaid_has_statements_alone_whatever_a_template_says(name: str) -> None:
    lines = mermaid(shown(name)).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert all(STATEMENT.fullmatch(line) for line in lines), lines


def test_mermaid_names_states_and_delimiters() -> None:
    template = {
        "start_anchor": "A",
        "fields": {"a-b": {"open": "<a>", "close_pattern": "b;"}, "tail": {"open": "T"}, "c": {"close": "."}},
    }
    lines = [
        re.sub(r"#(\d+);", lambda found: chr(int(found[1])), line)
        for line in mermaid(machine(template)).splitlines()
    ]
    assert lines[2:] == [
        '    state "c (text)" as outside',
        '    state "a-b (text)" as field0',
        '    state "tail (text)" as field1',
        "    [*] --> outside : after A",
        "    outside --> field0 : <a>",
        "    field0 --> outside : /b;/",
        "    outside --> field1 : T",
        "    field1 --> [*] : the end of the text",
        "    outside --> outside : . ends the region",
        "    outside --> [*] : the end of the text",
    ]


@pytest.mark.parametrize("direction", ["direction LR", "see Direction  TB here", "direction\tRL"])
def test_words_that_mermaid_takes_for_a_statement_stay_text(direction: str) -> None:
    template = {
        "start_anchor": direction,
        "fields": {direction: {"open": direction, "close": "</>"}, "rest": {}},
    }
    lines = mermaid(machine(template)).splitlines()
    assert lines[1] == "    direction LR"
    # Mermaid's lexer takes a whole line that has this anywhere, whatever stands before it.
    taken = re.compile(r"direction\s+(?:TB|BT|RL|LR)", re.IGNORECASE)
    assert not any(taken.search(line) for line in lines[2:])
    assert len(lines) == 8


def texts_of(template: dict[str, Any]) -> list[str]:
    return [label.line.text for label in layout(machine(template)).labels]


@pytest.mark.parametrize(("number", "shown", "more"), [(6, 6, ""), (7, 5, "or 2 more")])
def test_a_line_for_the_literals_left_out_stands_for_more_than_one(
    number: int, shown: int, more: str
) -> None:
    literals = [f"<{index}>" for index in range(number)]
    texts = texts_of({"start_anchor": "A", "fields": {"a": {"open": literals, "close": "</>"}, "rest": {}}})
    assert len(set(literals) & set(texts)) == shown
    assert [text for text in texts if text.endswith("more")] == ([more] if more else [])


def test_an_anchor_has_the_width_of_the_picture() -> None:
    anchor = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    assert f"after {anchor}" in texts_of({"start_anchor": anchor, "fields": {"content": {}}})


def test_a_blank_where_a_pattern_is_broken_into_lines_is_seen() -> None:
    pattern = "<" + "a" * 35 + " b c" + "d" * 33 + " e>"
    field = {"open_pattern": pattern, "close": "</>"}
    texts = texts_of({"start_anchor": "A", "fields": {"a": field, "rest": {}}})
    lines = ["/<" + "a" * 35 + "␣", "b c" + "d" * 33 + " e", ">/"]
    assert texts[texts.index(lines[0]) :][:3] == lines


@pytest.mark.parametrize("name", own_names())
def test_lines_of_a_pattern_end_between_its_tokens(name: str) -> None:
    for label in layout(machine(own_template(name))).labels:
        # A piece that is wider than a line has to be broken somewhere.
        if label.line.style == "delimiter" and len(max(pieces_of(label.line.text), key=len)) < 38:
            assert not re.search(r"<\\?\|\w*…?$", label.line.text.rstrip("…")), label.line.text


def test_what_is_broken_is_all_there() -> None:
    text = r"/<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)(?:<\|constrain\|>[^<]*)? <\|message\|>/"
    for width in range(8, 100):
        lines = broken_into_lines(text, width)
        assert "".join(lines).replace("␣", " ") == text
        assert max(map(len, lines)) <= width
    assert broken_into_lines(text, 40) == [
        r"/<\|channel\|>analysis[^\s<]*(?:\s+\w+|",
        r"\s*)(?:<\|constrain\|>",
        r"[^<]*)? <\|message\|>/",
    ]


def test_no_backquotes_are_drawn() -> None:
    field = {"open": "<a>", "close": "</a>", "repeats": True, "join": "\n"}
    texts = texts_of({"start_anchor": "A", "fields": {"a": field, "rest": {}}})
    assert r"all regions joined by \n" in texts
