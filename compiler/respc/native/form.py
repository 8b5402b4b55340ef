"""The source of a standalone module in the form that mypyc can compile. Every line stays where it is, for tracebacks.

What mypyc makes of a class is not quite what Python makes of it:

* it compiles no class that derives from an exception: those stay classes of Python, which a metaclass says;
* it lets nobody derive from a class, copy or pickle its objects, unless that is asked for;
* it allows no statement in a class but definitions: what only type checkers read is left out;
* it leaves out ``__slots__``, by which a parser knows what to copy: they are given to the finished classes;
* it checks values by their annotations, where Python does not: what a caller gives is looked at by the code alone;
* it is as quick as the types that it knows: `feed` is told those of a chunk and of its event, which Python need not be,
  and text is kept in a class of the module;
* it knows the name of the module while it compiles: objects are pickled by the name that the module is imported by.
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

_TAKEN_FROM_OTHERS: Final = frozenset({"PreparedTools"})
"""Classes of which a parser also takes an object that another module made, of its own class of that name."""

_GIVEN_BY_CALLERS: Final = {
    "__init__": ("prefix",),
    "__call__": ("text", "prefix"),
    "feed": ("text",),
    "finish": ("text",),
}
"""Arguments for which a caller may give what is no string, by the methods of parsers and of `parse_response`."""

_QUICK: Final = "feed"
"""The method that most chunks only pass through: what it does with them is to need no look-up of methods by name."""

_ENDS_IN_NO_BLANK: Final = "not text[-1].isspace()"
_ENDS_IN_SIGN: Final = "32 < ord(text[-1]) < 127"
"""What may be asked of a chunk, and what is known of most chunks without making a string of their last character."""

_HELD: Final = {"_chunk": "dict[str, Any] | None"}
"""Attributes that parsers hold as anything, so that modules say in their own words what an event is."""

_BUFFER_MADE_BY: Final = "text_buffer"
_BUFFER: Final = "StringIO"
"""What parsers keep text in that comes in pieces, and what makes one."""

_KEPT_TEXT: Final = "_KeptText"
_KEPT_TEXT_CLASS: Final = f"""
@mypyc_attr(serializable=True)
class {_KEPT_TEXT}:
    pieces: list[str]
    joined: list[str]
    length: int

    def __init__(self) -> None:
        self.pieces, self.joined, self.length = [], [], 0

    def write(self, text: str) -> None:
        self.pieces.append(text)
        if len(self.pieces) == 64:
            self.join()

    def join(self) -> None:
        text = "".join(self.pieces)
        self.joined.append(text)
        self.length += len(text)
        self.pieces = []

    def getvalue(self) -> str:
        self.join()
        text = "".join(self.joined)
        self.joined = [text]
        return text

    def tell(self) -> int:
        return self.length + sum([len(piece) for piece in self.pieces])

    def truncate(self, size: int) -> None:
        text = self.getvalue()[:size]
        self.joined, self.length = [text], len(text)

    def seek(self, place: int) -> None:
        pass
"""
"""What it is here, as far as parsers use it: at its end. A piece of text needs no look-up of a method, and little room
once there are many of them."""

_FUTURE: Final = "from __future__ import annotations"
_IMPORTS: Final = (
    f"{_FUTURE}; from typing import TYPE_CHECKING, Any",
    "if TYPE_CHECKING: from mypy_extensions import mypyc_attr",
)
_OPEN_CLASS: Final = "@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)"


def native_form(source: str) -> str:
    """Give the source in the form for mypyc."""
    tree = ast.parse(source)
    form = _Form(source.split("\n"))
    kinds = dict(_kinds_of_classes(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            form.loosen(node, ())
        elif isinstance(node, ast.Constant) and node.value in _TAKEN_FROM_OTHERS:
            form.put(node, '"Any"')  # in a `cast`
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == _BUFFER_MADE_BY:
            form.put(node.func, _KEPT_TEXT)
        elif isinstance(node, ast.AnnAssign):
            form.keep_text(node.annotation)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and kinds[node.name] == "kept":
            form.keep_class(node)
        elif isinstance(node, ast.ClassDef) and kinds[node.name] == "native":
            form.open_class(node)
    form.add_imports()
    form.endings += _KEPT_TEXT_CLASS.split("\n")
    form.endings.append(f"for _kind in ({', '.join([*kinds, _KEPT_TEXT])},):")
    form.endings.append('    setattr(_kind, "__module__", globals()["__name__"])')
    return form.finished(f'_BUILT_OF: str = "{digest_of(source)}"')


def _kinds_of_classes(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Tell what classes become: ``native``, ``python`` as mypyc makes them of itself, or ``kept`` as Python's."""
    known: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        kind = "kept" if node.name in _TAKEN_FROM_OTHERS else "native"
        for base in map(ast.unparse, node.bases):
            if known.get(base) == "kept" or _is_exception(base):
                kind = "kept"
            elif base in _PYTHONS_OWN or known.get(base) == "python":
                kind = "python"
        known[node.name] = kind
        yield node.name, kind


