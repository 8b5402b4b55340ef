"""What chat templates read: the shape of calls, and the names of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.contents import parser_of
from respc.contents.model import Calls
from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import AddMember, RenameKey, SetValue
from respc.frontend.placeholders import placeholder_path
from respc.source import child_pointer
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.diagnostics.fixes import Step
    from respc.ir import ParserIR, Region

CALLS: Final = "tool_calls"
REASONING: Final = "reasoning_content"
REASONING_NAMES: Final = (REASONING, "thinking", "reasoning")
_NAMING_OPENER: Final = member("open_pattern", "<function=(?P<name>[^>]+)>")
_READ: Final = "chat templates read `function.name` and `function.arguments` of a call"
_WHOLE_CALL: Final = {"type": "function", "function": "{content}"}
_EACH_CALL: Final = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}


def function_name_group(region: Region, transform: Any) -> str | None:
    """Give the placeholder that becomes the name of the called function; of a field of calls, ``name`` else."""
    function = transform.get("function") if is_object(transform) else None
    name = function.get("name") if is_object(function) else None
    path = placeholder_path(name) if isinstance(name, str) else None
    return path if path is not None else "name" if region.name == CALLS else None


def check_calls(ir: ParserIR, findings: Findings) -> None:
    """Find calls that are not of the shape that `apply_chat_template` reads."""
    for region in ir.regions:
        if region.name == CALLS:
            _check_shape(region, findings)


def _check_shape(region: Region, findings: Findings) -> None:
    field = findings.source.template["fields"][region.name]
    transform = field.get("transform")
    pointer = child_pointer("/fields", region.name)
    if transform is None:
        steps = _transform_of(region, field, pointer)
        findings.add(
            "call-shape",
            f"{quoted(region.name)} has no transform that makes calls of its content",
            pointer,
            at_key=True,
            label=_READ,
            help=_help(region, "add"),
            fix=Fix('each call is `{"type": "function", "function": …}` around what it was', steps)
            if steps
            else None,
        )
        return
    place = f"{pointer}/transform"
    missing = _what_is_missing(transform)
    if missing is None:
        return
    only_type = is_object(transform) and "type" not in transform and "function" in transform
    findings.add(
        "call-shape",
        f"the calls of {quoted(region.name)} have no {missing}",
        place,
        label=_READ,
        help=f"add {member('type', 'function')}" if only_type else _help(region, "write"),
        fix=Fix("calls say their type", (AddMember(place, "type", "function"),)) if only_type else None,
    )


def _transform_of(region: Region, field: dict[str, Any], pointer: str) -> tuple[Step, ...]:
    """Make the transform where the content surely is a call, or a list of calls, by itself."""
    calls = parser_of(region.content).calls
    if calls is Calls.ONE and region.repeats and region.join is None:
        members: dict[str, Any] = {"transform": _WHOLE_CALL}
    elif calls is Calls.LIST and not region.repeats:
        members = {"transform": _EACH_CALL, "transform_each": True}
    else:
        return ()
    return tuple(
        SetValue(f"{pointer}/{key}", value) if key in field else AddMember(pointer, key, value)
        for key, value in members.items()
    )


def _help(region: Region, verb: str) -> str:
    """Say which transform makes a call of what the content parser gives, and of the groups of the opener."""
    if region.each or parser_of(region.content).calls is Calls.LIST:
        each = "" if region.each else f", {member('transform_each', True)}"
        return f"{verb} {member('transform', _EACH_CALL)}{each}"
    groups = sorted(region.opener.groups) if region.opener else []
    if not groups and parser_of(region.content).calls is Calls.ONE:
        return f"{verb} {member('transform', _WHOLE_CALL)}"
    name = "name" if "name" in groups or not groups else groups[0]
    call = {"type": "function", "function": {"name": f"{{{name}}}", "arguments": "{content}"}}
    told = f"{verb} {member('transform', call)}"
    if not groups:
        told = f"let the opener take the name, as in {_NAMING_OPENER}, and {told}"
    if parser_of(region.content).result == "str":
        told += f"; arguments are read with a content parser, such as {member('content', 'json')}"
    return told


def _what_is_missing(transform: Any) -> str | None:
    if not is_object(transform):
        return "`type` and `function`"
    if "function" not in transform:
        return "`function`"
    function = transform["function"]
    if is_object(function):
        for key in ("name", "arguments"):
            if key not in function:
                return f"`function.{key}`"
    elif not (isinstance(function, str) and placeholder_path(function)):
        return "`function.name`"
    return None if transform.get("type") == "function" else "`type` that is `function`"


def check_names(ir: ParserIR, findings: Findings) -> None:
    """Find a field of reasoning under a name that chat templates do not read."""
    names = {region.name for region in ir.regions}
    for name in REASONING_NAMES:
        if name not in names or name == REASONING or REASONING in names:
            continue
        chat_template = findings.source.chat_template
        if chat_template is not None and name in chat_template:
            continue
        pointer = child_pointer("/fields", name)
        reads = chat_template is not None and REASONING in chat_template
        findings.add(
            "reasoning-name",
            f"the reasoning is called {quoted(name)} here",
            pointer,
            at_key=True,
            label=f"the chat template reads `{REASONING}`" if reads else f"chat templates read `{REASONING}`",
            help=f"call it `{REASONING}`, unless what serves the model wants {quoted(name)}",
            fix=Fix(f"the message has its reasoning under `{REASONING}`", (RenameKey(pointer, REASONING),))
            if reads
            else None,
        )
