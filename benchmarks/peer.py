"""A parser of the same field, written in Rust: openai-harmony, for the format of gpt-oss.

It is no drop-in for the compiled parser: it takes token ids, decodes them, checks headers, and gives the text
of tool calls as it stands; the compiled parser takes text that is decoded already, gives events, and parses the
calls. So the rows say what was done on each side, and one row has the compiled parser decode each token as
well.

The peer needs the vocabulary o200k_base, which it would download. To use a file instead, set
``TIKTOKEN_ENCODINGS_BASE`` to the folder that holds ``o200k_base.tiktoken``; `benchmarks.vocabulary` writes
that file from the npm package ``tiktoken``.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.engines import compiled, require_same_message, require_same_stream
from benchmarks.equality import require_same
from benchmarks.families import GPT_OSS
from benchmarks.generations import Generation
from benchmarks.timing import ratio
from benchmarks.vocabulary import FILE
from benchmarks.workload import write, write_calls
from respc.measuring.timing import in_rounds, own_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.settings import Settings

ENCODINGS_VARIABLE = "TIKTOKEN_ENCODINGS_BASE"
LENGTHS = (1_000, 10_000)
_CHARACTERS_A_TOKEN = 4


class PeerMissingError(Exception):
    """The peer is not installed, or its vocabulary is not to be had."""


@dataclass(frozen=True, slots=True)
class PeerRow:
    """The peer beside the compiled parser, for the same tokens."""

    what: str
    tokens: int
    peer_nanoseconds: float
    compiled_nanoseconds: float
    peer_over_compiled: float


def peer(settings: Settings) -> Iterator[PeerRow]:
    """Compare the two over generations of the same tokens.

    Raises:
        PeerMissingError: the peer cannot be used here.
    """
    harmony, encoding = _load()
    for tokens in LENGTHS[: 1 if settings.quick else None]:
        yield from _rows(harmony, encoding, tokens, settings)


def _load() -> tuple[Any, Any]:
    try:
        # It has no types, and where it is missing there is nothing to ignore.
        import openai_harmony as harmony  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise PeerMissingError("openai-harmony is not installed") from None
    try:
        return harmony, harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
    except harmony.HarmonyError as error:
        raise PeerMissingError(
            f"openai-harmony has no vocabulary ({error}); {ENCODINGS_VARIABLE} can name the folder of a file {FILE}"
        ) from None


def _rows(harmony: Any, encoding: Any, tokens: int, settings: Settings) -> Iterator[PeerRow]:
    # Tokens are decoded one by one below, so none may split a character.
    words = write("ordinary", tokens * _CHARACTERS_A_TOKEN).encode("ascii", "ignore").decode()
    half = len(words) // 4
    text = GPT_OSS.write(words[:half].strip(), words[half:].strip(), write_calls(1))
    text = text.encode("ascii", "ignore").decode()
    ids = encoding.encode(text, allowed_special="all")
    chunks = [encoding.decode([token]) for token in ids]
    assert "".join(chunks) == text
    assistant = harmony.Role.ASSISTANT

    require_same_stream(GPT_OSS, chunks)
    require_same_message(GPT_OSS, Generation(text, chunks))
    _require_same_contents(encoding.parse_messages_from_completion_tokens(ids, assistant), text)

    engine = compiled(GPT_OSS)
    peer_loop, decoding_loop = own_copy(_read_deltas), own_copy(_decode_and_pour)

    def stream_peer() -> object:
        parser = harmony.StreamableParser(encoding, assistant)
        peer_loop(parser, ids)
        return parser

    def decode_and_stream() -> object:
        parser = engine.open(GPT_OSS.prompt)
        decoding_loop(encoding.decode, parser.feed, ids)
        return parser.finalize()

    comparisons: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "stream; the peer takes ids, the compiled parser text": (stream_peer, lambda: engine.stream(chunks)),
        "stream; both take ids, the compiled parser after encoding.decode": (stream_peer, decode_and_stream),
        "whole; the peer takes ids, the compiled parser text": (
            lambda: encoding.parse_messages_from_completion_tokens(ids, assistant),
            lambda: engine.whole(text, GPT_OSS.prompt),
        ),
    }
    for what, (theirs, ours) in comparisons.items():
        times = in_rounds({"peer": theirs, "compiled": ours}, min(settings.rounds, 5))
        yield PeerRow(
            what=what,
            tokens=len(ids),
            peer_nanoseconds=statistics.median(times["peer"]) / len(ids) * 1e9,
            compiled_nanoseconds=statistics.median(times["compiled"]) / len(ids) * 1e9,
            peer_over_compiled=ratio(times, "peer", "compiled"),
        )


def _read_deltas(parser: Any, tokens: list[int]) -> None:
    """Process each token and look at what it added, as a server must to stream it."""
    for token in tokens:
        parser.process(token)
        if parser.last_content_delta:
            _ = parser.current_channel, parser.current_recipient


def _decode_and_pour(
    decode: Callable[[list[int]], str], feed: Callable[[str], object], tokens: list[int]
) -> None:
    for token in tokens:
        feed(decode([token]))


def _require_same_contents(messages: list[Any], text: str) -> None:
    """Compare the peer's messages with the compiled parser's message.

    Raises:
        UnequalError: they do not say the same.
    """
    ours = compiled(GPT_OSS).whole(text, GPT_OSS.prompt)
    channels: dict[str, Any] = {"role": "assistant"}
    for message in messages:
        body = message.content[0].text
        if message.recipient:
            name = message.recipient.removeprefix("functions.")
            call = {"type": "function", "function": {"name": name, "arguments": json.loads(body)}}
            channels.setdefault("tool_calls", []).append(call)
        else:
            channels["reasoning_content" if message.channel == "analysis" else "content"] = body.strip()
    require_same(ours, channels, "openai-harmony")
