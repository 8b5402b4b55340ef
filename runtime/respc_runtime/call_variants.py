"""Other ways to write a call, which many models use and a template says nothing of.

A body that cannot be read as the template says is tried once more in the form that the template reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from respc_runtime.json_bodies import WRITE_JSON_UNESCAPED, decode_json
from respc_runtime.loose_calls import has_no_arguments, other_call_list, with_quoted_words
from respc_runtime.string_closers import JSON_QUOTES

if TYPE_CHECKING:
    from respc_runtime.forms import CallForm, Source
    from respc_runtime.string_closers import Quotes

NAME_KEYS: Final = ("name", "tool_name")
ARGUMENT_KEYS: Final = ("arguments", "parameters", "args")


def other_body(body: str, form: CallForm, quotes: Quotes | None) -> str | None:
    """Write a body that could not be read in the form that its template reads, if it means calls.

    The arguments of a call can stand under another usual key or be left out; an id can be left out; and one call can
    stand for a list of one. Nothing but blanks are no arguments, where the opener has named the call. Strings of a
    dialect can lack their marks, and calls as in Python be written in another way; see `loose_calls`.

    Args:
        body: the body.
        form: where the parts of its calls come from.
        quotes: the marks around its strings, where it is JSON or a dialect of it.
    """
    if not body.strip():
        return "{}" if form["name"] is not None and form["name"][0] != "content" else None
    if quotes is None:
        return other_call_list(body) if form["each"] and form["name"] is None else None
    if quotes != JSON_QUOTES:
        return with_quoted_words(body, quotes)
    name, arguments = _key(form["name"]), _key(form["arguments"])
    if name is None or arguments is None:
        return None
    try:
        value = decode_json(body)
    except (ValueError, RecursionError):
        return None
    records: list[Any] = [*value] if isinstance(value, list) and form["each"] else [value]
    amended = [_amended(record, name, arguments, _key(form["id"])) for record in records]
    if not amended or any(record is None for record in amended):
        return None
    return WRITE_JSON_UNESCAPED(amended if form["each"] else amended[0])


def _key(source: Source | None) -> str | None:
    """Give the key of a record that a part of a call stands under."""
    return source[1] if source is not None and source[0] == "content" and len(source) == 2 else None


def _amended(record: Any, name: str, arguments: str, identity: str | None) -> dict[str, Any] | None:
    """Put the parts of a call under the keys that the template reads."""
    if not isinstance(record, dict):
        return None
    call = cast("dict[str, Any]", record)
    if isinstance(inner := call.get("function"), dict) and name not in call:
        call = {**call, **cast("dict[str, Any]", inner)}
    named = next((call[key] for key in (name, *NAME_KEYS) if isinstance(call.get(key), str)), None)
    if not named:
        return None
    keys = [key for key in (arguments, *ARGUMENT_KEYS) if key in call]
    if not keys and not has_no_arguments(call, name, identity):
        return None
    given: Any = call[keys[0]] if keys else {}
    amended: dict[str, Any] = {**call, name: named, arguments: {} if given is None else given}
    if identity is not None:
        amended.setdefault(identity, None)
    return amended
