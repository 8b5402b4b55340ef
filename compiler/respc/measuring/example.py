"""A text that a model could have written, made from a template: for those who have no outputs at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.contents import parser_of
from respc.contents.model import Wanted
from respc.ir import ContentValue, ElementValue, ListOf, ObjectOf
from respc.measuring.samples import Sample
from respc.patterns.trials import matched_samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir import Content, Delimiter, ParserIR, Region, Transform
    from respc.measuring.engines import Engine

_PROSE: Final = (
    "The train along the coast leaves at nine, and the bridge is open again. If a < b and b < c, then a < c.\n"
    "It takes about two hours from one harbour to the other; the hills are higher than they look on the map.\n"
)
_TIMES: Final = 4
_ARGUMENTS: Final = {"city": "Bergen", "days": 3, "note": "by the harbour"}


@dataclass(frozen=True, slots=True)
class Example:
    """A text made from a template, and the fields that no region could be made of."""

    sample: Sample
    left_out: tuple[str, ...]


def example_of(ir: ParserIR, compiled: Engine) -> Example:
    """Write one region of each field, as far as the compiled parser finds its field in it, and text between them."""
    written = {region.name: _region(region) for region in ir.regions}
    needed = {region.name for region in ir.regions if region.required}
    for name, text in written.items():
        # A message without a required field would be an error, whatever is tried.
        beside = "".join(written[other] or "" for other in needed - {name})
        if text is not None and not _is_found(name, beside + text, compiled):
            written[name] = None
    # The text that no region claims comes before a region without a closer, which takes all that follows.
    ordered = sorted(ir.regions, key=lambda region: region.closer is None and region.opener is not None)
    sample = Sample(
        "a text made from the template", "".join(written[region.name] or "" for region in ordered)
    )
    return Example(sample, tuple(name for name, text in written.items() if text is None))


def _region(region: Region) -> str | None:
    """Write a region; None where no delimiter could be made."""
    opener = "" if region.opener is None else _match(region.opener)
    closer = "" if region.closer is None else _match(region.closer)
    return None if opener is None or closer is None else opener + _body(region) + closer


def _is_found(name: str, text: str, compiled: Engine) -> bool:
    try:
        parser = compiled.open(Sample(name, text))
        events = [*parser.feed(text), *parser.finalize()[1]]
    except Exception:
        return False  # a body of a kind that the field cannot read
    return any(event["type"] == "region_close" and event["field"] == name for event in events)


def _match(delimiter: Delimiter) -> str | None:
    if delimiter.declared is not None:
        return delimiter.declared[0]
    return next(iter(matched_samples(delimiter.pattern)), None)


def _body(region: Region) -> str:
    """Write a body that the content parser can read and the transform can take apart."""
    return _written(region.content, Wanted(_PROSE * _TIMES, _ARGUMENTS, _value(region)))


def _written(content: Content, wanted: Wanted) -> str:
    return parser_of(content).write_example(content.arguments, wanted, _written)


def _value(region: Region) -> Any:
    """Make a value that has what the transform asks for."""
    found: dict[str, Any] = {}
    if region.transform is not None:
        for path in _paths(region.transform):
            _put(found, path)
    value = found or {"name": "look_up", "arguments": _ARGUMENTS}
    return [value, value] if region.each else value


def _paths(transform: Transform) -> Iterator[tuple[str, ...]]:
    match transform:
        case ContentValue(_, keys) if keys:
            yield keys
        case ElementValue(_, name, keys):
            yield (name, *keys)
        case ObjectOf(items):
            for _, value in items:
                yield from _paths(value)
        case ListOf(items):
            for value in items:
                yield from _paths(value)
        case _:
            pass


def _put(target: dict[str, Any], path: tuple[str, ...]) -> None:
    """Put something at a path: arguments at those that are called so, else a name."""
    for key in path[:-1]:
        inner = target.get(key)
        target = target.setdefault(key, {}) if isinstance(inner, dict | None) else target
    called = any(word in path[-1].lower() for word in ("arg", "param", "input"))
    target.setdefault(path[-1], _ARGUMENTS if called else "look_up")
