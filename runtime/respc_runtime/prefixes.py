"""What a parser takes for its prefix and for a whole text, where it is given something else than a string."""

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


def whole_text(text: object) -> str:
    """Give the text of a whole generation, as the interpreter takes it: None, and what else is empty, is no text.

    Raises:
        TypeError: it is no string.
    """
    if not text:
        return ""
    if not isinstance(text, str):
        raise TypeError(f"a generation is a string, not of type {type(text).__name__}")
    return text
