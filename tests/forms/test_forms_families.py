"""For every family, whatever the text and its chunks, the events of both forms add up to their final objects."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forms.forms_of_tests import as_message, as_response
from support.chunking import characters, random_cuts
from support.families import Family, families, representatives
from support.strategies import generated

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES: Final = [(family, sample) for family in families() for sample in family.samples]
FORMS: Final[list[Callable[..., Any]]] = [as_response, as_message]
OPTIONS: Final[list[dict[str, Any]]] = [{}, {"stream_arguments": True}, {"whole_calls": True}]


def final_object(stream: Any) -> dict[str, Any]:
    found: dict[str, Any] = stream.response if hasattr(stream, "response") else stream.message
    return found


def check(
    form: Callable[..., Any],
    family: Family,
    sample: dict[str, Any],
    text: str,
    random: Random,
    **options: Any,
) -> None:
    """Run a text in several chunkings: each adds up, and all give the same object."""
    objects: list[dict[str, Any]] = []
    for chunks in ([text], characters(text), random_cuts(text, random)):
        stream, _ = form(family.template, chunks, sample["prefix"], tools=sample["tools"], **options)
        objects.append(final_object(stream))
    assert objects[1:] == objects[:1] * 2


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("family", representatives(), ids=str)
def test_samples(family: Family, form: Callable[..., Any]) -> None:
    random = Random(family.name)
    for number, sample in enumerate(family.samples):
        check_sample(form, family, sample, random, OPTIONS[number % len(OPTIONS)])


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("family", families(), ids=str)
def test_samples_with_every_option(family: Family, form: Callable[..., Any], options: dict[str, Any]) -> None:
    random = Random(family.name)
    for sample in family.samples:
        check_sample(form, family, sample, random, options)


def check_sample(
    form: Callable[..., Any], family: Family, sample: dict[str, Any], random: Random, options: dict[str, Any]
) -> None:
    stopped = sample["kind"] != "cut_off"
    check(form, family, sample, sample["text"], random, stopped=stopped, length=not stopped, **options)


@generated(100)
@given(
    st.sampled_from(FORMS),
    st.sampled_from(SAMPLES),
    st.sampled_from(OPTIONS),
    st.integers(0, 100),
    st.integers(0, 100),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_samples_that_break_off_and_go_on_with_another(
    form: Callable[..., Any],
    drawn: tuple[Family, dict[str, Any]],
    options: dict[str, Any],
    percent: int,
    start: int,
    random: Random,
    length: bool,
) -> None:
    family, sample = drawn
    other = random.choice(family.samples)["text"]
    text = sample["text"][: len(sample["text"]) * percent // 100] + other[len(other) * start // 100 :]
    check(form, family, sample, text, random, length=length, **options)
