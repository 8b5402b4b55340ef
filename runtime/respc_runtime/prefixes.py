"""What a parser takes for its prefix and for its text, where it is given something else than a string."""

from __future__ import annotations

from respc_runtime.errors import MissingPrefixError


def checked_prefix(prefix: object) -> str:
    """Give the prefix of a parser, as the interpreter takes it: what is empty or zero is the empty prefix.

    Raises:
        MissingPrefixError: there is none.
        TypeError: it is no string, such as a list of prefixes, which only a batch has.
    """
    if prefix is None:
        raise MissingPrefixError
    if not prefix:
        return ""
    if not isinstance(prefix, str):
        raise TypeError(f"the prefix of a parser is a string, not of type {type(prefix).__name__}")
    return prefix


def rest_of_text(text: object) -> str:
    """Give the rest of a stream, as the interpreter takes a chunk: None, and what else is empty, is no text.

    Raises:
        TypeError: it is no string.
    """
    if isinstance(text, str):
        return text
    if text:
        require_text(text)
    return ""


def require_text(text: object) -> None:
    """Refuse what is no string.

    Raises:
        TypeError: says what it is.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}") from None
