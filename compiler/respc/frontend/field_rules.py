"""The rules for one field."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final

from respc.contents import CONTENT_PARSERS
from respc.contents.model import DEFAULT_PARSER
from respc.diagnostics import Fix, listed, member, quoted
from respc.diagnostics.fixes import AddMember, Remove, SetValue
from respc.diagnostics.meant_keys import Elsewhere, known_name, meant_by
from respc.diagnostics.misspelt import closest, is_certain, part_of
from respc.frontend.delimiter_rules import LOADS, check_delimiter
from respc.frontend.placeholders import mixes_text
from respc.source import child_pointer
from respc.source.json_kinds import is_list, is_object, json_kind

if TYPE_CHECKING:
    from collections.abc import Collection

    from respc.diagnostics.findings import Findings

FIELD_KEYS = (
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
)
"""The keys that a field may have."""

TEMPLATE_KEYS = ("version", "defaults", "start_anchor", "start_anchor_pattern", "fields")
"""The keys that a template may have."""

_ARGUMENTS: Final = tuple(
    dict.fromkeys(argument.name for parser in CONTENT_PARSERS.values() for argument in parser.takes)
)
"""The arguments that content parsers take."""

FIELD_FLAGS = ("repeats", "optional")
"""Those that are read by their truth."""

# With none of these the values of a field are text, which can surely be joined.
_NOT_PLAIN = ("content", "content_args", "transform")


_MOST_UNKNOWN: Final = 100
_OTHER_PARSERS: Final = {
    "string": "text",
    "str": "text",
    "plain": "text",
    "number": "float",
}


def unknown_keys(holder: dict[str, Any], known: Collection[str]) -> list[str]:
    """List the keys of an object that the language does not know; of thousands only some, each compared with those."""
    return nsmallest(_MOST_UNKNOWN, holder.keys() - set(known))


def is_misplaced_or_misspelt(key: str) -> bool:
    """Tell whether a key that a field does not have was meant for one that there is, in a field or elsewhere."""
    return key in (*_ARGUMENTS, *TEMPLATE_KEYS) or known_name(key, FIELD_KEYS) is not None


def misspells_opener(field: dict[str, Any]) -> bool:
    """Tell whether a field was meant to have an opener, under a key that there is not."""
    keys = [key for key in unknown_keys(field, FIELD_KEYS) if key not in _ARGUMENTS]
    return any(known_name(key, FIELD_KEYS) in ("open", "open_pattern") for key in keys)


def _levels_beside(field: dict[str, Any]) -> tuple[Elsewhere, ...]:
    """List what is known around a field and inside it, as far as its content parser has it."""
    name = field.get("content", DEFAULT_PARSER)
    parser = CONTENT_PARSERS.get(_meant_parser(name) or name) if isinstance(name, str) else None
    taken = () if parser is None else tuple(argument.name for argument in parser.takes)
    return (
        Elsewhere(taken, "into 'content_args'", "content_args"),
        Elsewhere(_ARGUMENTS, "into the 'content_args' of a field with another content parser"),
        Elsewhere(TEMPLATE_KEYS, "beside 'fields', not into one"),
    )


_CALLS: Final = "/fields/tool_calls"


def check_field(name: str, field: Any, pointer: str, findings: Findings) -> None:
    """Find everything for which the interpreter refuses a field."""
    if not is_object(field):
        message = f"the field {quoted(name)} is {json_kind(field)}, not an object"
        findings.add("field-not-object", message, pointer, help='write {"open": …, "close": …}')
        return
    for key in unknown_keys(field, FIELD_KEYS):
        place = child_pointer(pointer, key)
        meant = meant_by(key, FIELD_KEYS, field, place, elsewhere=_levels_beside(field))
        findings.add(
            "unknown-field-key",
            f"a field has no key {quoted(key)}",
            place,
            at_key=True,
            help=meant.help,
            fix=meant.fix,
        )
    _check_content(field, pointer, findings)
    groups = check_delimiter(field, pointer, ("open", "open_pattern"), findings)
    groups |= check_delimiter(field, pointer, ("close", "close_pattern"), findings)
    _check_join(field, pointer, findings)
    _check_transform(field, pointer, groups, findings)


def _check_content(field: dict[str, Any], pointer: str, findings: Findings) -> None:
    content = field.get("content", DEFAULT_PARSER)
    if is_object(content) or is_list(content):
        findings.add(
            "content-not-string",
            f"'content' is {json_kind(content)}, not the name of a content parser",
            f"{pointer}/content",
            builtin=TypeError,
            help=f"the content parsers are {listed(CONTENT_PARSERS)}",
        )
    elif content not in CONTENT_PARSERS:
        meant = _meant_parser(content)
        shown = quoted(content) if isinstance(content, str) else json_kind(content)
        findings.add(
            "unknown-content-parser",
            f"there is no content parser {shown}",
            f"{pointer}/content",
            help=f"did you mean `{meant}`?"
            if meant
            else f"the content parsers are {listed(CONTENT_PARSERS)}",
            fix=Fix(
                LOADS,
                (SetValue(f"{pointer}/content", meant),),
                is_safe=is_certain(str(content).lower(), meant),
            )
            if meant
            else None,
        )


def _meant_parser(name: object) -> str | None:
    """Give the content parser that a name which there is not was perhaps meant for."""
    word = str(name).lower()
    return part_of(word, CONTENT_PARSERS) or _OTHER_PARSERS.get(word) or closest(word, CONTENT_PARSERS)


def _check_join(field: dict[str, Any], pointer: str, findings: Findings) -> None:
    join = field.get("join")
    if join is None:
        return
    if not isinstance(join, str):
        message = f"'join' is {json_kind(join)}, not a string"
        findings.add("join-not-string", message, f"{pointer}/join", help='write "join": "\\n"')
    elif not field.get("repeats", False):
        findings.add(
            "join-without-repeats",
            "'join' needs 'repeats': a field that does not repeat has nothing to join",
            f"{pointer}/join",
            at_key=True,
            help='add "repeats": true',
            fix=_repeating(field, pointer) if field.keys().isdisjoint(_NOT_PLAIN) else None,
        )


def _repeating(field: dict[str, Any], pointer: str) -> Fix:
    step = SetValue(f"{pointer}/repeats", True) if "repeats" in field else AddMember(pointer, "repeats", True)
    return Fix(f"{LOADS}; all regions of the field are joined", (step,))


def _check_transform(field: dict[str, Any], pointer: str, groups: frozenset[str], findings: Findings) -> None:
    each, transform = field.get("transform_each", False), field.get("transform")
    if not isinstance(each, bool):
        findings.add(
            "transform-each-not-boolean",
            f"'transform_each' is {json_kind(each)}, not true or false",
            f"{pointer}/transform_each",
            help="write true or false, or leave it out",
        )
    elif each and transform is None:
        findings.add(
            "transform-each-without-transform",
            "'transform_each' is set, but there is no 'transform' to apply",
            f"{pointer}/transform_each",
            at_key=True,
            help="add a 'transform', or remove 'transform_each'",
            fix=Fix(LOADS, (Remove(f"{pointer}/transform_each"),)),
        )
    if transform is not None:
        _check_strings(transform, f"{pointer}/transform", findings)
    elif groups:
        findings.add(
            "captures-without-transform",
            f"the pattern captures {listed(sorted(groups))}, but nothing of it can reach the message "
            "without a 'transform'",
            f"{pointer}/open_pattern" if "open_pattern" in field else f"{pointer}/close_pattern",
            help=f"add {member('transform', _transform_with(groups, pointer))}, "
            "or write (?:…) instead of (?P<…>…)",
        )


def _transform_with(groups: frozenset[str], pointer: str) -> dict[str, Any]:
    """Write a transform that has all that is captured: a call, where calls are read by their names."""
    if pointer == _CALLS and groups == frozenset({"name"}):
        return {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    return {name: f"{{{name}}}" for name in (*sorted(groups), "content")}


def _check_strings(transform: object, pointer: str, findings: Findings) -> None:
    if is_object(transform):
        for key, value in transform.items():
            _check_strings(value, child_pointer(pointer, key), findings)
    elif is_list(transform):
        for number, value in enumerate(transform):
            _check_strings(value, child_pointer(pointer, str(number)), findings)
    elif isinstance(transform, str) and (mixed := mixes_text(transform)):
        findings.add(
            "mixed-placeholder",
            f"the string {quoted(transform)} mixes a placeholder with other text",
            pointer,
            characters=mixed,
            label="a placeholder has to be the whole string",
            help=f'write "{transform[slice(*mixed)]}" alone, or a text without a placeholder',
        )
