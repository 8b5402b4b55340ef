"""What a module will say: every choice made, every expression written. The code templates only print it.

Attributes that end in ``code`` or ``name``, and the values of `Lines`, are Python source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.codegen.scans import StatesPlan


TYPES_OF_ALL = ("Event", "Field", "Message", "RegionChunk", "RegionClose", "RegionOpen")
"""The types that every module has."""

TYPES_OF_SERVING = ("RegionMalformed", "TextOutside")
"""Those that it has besides where its events are for serving engines."""

_LONGEST_LIST = 80


@dataclass(frozen=True, slots=True)
class HeaderPlan:
    """The comment at the top, and what the module was compiled from."""

    title: str
    digest: str
    abi: int
    version_line: str
    command: str


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """A key of the message, or of an object in it."""

    name: str
    key_code: str
    type_code: str


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """The message type.

    Attributes:
        as_class: whether every key can be an annotation in a class body.
        defaults: the keys that are always there.
        fields: the others.
        omits_empty_key: whether there is a field without a name, which no TypedDict can have.
    """

    as_class: bool
    defaults: tuple[KeyPlan, ...]
    fields: tuple[KeyPlan, ...]
    omits_empty_key: bool = False


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """The type of an object that a transform makes.

    Attributes:
        name: what it is called.
        as_class: whether every key can be an annotation in a class body.
        keys: all of which it always has.
    """

    name: str
    as_class: bool
    keys: tuple[KeyPlan, ...]


@dataclass(frozen=True, slots=True)
class ClosePlan:
    """The type of the event for the end of regions whose values have the same type.

    Attributes:
        name: what it is called.
        field_code: the type of its field.
        type_code: the type of its value.
    """

    name: str
    field_code: str
    type_code: str


@dataclass(frozen=True, slots=True)
class ConstantPlan:
    """A constant of the module."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class FunctionPlan:
    """A function of the module that reads a body, printed by a code template of its own."""

    name: str
    template: str
    result_code: str
    values: dict[str, object]


@dataclass(frozen=True, slots=True)
class CloserPlan:
    """The function that gives a region its value and puts it into the message.

    Attributes:
        content_code: what reads the body; None when its value is not needed and cannot fail.
        content_used: whether the transform uses the value.
        value_code: the value, in terms of ``content`` where there is a transform.
        value_type_code: its type.
        casts: whether the value may hold tool calls.
        store_code: the statement that puts it into the message.
    """

    name: str
    content_code: str | None
    content_used: bool
    value_code: str
    value_type_code: str
    has_transform: bool
    casts: bool
    store_code: str


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """A parser class.

    Attributes:
        name: what it is called.
        base: what it derives from.
        doc: what it is, in words.
        attributes: what it says to its base: names and code.
        event_code: the type of its events.
    """

    name: str
    base: str
    doc: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    event_code: str


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """A whole module.

    Attributes:
        objects: the types of objects in values, each behind those that it has in it.
        closes: the types of the events for the ends of regions; one alone is called as all of them are.
        classes: the parsers.
        anchor_code: what cuts a prefix after its start anchor.
        feed: the conditions on a chunk under which it is taken without a search; None where every chunk is searched.
        serving_types: whether the types of the events are those for serving engines.
    """

    header: HeaderPlan
    message: MessagePlan
    field_codes: tuple[str, ...]
    objects: tuple[ObjectPlan, ...]
    closes: tuple[ClosePlan, ...]
    constants: tuple[ConstantPlan, ...]
    functions: tuple[FunctionPlan, ...]
    states: StatesPlan
    closers: tuple[CloserPlan, ...]
    anchor_code: str
    classes: tuple[ClassPlan, ...]
    feed: tuple[str, ...] | None
    serving_types: bool

    @property
    def public_names(self) -> list[list[str]]:
        """List what the module is for, line by line: what all modules have, its parsers, the types of its values."""
        of_all = TYPES_OF_ALL + (TYPES_OF_SERVING if self.serving_types else ())
        parsers = [each.name for each in self.classes if not each.name.startswith("_")]
        of_values = {each.name for each in self.objects} | {each.name for each in self.closes}
        groups = [
            sorted(of_all),
            [*parsers, "parse_response", "prepare_tools"],
            sorted(of_values - {*of_all}),
        ]
        return [line for group in groups for line in _lines([f'"{name}"' for name in group])]


def _lines(items: list[str]) -> Iterator[list[str]]:
    """Put items into lines that no formatter breaks."""
    line: list[str] = []
    for item in items:
        if line and len(", ".join([*line, item])) > _LONGEST_LIST:
            yield line
            line = []
        line.append(item)
    if line:
        yield line
