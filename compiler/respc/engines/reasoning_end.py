"""Whether an engine sees the end of the reasoning: behind it, it holds the output to a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc.diagnostics import Fix, listed, member, quoted
from respc.diagnostics.fixes import Remove, RenameKey, SetValue
from respc.engines.folding import as_pattern
from respc.engines.literal_closers import are_words, literal_closers
from respc.source import child_pointer

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.engines.facts import Engine
    from respc.engines.literal_closers import LiteralClosers


def check_reasoning_end(
    name: str, field: dict[str, Any], engine: Engine, findings: Findings, *, keep_closer: bool
) -> None:
    """Find why an engine would not see the end of the reasoning, or see it late.

    Args:
        name: of the field of the reasoning.
        field: the field.
        engine: the engine.
        findings: takes what is found.
        keep_closer: whether a pattern that closes it is not to be fixed.
    """
    pointer = child_pointer("/fields", name)
    if engine.repeats_hide_the_end and field.get("repeats", False):
        findings.add(
            "engine-reasoning-repeats",
            f"for {engine.title}, reasoning that repeats is never over",
            f"{pointer}/repeats",
            at_key=True,
            label="structured outputs are never enforced",
            help="remove it: the engine sends the text of all regions even so",
            fix=Fix(
                "the engine takes the first end of the reasoning for the last one, and of several regions, a "
                "message that is not streamed by the engine has the last",
                # Without 'repeats', the interpreter refuses 'join'.
                tuple(Remove(f"{pointer}/{key}") for key in ("repeats", "join") if key in field),
            ),
        )
    if "close_pattern" in field:
        place, pattern = f"{pointer}/close_pattern", field["close_pattern"]
        _check_pattern(name, place, pattern, engine, findings, keep_closer=keep_closer)
    elif "close" in field:
        closers = [field["close"]] if isinstance(field["close"], str) else field["close"]
        _check_words(name, f"{pointer}/close", closers, engine, findings)
    else:
        findings.add(
            "engine-reasoning-closer",
            f"nothing ends {quoted(name)}, so {engine.title} sees no end of the reasoning",
            pointer,
            at_key=True,
            label=f"without a closer, {engine.pattern_closer}",
            help="say what closes it",
        )


def _check_pattern(
    name: str, place: str, pattern: str, engine: Engine, findings: Findings, *, keep_closer: bool
) -> None:
    literals = literal_closers(pattern)
    fix: Fix | None = None
    notes: tuple[str, ...] = ()
    if literals is None:
        advice = "name what ends it, if there is such a text: no alternative of the pattern is one"
    elif engine.reads_on and are_words(literals.texts):
        advice = "leave it: it ends at words, which are not always the same tokens"
    else:
        advice = f"write {member('close', literals.all)}"
        notes = _what_literals_change(literals, engine)
        steps = (RenameKey(place, "close"), SetValue(place, literals.all))
        fix = None if keep_closer else Fix(f"{quoted(name)} ends at {listed(literals.texts)}", steps)
    findings.add(
        "engine-reasoning-closer",
        f"{engine.title} looks for the end of {quoted(name)} by its tokens, and a pattern has none",
        place,
        label=engine.pattern_closer,
        help=advice,
        notes=notes,
        fix=fix,
    )


def _what_literals_change(literals: LiteralClosers, engine: Engine) -> tuple[str, ...]:
    """Say what is different with literals, a sentence for each thing."""
    changes: list[str] = []
    if literals.lost:
        lost = listed([_shown(each) for each in literals.lost])
        changes.append(f"then it no longer ends at {lost}: what stands there is part of its text")
    if literals.blanks:
        changes.append("then of the blanks behind it, two line ends are taken, and others are text")
    if literals.ends:
        changes.append(f"then what follows {listed(literals.ends)} is read on, which the pattern left out")
    if len(literals.texts) > 1 and not engine.several_closers:
        changes.append(f"structured outputs wait for {quoted(literals.texts[0])} alone, the first")
    if are_words(literals.texts):
        changes.append("the engine looks for the tokens of words, which are not always the same")
    return tuple(changes)


def _shown(pattern: str) -> str:
    return quoted(pattern)[1:-1]


def _check_words(name: str, place: str, closers: list[str], engine: Engine, findings: Findings) -> None:
    if not are_words(closers if engine.several_closers else closers[:1]):
        return
    fix = None
    advice = "close it by a special token, if the model writes one"
    if engine.reads_on:
        pattern = as_pattern(closers)
        advice = f"write {member('close_pattern', pattern)}, for which the output is parsed"
        steps = (RenameKey(place, "close_pattern"), SetValue(place, pattern))
        fix = Fix(f"the end of the reasoning is parsed: {engine.pattern_closer}", steps)
    findings.add(
        "engine-reasoning-words",
        f"{engine.title} looks for the end of {quoted(name)} by its tokens, and words are not always the same ones",
        place,
        label="where they are others, structured outputs are never enforced",
        help=advice,
        fix=fix,
    )
