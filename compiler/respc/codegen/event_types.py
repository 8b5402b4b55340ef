"""The types of the events for the ends of regions: whoever tests the field knows the type of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.codegen.forms import calls_of
from respc.codegen.literals import literal
from respc.codegen.names import class_name
from respc.codegen.plan import ClosePlan
from respc.codegen.types import union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import ParserIR

_OF_ALL: Final = "RegionClose"
_NAMES: Final = {
    "str": "Text",
    "int": "Integer",
    "float": "Number",
    "bool": "Boolean",
    "dict[str, Any]": "Object",
}
"""What the values of several fields are called, by their type."""


def plan_closes(
    ir: ParserIR, types: Mapping[str, str], writer: ModuleWriter, *, serving: bool
) -> tuple[ClosePlan, ...]:
    """Plan a type for the fields of each type of values; only one if these are the same for all.

    Args:
        ir: the template.
        types: the types of the fields' values.
        writer: where the names of the types go.
        serving: whether the events are for serving engines: there an empty block of calls is no error.
    """
    emptied = {region.name for region in calls_of(ir)} if serving else set[str]()
    groups: dict[str, list[str]] = {}
    for name, type_code in types.items():
        groups.setdefault(union([type_code, "None"]) if name in emptied else type_code, []).append(name)
    if len(groups) == 1:
        return tuple(ClosePlan(_OF_ALL, "Field", type_code) for type_code in groups)
    return tuple(
        ClosePlan(_name(type_code, names, writer), f"Literal[{', '.join(map(literal, names))}]", type_code)
        for type_code, names in groups.items()
    )


def _name(type_code: str, names: list[str], writer: ModuleWriter) -> str:
    """Name a type by its fields; by what it is where that is text, or where there are several."""
    known = _NAMES.get(type_code, "Value") if type_code == "str" or len(names) > 1 else class_name(names[0])
    return writer.class_name(f"{known}Close")
