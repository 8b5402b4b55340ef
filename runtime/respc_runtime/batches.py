"""What `parse_response` of a compiled parser takes: one text or many, and tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from respc_runtime.errors import MissingPrefixError
from respc_runtime.tools import PreparedTools

Tools: TypeAlias = Sequence[dict[str, Any] | Callable[..., Any]] | PreparedTools
"""Tools as for `apply_chat_template`: JSON schemas in any of the usual shapes, and Python functions.

Or what `prepare_tools` made of them.
"""


def with_prefixes(texts: Sequence[str], prefix: str | Sequence[str] | None) -> list[tuple[str, str]]:
    """Give each text of a batch its prefix.

    Args:
        texts: the generations.
        prefix: the prompt of all of them, or as many prompts; empty when the texts are whole messages.

    Raises:
        ValueError: no prefix was given, or there are not as many as texts.
    """
    if prefix is None:
        raise MissingPrefixError
    if not prefix:
        prefix = ""
    if isinstance(prefix, str):
        return [(text, prefix) for text in texts]
    if len(prefix) != len(texts):
        raise ValueError(
            f"{len(texts)} texts, but {len(prefix)} prefixes: give one for all, or as many as texts"
        )
    return list(zip(texts, prefix, strict=True))
