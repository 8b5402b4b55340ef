"""Single faults that are put into good response templates, as people make them who write one by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class FaultyTemplate:
    """A response template with a fault.

    Attributes:
        fault: what was done.
        template: the template.
        needs: it is no fault unless messages have one of these keys; any will do where there are none.
    """

    fault: str
    template: dict[str, Any]
    needs: frozenset[str]


def faulty_templates(template: dict[str, Any]) -> Iterator[FaultyTemplate]:
    """Yield a template with one fault each, of those that can be put into it."""
    for needs, faults in _FAULTS.items():
        for fault, put in faults.items():
            copy = deepcopy(template)
            put(copy)
            if copy != template:
                yield FaultyTemplate(fault, copy, frozenset(needs))


def _foreign_anchor(template: dict[str, Any]) -> None:
    template.pop("start_anchor_pattern", None)
    template["start_anchor"] = "<|assistant_turn|>"


def _longer_anchor(template: dict[str, Any]) -> None:
    if "start_anchor" in template:
        _change(template, "start_anchor", lambda anchor: anchor + "\n")


def _content_once(template: dict[str, Any]) -> None:
    _drop(template, "content", "repeats", "join")


def _no_end_of_turn(template: dict[str, Any]) -> None:
    _drop(template, "content", "close", "close_pattern")


def _no_reasoning(template: dict[str, Any]) -> None:
    template["fields"].pop("reasoning_content", None)


def _reasoning_elsewhere(template: dict[str, Any]) -> None:
    fields = template["fields"]
    template["fields"] = {
        "thoughts" if key == "reasoning_content" else key: field for key, field in fields.items()
    }


def _one_call(template: dict[str, Any]) -> None:
    _drop(template, "tool_calls", "repeats")


def _misspelled_closer(field: str) -> Callable[[dict[str, Any]], None]:
    def put(template: dict[str, Any]) -> None:
        for key in ("close", "close_pattern"):
            if key in template["fields"].get(field, {}):
                _change(template["fields"][field], key, _misspelled)

    return put


def _misspelled(delimiter: str) -> str:
    """Put a letter into every mark, in front of its end."""
    return re.sub(r"(?<=\w)(?=\\?[|\]]*>|\\?\])", "s", delimiter)


def _blank_in_opener(template: dict[str, Any]) -> None:
    for key in ("open", "open_pattern"):
        if key in template["fields"].get("tool_calls", {}):
            _change(template["fields"]["tool_calls"], key, lambda opener: opener + " ")


def _arguments_elsewhere(template: dict[str, Any]) -> None:
    other = {"arguments": "parameters", "parameters": "arguments"}
    function = _function(template)
    given = function.get("arguments")
    match = re.fullmatch(r"\{(content\.|)(arguments|parameters)\}", given) if isinstance(given, str) else None
    if match:
        function["arguments"] = f"{{{match[1]}{other[match[2]]}}}"


def _name_for_arguments(template: dict[str, Any]) -> None:
    function = _function(template)
    if {"name", "arguments"} <= function.keys():
        function["name"], function["arguments"] = function["arguments"], function["name"]


def _short_name(template: dict[str, Any]) -> None:
    calls = template["fields"].get("tool_calls", {})
    if "open_pattern" in calls:
        calls["open_pattern"] = re.sub(
            r"\(\?P<name>[^)]*\)", lambda _: r"(?P<name>\w{1,9})", calls["open_pattern"]
        )


def _values_of_one_line(template: dict[str, Any]) -> None:
    given = template["fields"].get("tool_calls", {}).get("content_args", {})
    if "tag_pattern" in given:
        given["tag_pattern"] = given["tag_pattern"].replace(".*?", r"[^\n]*?")


def _calls_as_text(template: dict[str, Any]) -> None:
    calls = template["fields"].get("tool_calls")
    # Arguments that are all of a JSON body are the same as text.
    if calls is not None and (
        calls.get("content") != "json" or "{content}" not in _function(template).values()
    ):
        calls["content"] = "text"
        calls.pop("content_args", None)
        calls.pop("transform_each", None)


_Put = Callable[[dict[str, Any]], None]
_FAULTS: Final[dict[tuple[str, ...], dict[str, _Put]]] = {
    (): {
        "the anchor of another family": _foreign_anchor,
        "an anchor with a blank more": _longer_anchor,
        "the end of the turn dropped": _no_end_of_turn,
    },
    ("reasoning_content",): {
        "reasoning dropped": _no_reasoning,
        "reasoning under another key": _reasoning_elsewhere,
        "a closer of reasoning that is misspelled": _misspelled_closer("reasoning_content"),
    },
    ("reasoning_content", "tool_calls"): {"content once": _content_once},
    ("tool_calls",): {
        "a call that is not repeated": _one_call,
        "a closer of calls that is misspelled": _misspelled_closer("tool_calls"),
        "an opener with a blank": _blank_in_opener,
        "arguments under another key": _arguments_elsewhere,
        "the name and the arguments exchanged": _name_for_arguments,
        "a name that is too short": _short_name,
        "values of one line": _values_of_one_line,
        "calls as text": _calls_as_text,
    },
}


def _change(holder: dict[str, Any], key: str, change: Callable[[str], str]) -> None:
    """Change a literal or a pattern, or all of several."""
    given = holder[key]
    holder[key] = change(given) if isinstance(given, str) else [change(each) for each in given]


def _drop(template: dict[str, Any], field: str, *keys: str) -> None:
    for key in keys:
        template["fields"].get(field, {}).pop(key, None)


def _function(template: dict[str, Any]) -> dict[str, Any]:
    """Give the function of the transform of calls, wherever it is nested."""
    found: Any = template["fields"].get("tool_calls", {}).get("transform", {})
    return dict.get(found, "function", found) if isinstance(found, dict) else {}
