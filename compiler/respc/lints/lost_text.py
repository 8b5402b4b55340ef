"""Text that does not reach the message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.contents import parser_of
from respc.diagnostics import Fix, listed, member, quoted
from respc.diagnostics.fixes import AddMember, SetValue
from respc.lints.call_shape import CALLS, REASONING_NAMES
from respc.patterns.trials import ORDINARY, is_tied_to_start, match_at, matched_samples
from respc.source import child_pointer

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.diagnostics.fixes import Step
    from respc.ir import ParserIR, Region

_CONTENT: Final = "content"
_JOIN: Final = "\n"


def check_lost_text(ir: ParserIR, findings: Findings) -> None:
    """Find fields whose regions replace each other, and text that no field takes."""
    implicit = None if ir.implicit is None else ir.region(ir.implicit)
    if implicit is None:
        _check_plain_text(ir, findings)
    else:
        _check_pieces(implicit, ir, findings)


def check_overwritten_regions(ir: ParserIR, findings: Findings) -> None:
    """Find reasoning and calls of which a message can have several, but keeps one."""
    for region in ir.regions:
        reasons = region.name in REASONING_NAMES
        if not (reasons or (region.name == CALLS and not region.each)):
            continue
        if region.repeats or not _comes_again(region):
            continue
        field = findings.source.template["fields"][region.name]
        added: dict[str, object] = {"repeats": True, "join": _JOIN} if reasons else {"repeats": True}
        fits = not reasons or _is_plain_text(region)
        findings.add(
            "region-overwritten",
            f"a second region of {quoted(region.name)} replaces the first",
            child_pointer("/fields", region.name),
            at_key=True,
            label="does not repeat, and can come again",
            help=f"add {_members(added)}",
            fix=Fix(
                "all regions are kept, joined by a line break"
                if reasons
                else "the value is a list of all regions, also where there is one",
                _additions(region, field, added),
            )
            if fits and "join" not in field and region.name not in ir.defaults
            else None,
        )


def _comes_again(region: Region) -> bool:
    """Tell whether a field can have a region anywhere in the message, with text after it."""
    if region.opener is None or region.closer is None:
        return False
    return region.opener.declared is not None or not is_tied_to_start(region.opener.pattern)


def _check_pieces(implicit: Region, ir: ParserIR, findings: Findings) -> None:
    between = [region.name for region in ir.regions if _comes_again(region)]
    if not between or implicit.repeats:
        return
    field = findings.source.template["fields"][implicit.name]
    # With a line break, the blanks between two calls would be a piece that adds one.
    added: dict[str, object] = {"repeats": True, "join": ""}
    findings.add(
        "text-overwritten",
        f"the text after a region of {listed(between)} replaces the text before it",
        child_pointer("/fields", implicit.name),
        at_key=True,
        label="does not repeat, and can come in pieces",
        help=f"add {_members(added)}",
        fix=Fix("all pieces are kept, trimmed and put together", _additions(implicit, field, added))
        if _is_plain_text(implicit) and "join" not in field and implicit.name not in ir.defaults
        else None,
    )


def _is_plain_text(region: Region) -> bool:
    return parser_of(region.content).result == "str" and region.transform is None


def _members(added: dict[str, object]) -> str:
    return ", ".join(member(key, value) for key, value in added.items())


def _additions(region: Region, field: dict[str, object], added: dict[str, object]) -> tuple[Step, ...]:
    pointer = child_pointer("/fields", region.name)
    return tuple(
        SetValue(f"{pointer}/{key}", value) if key in field else AddMember(pointer, key, value)
        for key, value in added.items()
    )


def _check_plain_text(ir: ParserIR, findings: Findings) -> None:
    names = [region.name for region in ir.regions]
    in_parts = not {CALLS, *REASONING_NAMES}.isdisjoint(names)
    if _CONTENT in names and in_parts and not _opens_at_start(ir):
        findings.add(
            "text-outside-lost",
            f"no field is without an opener: what is in no region of {listed(names)} is lost",
            "/fields",
            at_key=True,
            label=f"an answer without the opener of {quoted(_CONTENT)} is no part of the message",
            help=f"let {quoted(_CONTENT)} have no opener, or add a field without one, "
            + member("rest", {"repeats": True, "join": _JOIN}),
        )
    elif _CONTENT in names:
        findings.add(
            "no-implicit-field",
            "no field is without an opener: text outside of all regions is lost",
            "/fields",
            at_key=True,
            label=f"text reaches {quoted(_CONTENT)} only after its opener",
            help="let one field have no opener, if text can stand outside",
        )
    else:
        findings.add(
            "plain-text-lost",
            f"no field takes plain text: what is in no region of {listed(names)} is lost",
            "/fields",
            at_key=True,
            label="has no field without an opener",
            help='add "content": {"repeats": true, "join": ""}',
        )


def _opens_at_start(ir: ParserIR) -> bool:
    """Tell whether a message that is plain text opens a field by an opener that takes none of it."""
    openers = [region.opener for region in ir.regions if region.opener is not None]
    return any(
        opener.declared is None and match_at(opener.pattern, ORDINARY, 0) is not None for opener in openers
    )


def check_closers_in_content(ir: ParserIR, findings: Findings) -> None:
    """Find closers that can stand in a string or a value inside the content that they close."""
    for region in ir.regions:
        closer = region.closer
        if closer is None:
            continue
        parser, arguments = parser_of(region.content), region.content.arguments
        seen: tuple[str, ...] = closer.declared or matched_samples(closer.pattern)
        texts = sorted(filter(str.strip, seen), key=len)
        inside = next((text for text in texts if parser.can_hide(arguments, text)), None)
        if inside is not None:
            findings.add(
                "closer-in-content",
                f"the closer {quoted(inside)} can stand inside the content of {quoted(region.name)}",
                closer.origin.pointer,
                label="closes there too, and the content is cut short",
                help="nothing to do where the model writes it as one special token, and never as text",
            )


def check_dropped_text(ir: ParserIR, findings: Findings) -> None:
    """Find content parsers that pass over the text of a body that they cannot read."""
    for region in ir.regions:
        parser = parser_of(region.content)
        if parser.drops(region.content.arguments, ORDINARY):
            findings.add(
                "body-text-dropped",
                f"text in a region of {quoted(region.name)} that {parser.name} does not read is dropped",
                f"{region.origin.pointer}/content",
                label=f"passes over {quoted(ORDINARY)}, and so over what is misspelt",
                help="parsers with serving events leave such a region unread, and say so",
            )
