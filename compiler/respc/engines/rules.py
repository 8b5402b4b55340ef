"""What an engine says of a template, and the fixes: the rules look at the JSON, which the interpreter loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.diagnostics import Fix, listed, quoted
from respc.diagnostics.findings import Findings
from respc.diagnostics.fixes import Remove, RenameKey
from respc.engines.facts import CALLS, CONTENT, THINKING
from respc.engines.folding import delimiter_pattern, folding_steps
from respc.engines.reasoning_end import check_reasoning_end
from respc.source import child_pointer

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.engines.facts import Engine
    from respc.source import TemplateSource

REASONING_NAMES: Final = (THINKING, "reasoning_content", "reasoning")
"""What templates call the field that engines call `thinking`; the first of them that there is."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody wants of the template for an engine.

    Attributes:
        dropped: fields that are left out, so that their text is what the other fields make of it.
        keep_closer: whether a pattern that closes the reasoning stays.
    """

    dropped: frozenset[str] = frozenset()
    keep_closer: bool = False


NO_WISHES: Final = Wishes()


def engine_findings(
    source: TemplateSource, engine: Engine, wishes: Wishes = NO_WISHES
) -> tuple[Diagnostic, ...]:
    """Find what an engine refuses of a template, and what it would do wrongly in silence.

    What has a fix can be fixed without asking; the fix says what is different afterwards.

    Args:
        source: a template that the interpreter loads.
        engine: the engine.
        wishes: what is wanted of the fixes.
    """
    findings = Findings(source)
    template = source.template
    fields: dict[str, Any] = {
        name: field for name, field in template["fields"].items() if name not in wishes.dropped
    }
    reasoning = next((name for name in REASONING_NAMES if name in fields), None)
    _check_defaults(template, engine, findings)
    for name in template["fields"]:
        if name in wishes.dropped:
            _drop(name, engine, findings)
        elif name == reasoning:
            _check_name(name, engine, findings)
        elif name not in engine.fields:
            _check_other_field(name, template["fields"], engine, findings)
    served = [name for name in fields if name == reasoning or name in engine.fields]
    for name in served:
        if name in (reasoning, CONTENT):
            _check_text(name, template, engine, findings)
        else:
            _check_content_parser(name, fields[name], engine, findings)
    _check_openers(fields, reasoning, engine, findings)
    if reasoning is not None:
        check_reasoning_end(reasoning, fields[reasoning], engine, findings, keep_closer=wishes.keep_closer)
    return findings.all()


def _check_defaults(template: dict[str, Any], engine: Engine, findings: Findings) -> None:
    for key in template.get("defaults", {}):
        if key in engine.defaults:
            continue
        pointer = child_pointer("/defaults", key)
        findings.add(
            "engine-default",
            f"{engine.title} takes no default for {quoted(key)}",
            pointer,
            at_key=True,
            label=f"of the defaults, it takes {listed(engine.defaults)} alone",
            help="remove it: the engine makes the message by itself",
            fix=Fix(f"a message without {quoted(key)} has none", (Remove(pointer),)),
        )


def _drop(name: str, engine: Engine, findings: Findings) -> None:
    pointer = child_pointer("/fields", name)
    findings.add(
        "engine-field",
        f"the field {quoted(name)} is left out for {engine.title}, as asked",
        pointer,
        at_key=True,
        fix=Fix(
            f"the text of {quoted(name)}, its delimiters too, is what the other fields make of it",
            (Remove(pointer),),
        ),
    )


def _check_name(name: str, engine: Engine, findings: Findings) -> None:
    if name == THINKING:
        return
    pointer = child_pointer("/fields", name)
    findings.add(
        "engine-field",
        f"{engine.title} calls the reasoning {quoted(THINKING)}, and has no field {quoted(name)}",
        pointer,
        at_key=True,
        label=f"it takes the fields {listed(engine.fields)} alone",
        help=f"call it {quoted(THINKING)}",
        fix=Fix(f"the field {quoted(name)} is called {quoted(THINKING)}", (RenameKey(pointer, THINKING),)),
    )


def _check_other_field(name: str, fields: dict[str, Any], engine: Engine, findings: Findings) -> None:
    pointer = child_pointer("/fields", name)
    steps = folding_steps(name, fields)
    findings.add(
        "engine-field",
        f"{engine.title} has no field {quoted(name)}",
        pointer,
        at_key=True,
        label=f"it takes the fields {listed(engine.fields)} alone",
        help="let the closer of the content take its delimiters, for its value is always empty"
        if steps
        else "there is no other place for its value: leave it out, and its text is what other fields make of it",
        fix=Fix(
            f"the closer of {quoted(CONTENT)} takes the delimiters of {quoted(name)}, which has no text",
            steps,
        )
        if steps
        else None,
    )


def _check_text(name: str, template: dict[str, Any], engine: Engine, findings: Findings) -> None:
    pointer, field = child_pointer("/fields", name), template["fields"][name]
    if field.get("join") is not None:
        place = f"{pointer}/join"
        join = field["join"]
        between = f", with no {quoted(join)} between" if join else ", as before"
        # A default would be a text that regions in a list cannot be added to.
        places = (
            place,
            *([child_pointer("/defaults", name)] if name in template.get("defaults", {}) else []),
        )
        findings.add(
            "engine-join",
            f"{engine.title} takes no `join` for {quoted(name)}",
            place,
            at_key=True,
            label="it sends the text of all regions, one after the other",
            help="remove it",
            fix=Fix(
                f"the text of a second region follows that of the first{between}", tuple(map(Remove, places))
            ),
        )
    for key, value in (("content", field.get("content", "text")), ("transform", field.get("transform"))):
        if value in ("text", None):
            continue
        findings.add(
            "engine-no-text",
            f"{engine.title} sends the text of {quoted(name)}, and nothing else that is made of it",
            f"{pointer}/{key}",
            at_key=True,
            label="this would make something else",
            help=f"remove it, with what belongs to it, if {quoted(name)} may be its text",
        )


def _check_content_parser(name: str, field: dict[str, Any], engine: Engine, findings: Findings) -> None:
    content = field.get("content", "text")
    if content in engine.content_parsers:
        return
    findings.add(
        "engine-content-parser",
        f"{engine.title} has no content parser {quoted(content)}",
        child_pointer("/fields", name) + "/content",
        label=f"it has {listed(engine.content_parsers)}",
        help=f"read the bodies of {quoted(name)} with one of these, if it can: {engine.title} can do nothing with them",
    )


def _check_openers(fields: dict[str, Any], reasoning: str | None, engine: Engine, findings: Findings) -> None:
    if not engine.needs_openers:
        return
    needing = [CALLS] if CALLS in fields else []
    if reasoning is not None and CONTENT in fields and delimiter_pattern(fields[CONTENT], "open") is not None:
        needing.append(reasoning)
    for name in needing:
        if delimiter_pattern(fields[name], "open") is None:
            findings.add(
                "engine-opener",
                f"{engine.title} needs an opener for {quoted(name)}",
                child_pointer("/fields", name),
                at_key=True,
                label="the field has none, and takes the text that no other field claims",
                help="say what opens it",
            )
