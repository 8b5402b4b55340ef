"""The engines that hold a model to a grammar, out of their wheels, which pip fetches: xgrammar and llguidance.

Both are asked in the same way: which tokens may come next, and whether the text may end here.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from filelock import FileLock

from support.engine_wheels import NoWheelError
from support.torch_stand_in import torch_stands_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from respc.grammars.api import GrammarFormat

RELEASES: Final = ("xgrammar==0.2.9", "apache-tvm-ffi==0.1.15.post2", "llguidance==1.9.1")
"""Small, where what xgrammar asks for is not: PyTorch, of which it uses nothing here."""
_MOST_SECONDS: Final = 120


class Vocabulary(Protocol):
    """The tokens of a model.

    Attributes:
        tokens: the bytes of each.
        special: those that a tokenizer has as special ones, the last one of which ends an answer.
    """

    @property
    def tokens(self) -> list[bytes]: ...

    @property
    def special(self) -> list[int]: ...

    def encode(self, text: str) -> list[int]:
        """Give the tokens of a text."""

    def __hash__(self) -> int:
        """Engines keep what they know of a vocabulary."""


def decoded(vocabulary: Vocabulary, ids: Iterable[int]) -> str:
    """Give the text of tokens, as servers do: what is no UTF-8 becomes a replacement character."""
    return b"".join(vocabulary.tokens[token] for token in ids).decode(errors="replace")


class EngineError(AssertionError):
    """An engine gave up in the middle of a text."""


class Matcher(Protocol):
    """Where an engine is in a text."""

    def allowed(self) -> Any:
        """Give the tokens that may come next, in an array; the one that ends an answer is among them if it may."""

    def accept(self, token: int) -> bool:
        """Take a token, if it may come."""


class Held(Protocol):
    """A grammar that an engine has compiled."""

    def matcher(self) -> Matcher:
        """Begin a text."""


class Engine(Protocol):
    """An engine.

    Attributes:
        name: what it is called, and its form of grammars.
    """

    name: GrammarFormat

    def compiled(self, grammar: str, vocabulary: Vocabulary) -> Held:
        """Compile a grammar.

        Raises:
            ValueError: it is none for the engine.
        """


def accepts(held: Held, vocabulary: Vocabulary, text: str) -> bool:
    """Tell whether a text is one of a grammar, from its beginning to its end."""
    matcher = held.matcher()
    return all(matcher.accept(token) for token in vocabulary.encode(text)) and bool(
        np.isin(vocabulary.special[-1], matcher.allowed())
    )


def _tokens_of(mask: Any, count: int) -> Any:
    return np.unpackbits(mask.view(np.uint8), bitorder="little")[:count].nonzero()[0]


class Xgrammar:
    """xgrammar."""

    name: GrammarFormat = "xgrammar"

    def __init__(self) -> None:
        with torch_stands_in():
            self._package: Any = import_module("xgrammar")
        # A server has one vocabulary, and what is known of it from its start on.
        self._info_of = cache(self._new_info)

    def _new_info(self, vocabulary: Vocabulary) -> Any:
        package = self._package
        return package.TokenizerInfo(
            vocabulary.tokens, vocab_type=package.VocabType.RAW, stop_token_ids=vocabulary.special[-1:]
        )

    def compiled(self, grammar: str, vocabulary: Vocabulary) -> Held:
        package = self._package
        compiler = package.GrammarCompiler(self._info_of(vocabulary), max_threads=1, cache_enabled=False)
        try:
            # A structural tag is JSON; all else is the form of llama.cpp.
            compile_form = (
                compiler.compile_structural_tag if grammar.startswith("{") else compiler.compile_grammar
            )
            return _XgrammarHeld(package, compile_form(grammar), len(vocabulary.tokens))
        except RuntimeError as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True)
class _XgrammarHeld:
    package: Any
    grammar: Any
    count: int

    def matcher(self) -> Matcher:
        return _XgrammarMatcher(self.package.GrammarMatcher(self.grammar), self.count)


class _XgrammarMatcher:
    def __init__(self, matcher: Any, count: int) -> None:
        self._matcher, self._count = matcher, count
        self._mask = np.full((1, (count + 31) // 32), -1, dtype=np.int32)

    def allowed(self) -> Any:
        if self._matcher.is_terminated():
            return np.empty(0, dtype=np.int64)
        self._mask.fill(-1)
        self._matcher.fill_next_token_bitmask(self._mask)
        return _tokens_of(self._mask[0], self._count)

    def accept(self, token: int) -> bool:
        return bool(self._matcher.accept_token(int(token)))


class Llguidance:
    """llguidance."""

    name: GrammarFormat = "llguidance"

    def __init__(self) -> None:
        self._package: Any = import_module("llguidance")
        self._masks: Any = import_module("llguidance.numpy")
        self._tokenizer_of = cache(self._new_tokenizer)

    def _new_tokenizer(self, vocabulary: Vocabulary) -> Any:
        return self._package.LLTokenizer(self._package.TokenizerWrapper(_TokenizerOfTests(vocabulary)))

    def compiled(self, grammar: str, vocabulary: Vocabulary) -> Held:
        package = self._package
        tokenizer = self._tokenizer_of(vocabulary)
        first = package.LLMatcher(tokenizer, package.LLMatcher.grammar_from_lark(grammar), log_level=0)
        if first.is_error():
            raise ValueError(first.get_error())
        return _LlguidanceHeld(first, self._masks, vocabulary)


class _TokenizerOfTests:
    """What llguidance asks of a tokenizer."""

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._encode = vocabulary.encode
        self.tokens = vocabulary.tokens
        self.eos_token_id = vocabulary.special[-1]
        self.special_token_ids = vocabulary.special

    def __call__(self, text: str | bytes) -> list[int]:
        return self._encode(text if isinstance(text, str) else text.decode())


@dataclass(frozen=True)
class _LlguidanceHeld:
    first: Any
    masks: Any
    vocabulary: Vocabulary

    def matcher(self) -> Matcher:
        return _LlguidanceMatcher(self)


class _LlguidanceMatcher:
    def __init__(self, held: _LlguidanceHeld) -> None:
        self._held = held
        self._matcher = held.first.deep_copy()
        self._mask = held.masks.allocate_token_bitmask(1, len(held.vocabulary.tokens))

    def allowed(self) -> Any:
        if error := self._matcher.get_error():
            # The engine goes on as if the answer was over.
            raise EngineError(error)
        if self._matcher.is_stopped():
            ended = self._matcher.is_accepting()
            return np.array(self._held.vocabulary.special[-1:] if ended else [], dtype=np.int64)
        self._held.masks.fill_next_token_bitmask(self._matcher, self._mask)
        return _tokens_of(self._mask[0], len(self._held.vocabulary.tokens))

    def accept(self, token: int) -> bool:
        return bool(self._matcher.try_consume_tokens([int(token)]) == 1)


def grammar_engines(kept_in: Path, releases: Sequence[str] = RELEASES) -> tuple[Engine, ...]:
    """Import both engines, out of their wheels where they are not installed.

    Args:
        kept_in: where the wheels are kept.
        releases: which releases, as pip has them.

    Raises:
        NoWheelError: pip cannot fetch the wheels.
    """
    folder = _unpacked(kept_in, releases)
    sys.path.insert(0, str(folder))
    try:
        return Xgrammar(), Llguidance()
    finally:
        sys.path.remove(str(folder))


def _unpacked(kept_in: Path, releases: Sequence[str]) -> Path:
    """Give the folder with the packages of the wheels, for this Python."""
    version = f"{sys.implementation.cache_tag}-{'-'.join(each.partition('==')[2] for each in releases)}"
    folder = kept_in / f"grammar-engines-{version}"
    kept_in.mkdir(parents=True, exist_ok=True)
    # The processes that run tests are several, and one download does for all.
    with FileLock(kept_in / "grammar-engines.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=kept_in) as made:
                unpacked = Path(made) / "unpacked"
                for wheel in _fetched(Path(made), releases):
                    with zipfile.ZipFile(wheel) as archive:
                        archive.extractall(unpacked)
                unpacked.rename(folder)
    return folder


def _fetched(folder: Path, releases: Sequence[str]) -> list[Path]:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--only-binary", ":all:", "--retries", "1", "--dest", str(folder)]
    try:
        result = subprocess.run(
            [*command, *options, *releases],
            capture_output=True,
            text=True,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoWheelError(f"pip needed more than {_MOST_SECONDS} seconds for them") from None
    if result.returncode != 0:
        raise NoWheelError((result.stderr.strip() or "pip said nothing").splitlines()[-1])
    return list(folder.glob("*.whl"))
