"""Fixing a template: the fixes of what was found are made in its text, until none is left."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.diagnostics.fixes import AddMember, RenameKey
from respc.source import apply_edits, child_pointer, edits_of, template_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from respc.diagnostics import Diagnostic, Fix
    from respc.source import Edit, TemplateSource

_INDEX: Final = re.compile(r"/[0-9]+(?=/|\Z)")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

MAX_ROUNDS: Final = 20
"""A template is read again and fixed further this often at most."""


@dataclass(frozen=True, slots=True)
class FixedText:
    """A fixed text, the findings whose fixes were made in it, in that order, and the template read from it."""

    text: str
    made: tuple[Diagnostic, ...]
    source: TemplateSource


def fix_text(
    source: TemplateSource,
    find: Callable[[TemplateSource], Sequence[Diagnostic]],
    *,
    unsafe_fixes: bool = True,
) -> FixedText:
    """Make the fixes of what ``find`` finds in the text of a template, and of what it finds then.

    Nothing but what the fixes name is changed in the text.

    Args:
        source: the template.
        find: finds what is to be fixed.
        unsafe_fixes: whether fixes are made, too, that change messages.

    Raises:
        ValueError: there is no text, or a fix cannot be made.
    """
    if source.document is None:
        raise ValueError(f"{source.name} has no text to fix")
    text = source.document.source.text
    made: list[Diagnostic] = []
    history = _History()
    for _ in range(MAX_ROUNDS):
        chosen = _Round()
        findings = [finding for finding in find(source) if finding.is_fixed(unsafe=unsafe_fixes)]
        history.see(findings)
        for finding in findings:
            if finding.fix is None:
                continue
            edits = edits_of(finding.fix, source)
            if edits and history.allows(finding, edits) and chosen.take(finding.fix, edits):
                history.record(finding)
                made.append(finding)
        if not chosen.edits:
            break
        text = apply_edits(text, chosen.edits)
        source = template_from_text(source.name, text, source.root)
    return FixedText(text, tuple(made), source)


@dataclass(frozen=True, slots=True)
class FixedTemplate:
    """A template after its fixes.

    Attributes:
        template: the template.
        fixed: the findings whose fixes were made, in that order; `fix.changes` says what is different then.
        left: what is found in the template now.
    """

    template: Any
    fixed: tuple[Diagnostic, ...]
    left: tuple[Diagnostic, ...]


def fix_values(
    source: TemplateSource,
    find: Callable[[TemplateSource], Sequence[Diagnostic]],
    *,
    unsafe_fixes: bool,
) -> FixedTemplate:
    """Make the fixes in a template that came without a text, as `fix_text` does."""
    fixed = fix_text(with_text(source), find, unsafe_fixes=unsafe_fixes)
    return FixedTemplate(fixed.source.template, fixed.made, tuple(find(fixed.source)))


def with_text(source: TemplateSource) -> TemplateSource:
    """Write the text of a template that came without one."""
    return template_from_text(source.name, written(source.template))


def written(template: Any) -> str:
    """Write a template as the text of a file."""
    text = json.dumps(template, indent=2, ensure_ascii=False)
    # UTF-8 cannot hold half of a surrogate pair.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _History:
    """What was made in all rounds, lest a fix that has no effect is made again and again."""

    def __init__(self) -> None:
        self._made: Counter[tuple[str, str]] = Counter()
        self._most: Counter[tuple[str, str]] = Counter()

    def see(self, findings: Iterable[Diagnostic]) -> None:
        """Take in what a round found."""
        self._most |= Counter(map(_kind, findings))

    def record(self, finding: Diagnostic) -> None:
        """Take in that a fix was made."""
        self._made[_kind(finding)] += 1

    def allows(self, finding: Diagnostic, edits: Iterable[Edit]) -> bool:
        """Tell whether a fix may be made: not more often than such findings were seen at once.

        What only takes text away may always be made, for it comes to an end. So the same element of a list can
        be removed again, where another has moved up.
        """
        return self._made[_kind(finding)] < self._most[_kind(finding)] or not any(edit.text for edit in edits)


class _Round:
    """The fixes that are made at once: their edits keep apart."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._named: set[str] = set()

    def take(self, fix: Fix, edits: Sequence[Edit]) -> bool:
        """Take a fix unless it meets one that was taken; a later round then sees whether it is still due."""
        named = set(_named_by(fix))
        if named & self._named or any(_touch(edit, other) for edit in edits for other in self.edits):
            return False
        self.edits += edits
        self._named |= named
        return True


def _kind(finding: Diagnostic) -> tuple[str, str]:
    """Give the code and the place, for elements of a list the list: they move up when one before them goes."""
    return finding.code.code, _INDEX.sub("/*", finding.pointer)


def _named_by(fix: Fix) -> Iterator[str]:
    """Give the pointers that members get by a fix: two fixes may name the same without touching in the text."""
    for step in fix.steps:
        if isinstance(step, RenameKey):
            yield child_pointer(step.pointer.rpartition("/")[0], step.key)
        elif isinstance(step, AddMember):
            yield child_pointer(step.pointer, step.key)


def _touch(edit: Edit, other: Edit) -> bool:
    return edit.start <= other.end and other.start <= edit.end
