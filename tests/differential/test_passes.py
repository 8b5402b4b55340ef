"""Every optimisation pass is sound by itself: results stay the same with all off, and with each one off."""

from __future__ import annotations

from random import Random

import pytest

import respc
from support.checking import check
from support.chunking import few
from support.oracle import compiled
from support.templates import own_names, own_samples, own_template

WITHOUT_EACH = [tuple(name for name in respc.PASSES if name != left_out) for left_out in respc.PASSES]


def test_there_are_passes_to_switch_off() -> None:
    assert respc.PASSES
    assert len(set(respc.PASSES)) == len(respc.PASSES)


@pytest.mark.parametrize("name", own_names())
@pytest.mark.parametrize(
    "passes",
    [(), *WITHOUT_EACH, *((name,) for name in respc.PASSES), respc.PASSES],
    ids=["none", *(f"without-{n}" for n in respc.PASSES), *(f"only-{n}" for n in respc.PASSES), "all"],
)
def test_result_without_passes(name: str, passes: tuple[str, ...]) -> None:
    template = own_template(name)
    modules = {passes: compiled(template, passes)}
    for sample in own_samples(name):
        context = f"{name}/{sample['id']}"
        check(
            template,
            modules,
            sample["prefix"],
            few(sample["text"], Random(context)),
            sample["tools"],
            context,
        )


def test_unknown_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="no_such_pass"):
        respc.load(own_template("smollm"), passes=("no_such_pass",))
