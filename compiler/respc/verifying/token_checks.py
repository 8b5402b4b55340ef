"""What a tokenizer does to the delimiters of a response template."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from respc.chat_templates import ChatTemplateError
from respc.source.json_kinds import is_list
from respc.verifying.marks import MARK
from respc.verifying.outcomes import TokenNote

if TYPE_CHECKING:
    from collections.abc import Iterator

_DELIMITERS: Final = ("open", "close")


def token_notes(template: dict[str, Any], path: str) -> list[TokenNote]:
    """Find the delimiters that are not one token, and those that decoding can drop.

    Only literals are looked at, and in patterns what looks like a mark: of all else it is not known how it is written.

    Args:
        template: the response template.
        path: of a `tokenizer.json`.

    Raises:
        ChatTemplateError: the package `tokenizers` is not installed, or cannot read the file.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise ChatTemplateError("--tokens needs the package tokenizers: pip install tokenizers") from None
    try:
        tokenizer: Any = Tokenizer.from_file(path)
        added = _added_tokens(path)
    except Exception as error:  # the package raises no narrower class
        raise ChatTemplateError(f"{path}: no tokenizer.json that can be read: {error}") from None
    notes: list[TokenNote] = []
    for field, delimiter in dict.fromkeys(_delimiters(template)):
        tokens = [str(token) for token in tokenizer.encode(delimiter, add_special_tokens=False).tokens]
        dropped = added.get(delimiter.strip(), False)
        if len(tokens) != 1 or dropped:
            notes.append(TokenNote(delimiter, field, tokens, dropped))
    return notes


def _added_tokens(path: str) -> dict[str, bool]:
    """Give the added tokens, and whether they are special."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  # a name that the command was given
        written: dict[str, Any] = json.load(file)
    return {
        entry["content"]: bool(entry.get("special"))
        for entry in cast("list[dict[str, Any]]", written.get("added_tokens") or [])
    }


def _delimiters(template: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (("", text) for text in _texts(template, "start_anchor"))
    fields = cast("dict[str, dict[str, Any]]", template.get("fields", {}))
    for name, field in fields.items():
        for which in _DELIMITERS:
            yield from ((name, text) for text in _texts(field, which))


def _texts(holder: dict[str, Any], key: str) -> Iterator[str]:
    value: Any = holder.get(key)
    for literal in value if is_list(value) else [value]:
        if isinstance(literal, str):
            # Of a literal that has more in it, as a line feed, the mark is what should be a token.
            yield from (mark[0] for mark in MARK.finditer(literal)) if MARK.search(literal) else (literal,)
    pattern: Any = holder.get(f"{key}_pattern")
    if isinstance(pattern, str):
        plain = pattern.replace("\\|", "|").replace("\\[", "[").replace("\\]", "]").replace("\\/", "/")
        yield from (mark[0] for mark in MARK.finditer(plain) if not set(mark[0]) & set("\\?*+()^$"))
