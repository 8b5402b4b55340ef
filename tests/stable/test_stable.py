"""A stable module comes to what the interpreter makes of the whole text at once, however the text is cut."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import event, given

import respc
from support.families import Family, representatives
from support.oracle import Refusal, TooSlowError, compile_or_refuse
from support.recutting import described, first_instability, recut
from support.stability import response_at_once, response_in_chunks, stable_module
from support.strategies import ASKED_FOR, Example, examples, generated
from support.templates import own_names, own_samples, own_template

if TYPE_CHECKING:
    from collections.abc import Iterable

STABLE = [name for name in own_names() if stable_module(own_template(name)) is not None]


def must_be_stable(
    template: dict[str, Any],
    samples: Iterable[dict[str, Any]],
    *,
    moved_by: int = 1,
    serving_every: int = 1,
    one_in: int = 1,
) -> None:
    """Assert that each sample comes to the same under every cut, with the end of the prefix moved as well."""
    for number, sample in enumerate(samples):
        prefix, text, tools = sample["prefix"], sample["text"], sample["tools"]
        runs = list(recut(template, prefix, text, Random(sample["id"]), moved_by=moved_by))
        runs = runs[number % one_in :: one_in]
        found = first_instability(template, prefix, text, tools, runs, serving_every=serving_every)
        assert found is None, described(template, prefix, text, tools, found)


def test_most_own_templates_can_be_stable() -> None:
    assert set(own_names()) - set(STABLE) == {"end_anchors", "glm_args"}


@pytest.mark.parametrize("name", STABLE)
def test_own_templates(name: str) -> None:
    must_be_stable(own_template(name), own_samples(name), moved_by=2, serving_every=3)


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_families(family: Family) -> None:
    must_be_stable(family.template, family.samples, moved_by=5, serving_every=3, one_in=1 if ASKED_FOR else 2)


@generated(30)
@given(examples(texts=3))
def test_generated(example: Example) -> None:
    if isinstance(compile_or_refuse(example.template), Refusal):
        event("refused")
        return
    if stable_module(example.template) is None:
        assert stable_module(example.template, "serving") is None
        event("cannot be stable")
        return
    event("stable")
    for made in example.generations:
        runs = recut(example.template, made.prefix, made.text, Random(made.seed), moved_by=3)
        try:
            found = first_instability(example.template, made.prefix, made.text, made.tools, runs)
        except TooSlowError:
            continue
        assert found is None, described(example.template, made.prefix, made.text, made.tools, found)


def test_without_stability_it_is_not_so() -> None:
    """The interpreter commits `<t` at the end of a chunk, although `<t>x` could still come of it."""
    template: dict[str, Any] = {
        "start_anchor": "@",
        "fields": {"a": {"open": ["<t", "<t>x"], "close": ";"}, "content": {"repeats": True, "join": "|"}},
    }
    module = respc.load(template, stable=False)
    outcomes = {
        str(response_in_chunks(module, "", chunks)) for chunks in (["<t>x;"], ["<t", ">x;"], list("<t>x;"))
    }
    assert len(outcomes) > 1
    must_be_stable(template, [{"id": "growing", "prefix": "", "text": "<t>x;", "tools": None}])


# Each ends with a run that can grow, behind other steps or in a group, or has another way that begins alike.
PATTERNS = [
    r"<a>(?P<n>\d?)",
    r"<a>(?P<n>\d{0,3})",
    r"<a>(?P<n>\d{1,3})x?",
    r"<a>(?P<n>\d*)",
    r"<a>\d\d",
    r"<a>\s*\d{0,2}",
    r"<a>[1x]*\d{0,2}",
    r"<a>[^;]*\s*",
    r"<a>1?x?",
    r"<a>.*?x(?:1)?",
    r"<a>.+?x(?:x)?",
    r"1??<a>",
    r"<a>[^;]*1",
    r"<a>[^;]*1\s*",
    r"<a>.*1",
    r"<a>(?:1x)?",
    r"<a>(?:1x|1)?",
    r"<a>1?(?=x)",
    r"<a>(?=.*?1)",
    r"\s*<a>\d?",
    r"<a>1x;|1",
    r"<a>|<a>1",
    r"(?:<a>1|<a>)\s*",
    r"<a>[^x]+?x",
    r"^(?P<n>\d*)x|<a>",
    r"<a>\d?|$",
    r"<a>1|\Z",
]
PIECES = ("<a>", "<a", "1", "x", ";", " ", "\n")


@pytest.mark.parametrize("key", ["open_pattern", "close_pattern"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_that_can_grow(pattern: str, key: str) -> None:
    field: dict[str, Any] = {"open": "[", "close": ";", "repeats": True}
    del field[key.removesuffix("_pattern")]
    if "?P<n>" in pattern:
        field["transform"] = {"n": "{n}", "text": "{content}"}
    template = {"start_anchor": "@", "fields": {"c": {**field, key: pattern}, "text": {"repeats": True}}}
    module = stable_module(template)
    assert module is not None
    random = Random(pattern)
    for _ in range(60):
        text = "".join(random.choice([*PIECES, "["]) for _ in range(random.randint(1, 9)))
        expected = response_at_once(template, "", text)
        if expected is None:
            continue
        cuts = [(text[:place], text[place:]) for place in range(len(text))]
        for chunks in [*cuts, tuple(text)]:
            found = expected.difference(response_in_chunks(module, "", chunks))
            assert found is None, (text, chunks, found)
