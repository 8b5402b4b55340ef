"""The workload is the same everywhere, and has marks as often as it says."""

from __future__ import annotations

import hashlib

import pytest

from benchmarks.families import FAMILIES
from benchmarks.tokens import cut, train, workload_tokenizer
from benchmarks.workload import Kind, write, write_calls


def share_with_mark(text: str) -> float:
    chunks = cut(text)
    return sum("<" in chunk for chunk in chunks) / len(chunks)


@pytest.mark.parametrize(
    ("kind", "digest"),
    [("ordinary", "e437ed49b3514462"), ("dense", "8511ea5065e75fd2")],
)
def test_texts_are_the_same_on_every_machine(kind: Kind, digest: str) -> None:
    assert hashlib.sha256(write(kind, 20_000)[:20_000].encode()).hexdigest()[:16] == digest


def test_a_shorter_text_begins_a_longer_one_and_a_seed_makes_another() -> None:
    short, long = write("ordinary", 1_000), write("ordinary", 5_000)
    assert len(short) >= 1_000
    assert long.startswith(short)
    assert not write("ordinary", 1_000, seed=2).startswith(short[:100])


def test_marks_are_rare_in_ordinary_text_and_in_every_fifth_chunk_of_dense_text() -> None:
    assert 0.005 < share_with_mark(write("ordinary", 100_000)) < 0.02
    assert 0.18 < share_with_mark(write("dense", 100_000)) < 0.22


def test_calls_are_the_same_for_a_seed() -> None:
    assert write_calls(5) == write_calls(5)
    assert write_calls(5) == write_calls(9)[:5]
    assert write_calls(5) != write_calls(5, seed=2)


def test_training_twice_gives_one_tokenizer() -> None:
    texts = [write("ordinary", 20_000)]
    assert train(texts, ["<a>"], 600).to_str() == train(texts, ["<a>"], 600).to_str()


def test_marks_are_single_chunks() -> None:
    for family in FAMILIES:
        assert cut("x".join(family.marks))[::2] == list(family.marks)


def test_chunks_are_whole_characters() -> None:
    text = "naïve 🙂🦊 天気 \U00010348 <think>"
    assert len(workload_tokenizer().encode(text).ids) > len(cut(text))
    assert "".join(cut(text)) == text
    assert not any("\ufffd" in chunk for chunk in cut(text))
