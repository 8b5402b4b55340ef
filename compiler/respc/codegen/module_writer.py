"""Collects what the parts of a module need: names, constants, functions, types, imports."""

from __future__ import annotations

import builtins
from functools import cache
from typing import TYPE_CHECKING

from respc.codegen.literals import display_tuple, literal, pattern_lines, pattern_literal
from respc.codegen.names import fits_class_syntax
from respc.codegen.plan import TYPES_OF_ALL, TYPES_OF_SERVING, ConstantPlan, FunctionPlan, KeyPlan, ObjectPlan
from respc.codegen.runtime_names import runtime_index
from respc.contents import CONTENT_PARSERS, Expression
from respc.scan.naming import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from respc.ir import Content, Fault
    from respc.scan.tags import TagPlan, TagWay

_LONGEST_CLASS_NAME = 60
_PARSERS = frozenset({"ResponseParser", "ServingParser"})
_TYPING = frozenset({"ClassVar", "Final", "TypeAlias", "TypedDict", "TYPE_CHECKING"})


class ModuleWriter:
    """The writer that content parsers and planners put their pieces into.

    Args:
        standalone: whether the module has the definitions of the runtime beside its own, so that no name may be both.
    """

    def __init__(self, *, standalone: bool = False) -> None:
        self.names = Names(runtime_index() if standalone else ())
        self.constants: list[ConstantPlan] = []
        self.functions: list[FunctionPlan] = []
        self.objects: list[ObjectPlan] = []

    def constant(self, name: str, code: str) -> str:
        """Add a constant and give its name."""
        taken = self.names.take(f"_{name.upper()}")
        self.constants.append(ConstantPlan(taken, code))
        return taken

    def pattern(self, name: str, pattern: str) -> str:
        """Add a pattern that `regex` runs and give its name."""
        return self.constant(name, f"compile_pattern({pattern_literal(pattern)})")

    def tags(self, name: str, plan: TagPlan, *, merged: bool) -> str:
        """Add the segments of tags, and write the call that finds all tags of ``body``."""
        if not plan.pairs:
            ways = display_tuple(
                self._way(f"{name}_{number}", way) for number, way in enumerate(plan.ways, 1)
            )
            constant = self.constant(f"{name}s", ways)
            found = f"found_tags(body, {constant})"
            return self.checked(found, merged=merged, openings=f"[way[0] for way in {constant}]")
        checks = ["strict=parser.strict_bodies", *(["merged=True"] if merged else [])]
        way = plan.ways[0]
        if len(plan.ways) > 1 or not way.is_plain:
            ways = display_tuple(
                display_tuple((self._compiled(way.opening, way), self._closing(way))) for way in plan.ways
            )
            found = ", ".join(["body", self.constant(f"{name}s", ways), *checks])
            return f"tag_pairs_of_ways({found})"
        arguments = ["body", self.constant(f"{name}_opening", self._compiled(way.opening, way))]
        if way.closing is not None:
            arguments += [literal(way.closing), *self._trim(way)]
        else:
            arguments.append(self.constant(f"{name}_closing", self._closing(way)))
        return f"tag_pairs({', '.join([*arguments, *checks])})"

    def class_name(self, wanted: str) -> str:
        """Give a name for a class: none that the module, its runtime or Python has for something else."""
        name = wanted[:_LONGEST_CLASS_NAME]  # it may be made of the keys of many objects
        return self.names.take(f"{name}Value" if name in _names_of_others() else name)

    def object_type(self, name: str, types: Mapping[str, str]) -> str:
        """Add the type of an object with these keys, and give its name."""
        taken = self.class_name(name)
        keys = tuple(KeyPlan(key, literal(key), type_code) for key, type_code in types.items())
        self.objects.append(ObjectPlan(taken, self.fits_class(types), keys))
        return taken

    def fits_class(self, keys: Iterable[str]) -> bool:
        """Tell whether keys can be annotations in a class body, where types are written by their names."""
        named = {each.name for each in self.objects}
        return all(fits_class_syntax(key) and key not in named for key in keys)

    def _closing(self, way: TagWay) -> str:
        arguments = [self._compiled(way.end, way)]
        if way.heads:
            arguments += [self._compiled(way.heads, way), *self._trim(way)]
        return f"Closing({', '.join(arguments)})"

    def _trim(self, way: TagWay) -> list[str]:
        if way.trim == "blanks":
            return ["BLANKS"]
        return ["newline=True"] if way.trim else []

    def checked(self, tags: str, *, merged: bool, openings: str | None = None) -> str:
        """Write the check of tags that code gives, for parsers that pass nothing over."""
        arguments = ["body", tags, "parser.strict_bodies"]
        if openings is not None:
            arguments.append(f"openings={openings}")
        if merged:
            arguments.append("merged=True")
        return f"checked_tags({', '.join(arguments)})"

    def _way(self, name: str, way: TagWay) -> str:
        return display_tuple(self._compiled(segment, way) for segment in (way.first, *way.segments[1:]))

    def _compiled(self, pattern: str, way: TagWay) -> str:
        make = "compile_pattern" if way.needs_regex else "compiled"
        return f"{make}({pattern_lines(pattern)})"

    def function(self, name: str, template: str, result: str, values: Mapping[str, object]) -> str:
        """Add a function of the body and give its name."""
        taken = self.names.take(f"_read_{name}")
        self.functions.append(FunctionPlan(taken, template, result, dict(values)))
        return taken

    def content(self, content: Content, operand: str, name: str) -> Expression:
        """Write a content parser."""
        return CONTENT_PARSERS[content.parser].write(content.arguments, operand, name, self)

    def fault(self, fault: Fault) -> Expression:
        """Write what raises a fault when it is reached."""
        code = f"fail({fault.raises.__name__}, {literal(fault.reason)})"
        return Expression(code, "Any")


@cache
def _names_of_others() -> frozenset[str]:
    """List the names that a module can have: a standalone one has those of its runtime, and what that imports."""
    runtime = runtime_index()
    imports = (statement for definition in runtime.values() for statement in definition.imports)
    imported = {statement.split()[-1].partition(".")[0] for statement in imports}
    return frozenset(
        {*runtime, *imported, *dir(builtins), *TYPES_OF_ALL, *TYPES_OF_SERVING, *_PARSERS, *_TYPING}
    )
