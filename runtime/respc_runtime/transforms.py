"""What generated code needs where a transform can fail, and the rule for what a message leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from respc_runtime.json_bodies import JsonValue


def listed_names(names: Iterable[str]) -> str:
    """List `names` in order, for a message."""
    return ", ".join(map(repr, sorted(names))) or "none"


def captured(captures: Mapping[str, str], name: str) -> str:
    """Give the capture of the group `name`.

    Raises:
        KeyError: the group took no part in the match, or the region ended before the match that has it.
    """
    try:
        return captures[name]
    except KeyError:
        reason = f"the group {name!r} took no part in the match; captured: {listed_names(captures)}"
    raise KeyError(reason)


def undefined(name: str, available: Iterable[str]) -> NoReturn:
    """Refuse the placeholder `name`, which nothing defines.

    Raises:
        KeyError: always.
    """
    raise KeyError(f"nothing defines the placeholder {{{name}}}; defined: {listed_names(available)}")


def descend(value: JsonValue, path: str, *keys: str) -> Any:
    """Follow the `keys` of the dotted placeholder `path`, from the value of its first name.

    Raises:
        ValueError: there is no dict where a key is to be read, or it does not have the key.
    """
    found: Any = value
    for key in keys:
        try:
            found = found[key]
        except (KeyError, TypeError):  # it lacks the key, or is no dict
            return nothing_there(found, path, key)
    return found


def nothing_there(value: JsonValue, path: str, key: str) -> NoReturn:
    """Refuse the dotted placeholder `path`, which reads `key` of `value`.

    Raises:
        ValueError: always.
    """
    if isinstance(value, dict):
        names = listed_names(value)
        raise ValueError(f"the placeholder {{{path}}} finds no {key!r}; keys: {names}")
    raise ValueError(f"the placeholder {{{path}}} reads {key!r} of a value of type {type(value).__name__}")


def records(content: JsonValue) -> Iterable[dict[str, Any]]:
    """Give the records that `transform_each` transforms.

    Raises:
        ValueError: `content` is not a list. If an element is not a dict, the iteration raises when its turn
            comes, after the elements before it were transformed.
    """
    if not isinstance(content, list):
        raise ValueError(
            f"transform_each needs a list of records, but got a value of type {type(content).__name__}"
        )
    for candidate in content:
        if not isinstance(candidate, dict):
            return records_up_to_fault(content)
    return content


def records_up_to_fault(elements: Iterable[JsonValue]) -> Iterator[dict[str, Any]]:
    """Iterate over the records before the first element that is none.

    Raises:
        ValueError: that element's turn came.
    """
    for index, candidate in enumerate(elements):
        if not isinstance(candidate, dict):
            found = type(candidate).__name__
            raise ValueError(f"transform_each needs records, but element {index} is of type {found}")
        yield candidate


def element(record: Mapping[str, Any], name: str) -> Any:
    """Give the value that a record of `transform_each` has for `name`.

    Raises:
        KeyError: it has none.
    """
    if name not in record:
        raise KeyError(f"the record has no {name!r}; keys: {listed_names(record)}")
    return record[name]


def is_empty(value: Any) -> bool:
    """Whether a message leaves this value out: None, or an empty string, list or dict."""
    return not value and (value is None or isinstance(value, (str, list, dict)))


def require_string(value: Any) -> None:
    """Refuse what cannot be joined.

    Raises:
        ValueError: `value` is not a string.
    """
    if not isinstance(value, str):
        found = type(value).__name__
        raise ValueError(f"'join' needs each value to be a string, but got a value of type {found}")
