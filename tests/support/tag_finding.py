"""What a module says to find tags, evaluated by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import regex

from respc.codegen.module_writer import ModuleWriter
from respc.patterns import parse_pattern
from respc.scan.tags import plan_tags
from respc_runtime import character_classes, patterns, searches, strict_bodies, tag_ways, tags
from support.counted_work import CountedPattern, Counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from respc.scan.tags import TagPlan

Pairs = list[tuple[str | None, str | None]]

_PARTS = (character_classes, patterns, searches, strict_bodies, tag_ways, tags)


def planned(pattern: str) -> TagPlan:
    """Plan how the tags of a pattern are found, which has to be possible."""
    plan = plan_tags(parse_pattern(pattern))
    assert plan is not None
    return plan


def finder(
    plan: TagPlan, *, strict: bool = False, merged: bool = True, counter: Counter | None = None
) -> Callable[[str], Pairs]:
    """Evaluate what a module says to find tags; a counter counts what its patterns look at."""
    writer = ModuleWriter()
    call = compile(writer.tags("tag", plan, merged=merged), "tags", "eval")
    names: dict[str, Any] = {name: value for part in _PARTS for name, value in vars(part).items()}
    if counter is not None:
        for name in ("compiled", "compile_pattern"):
            names[name] = _counting(names[name], counter)
    for constant in writer.constants:
        names[constant.name] = eval(constant.code, names)
    names["parser"] = SimpleNamespace(strict_bodies=strict)

    def find(body: str) -> Pairs:
        found: Iterator[Any] = eval(call, names, {"body": body})
        return [(each["key"], each["value"]) if isinstance(each, dict) else each for each in found]

    return find


def by_regex(pattern: str, body: str) -> Pairs:
    """Find the tags of a pattern as the interpreter does."""
    return [(match["key"], match["value"]) for match in regex.finditer(pattern, body, regex.DOTALL)]


def _counting(make: Any, counter: Counter) -> Any:
    return lambda pattern: CountedPattern(make(pattern), counter)