def _is_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


class _Form:
    """The lines of a module, with what is to be changed in them.

    Attributes:
        lines: the lines, of which some are blank and take what is added.
        changes: for places in lines, which the syntax tree knows: line, column, end column, text.
        endings: what is added to the end.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.changes: set[tuple[int, int, int, str]] = set()
        self.endings: list[str] = []

    def finished(self, ending: str) -> str:
        """Make the changes, and give the text with a last line."""
        for line, column, end, text in sorted(self.changes, reverse=True):
            # Columns of syntax trees count bytes.
            written = self.lines[line - 1].encode("utf-8")
            if not written:  # left out
                continue
            self.lines[line - 1] = (written[:column] + text.encode("utf-8") + written[end:]).decode("utf-8")
        return "\n".join([*self.lines, *self.endings, ending, ""])

    def put(self, node: ast.expr, text: str) -> None:
        """Put a text in the place of an expression."""
        if node.end_lineno != node.lineno or node.end_col_offset is None:
            raise ValueError(f"line {node.lineno}: {ast.unparse(node)} does not stand on one line")
        self.changes.add((node.lineno, node.col_offset, node.end_col_offset, text))

    def add_imports(self) -> None:
        """Import what the form needs, beside the first import and on the blank line under it."""
        place = self.lines.index(_FUTURE)
        if self.lines[place + 1]:
            raise ValueError(f"line {place + 2}: no room for an import")
        self.lines[place : place + 2] = _IMPORTS

    def keep_class(self, node: ast.ClassDef) -> None:
        """Say that a class is to be Python's own."""
        if node.bases:
            self.put(node.bases[-1], f"{ast.unparse(node.bases[-1])}, metaclass=type")
        else:
            column = node.col_offset + len(f"class {node.name}")
            self.changes.add((node.lineno, column, column, "(metaclass=type)"))

    def open_class(self, node: ast.ClassDef) -> None:
        """Make a class one that can be derived from, copied and pickled, and has its slots."""
        above = node.lineno - 2
        if self.lines[above] and not self.lines[above].startswith("#"):
            raise ValueError(f"line {above + 1}: no room for a decorator above the class {node.name}")
        self.lines[above] = _OPEN_CLASS
        for statement in node.body:
            if isinstance(statement, ast.If):
                last = statement.end_lineno or statement.lineno
                self.lines[statement.lineno - 1 : last] = [""] * (last - statement.lineno + 1)
            elif isinstance(statement, ast.FunctionDef):
                self.loosen(statement, _GIVEN_BY_CALLERS.get(statement.name, ()))
                if statement.name == _QUICK:
                    self.quicken(statement)
            elif isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) in _HELD:
                self.put(statement.annotation, _HELD[ast.unparse(statement.target)])
            elif isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__":
                slots = ast.unparse(statement.value)
                self.endings.append(f'setattr({node.name}, "__slots__", {slots})')

    def loosen(self, function: ast.FunctionDef, names: tuple[str, ...]) -> None:
        """Let values of any type be some arguments of a function, and all that other modules make."""
        arguments = [*function.args.args, *function.args.kwonlyargs]
        annotations = [(each.arg in names, each.annotation) for each in arguments]
        for loose, annotation in (*annotations, (False, function.returns)):
            if annotation is not None and (loose or _mentions(annotation, _TAKEN_FROM_OTHERS)):
                self.put(annotation, "Any")

    def keep_text(self, annotation: ast.expr) -> None:
        """Let it be known what text is kept in."""
        for node in ast.walk(annotation):
            if isinstance(node, ast.Name) and node.id == _BUFFER:
                self.put(node, _KEPT_TEXT)

    def quicken(self, function: ast.FunctionDef) -> None:
        """Let it be known in a condition, and past it, that a chunk which a caller gave is a string."""
        names = _GIVEN_BY_CALLERS[_QUICK]
        if function.returns is not None:
            self.put(function.returns, "list[Any]")
        for node in ast.walk(function):
            if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
                for each in node.values:
                    if isinstance(each, ast.Name) and each.id in names:
                        self.put(each, f"isinstance({each.id}, str) and {each.id}")
                    elif ast.unparse(each) == _ENDS_IN_NO_BLANK:
                        self.put(each, f"({_ENDS_IN_SIGN} or {_ENDS_IN_NO_BLANK})")


def _mentions(annotation: ast.expr, names: frozenset[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(annotation))
