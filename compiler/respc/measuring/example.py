"""A text that a model could have written, made from a template: for those who have no outputs at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from respc.contents.example_bodies import write_body
from respc.measuring.samples import Sample
from respc.patterns.trials import matched_samples

if TYPE_CHECKING:
    from respc.ir import Delimiter, ParserIR, Region
    from respc.measuring.engines import Engine

_PROSE: Final = (
    "The train along the coast leaves at nine, and the bridge is open again. If a < b and b < c, then a < c.\n"
    "It takes about two hours from one harbour to the other; the hills are higher than they look on the map.\n"
)
_TIMES: Final = 4


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
    return None if opener is None or closer is None else opener + write_body(region, _PROSE * _TIMES) + closer


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
