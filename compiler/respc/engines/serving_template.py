"""The template that an engine takes in the place of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.analysis import check_source
from respc.diagnostics import Severity
from respc.engines.facts import CONTENT
from respc.engines.rules import NO_WISHES, REASONING_NAMES, engine_findings
from respc.errors import InternalError, refusal
from respc.fixing import fix_text, with_text, written
from respc.frontend import check_shape
from respc.source import pointer_keys

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.engines.facts import Engine
    from respc.engines.rules import Wishes
    from respc.source import TemplateSource

_NOT_OF_ENGINES: Final = frozenset({"reasoning-name"})
"""What is said of templates because of chat templates, which read other names than engines."""
_NOT_OF_TEXT: Final = frozenset({"text-overwritten", "region-overwritten"})
"""What is not so of text: engines send that of every region."""


@dataclass(frozen=True, slots=True)
class EngineTemplate:
    """A template as an engine takes it.

    Attributes:
        template: the template.
        changes: what was changed for that: each has its place in the template as it was, and in `fix.changes` what is
            different.
        left: what the engine does not do well with it, and no change fixes.
        text: the template as the text of a file.
    """

    template: dict[str, Any]
    changes: tuple[Diagnostic, ...]
    left: tuple[Diagnostic, ...]
    text: str


def check_for_engine(source: TemplateSource, engine: Engine) -> tuple[Diagnostic, ...]:
    """Find all that can be known of a template that an engine serves."""
    found = tuple(finding for finding in check_source(source) if _is_so(finding))
    return found if check_shape(source) else found + engine_findings(source, engine)


def _is_so(finding: Diagnostic) -> bool:
    """Tell whether a finding is true where an engine serves the template."""
    slug = finding.code.slug
    if slug in _NOT_OF_TEXT:
        return pointer_keys(finding.pointer)[:2] not in {
            ("fields", name) for name in (*REASONING_NAMES, CONTENT)
        }
    return slug not in _NOT_OF_ENGINES


def template_for_engine(source: TemplateSource, engine: Engine, wishes: Wishes = NO_WISHES) -> EngineTemplate:
    """Change a template so that an engine takes it.

    Args:
        source: the template.
        engine: the engine.
        wishes: what is wanted of it.

    Raises:
        TemplateError: the interpreter refuses the template, or what the engine refuses of it cannot be changed; has
            all that cannot.
    """
    if refused := check_shape(source):
        raise refusal(refused, source.name, source.text)
    found = engine_findings(source, engine, wishes)
    left = tuple(finding for finding in found if finding.fix is None)
    if any(finding.severity is Severity.ERROR for finding in left):
        raise refusal(left, source.name, source.text)
    readable = source if source.document is not None else with_text(source)
    fixed = fix_text(readable, lambda template: engine_findings(template, engine, wishes))
    made = fixed.source
    if any(finding.fix is not None for finding in engine_findings(made, engine, wishes)):
        raise InternalError(f"{source.name}: not all was changed that {engine.title} refuses")
    text = fixed.text if not source.root else written(made.template)
    changes = tuple(finding for finding in found if finding.fix is not None)
    return EngineTemplate(made.template, changes, left, text.rstrip() + "\n")
