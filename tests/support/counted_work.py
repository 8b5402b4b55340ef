"""Runs generated modules so that the characters they look at are counted: growth without a clock.

A module is compiled to stand alone, so that its source has all that runs. In it, every look at a string goes through a
function that adds how many characters it had to look at or copy, and every compiled pattern is a proxy that does so.
"""

from __future__ import annotations

import ast
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

import respc

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

WHOLE = frozenset({"strip", "lstrip", "rstrip", "split", "replace", "lower", "count", "isspace", "encode"})
PATTERN_MODULES = ("re", "regex")


class Counter:
    """The characters looked at so far."""

    def __init__(self) -> None:
        self.characters = 0

    def call(self, value: Any, method: str, *arguments: Any, **named: Any) -> Any:
        """Call a method; of a string, count."""
        result = getattr(value, method)(*arguments, **named)
        if isinstance(value, str):
            self.characters += cost_of_call(value, method, arguments, result)
        return result

    def part(self, value: Any, key: Any) -> Any:
        """Give what `value[key]` does, and count what it copies."""
        result = value[key]
        if isinstance(value, str):
            self.characters += len(result)
        return result

    def added(self, left: Any, right: Any) -> Any:
        """Give what `left + right` does, and count what it copies."""
        result = left + right
        if isinstance(result, str):
            self.characters += len(result)
        return result

    def grown(self, left: Any, right: Any) -> Any:
        """Give what `left = left + right` sets, and count what it copies: a string that only a variable holds grows."""
        result = left + right
        if isinstance(result, str):
            self.characters += len(right)
        return result

    def has(self, part: Any, value: Any) -> bool:
        """Tell whether `part in value`, and count what is looked at for that."""
        if isinstance(value, str):
            self.call(value, "find", part)
        return part in value


def cost_of_call(text: str, method: str, arguments: tuple[Any, ...], result: Any) -> int:
    """Tell how many characters a method of a string looked at."""
    if method in ("find", "index", "rfind"):
        start = arguments[1] if len(arguments) > 1 else 0
        end = min(arguments[2], len(text)) if len(arguments) > 2 else len(text)
        looked_at: int
        if method == "rfind":
            looked_at = end - max(result, start)
        else:
            looked_at = (result + len(arguments[0]) if result >= 0 else end) - start
        return max(looked_at, 1)
    if method in ("startswith", "endswith"):
        return len(arguments[0])
    if method == "join":
        return len(result)
    return len(text) if method in WHOLE else 1


class CountedPattern:
    """A compiled pattern that adds how far its matches reach; without a match, all there is after the start.

    It cannot see how often `regex` goes back inside one call: it counts at least what is looked at.
    """

    def __init__(self, pattern: Any, counter: Counter) -> None:
        self.pattern = pattern
        self.counter = counter

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pattern, name)

    def match(self, text: str, pos: int = 0, *more: Any, **named: Any) -> Any:
        """Match at a place."""
        found = self.pattern.match(text, pos, *more, **named)
        self.counter.characters += 1 if found is None else found.end() - pos + 1
        return found

    def search(self, text: str, pos: int = 0, *more: Any, **named: Any) -> Any:
        """Search from a place."""
        found = self.pattern.search(text, pos, *more, **named)
        edge = min([len(text), *more])
        self.counter.characters += max((edge if found is None else found.end()) - pos, 0) + 1
        return found

    def finditer(self, text: str, *more: Any) -> Any:
        """Iterate over all matches."""
        self.counter.characters += len(text)
        return self.pattern.finditer(text, *more)

    def sub(self, replacement: Any, text: str) -> str:
        """Replace all matches."""
        self.counter.characters += len(text)
        return str(self.pattern.sub(replacement, text))


class _Instrument(ast.NodeTransformer):
    """Rewrites a module so that its looks at strings go through the counter."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or isinstance(node.func.value, ast.Call):
            return node
        arguments = [node.func.value, ast.Constant(node.func.attr), *node.args]
        return _counted("call", arguments, node.keywords)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        key = node.slice
        if isinstance(key, ast.Slice):
            bounds = [bound or ast.Constant(None) for bound in (key.lower, key.upper, key.step)]
            key = ast.Call(ast.Name("slice", ast.Load()), bounds, [])
        return _counted("part", [node.value, key], [])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _counted("added", [node.left, node.right], []) if isinstance(node.op, ast.Add) else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value, target = node.value, node.targets[0]
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Add)
            and isinstance(target, ast.Name)
            and ast.dump(value.left) == ast.dump(ast.Name(target.id, ast.Load()))
        ):
            node.value = _counted("grown", [value.left, self.visit(value.right)], [])
            return node
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = _counted("has", [node.left, node.comparators[0]], [])
            return ast.UnaryOp(ast.Not(), found) if isinstance(node.ops[0], ast.NotIn) else found
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        kept = [name for name in node.names if name.name not in PATTERN_MODULES]
        return ast.Import(kept) if kept else None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # Types are not run, or not often.
        if node.value is not None and not _is_type(node.annotation):
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node


def _is_type(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "TypeAlias"


def _counted(what: str, arguments: list[Any], keywords: list[ast.keyword]) -> ast.Call:
    function = ast.Attribute(ast.Name("_counter", ast.Load()), what, ast.Load())
    return ast.Call(function, arguments, keywords)


def counted_module(
    template: dict[str, Any], *, passes: Collection[str] | None = None, events: str = "default"
) -> Any:
    """Compile a template to a module that counts; its counter is its attribute `_counter`."""
    source = respc.compile_template(
        template, standalone=True, passes=passes, formatted=False, events=events
    ).source
    tree = ast.fix_missing_locations(_Instrument().visit(ast.parse(source)))
    module = ModuleType("counted")
    counter = Counter()
    for name in PATTERN_MODULES:
        setattr(module, name, counted_patterns(name, counter))
    module.__dict__["_counter"] = counter
    exec(compile(tree, "counted.py", "exec"), module.__dict__)
    return module


def counted_patterns(name: str, counter: Counter) -> ModuleType:
    """Make a module like `re` or `regex` whose patterns count."""
    original = importlib.import_module(name)
    counted = ModuleType(name)
    counted.__dict__.update(original.__dict__)
    counted.__dict__["compile"] = lambda *arguments: CountedPattern(original.compile(*arguments), counter)
    return counted


def work(module: Any, chunks: Iterable[str], prefix: str = "") -> int:
    """Tell how many characters a module of `counted_module` looks at while it parses chunks."""
    module._counter.characters = 0
    try:
        parser = module.ResponseParser(prefix)
        for chunk in chunks:
            parser.feed(chunk)
        parser.finalize()
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        pass  # what had to be looked at for that counts as well
    return int(module._counter.characters)
