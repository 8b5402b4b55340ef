"""Bodies that are JSON: the content parser `json` without a dialect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

# What JSON decodes to. Unlike `Any`, it tells type checkers what is in a dict or a list that they find it to be.
JsonValue: TypeAlias = dict[str, Any] | list[Any] | str | float | None

JSON_BLANKS = " \t\n\r"
# What `json.loads` calls in the end: it reads one value and gives it with the place after it. Calling it without
# what `json.loads` does around it nearly halves the time of a small document.
SCAN_JSON: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder())["scan_once"]
WRITE_JSON_UNESCAPED = json.JSONEncoder(ensure_ascii=False).encode


def can_be_encoded(text: str) -> bool:
    """Tell whether a response can hold `text`: not with half of a surrogate pair, which JSON can escape."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


def decode_json(document: str) -> Any:
    """Give what `json.loads` gives, or raise what it raises."""
    try:
        trimmed = document.strip(JSON_BLANKS)
        value, end = SCAN_JSON(trimmed, 0)
        if end == len(trimmed):
            return value
    except (StopIteration, ValueError, AttributeError):
        pass
    # It says what is wrong, and where in the text before it was trimmed.
    return json.loads(document)


def parse_json(body: str, fault: str = "not JSON") -> Any:
    """Parse `body` as `json.loads` does.

    Args:
        body: the body.
        fault: what is said of one that is not JSON.

    Raises:
        ValueError: `body` is not JSON, or has an integer of more digits than Python converts.
        RecursionError: `body` is nested too deeply.
    """
    try:
        return decode_json(body)
    except json.JSONDecodeError as error:
        raise ValueError(f"{fault}: {error}") from error


def json_or_text(body: str, *, strip: bool = True) -> Any:
    """Parse `body` as JSON, or give it back as text if it is not JSON (the argument `allow_non_json`).

    Args:
        body: the body.
        strip: whether text loses its surrounding blanks.

    Raises:
        ValueError: `body` has an integer of more digits than Python converts.
        RecursionError: `body` is nested too deeply.
    """
    try:
        trimmed = body.strip(JSON_BLANKS)
        value, end = SCAN_JSON(trimmed, 0)
        if end == len(trimmed):
            return value
    except (StopIteration, json.JSONDecodeError):
        # Text is no rare case, so its error is not worked out: `json.loads` would raise one here, too.
        pass
    except AttributeError:
        # No body at all, of a group that took no part in a match.
        return json.loads(body)
    return body.strip() if strip else body
