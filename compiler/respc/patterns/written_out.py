"""How long a pattern is with its counted repeats written out: `regex` writes them out to find what must stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from respc.patterns.parse import core, syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterator


def written_out_length(pattern: str) -> int:
    """Give the length of a pattern with each counted repeat written as often as it has to match.

    The pattern is parsed and not compiled, so that this takes no longer than its text is long: `a{1000000000}` has a
    billion characters. What cannot be parsed has the length of its text.
    """
    if "{" not in pattern:
        return len(pattern)
    try:
        return max(len(pattern), _length(syntax_tree(pattern)))
    except Exception:  # whatever the parser raises: compiling it will tell
        return len(pattern)


def _length(tree: Any) -> int:
    # Of all nodes, also of those that the compiler does not reason about: a repeat can stand in any.
    inside = sum(map(_length, _children(tree)))
    return max(inside, 1) * max(getattr(tree, "min_count", 1), 1)


def _children(tree: Any) -> Iterator[Any]:
    held = cast("dict[str, object]", vars(tree))
    for value in held.values():
        parts = cast("list[object]", value if isinstance(value, list | tuple) else [value])
        yield from (part for part in parts if isinstance(part, core.RegexBase))
