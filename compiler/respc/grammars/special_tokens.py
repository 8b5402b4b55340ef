"""The added tokens of a tokenizer, from the files that models have them in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable


def special_tokens_of_text(text: str) -> dict[str, int | None]:
    """Read a tokenizer.json, a tokenizer_config.json, a list of tokens, or an object from tokens to their ids.

    Raises:
        ValueError: it is none of these; the message says why.
    """
    value: Any = json.loads(text)
    if is_object(value):
        if is_list(value.get("added_tokens")):
            return _with_ids(
                (each.get("content"), each.get("id")) for each in value["added_tokens"] if is_object(each)
            )
        if is_object(value.get("added_tokens_decoder")):
            listed = value["added_tokens_decoder"].items()
            return _with_ids((each.get("content"), int(number)) for number, each in listed if is_object(each))
        if value and all(isinstance(number, int) for number in value.values()):
            return _with_ids(value.items())
    if is_list(value) and all(isinstance(each, str) for each in value):
        return dict.fromkeys(value)
    raise ValueError(
        "no tokens: give a tokenizer.json, a tokenizer_config.json with `added_tokens_decoder`, a list of tokens, or "
        "an object from tokens to their ids"
    )


def _with_ids(pairs: Iterable[tuple[Any, Any]]) -> dict[str, int | None]:
    return {
        content: number if isinstance(number, int) else None
        for content, number in pairs
        if isinstance(content, str) and content
    }
