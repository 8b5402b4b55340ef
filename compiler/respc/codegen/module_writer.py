"""Collects what the parts of a module need: names, constants, functions, imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import literal, pattern_literal
from respc.codegen.names import Names
from respc.codegen.plan import ConstantPlan, FunctionPlan, MatcherPlan
from respc.codegen.runtime_names import runtime_index
from respc.codegen.seekers import write_tags
from respc.contents import CONTENT_PARSERS, Expression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc.ir import Content, Fault
    from respc.patterns.steps import Alternative


class ModuleWriter:
    """The writer that content parsers and planners put their pieces into."""

    def __init__(self) -> None:
        self.names = Names()
        self.runtime_names: set[str] = set()
        self.standard_imports: set[str] = set()
        self.constants: list[ConstantPlan] = []
        self.matchers: list[MatcherPlan] = []
        self.functions: list[FunctionPlan] = []
        self._memo_numbers = 0

    def runtime(self, name: str) -> str:
        """Import a name of the runtime and give it back."""
        if name not in runtime_index().definitions:
            raise KeyError(f"the runtime has no {name}")
        self.runtime_names.add(name)
        return name

    def constant(self, name: str, code: str, type_code: str | None = None) -> str:
        """Add a constant and give its name."""
        taken = self.names.take(f"_{name.upper()}")
        self.constants.append(ConstantPlan(taken, code, type_code))
        return taken

    def pattern(self, name: str, pattern: str) -> str:
        """Add a pattern that `regex` runs and give its name."""
        return self.constant(name, f"{self.runtime('compile_pattern')}({pattern_literal(pattern)})")

    def alternation(self, name: str, literals: tuple[str, ...]) -> str:
        """Add a search for any of some literals, tried in their order at each place, and give its name."""
        import re

        self.standard_imports.add("import re")
        pattern = "|".join(map(re.escape, literals))
        return self.constant(name, f"re.compile({pattern_literal(pattern)})")

    def memo_numbers(self, count: int) -> int:
        """Give the first of some numbers for what matchers keep in memos."""
        self._memo_numbers += count
        return self._memo_numbers - count

    def tags(self, name: str, ways: tuple[Alternative, ...], groups: frozenset[str]) -> tuple[str, bool]:
        """Add functions that match a tag, and write the call that finds all tags of ``body``.

        Tells too whether the call gives pairs of a key and a value, or matches with such groups.
        """
        code, matchers, pairs = write_tags(name, ways, groups & {"key", "value"}, self)
        self.matchers.extend(matchers)
        return code, pairs

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
        code = f"{self.runtime('fail')}({fault.raises.__name__}, {literal(fault.reason)})"
        return Expression(code, "Any")
