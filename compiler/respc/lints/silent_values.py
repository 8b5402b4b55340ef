"""Values that the interpreter takes without a word, and reads as something else than they look like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from respc.contents import CONTENT_PARSERS
from respc.contents.arguments import Flag, PlainArgument, ValueParser
from respc.contents.model import DEFAULT_PARSER
from respc.contents.nested import VALUE_PARSER_KEYS
from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import Remove, SetValue
from respc.diagnostics.meant_keys import Elsewhere, meant_by
from respc.frontend.field_rules import FIELD_FLAGS, FIELD_KEYS
from respc.source import child_pointer
from respc.source.json_kinds import is_list, is_object, json_kind

if TYPE_CHECKING:
    from respc.contents import ContentParser
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_NULLS = ("join", "transform")
_MEANS_FALSE = ("false", "no", "off", "0", "none", "null", "never", "f", "n")


def check_silent_values(ir: ParserIR, findings: Findings) -> None:
    """Find values of the wrong type that are read by their truth, and arguments that nobody reads."""
    template = findings.source.template
    _check_version(template, findings)
    for region in ir.regions:
        field = template["fields"][region.name]
        pointer = child_pointer("/fields", region.name)
        for key in FIELD_FLAGS:
            if key in field:
                _check_flag("flag-misread", f"'{key}'", field[key], f"{pointer}/{key}", findings)
        for key in _NULLS:
            if key in field and field[key] is None:
                findings.add(
                    "null-value",
                    f"'{key}' is null, which says the same as no '{key}'",
                    f"{pointer}/{key}",
                    label="says nothing",
                    help="leave it out",
                    fix=Fix("nothing", (Remove(f"{pointer}/{key}"),), is_safe=True),
                )
        if "content_args" in field:
            name = field.get("content", DEFAULT_PARSER)
            _check_arguments(name, field["content_args"], f"{pointer}/content_args", findings)


def _check_version(template: dict[str, Any], findings: Findings) -> None:
    version = template.get("version", 1)
    if type(version) is not int:
        findings.add(
            "version-misread",
            f"the version is {quoted(json.dumps(version))}, which passes for 1",
            "/version",
            label="is not the number 1",
            help=f"write {member('version', 1)}",
            fix=Fix("nothing", (SetValue("/version", 1),), is_safe=True),
        )


def _check_flag(slug: str, named: str, value: Any, pointer: str, findings: Findings) -> None:
    if isinstance(value, bool):
        return
    key = pointer.rpartition("/")[2]
    truth = bool(value)
    findings.add(
        slug,
        f"{named} is {json_kind(value)}, not true or false",
        pointer,
        label=f"counts as {'true' if truth else 'false'}",
        help=f"write {member(key, truth)}, or {member(key, not truth)} if that is meant",
        # A text that says the opposite of how it is read is for its author to decide.
        fix=None
        if isinstance(value, str) and value.strip().lower() in _MEANS_FALSE
        else Fix("nothing: it says what it was read as", (SetValue(pointer, truth),), is_safe=True),
    )


def _check_arguments(name: object, arguments: object, pointer: str, findings: Findings) -> None:
    """Check the arguments of a content parser, and those of the value parser among them."""
    parser = CONTENT_PARSERS.get(name) if isinstance(name, str) else None
    if parser is None:
        return
    if not parser.takes and arguments not in ({}, None):
        findings.add(
            "unknown-content-arg",
            f"the content parser {quoted(parser.name)} takes no arguments",
            pointer,
            label="nobody looks at them",
            help="leave 'content_args' out",
        )
        return
    if not is_object(arguments):
        return
    known = {argument.name: argument for argument in parser.takes}
    for key, value in arguments.items():
        place = child_pointer(pointer, key)
        match known.get(key):
            case None:
                _add_unknown(
                    key, tuple(known), arguments, place, quoted(parser.name), _around(parser), findings
                )
            case Flag():
                _check_flag("content-arg-misread", f"the argument '{key}'", value, place, findings)
            case ValueParser() if is_object(value):
                _check_value_parser(value, place, findings)
            case PlainArgument(name="string_delims"):
                _check_marks(value, place, findings)
            case _:
                pass


def _around(parser: ContentParser[Any]) -> tuple[Elsewhere, ...]:
    """List what is known around the arguments of a content parser, and inside its value parser."""
    inner = {argument.name for each in CONTENT_PARSERS.values() for argument in each.takes}
    beside = Elsewhere(FIELD_KEYS, "beside 'content_args', not into it")
    if not any(isinstance(argument, ValueParser) for argument in parser.takes):
        return (beside,)
    return beside, Elsewhere(inner, "into the 'args' of the 'value_parser'")


def _check_value_parser(value_parser: dict[str, Any], pointer: str, findings: Findings) -> None:
    name = value_parser.get("name", DEFAULT_PARSER)
    parser = CONTENT_PARSERS.get(name) if isinstance(name, str) else None
    inside = (Elsewhere([each.name for each in parser.takes] if parser else (), "into 'args'", "args"),)
    for key in value_parser:
        if key not in VALUE_PARSER_KEYS:
            place = child_pointer(pointer, key)
            _add_unknown(key, VALUE_PARSER_KEYS, value_parser, place, "a value parser", inside, findings)
    _check_arguments(name, value_parser.get("args", {}), f"{pointer}/args", findings)


def _check_marks(pairs: object, pointer: str, findings: Findings) -> None:
    """Find marks of strings that are read, but hardly as they were meant."""
    for number, pair in enumerate(pairs) if is_list(pairs) else ():
        if isinstance(pair, str) and len(pair) == 2:
            findings.add(
                "content-arg-misread",
                f"the string {quoted(pair)} is read as the pair of {quoted(pair[0])} and {quoted(pair[1])}",
                child_pointer(pointer, number),
                label="is no list of two marks",
                help=f"write {member('string_delims', [['<mark>', '<mark>']])}, a list of pairs",
            )
        elif is_list(pair) and "" in pair:
            findings.add(
                "content-arg-misread",
                "a mark for strings is empty, and found at every place",
                child_pointer(pointer, number),
                label="begins or ends a string at once",
                help="write the text that begins a string, and the text that ends it",
            )


def _add_unknown(
    key: str,
    known: tuple[str, ...],
    holder: dict[str, Any],
    pointer: str,
    reader: str,
    elsewhere: tuple[Elsewhere, ...],
    findings: Findings,
) -> None:
    meant = meant_by(
        key,
        known,
        holder,
        pointer,
        elsewhere=elsewhere,
        owner="the arguments are",
        changes="`{}` is looked at",
        is_safe=False,
    )
    findings.add(
        "unknown-content-arg",
        f"{reader} has no argument {quoted(key)}",
        pointer,
        at_key=True,
        label="nobody looks at it",
        help=meant.help,
        fix=meant.fix,
    )
