"""Text comes out of tokens as soon as it is complete, whole, and in a time that does not grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from integrations.tokenizers_of_tests import ANSWERS, BACKENDS, OTHER_BACKENDS, SPECIAL, ids_of, tokenizer_of
from respc.integrations.token_text import TokenText

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from transformers import PreTrainedTokenizerBase

TOKENIZERS = {kind: tokenizer_of(kind) for kind in BACKENDS}
OTHERS = {kind: PreTrainedTokenizerFast(tokenizer_object=made()) for kind, made in OTHER_BACKENDS.items()}
MOST_IDS = 100
"""More ids than these must not be decoded at a time."""


def pieces(tokenizer: PreTrainedTokenizerBase, groups: Iterable[list[int]]) -> tuple[list[str], int]:
    """Return the texts that come out, and the largest number of ids that was decoded."""
    largest = 0

    def decode(ids: list[int]) -> str:
        nonlocal largest
        largest = max(largest, len(ids))
        return tokenizer.decode(ids)

    text = TokenText(decode)
    return [*(text.take(list(group)) for group in groups), text.end()], largest


def cut(ids: list[int], sizes: random.Random) -> list[list[int]]:
    groups = []
    while ids:
        size = sizes.choice((1, 1, 1, 2, 5, 40))
        groups.append(ids[:size])
        ids = ids[size:]
    return groups


@settings(max_examples=60, deadline=None)
@given(ids=st.lists(st.integers(0, 339), max_size=60), sizes=st.randoms(use_true_random=False))
def test_any_ids_of_bytes_give_the_text_of_all(ids: list[int], sizes: random.Random) -> None:
    tokenizer = TOKENIZERS["byte-level"]
    given_out, _ = pieces(tokenizer, cut(ids, sizes))
    assert "".join(given_out) == tokenizer.decode(ids)


@pytest.mark.parametrize("kind", sorted(OTHER_BACKENDS))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_ids_of_other_tokenizers_give_the_text_of_all(kind: str, data: st.DataObject) -> None:
    tokenizer = OTHERS[kind]
    ids = data.draw(st.lists(st.integers(0, len(tokenizer) - 1), max_size=60))
    given_out, _ = pieces(tokenizer, [[token] for token in ids])
    assert "".join(given_out) == tokenizer.decode(ids)


# A long run of U+FFFD, each of three tokens, is taken for characters that never become complete.
words = st.text(st.characters(codec="utf-8", exclude_characters="�"), max_size=20)
texts = st.lists(st.one_of(words, st.sampled_from([*SPECIAL, *ANSWERS, " ", "a�b"])), max_size=8).map("".join)


@pytest.mark.parametrize("kind", sorted(BACKENDS))
@settings(max_examples=60, deadline=None)
@given(text=texts, sizes=st.randoms(use_true_random=False))
def test_any_text_comes_out_whole(kind: str, text: str, sizes: random.Random) -> None:
    tokenizer = TOKENIZERS[kind]
    ids = ids_of(tokenizer, text)
    whole = tokenizer.decode(ids)
    for groups in (cut(ids, sizes), [[token] for token in ids]):
        given_out, _ = pieces(tokenizer, groups)
        assert "".join(given_out) == whole
        if "�" not in whole:
            assert all("�" not in piece for piece in given_out)


@pytest.mark.parametrize("kind", sorted(BACKENDS))
@pytest.mark.parametrize("text", ["猫", "\N{CAT FACE}", "é", "— 猫が", "a\N{CAT FACE}b"])
def test_character_comes_with_its_last_byte(kind: str, text: str) -> None:
    tokenizer = TOKENIZERS[kind]
    ids = ids_of(tokenizer, "so " + text + "<|im_end|>")
    given_out, _ = pieces(tokenizer, [[token] for token in ids])
    # Nothing is left for the end, and each piece is what the tokens until there make, less what is incomplete.
    assert given_out[-1] == ""
    for number in range(1, len(ids)):
        assert "".join(given_out[:number]).startswith(tokenizer.decode(ids[:number]).rstrip("�"))


def byte_tokens(kind: str, data: bytes) -> list[int]:
    tokenizer = TOKENIZERS[kind]
    if kind == "byte-fallback":
        return list(tokenizer.convert_tokens_to_ids([f"<0x{byte:02X}>" for byte in data]))
    from tokenizers.pre_tokenizers import ByteLevel

    # The alphabet has a character for each byte; printable ones stand for themselves.
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    names = {byte: chr(byte) for byte in shown} | {byte: chr(256 + n) for n, byte in enumerate(others)}
    assert set(names.values()) == set(ByteLevel.alphabet())
    return list(tokenizer.convert_tokens_to_ids([names[byte] for byte in data]))


@pytest.mark.parametrize("kind", sorted(BACKENDS))
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff" * 3000, id="never a character"),
        pytest.param(b"\xe7" * 3000, id="always a beginning"),
        pytest.param("猫".encode() * 1000, id="characters"),
        pytest.param("é猫\N{CAT FACE}�".encode() * 500, id="characters of all lengths"),
        pytest.param(b"word " * 600, id="words"),
        pytest.param(("猫".encode() + b" \xe7") * 700, id="a broken one in between"),
    ],
)
def test_long_generations_decode_few_ids_at_a_time(kind: str, data: bytes) -> None:
    tokenizer = TOKENIZERS[kind]
    ids = byte_tokens(kind, data)
    given_out, largest = pieces(tokenizer, [[token] for token in ids])
    assert largest < MOST_IDS
    if kind == "byte-level" or data.decode(errors="ignore").encode() == data:
        assert "".join(given_out) == data.decode(errors="replace")
    # What never becomes a character comes late, but it comes.
    waits = "".join("x" if piece else " " for piece in given_out[:-1]).split("x")
    assert max(map(len, waits)) < 40


def test_tokens_that_each_end_within_a_character() -> None:
    data = b"a" + "猫".encode() * 1000 + b"b"
    largest = 0

    def decode(ids: list[int]) -> str:
        """Make text of tokens of two bytes of one character and the first of the next."""
        nonlocal largest
        largest = max(largest, len(ids))
        return b"".join(data[3 * token : 3 * token + 3] for token in ids).decode(errors="replace")

    text = TokenText(decode)
    given_out = [text.take([token]) for token in range(len(data) // 3 + 1)]
    assert "".join([*given_out, text.end()]) == data.decode()
    assert all(given_out)
    assert largest < MOST_IDS


def test_tokens_without_text_are_not_kept() -> None:
    texts = {0: "", 1: "a", 2: " b"}
    largest = 0

    def decode(ids: list[int]) -> str:
        nonlocal largest
        largest = max(largest, len(ids))
        return "".join(texts[token] for token in ids).removeprefix(" ")

    text = TokenText(decode)
    given_out = [text.take([token]) for token in [1, *[0] * 1000, 2, *[0] * 1000, 2, 1]]
    assert "".join(given_out) == "a b ba"
    assert text.end() == ""
    assert largest < MOST_IDS


@pytest.mark.parametrize("kind", sorted(BACKENDS))
@pytest.mark.parametrize("size", [1, 7, 31, 33, 50, 65, 70, 130, 131])
@pytest.mark.parametrize("text", ["猫", "é", "\N{CAT FACE}", "é猫\N{CAT FACE}"])
def test_many_tokens_at_once_end_within_a_character(kind: str, size: int, text: str) -> None:
    tokenizer = TOKENIZERS[kind]
    text = "a" + text * 200 + "<|im_end|>b" + text * 3
    ids = ids_of(tokenizer, text)
    given_out, _ = pieces(tokenizer, [ids[start : start + size] for start in range(0, len(ids), size)])
    assert "".join(given_out) == text
    assert all("�" not in piece for piece in given_out)
