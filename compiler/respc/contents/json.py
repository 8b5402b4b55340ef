"""``json``: a JSON document, or one of the dialects that models write."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

from respc.contents.arguments import Flag, PlainArgument
from respc.contents.model import (
    Calls,
    ContentParser,
    Expression,
    ReadContent,
    Wanted,
    WriteExample,
    Writer,
    no_object,
    stands_in_strings,
    strips,
)
from respc.ir import Fault, Origin
from respc.source.json_kinds import json_kind
from respc_runtime.string_closers import JSON_QUOTES

_TOKEN_CHARACTERS = frozenset("0123456789\x01\x02")
_PAIR_OF_MARKS = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True, slots=True)
class JsonArguments:
    """What is done to a body before and after it is read as JSON.

    Attributes:
        refuse_reserved: whether the two characters that stand for lifted strings may not be in the body.
        marks: pairs of marks for strings, in order.
        marks_fault: what the interpreter raises after these pairs.
        unquoted_keys: whether bare keys get quotes.
        allow_non_json: whether a body that is no JSON is kept as text.
        strip: whether that text is trimmed.
    """

    refuse_reserved: bool
    marks: tuple[tuple[str, str], ...]
    marks_fault: Fault | None
    unquoted_keys: bool
    allow_non_json: bool
    strip: bool

    @property
    def is_dialect(self) -> bool:
        """Tell whether the body is rewritten before it is read."""
        return bool(self.refuse_reserved or self.marks or self.marks_fault or self.unquoted_keys)

    @property
    def plain(self) -> str | None:
        """Name the function of the runtime that reads plain bodies in one go, if one can."""
        if self.marks_fault:
            return None
        if not self.marks:
            return "keyed_json" if self.unquoted_keys else None
        # Digits stand in the tokens of strings lifted before, so a mark with some could begin in one.
        clear = all(mark and not _TOKEN_CHARACTERS & set(mark) for mark in self.later_openings)
        return "marked_json" if clear and all(self.marks[0]) else None

    @property
    def later_openings(self) -> tuple[str, ...]:
        """List the marks that begin a string, but for the first pair's."""
        return tuple(opening for opening, _ in self.marks[1:])


class JsonContent(ContentParser[JsonArguments | Fault]):
    """Whatever `json.loads` accepts, after ``string_delims`` and ``unquoted_keys`` have had their turn."""

    name = "json"
    makes = "A JSON document, or one of the dialects that models write."
    takes = (
        Flag("unquoted_keys", "Whether keys may stand without quotes: `{city: 1}`.", False),
        PlainArgument(
            "string_delims",
            "Marks that strings stand between, in pairs of the mark before and the mark after.",
            {"type": "array", "items": _PAIR_OF_MARKS},
            {"default": [], "examples": [[["<|'", "'|>"]]]},
        ),
        Flag("allow_non_json", "Whether text that is no JSON is kept as a string.", False),
        Flag("strip", "Whether blanks at both ends of text that is no JSON are removed.", True),
    )
    calls = Calls.ONE
    shows_end = True

    def read(self, arguments: Any, origin: Origin, read_content: ReadContent) -> JsonArguments | Fault:
        """Understand ``string_delims``, ``unquoted_keys``, ``allow_non_json`` and ``strip``."""
        if fault := no_object(arguments):
            return fault
        delimiters = arguments.get("string_delims", [])
        marks, marks_fault = _marks(delimiters)
        return JsonArguments(
            refuse_reserved=bool(delimiters),
            marks=marks,
            marks_fault=marks_fault,
            unquoted_keys=bool(arguments.get("unquoted_keys", False)),
            allow_non_json=bool(arguments.get("allow_non_json")),
            strip=strips(arguments),
        )

    def write(self, arguments: JsonArguments | Fault, operand: str, name: str, writer: Writer) -> Expression:
        """Write a call of the runtime, or of a function that does the dialect's steps in order."""
        if isinstance(arguments, Fault):
            return writer.fault(arguments)
        if not arguments.is_dialect:
            if not arguments.allow_non_json:
                return Expression(f"parse_json({operand})", "Any")
            keep_blanks = "" if arguments.strip else ", strip=False"
            return Expression(f"json_or_text({operand}{keep_blanks})", "Any")
        marks_fault = writer.fault(arguments.marks_fault).code if arguments.marks_fault else None
        function = writer.function(
            name, "json_dialect", "Any", {"arguments": arguments, "marks_fault": marks_fault}
        )
        return Expression(f"{function}({operand})", "Any")

    def write_example(
        self, arguments: JsonArguments | Fault, wanted: Wanted, write_inner: WriteExample
    ) -> str:
        """Write the value as JSON, which all dialects have."""
        return json.dumps(wanted.value)

    def can_hide(self, arguments: JsonArguments | Fault, text: str) -> bool:
        """Tell whether a text can stand in a string."""
        return stands_in_strings(text)

    def reads_anything(self, arguments: JsonArguments | Fault) -> bool:
        """Tell whether what is no JSON is text."""
        return not isinstance(arguments, Fault) and arguments.allow_non_json

    def is_json(self, arguments: JsonArguments | Fault) -> bool:
        """Tell whether no dialect is read, nor text."""
        return not (isinstance(arguments, Fault) or arguments.is_dialect or arguments.allow_non_json)

    def quotes(self, arguments: JsonArguments | Fault) -> tuple[tuple[str, str], ...]:
        """Give the marks of the dialect, or the quotation mark of JSON."""
        if isinstance(arguments, Fault) or arguments.marks_fault:
            return ()
        return tuple(pair for pair in arguments.marks if all(pair)) or JSON_QUOTES


def _marks(delimiters: object) -> tuple[tuple[tuple[str, str], ...], Fault | None]:
    """Read pairs of marks as an unpacking assignment would, up to the first that does not unpack."""
    if not _is_iterable(delimiters):
        return (), Fault(
            TypeError, f"'string_delims' is {json_kind(delimiters)}, not a list of pairs", at="/string_delims"
        )
    marks: list[tuple[str, str]] = []
    for pair in delimiters:
        if not _is_iterable(pair):
            return tuple(marks), Fault(
                TypeError, f"'string_delims' holds {json_kind(pair)}, not a pair", at="/string_delims"
            )
        both = list(pair)
        if len(both) != 2:
            return tuple(marks), Fault(
                ValueError,
                f"'string_delims' holds {json_kind(pair)} of {len(both)}, not a pair",
                at="/string_delims",
            )
        for mark in both:
            if not isinstance(mark, str):
                return tuple(marks), Fault(
                    TypeError, f"a mark of 'string_delims' is {json_kind(mark)}", at="/string_delims"
                )
        marks.append((both[0], both[1]))
    return tuple(marks), None


def _is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether a loop over a value works, as it does over strings and objects, too."""
    return isinstance(value, Iterable)
