"""`parse_response` of serving modules and of the engines' copies: messages, and the first malformed region's error."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import respc
from support.engine_amendments import amended, reasons_for
from support.engine_copies import Generation
from support.families import Family, representatives
from support.outcomes import Raised, assert_same_outcome, outcome
from support.serving import without_care
from support.templates import own_names, own_samples, own_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.engine_amendments import Copy

TWO_FIELDS: dict[str, Any] = {
    "start_anchor": "^",
    "fields": {
        "a": {"open": "<a>", "close": "</a>", "content": "int", "repeats": True},
        "b": {"open": "<b>", "close": "</b>", "content": "json", "repeats": True},
        "c": {"open": "<c>", "close": "</c>", "optional": False},
    },
}


def both_outcomes(
    copy: Copy, template: dict[str, Any], case: dict[str, Any], parse: Callable[..., Any]
) -> tuple[Any, Any]:
    generation = Generation(template, case["prefix"], case["text"], case["tools"])
    with amended(copy, tuple(reasons_for(generation, copy.engine))):
        expected = outcome(
            copy.parser.parse_response,
            case["text"],
            deepcopy(template),
            prefix=case["prefix"],
            tools=deepcopy(case["tools"]),
        )
    return expected, outcome(parse, case["text"], prefix=case["prefix"], tools=deepcopy(case["tools"]))


@pytest.mark.parametrize("name", own_names())
def test_own_templates(copy: Copy, name: str) -> None:
    template = own_template(name)
    parse = without_care(respc.load(template, events="serving", stable=False)).parse_response
    for case in own_samples(name):
        assert_same_outcome(*both_outcomes(copy, template, case, parse))


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_families(copy: Copy, family: Family) -> None:
    parse = without_care(respc.load(family.template, events="serving", stable=False)).parse_response
    for case in family.samples:
        assert_same_outcome(*both_outcomes(copy, family.template, case, parse))


@pytest.mark.parametrize("passes", [None, ()], ids=["all-passes", "no-pass"])
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("<c>x</c><a>1</a><a>x</a><b>2</b>", "a"),
        ("<c>x</c><b>x</b><a>x</a>", "b"),
        ("<b>{</b><c>x</c><a>x</a><b>1</b>", "b"),
        ("<c>x</c><a>1</a><b>2</b>", None),
    ],
)
def test_first_malformed_region_is_raised(
    copy: Copy, text: str, first: str | None, passes: tuple[str, ...] | None
) -> None:
    module = respc.load(TWO_FIELDS, events="serving", stable=False, passes=passes)
    expected, actual = both_outcomes(
        copy, TWO_FIELDS, {"prefix": "", "text": text, "tools": None}, module.parse_response
    )
    assert_same_outcome(expected, actual)
    if first is not None:
        with pytest.raises(ValueError, match=f"'{first}'"):
            module.parse_response(text, prefix="")


def test_malformed_region_of_the_prefix_is_raised(copy: Copy) -> None:
    module = respc.load(TWO_FIELDS, events="serving", stable=False)
    case = {"prefix": "<a>x</a>", "text": "<c>y</c>", "tools": None}
    expected, actual = both_outcomes(copy, TWO_FIELDS, case, module.parse_response)
    assert_same_outcome(expected, actual)
    assert actual == Raised("ValueError")


@pytest.mark.parametrize("passes", [None, ()], ids=["all-passes", "no-pass"])
def test_a_malformed_region_comes_before_a_missing_field(passes: tuple[str, ...] | None) -> None:
    module = respc.load(TWO_FIELDS, events="serving", stable=False, passes=passes)
    with pytest.raises(ValueError, match="'a'") as raised:
        module.parse_response("<a>x</a>", prefix="")
    assert raised.value.field == "a"
