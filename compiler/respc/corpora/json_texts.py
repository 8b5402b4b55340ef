"""Values as JSON text, as rows are written."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import date, time
from functools import cache


def json_text(value: object, indent: int | None = None) -> str:
    """Write JSON that can be encoded as UTF-8, for people where it can be: escapes only for lone surrogates."""
    text = _encoder(indent).encode(value)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, indent=indent, default=_json_value)
    return text


@cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    # `json.dumps` makes one for each value that is not written by its defaults, which is a tenth of a row's time.
    return json.JSONEncoder(ensure_ascii=False, indent=indent, default=_json_value)


def _json_value(value: object) -> str:
    """Write a value that tables have and JSON has not."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    return str(value)
