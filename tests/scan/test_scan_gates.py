"""What stands wherever a delimiter can begin keeps a search from other places, and changes nothing that is found."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from support.scanning import Found, Spec
from support.small_patterns import state_of_seed

GATES: dict[str, tuple[tuple[Spec, ...], str]] = {
    "characters that re looks for itself": ((r"<a>", r"\{b"), ""),
    "a place": ((r"(?=<ab>)",), r"<(?:a(?:b|\Z)|\Z)"),
    "words, which text is full of": ((r"user<", r"to<"), r"t(?:o(?:<|\Z)|\Z)|u(?:s(?:e|\Z)|\Z)"),
    "a delimiter of two characters": ((r"(?=<a)",), r"<(?:a|\Z)"),
    "a delimiter of one character": ((r"(?=[<{])",), r"[<{]"),
    "blanks": ((r"(?=<\s*a)",), r"<(?:\s(?:[\sa]|\Z)|a|\Z)"),
    "a class that is not listed": ((r"(?=<[^ab])",), r"<(?:[^ab]|\Z)"),
    "words of another alphabet": ((r"(?=<\w)",), r"<(?:[0-9A-Z_a-z\x80-\U0010ffff]|\Z)"),
    "no word": ((r"(?=<[^\s\d>])",), r"<(?:[^\s>]|\Z)"),
    "anything": ((r"(?=<.a)",), r"<(?:\Z|)"),
    "beginnings that are not held back": ((r"(?=<ab>)|\Z",), "<"),
    "the start of the message": ((r"(?=<ab>)", r"^[ab]*c"), r"<(?:a(?:b|\Z)|\Z)"),
}


@pytest.mark.parametrize("name", GATES)
def test_what_the_gate_is(name: str) -> None:
    openers, gate = GATES[name]
    found = Found(openers)
    assert found.later is not None
    assert found.later.gate == gate


def ungated(found: Found, openers: tuple[Spec, ...], closer: Spec | None = None) -> Found:
    """Give the same delimiters, looked for everywhere."""
    other = Found(openers, closer, stable=found.is_stable)
    scans = [state.scan and replace(state.scan, gate="") for state in other.ir.states]
    states = (replace(state, scan=scan) for state, scan in zip(other.ir.states, scans, strict=True))
    other.ir = replace(other.ir, states=tuple(states))
    return other


def differences(found: Found, everywhere: Found, characters: str, longest: int) -> list[str]:
    """Give the texts in which the gate changes what is decided."""
    texts = ("".join(text) for size in range(1, longest + 1) for text in product(characters, repeat=size))
    return [
        text
        for text in texts
        for at_end in (False, True)
        if found.decide(text, 0, at_end=at_end, at_start=False)
        != everywhere.decide(text, 0, at_end=at_end, at_start=False)
    ]


@pytest.mark.parametrize("stable", [False, True], ids=["default", "stable"])
@pytest.mark.parametrize("name", [name for name, (_, gate) in GATES.items() if gate])
def test_gates_change_nothing(name: str, stable: bool) -> None:
    openers, _ = GATES[name]
    found = Found(openers, stable=stable)
    assert found.later is not None
    assert found.later.gate
    assert not differences(found, ungated(found, openers), "<ab{ 5é٣to", 3)


@pytest.mark.parametrize("stable", [False, True], ids=["default", "stable"])
def test_gates_of_random_states_change_nothing(stable: bool) -> None:
    gates = 0
    for seed in range(400):
        openers, closer, characters = state_of_seed(seed)
        found = Found(openers, closer, stable=stable)
        if found.later is not None and found.later.gate:
            gates += 1
            assert not differences(found, ungated(found, openers, closer), characters, 4), (openers, closer)
    assert gates > 100
