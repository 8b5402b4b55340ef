"""The arguments of content parsers, as a template's author is told of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PlainArgument:
    """An argument that is read for its value.

    Attributes:
        name: its key in ``content_args``.
        description: whole sentences, for editors.
        accepts: the JSON Schema of what belongs there.
        annotations: its ``default`` and ``examples``, as JSON Schema has them.
    """

    name: str
    description: str
    accepts: Mapping[str, object]
    annotations: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Flag:
    """An argument that is read by its truth.

    Attributes:
        name: its key in ``content_args``.
        description: whole sentences, for editors.
        default: what it is where it is not written.
    """

    name: str
    description: str
    default: bool


@dataclass(frozen=True, slots=True)
class ValueParser:
    """The argument that names the content parser of the values inside a body."""

    name: str = "value_parser"


Argument: TypeAlias = PlainArgument | Flag | ValueParser
