"""Decides what is shown of a template: from its IR, after the passes, so that it is what the compiler makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.contents import parser_of
from respc.diagnostics import quoted, visible
from respc.passes import PIPELINE, run_passes
from respc.scan.anchors import kept_anchor
from respc.scan.reasons import kept_delimiter, kept_tags
from respc.scan.refusals import blamed_delimiters
from respc.show.holding import Held, held_by
from respc.show.model import Border, Field, Machine, with_blanks_shown
from respc.show.transforms import transform_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir import Anchor, Content, Delimiter, ParserIR, Region, State

_MOST_FIRST: Final = 4
_LONGEST_TITLE: Final = 80

_TEXT: Final = "plain text"
_EXPRESSIONS: Final = "expressions"
_SEGMENTS: Final = "segments"
_REGEX: Final = "regex"


def machine_of(ir: ParserIR, name: str) -> Machine:
    """Tell how a template is compiled, with all passes.

    Args:
        ir: the template as lowered, before any pass.
        name: what to call it; of a path, the last part.
    """
    ir = run_passes(ir, PIPELINE)
    finding = _Finding(ir)
    fields = {region.name: _field(region, finding) for region in ir.regions}
    implicit = None if ir.implicit is None else fields.pop(ir.implicit)
    return Machine(
        title=visible(name.replace("\\", "/").rstrip("/").rpartition("/")[2])[:_LONGEST_TITLE],
        anchor=_border(ir.anchor, None, *finding.of_anchor(ir.anchor)),
        outside=finding.of_state(ir.states[0]),
        implicit=implicit,
        fields=tuple(fields.values()),
    )


class _Finding:
    """Tells how delimiters are found, and why in that way."""

    def __init__(self, ir: ParserIR) -> None:
        self.ir = ir
        self.blamed = {each.delimiter.origin.pointer: each.because for each in blamed_delimiters(ir)}
        self.searched = {
            delimiter.origin.pointer
            for state in ir.states
            if state.scan is None or state.starting is None
            for _, delimiter in ir.delimiters(state)
        }

    def of(self, delimiter: Delimiter) -> tuple[str, str]:
        """Tell it of a delimiter."""
        pointer = delimiter.origin.pointer
        if pointer not in self.searched:
            return _EXPRESSIONS, "one search finds what ends the state, and what has begun to"
        if pointer not in self.blamed:
            return _REGEX, "another delimiter that is looked for with it stays there"
        return _REGEX, kept_delimiter(delimiter.pattern, self.blamed[pointer]).because

    def of_anchor(self, anchor: Anchor) -> tuple[str, str]:
        """Tell it of the start anchor."""
        if anchor.declared is not None:
            return _TEXT, "written as text"
        literals = anchor.facts.plain_texts
        if literals is not None:
            return _TEXT, "a pattern of one text" if len(
                literals
            ) == 1 else "a pattern that is a choice of texts"
        kept = kept_anchor(anchor)
        return (_EXPRESSIONS, "the prefix is searched once") if kept is None else (_REGEX, kept.because)

    def of_state(self, state: State) -> str:
        """Tell it of a state with several delimiters."""
        if len(self.ir.delimiters(state)) < 2:
            return ""
        return "one search a delimiter" if state.scan is None else "one search for all delimiters"


def _field(region: Region, finding: _Finding) -> Field:
    return Field(
        name=visible(region.name) or '""',
        opener=None
        if region.opener is None
        else _border(region.opener, held_by(region.opener), *finding.of(region.opener)),
        closer=None
        if region.closer is None
        else _border(region.closer, held_by(region.closer), *finding.of(region.closer)),
        content=_content(region.content),
        tags=tuple(_tags(region.content)),
        transform="" if region.transform is None else visible(transform_text(region.transform)),
        each=region.each,
        kept=_kept(region),
        required=region.required,
    )


def _border(delimiter: Delimiter | Anchor, held: Held | None, found_by: str, because: str) -> Border:
    texts = _declared(delimiter)
    return Border(
        texts=(visible(delimiter.pattern),) if texts is None else tuple(map(_literal, texts)),
        is_pattern=texts is None,
        found_by=found_by,
        because=because,
        held="" if held is None else _held(held),
        held_briefly="" if held is None else _held_briefly(held),
    )


def _literal(text: str) -> str:
    return with_blanks_shown(visible(text))


def _declared(delimiter: Delimiter | Anchor) -> tuple[str, ...] | None:
    """Give the literals that a delimiter was written as, None for a pattern."""
    if delimiter.origin.pointer.endswith("_pattern"):
        return None
    return delimiter.facts.literals


def _held(held: Held) -> str:
    if held.most == 0:
        return "nothing"
    if held.most is None:
        return f"without bound, after {quoted(held.after)}" if held.after else "without bound"
    most = f"at most {held.most} {'character' if held.most == 1 else 'characters'}"
    if not held.first or len(held.first) > _MOST_FIRST:
        return most
    return f"{most}, from {' or '.join(map(quoted, sorted(held.first)))} on"


def _held_briefly(held: Held) -> str:
    if held.most == 0:
        return "holds nothing"
    return "holds without bound" if held.most is None else f"holds at most {held.most}"


def _content(content: Content) -> str:
    value = parser_of(content).value_content(content.arguments)
    return f"{content.parser}, values as {_content(value)}" if value is not None else content.parser


def _tags(content: Content, *, in_value: bool = False) -> Iterator[Border]:
    parser = parser_of(content)
    for found in parser.patterns(content.arguments):
        texts = (visible(found.pattern),)
        if found.in_segments:
            yield Border(texts, True, _SEGMENTS, "nothing of a tag is searched twice")
        else:
            kept = kept_tags(found.pattern, in_value=in_value)
            yield Border(texts, True, _REGEX, "it has no group `key`" if kept is None else kept.because)
    value = parser.value_content(content.arguments)
    if value is not None:
        yield from _tags(value, in_value=True)


def _kept(region: Region) -> str:
    if not region.repeats:
        return "the last region counts"
    if region.join is None:
        return "all regions in a list"
    return f"all regions joined by {quoted(region.join)}" if region.join else "all regions joined"
