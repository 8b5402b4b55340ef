"""Which findings count, and how much: what `--ignore` and `--error` say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from respc.diagnostics.codes import Severity, code_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.diagnostics.codes import Code
    from respc.diagnostics.model import Diagnostic


class PolicyError(ValueError):
    """A code that does not exist, or cannot be treated as wanted."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How findings are treated.

    Attributes:
        ignored: the codes whose findings are left out.
        raised: the codes whose findings are errors, whatever the table says.
        lets_late_errors_through: whether what only shows when text is parsed is a warning, not an error: a module is
            made, and raises as the interpreter does.
    """

    ignored: frozenset[Code] = frozenset()
    raised: frozenset[Code] = frozenset()
    lets_late_errors_through: bool = False

    def applied_to(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Give the findings that count, with the severities that they count with."""
        return tuple(
            replace(finding, severity=self._severity(finding.code))
            for finding in findings
            if finding.code not in self.ignored
        )

    def _severity(self, code: Code) -> Severity:
        if code in self.raised:
            return Severity.ERROR
        if code.severity is Severity.ERROR and code.can_be_let_through and self.lets_late_errors_through:
            return Severity.WARNING
        return code.severity


LIBRARY_POLICY: Final = Policy(lets_late_errors_through=True)
"""The library compiles whatever the interpreter loads."""


def policy_of(
    ignore: Iterable[str], error: Iterable[str], *, lets_late_errors_through: bool = False
) -> Policy:
    """Make a policy from codes or slugs; PolicyError for one that cannot be."""
    ignored, raised = frozenset(map(_named, ignore)), frozenset(map(_named, error))
    for code in sorted(ignored, key=lambda code: code.code):
        if not code.can_be_let_through:
            raise PolicyError(f"{code.code} cannot be ignored: with it there is no template to compile")
        if code in raised:
            raise PolicyError(f"{code.code} is to be ignored, and to be an error")
    return Policy(ignored, raised, lets_late_errors_through)


def _named(name: str) -> Code:
    try:
        return code_named(name.upper() if name.upper().startswith("RT") else name)
    except KeyError:
        raise PolicyError(f"there is no diagnostic {name!r}") from None
