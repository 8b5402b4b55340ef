"""Values in tags and lines that a pattern cuts wrongly, or that their parser refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import regex

from respc.contents.json import JsonArguments
from respc.contents.xml_inline import XmlInlineArguments
from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import AddMember, ReplaceText, SetValue, Step
from respc.lints.delimiters import contents_of
from respc.patterns import parse_pattern
from respc.patterns.samples import samples
from respc.patterns.tokens import group_end, tokens_of
from respc.patterns.trials import group_in, takes_whole
from respc.source import value_at
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import Content, ParserIR

_VALUE: Final = "value"
_WORD: Final = "Bergen2"
_PLAIN: Final = "Some words"
_WITH_BLANKS: Final = (_PLAIN, f'"{_PLAIN}"', f"'{_PLAIN}'", f"`{_PLAIN}`")
_OTHER: Final = "Others"
_WIDE: Final = ".*?"
_NUMBERS: Final = ("int", "float", "bool")


def check_tag_values(ir: ParserIR, findings: Findings) -> None:
    """Find values that take the next tag in, that may have no blanks, or that have to be JSON."""
    for region in ir.regions:
        for content in contents_of(region):
            if isinstance(content.arguments, XmlInlineArguments):
                _check_pattern(content.arguments, f"{content.origin.pointer}/tag_pattern", findings)
            _check_json(content, findings)


def _check_pattern(arguments: XmlInlineArguments, pointer: str, findings: Findings) -> None:
    pattern = arguments.tag_pattern
    if not {"key", _VALUE} <= arguments.groups:
        return
    place = _inside_of_value(pattern)
    if place is None:
        return
    start, end = place
    told = quoted(pattern[start:end])
    if _takes_the_next(pattern):
        fixed = pattern[:end] + "?" + pattern[end:]
        is_fixed = pattern[start:end].endswith(("*", "+")) and _keeps_apart(fixed)
        findings.add(
            "greedy-tag",
            f"a value is matched by {told}, which takes the tags after it in, up to the last one",
            pointer,
            characters=place,
            label="two arguments become one",
            help=f"write {member('tag_pattern', fixed)}" if is_fixed else "let a value end at its own tag",
            fix=Fix("each tag ends at its own end", (ReplaceText(pointer, end, end, "?"),))
            if is_fixed
            else None,
        )
    elif _is_narrow(pattern[start:end]) and not _is_number(arguments):
        fixed = pattern[:start] + _WIDE + pattern[end:]
        is_fixed = _keeps_apart(fixed)
        findings.add(
            "narrow-value",
            f"values are matched by {told}, which takes no blanks",
            pointer,
            characters=place,
            label=f"an argument such as {quoted(_PLAIN)} is dropped, or cut",
            help=f"write {member('tag_pattern', fixed)}"
            if is_fixed
            else "let a value be any text up to its end",
            fix=Fix("values of several words are found whole", (ReplaceText(pointer, start, end, _WIDE),))
            if is_fixed
            else None,
        )


def _inside_of_value(pattern: str) -> tuple[int, int] | None:
    """Find what stands in the group of the value."""
    tokens = tokens_of(pattern)
    for number, token in enumerate(tokens):
        if token.text in (f"(?P<{_VALUE}>", f"(?<{_VALUE}>"):
            return token.end, tokens[group_end(tokens, number)].start
    return None


def _tag(pattern: str, key: str, value: str) -> str | None:
    """Write a tag with a key and a value, as far as the pattern takes them."""
    tags = samples(parse_pattern(pattern), {"key": key, _VALUE: value})
    return next((tag for tag in tags if group_in(pattern, tag, _VALUE) == value), None)


def _takes_the_next(pattern: str) -> bool:
    """Tell whether the value of a tag goes on to that of the tag after it."""
    one, two = _tag(pattern, "a", _WORD), _tag(pattern, "b", _OTHER)
    if one is None or two is None:
        return False
    found = group_in(pattern, f"{one}\n{two}", _VALUE)
    return found is not None and found.startswith(_WORD) and found.endswith(_OTHER)


def _keeps_apart(pattern: str) -> bool:
    """Tell whether two tags are two, with values of several words."""
    one, two = _tag(pattern, "a", _PLAIN), _tag(pattern, "b", _OTHER)
    return one is not None and two is not None and group_in(pattern, f"{one}\n{two}", _VALUE) == _PLAIN


def _is_narrow(pattern: str) -> bool:
    """Tell whether a pattern takes a word, and neither several nor a text in quotes."""
    try:
        return takes_whole(pattern, _WORD) and not any(takes_whole(pattern, text) for text in _WITH_BLANKS)
    except regex.error:  # it refers to what stands elsewhere
        return False


def _is_number(arguments: XmlInlineArguments) -> bool:
    """Tell whether values are numbers or flags, which have no blanks."""
    value = arguments.value
    return value is not None and getattr(value, "parser", None) in _NUMBERS


def _check_json(content: Content, findings: Findings) -> None:
    """Find a value parser that refuses plain text."""
    inner = getattr(content.arguments, _VALUE, None)
    arguments = getattr(inner, "arguments", None)
    # With marks around them, strings are written as no plain text is.
    if not isinstance(arguments, JsonArguments) or arguments.allow_non_json or arguments.refuse_reserved:
        return
    if isinstance(content.arguments, XmlInlineArguments) and not _takes_plain(content.arguments):
        return
    pointer = f"{content.origin.pointer}/value_parser"
    written = value_at(findings.source.template, pointer)
    if not is_object(written):
        return
    given = written.get("args")
    named = {"name": "json", "args": {**(given if is_object(given) else {}), "allow_non_json": True}}
    findings.add(
        "plain-value-raises",
        "values have to be JSON, and text without quotes is none",
        pointer,
        label=f"raises ValueError at a value such as {quoted(_PLAIN)}",
        help=f"write {member('value_parser', named)}, which keeps what is no JSON as text",
        fix=Fix("a value that is no JSON is a text, and stops nothing", _allowing(pointer, written)),
    )


def _takes_plain(arguments: XmlInlineArguments) -> bool:
    """Tell whether a value can be a text of several words without quotes."""
    return _VALUE in arguments.groups and _tag(arguments.tag_pattern, "a", _PLAIN) is not None


def _allowing(pointer: str, written: dict[str, object]) -> tuple[Step, ...]:
    arguments = written.get("args")
    if not is_object(arguments):
        steps = SetValue if "args" in written else None
        allowed = {"allow_non_json": True}
        return (steps(f"{pointer}/args", allowed) if steps else AddMember(pointer, "args", allowed),)
    if "allow_non_json" in arguments:
        return (SetValue(f"{pointer}/args/allow_non_json", True),)
    return (AddMember(f"{pointer}/args", "allow_non_json", True),)
