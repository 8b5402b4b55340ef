"""The text of a generation of llama-cpp-python, with what stands for the library; tests/engines has the library."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

from respc.integrations.llama_cpp import ChatHandler, parser_of, parser_of_model
from respc.integrations.llama_cpp_text import GeneratedText, StopStrings
from respc_parsers import UnknownModelError, gpt_oss, qwen3

if TYPE_CHECKING:
    from collections.abc import Iterator

END: Final = 1000
_CONTROL: Final = {1001: b"<|call|>"}


class Llama:
    """A model whose tokens are bytes, but for two; it drops control tokens unless told otherwise."""

    model = object()
    model_path = "some/folder/qwen3-8b-q4_k_m.gguf"
    verbose = False
    _seed = 7

    def __init__(self, script: list[int], room: int = 100) -> None:
        self.script = script
        self.seeds: list[int] = []
        self.given: dict[str, Any] = {}
        self._room = room
        self.metadata: dict[str, str] = {}

    def n_ctx(self) -> int:
        return self._room

    def set_seed(self, seed: int) -> None:
        self.seeds.append(seed)

    def generate(self, tokens: list[int], **given: Any) -> Iterator[int]:
        self.given = given
        yield from self.script

    def detokenize(self, tokens: list[int], prev_tokens: Any = None, special: bool = False) -> bytes:
        kept = (_CONTROL.get(token, b"") if special else b"" for token in tokens if token > 255)
        return b"".join(kept) + bytes(token for token in tokens if token < 256)


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_end(vocabulary: Any, token: int) -> bool:
        return token == END

    stub = SimpleNamespace(llama_model_get_vocab=lambda model: None, llama_vocab_is_eog=is_end)
    monkeypatch.setitem(sys.modules, "llama_cpp", stub)


def generated(script: list[int], **options: Any) -> tuple[str, str | None, int]:
    text = GeneratedText(Llama(script), [0], sampling={}, **options)
    pieces = list(text)
    assert all(pieces)
    return "".join(pieces), text.ending, text.tokens


def test_characters_and_control_tokens_are_whole() -> None:
    script = [*"Tromsø 🌨️".encode(), 1001, END, 65]
    assert generated(script) == ("Tromsø 🌨️<|call|>", "stop token", len(script) - 2)
    text = GeneratedText(Llama(script), [0], sampling={})
    assert "ø" in list(text)


def test_endings() -> None:
    script = [*b"It rains.", END]
    assert generated(script, max_tokens=3) == ("It ", "length", 3)
    assert generated(script, max_tokens=0) == ("It rains.", "stop token", 9)
    assert generated(script, stop=["zz", "rain"]) == ("It ", "stop string", 7)
    assert generated(script, stop=["s.x"]) == ("It rains.", "stop token", 9)
    assert generated([0xE7, 0x8C], max_tokens=2)[0] == "\N{REPLACEMENT CHARACTER}"
    with pytest.raises(ValueError, match="context window only 5"):
        GeneratedText(Llama([], room=5), [0] * 5, sampling={})


def test_seeds_are_given_or_follow_on_that_of_the_model() -> None:
    models = [Llama([END]) for _ in range(3)]
    for llama, seed in zip(models, (5, None, None), strict=True):
        list(GeneratedText(llama, [0], seed=seed, sampling={"temp": 0.5}))
    assert models[0].seeds == [5]
    assert models[1].seeds == models[2].seeds != [7]
    assert models[0].given == {"temp": 0.5}


@pytest.mark.parametrize(
    ("text", "strings", "expected"),
    [
        ("abcabd", ["abd"], "abc"),
        ("abcabd", ["abd", "ca"], "ab"),
        ("aab", ["ab"], "a"),
        ("aaa", ["ab", ""], "aaa"),
        ("abab", ["ababc"], "abab"),
        ("", ["a"], ""),
    ],
)
def test_stop_strings_in_every_chunking(text: str, strings: list[str], expected: str) -> None:
    for how, chunks in (("letters", list(text)), ("whole", [text])):
        stop = StopStrings(strings)
        assert "".join([*map(stop.take, chunks), stop.end()]) == expected, how
        assert stop.found == (expected != text)


def test_formats() -> None:
    assert (
        parser_of("qwen3")
        is parser_of("Qwen/Qwen3-8B")
        is parser_of(qwen3.ServingParser)
        is qwen3.ServingParser
    )
    assert parser_of({"start_anchor": "<a>", "fields": {"content": {}}})("").finish("a") == {"content": "a"}
    with pytest.raises(UnknownModelError):
        ChatHandler("qwen33")


def test_format_by_what_a_file_says_of_its_model() -> None:
    llama = Llama([])
    assert parser_of_model(llama) is qwen3.ServingParser
    for key, name in (
        ("general.base_model.0.repo_url", "https://hub.example/openai/gpt-oss-20b"),
        ("general.name", "Gpt Oss 20b"),
    ):
        llama.metadata = {key: name, "general.basename": "of nobody"}
        assert parser_of_model(llama) is gpt_oss.ServingParser
    llama.model_path = "model.gguf"
    llama.metadata = {"general.name": "Of Nobody"}
    with pytest.raises(UnknownModelError, match="calls itself Of-Nobody, model: give the chat handler"):
        parser_of_model(llama)
