"""The source of a standalone module in the form that mypyc can compile. Every line stays where it is, for tracebacks.

What mypyc makes of a class is not quite what Python makes of it:

* it compiles no class that derives from an exception: those stay classes of Python, which a metaclass says;
* it lets nobody derive from a class, copy or pickle its objects, unless that is asked for;
* it allows no statement in a class but definitions: what only type checkers read is left out;
* it leaves out ``__slots__``, by which a parser knows what to copy: they are given to the finished classes;
* it checks arguments by their annotations, where Python does not: what a caller gives is looked at by the code alone.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final

from respc.native.naming import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_PYTHONS_OWN: Final = frozenset({"NamedTuple", "Protocol", "TypedDict"})
"""Bases of classes that mypyc makes as Python does, of itself."""

_GIVEN_BY_CALLERS: Final = {
    "__init__": ("prefix",),
    "__call__": ("text", "prefix"),
    "feed": ("text",),
    "finish": ("text",),
}
"""Arguments for which a caller may give what is no string, by the methods of parsers and of `parse_response`."""

_IMPORTS: Final = (
    "from typing import TYPE_CHECKING, Any",
    "if TYPE_CHECKING: from mypy_extensions import mypyc_attr",
)
_OPEN_CLASS: Final = "@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)"


def native_form(source: str) -> str:
    """Give the source in the form for mypyc."""
    tree = ast.parse(source)
    form = _Form(source.split("\n"))
    form.add_imports(tree)
    kinds = dict(_kinds_of_classes(tree))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and kinds[node.name] == "exception":
            last = node.bases[-1]
            form.insert(last.end_lineno, last.end_col_offset, ", metaclass=type")
        elif isinstance(node, ast.ClassDef) and kinds[node.name] == "native":
            form.open_class(node)
    form.lines.append(f'_BUILT_OF: str = "{digest_of(source)}"')
    return "\n".join(form.lines) + "\n"


def _kinds_of_classes(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Tell what is to become of each class: its name, and ``exception``, ``python`` or ``native``."""
    known: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        kind = "native"
        for base in node.bases:
            name = ast.unparse(base)
            if known.get(name) == "exception" or _is_exception(name):
                kind = "exception"
            elif name in _PYTHONS_OWN or known.get(name) == "python":
                kind = "python"
        known[node.name] = kind
        yield node.name, kind


def _is_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


class _Form:
    """The lines of a module while they are changed."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def add_imports(self, tree: ast.Module) -> None:
        """Import what the form needs, on the two blank lines behind the imports of the module."""
        first = next(
            node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)
        )
        place = first.lineno - 1
        while self.lines[place] or self.lines[place - 1]:
            place -= 1
        self.lines[place - 1 : place + 1] = _IMPORTS

    def open_class(self, node: ast.ClassDef) -> None:
        """Make a class one that can be derived from, copied and pickled, with its slots."""
        above = node.lineno - 2
        if self.lines[above] and not self.lines[above].startswith("#"):
            raise ValueError(f"line {above + 1}: no room for a decorator above the class {node.name}")
        self.lines[above] = _OPEN_CLASS
        for statement in node.body:
            if isinstance(statement, ast.If):
                for place in range(statement.lineno - 1, statement.end_lineno or statement.lineno):
                    self.lines[place] = ""
            elif isinstance(statement, ast.FunctionDef):
                self._loosen(statement)
            elif isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__":
                slots = ast.unparse(statement.value)
                self.lines.append(f'setattr({node.name}, "__slots__", {slots})')

    def _loosen(self, method: ast.FunctionDef) -> None:
        names = _GIVEN_BY_CALLERS.get(method.name, ())
        arguments = [*method.args.args, *method.args.kwonlyargs]
        for argument in reversed(arguments):
            if argument.arg in names and argument.annotation is not None:
                annotation = argument.annotation
                self.insert(annotation.lineno, annotation.col_offset, "Any", annotation.end_col_offset)

    def insert(
        self, line: int | None, column: int | None, text: str, end_column: int | None = None
    ) -> None:
        """Put a text at a place, or in place of what stands up to another column of the line."""
        assert line is not None
        assert column is not None
        # Columns of syntax trees count bytes.
        written = self.lines[line - 1].encode("utf-8")
        rest = written[column if end_column is None else end_column :]
        self.lines[line - 1] = (written[:column] + text.encode("utf-8") + rest).decode("utf-8")
