"""Bodies that are JSON: the content parser `json` without a dialect."""

from __future__ import annotations

import json
from typing import Any


def parse_json(body: str) -> Any:
    """Parse `body` as `json.loads` does.

    Raises:
        ValueError: `body` is not JSON, or has an integer of more digits than Python converts.
        RecursionError: `body` is nested too deeply.
    """
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error


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
        return json.loads(body)
    except json.JSONDecodeError:
        return body.strip() if strip else body
