"""Text that does not reach the message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.contents import parser_of
from respc.diagnostics import Fix, listed, member, quoted
from respc.diagnostics.fixes import AddMember, SetValue
from respc.lints.call_shape import CALLS, REASONING_NAMES
from respc.patterns.trials import ORDINARY, is_tied_to_start, match_at, matched_samples
from respc.source import child_pointer
from respc.source.json_kinds import is_object

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
        is_text = reasons and _is_plain_text(region)
        added: dict[str, Any] = {"repeats": True, "join": _JOIN} if is_text else {"repeats": True}
        findings.add(
            "region-overwritten",
            f"a second region of {quoted(region.name)} replaces the first",
            child_pointer("/fields", region.name),
            at_key=True,
            label="does not repeat, and can come again",
            help=f"add {_members(added)}",
            fix=Fix(
                "all regions are kept, joined by a line break"
                if is_text
                else "the value is a list of all regions, also where there is one",
                _additions(region, field, added),
            )
            if is_text is reasons and field.get("join") is None and region.name not in ir.defaults
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
    added = _kept_whole(implicit, field, between)
    findings.add(
        "text-overwritten",
        f"the text after a region of {listed(between)} replaces the text before it",
        child_pointer("/fields", implicit.name),
        at_key=True,
        label="does not repeat, and can come in pieces",
        help=f"add {_members(added)}",
        fix=Fix(
            "all pieces are kept as the model wrote them, blanks too, and put together"
            if added.get("join") == ""
            else "all pieces are kept, each trimmed, with a line break between them",
            _additions(implicit, field, added),
        )
        if _is_plain_text(implicit) and field.get("join") is None and implicit.name not in ir.defaults
        else None,
    )


def check_glued_pieces(ir: ParserIR, findings: Findings) -> None:
    """Find plain text whose pieces are trimmed and joined by nothing, where a field can come inside a line."""
    implicit = None if ir.implicit is None else ir.region(ir.implicit)
    if implicit is None or not implicit.repeats or implicit.join != "" or implicit.transform is not None:
        return
    if not parser_of(implicit.content).trims_text(implicit.content.arguments):
        return
    between = [region.name for region in ir.regions if _comes_again(region) and not _is_block(region.name)]
    if not between:
        return
    field = findings.source.template["fields"][implicit.name]
    added = _kept_whole(implicit, field, between)
    findings.add(
        "pieces-glued",
        f"the text before and after a region of {listed(between)} grows together",
        f"{child_pointer('/fields', implicit.name)}/join",
        label="each piece is trimmed, and nothing is put between two",
        help=f"add {member('content_args', added['content_args'])}, which keeps the blanks",
        fix=Fix("the pieces keep the blanks at their ends", _additions(implicit, field, added)),
    )


def _is_block(name: str) -> bool:
    """Tell whether a field stands between paragraphs, and not inside a line: calls and reasoning do."""
    return name == CALLS or name in REASONING_NAMES


def _kept_whole(region: Region, field: dict[str, Any], between: list[str]) -> dict[str, Any]:
    """Give the members with which text in pieces stays whole, and no two words grow together."""
    if not _is_plain_text(region):
        return {"repeats": True}
    if not parser_of(region.content).trims_text(region.content.arguments):
        return {"repeats": True, "join": ""}
    if all(map(_is_block, between)):
        return {"repeats": True, "join": _JOIN}
    arguments = field.get("content_args")
    return {
        "repeats": True,
        "join": "",
        "content_args": {**(arguments if is_object(arguments) else {}), "strip": False},
    }


def _is_plain_text(region: Region) -> bool:
    return parser_of(region.content).result == "str" and region.transform is None


def _members(added: dict[str, Any]) -> str:
    return ", ".join(member(key, value) for key, value in added.items())


def _additions(region: Region, field: dict[str, Any], added: dict[str, Any]) -> tuple[Step, ...]:
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
            help=f"add {member('content', {'repeats': True, 'join': _JOIN})}",
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
