"""What a parser looks at grows with its input and no faster, on hostile text, whatever the chunks."""

from __future__ import annotations

from typing import Any

import pytest

import respc
from support.counted_work import counted_module, work
from support.families import families, representatives
from support.hostile_texts import hostile_texts, repeat
from support.templates import corpus_template, own_corpus_names, own_names, own_template

LENGTH = 500
MOST_GROWTH = 2.2
SMALL = 20_000
"""Less than this is no growth: a text that is held back for a while costs so much at any length."""

CHUNKS = {"at once": 0, "in tokens": 4, "in characters": 1}


def chunked(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)] if size else [text]


def growth(module: Any, make: Any, size: int, length: int = LENGTH) -> float:
    """Tell how many times as much is looked at in a text of twice the length."""
    once = work(module, chunked(make(length), size))
    twice = work(module, chunked(make(2 * length), size))
    return twice / max(once, SMALL)


CALLED_SLOW = {
    *("deepseek_sections", "end_anchors", "glm_args", "harmony", "merged_tags", "overlaps"),
    *(
        "corpus atomic_and_behind",
        "corpus channels",
        "corpus closer_alone",
        "corpus inline_flags",
        "corpus many_bodies",
    ),
    *("corpus marks_in_marks", "corpus named_tags", "corpus sections", "corpus word_edges"),
}
"""The templates with a pattern of which the compiler says that its time can grow faster than the text."""

TEMPLATES: dict[str, Any] = {name: own_template(name) for name in own_names()}
TEMPLATES |= {f"corpus {name}": corpus_template(name) for name in own_corpus_names()}
TEMPLATES |= {f"ready-made {family}": family.template for family in representatives()}
LINEAR = {name: template for name, template in TEMPLATES.items() if name not in CALLED_SLOW}
CUT_SENSITIVE = {"corpus line_starts", "corpus tied_openers"}
"""Those of which there is no parser for serving, whose outcome would depend on the cuts."""
FORMS = [(name, "default") for name in LINEAR]
FORMS += [(name, "serving") for name in LINEAR if name not in CUT_SENSITIVE]


def test_the_compiler_says_which_are_slow() -> None:
    slow = {
        name
        for name, template in TEMPLATES.items()
        if any(finding.code.slug == "slow-pattern" for finding in respc.check_template(template))
    }
    assert slow == CALLED_SLOW


@pytest.mark.parametrize(("name", "events"), FORMS)
def test_work_doubles_with_the_text(name: str, events: str) -> None:
    module = counted_module(LINEAR[name], events=events)
    too_much = {
        (what, kind): grown
        for what, make in hostile_texts(LINEAR[name]).items()
        for kind, size in CHUNKS.items()
        if (grown := growth(module, make, size)) > MOST_GROWTH
    }
    assert not too_much


@pytest.mark.parametrize("name", ["bounded_repeats", "tied_openers"])
def test_work_doubles_with_the_regions_of_delimiters_that_regex_searches(name: str) -> None:
    template = corpus_template(name)
    module = counted_module(template)
    regions = [make for what, make in hostile_texts(template).items() if what.startswith("regions of")]
    assert len(regions) >= 3
    assert max(growth(module, make, 0, 2_000) for make in regions) <= MOST_GROWTH


def test_work_doubles_with_what_follows_the_end_of_a_turn() -> None:
    """Also where a delimiter of the same pattern is taken though more text could change it."""
    (family,) = (each for each in families() if each.name == "gpt_oss")
    module = counted_module(family.template)
    assert growth(module, lambda length: "Hi.<|return|>" + "a" * length, 4, 2_000) <= MOST_GROWTH


@pytest.mark.parametrize("name", LINEAR)
def test_work_doubles_with_the_prompt(name: str) -> None:
    template = LINEAR[name]
    module = counted_module(template)
    for make in hostile_texts(template).values():
        once, twice = work(module, [], make(2_000)), work(module, [], make(4_000))
        assert twice <= MOST_GROWTH * max(once, SMALL)


