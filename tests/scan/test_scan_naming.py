"""Groups behind openers are told apart from each other, and from all else in an expression."""

from __future__ import annotations

import re

from respc.scan.naming import Names, group_names
from respc_runtime.states import CLOSE


def test_fields_of_like_names_have_groups_of_their_own() -> None:
    fields = [
        "call",
        "Call",
        "call_2",
        "call2",
        "call_2_2",
        "",
        "é",
        "_9",
        "9",
        CLOSE,
        f"{CLOSE}_2",
        "close2",
    ]
    names = group_names(fields)
    assert list(names) == fields
    assert len({*names.values(), CLOSE}) == len(fields) + 1


def test_no_group_of_a_field_is_one_that_an_expression_adds() -> None:
    fields = [
        "call_2",
        "call_2_2",
        "2",
        "close_2",
        "a__3",
        "kept",
        "kept_2",
        "in_run",
        "at_once_b",
        "skip",
        "lingers",
        "lingers_1",
    ]
    for name in group_names([*fields, *fields[0]]).values():
        assert name.isidentifier()
        assert not re.search("_[0-9]+$|^(?:in_|at_once_|kept|skip|lingers)", name)


def test_names_are_handed_out_once_each() -> None:
    names = Names(["taken"])
    wanted = ["a", "a", "a_2", "a", "taken", "taken_2"]
    assert [names.take(each) for each in wanted] == ["a", "a_2", "a_2_2", "a_3", "taken_2", "taken_2_2"]


def test_endings_of_names_come_before_numbers() -> None:
    names = Names()
    assert [names.take("run", "bc") for _ in range(5)] == ["run", "run_b", "run_c", "run_2", "run_3"]