PATTERNS = [
    r"<a>\s*<f=(?P<name>[^>\n]+)>",
    r"<a>[^x]*x[ab]{0,5}y",
    r"<a>[^x]*x[^y\n]*y",
    r"</t>\s*(?:<r>)?\s*",
    r"<t>\w*|<b>\w+",
    r"<a>.*?<b>|<c>\w+>",
    r"(?:<think>|^(?=.*?</think>))",
    r"<a>[^\n]*\]\]",
    r"<a>\s*\n<b>",
    r"<q[^>]{0,20}>|;;",
    r"<a>[^<]*\s*",
    r"<a>[ab]*[a-z]*",
    r"\s*</d>|\n",
    r"<b>(?:[\s\S]*|\d)<m>",
    r"b>([\s\S]*>)?>",
    r"(?:to|for)=\S+?<b>",
    r"to=\S+?<b>x\s+y<c>",
    r'<f="[^"]+?">',
    r"\n*a[\s\S]* [^\n]?|\n*<a",
    r".*?<m>",
    r"(?:<\|q|<+\|b)\s*",
]


BEGUN = (
    "to=",
    "to=a ",
    "to=a<b>",
    "to=a <b>",
    '<f="',
    '<f="a">',
    "<c>!",
    "<a>",
    "<a><f=",
    "<a>x",
    "a <b> ",
    "<a>]",
    "<q",
    "\n",
    "<b>",
    "|>b</b>",
)

GROWS_TOO_FAST = {
    ("open_pattern", r"<a>.*?<b>|<c>\w+>", "default"),
    ("open_pattern", r"\n*a[\s\S]* [^\n]?|\n*<a", "default"),
    ("close_pattern", r"\n*a[\s\S]* [^\n]?|\n*<a", "default"),
}
"""What is searched again from its beginning with each chunk: a fault, to be fixed in what wakes held text."""


@pytest.mark.parametrize("events", ["default", "serving"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("key", ["open_pattern", "close_pattern"])
def test_work_doubles_for_patterns_with_much_to_try(
    pattern: str, key: str, events: str, request: pytest.FixtureRequest
) -> None:
    if (key, pattern, events) in GROWS_TOO_FAST:
        fault = "the text held is searched again with each chunk"
        request.applymarker(pytest.mark.xfail(strict=True, raises=AssertionError, reason=fault))
    field = {"open": "<t>", "close": "</t>", "repeats": True, "transform": "{content}", key: pattern}
    del field[key.removesuffix("_pattern")]
    template = {"start_anchor": "@", "fields": {"c": {}, "x": field}}
    module = counted_module(template, events=events)
    texts = hostile_texts(template)
    for part in BEGUN:
        texts[f"begun, then {part!r}"] = repeat(part, "<a>")
        texts[part] = repeat(part)
    too_much = {
        (what, kind): grown
        for what, make in texts.items()
        for kind, size in CHUNKS.items()
        if (grown := growth(module, make, size)) > MOST_GROWTH
    }
    assert not too_much


def test_what_takes_all_of_the_rest_is_not_searched_with_each_chunk() -> None:
    fields = {name: {"open_pattern": pattern, "close": "<end>"} for name, pattern in TAKES_THE_REST.items()}
    module = counted_module({"start_anchor": "@", "fields": {"content": {}, **fields}})
    assert growth(module, repeat('|"'), 4, 4 * LENGTH) <= MOST_GROWTH


TAKES_THE_REST = {"all": r"^[\s\S]*", "other": r"\|x"}
BLANKS_IN_FRONT: dict[str, Any] = {
    "start_anchor": "@",
    "fields": {"c": {}, "x": {"open_pattern": r"\s*<call>", "close": "</call>"}},
}


def test_without_passes_it_is_not_so() -> None:
    assert growth(counted_module(BLANKS_IN_FRONT), repeat(" "), 1) <= MOST_GROWTH
    assert growth(counted_module(BLANKS_IN_FRONT, passes=()), repeat(" "), 1) > 3
