"""Which findings count, and how much: what `--select`, `--ignore` and `--error` say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from respc.diagnostics.codes import CODES, Severity, code_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.diagnostics.codes import Code
    from respc.diagnostics.model import Diagnostic

_PREFIX: Final = re.compile(r"RT\d{0,2}")
_ALL: Final = "ALL"
_WHOLE: Final = len("RT000")
"""How much of a code a whole one, or a slug, names."""

ON_REQUEST: Final = frozenset(code for code in CODES if not code.by_default)
"""What is left out unless it is asked for."""


class PolicyError(ValueError):
    """A code that does not exist, or cannot be treated as wanted."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How findings are treated.

    Attributes:
        ignored: the codes whose findings are left out.
        unasked: the codes that nobody asked for: their findings are left out, too.
        raised: the codes whose findings are errors, whatever the table says.
        lets_late_errors_through: whether what only shows when text is parsed is a warning, not an error: a module is
            made, and raises as the interpreter does.
    """

    ignored: frozenset[Code] = frozenset()
    unasked: frozenset[Code] = ON_REQUEST
    raised: frozenset[Code] = frozenset()
    lets_late_errors_through: bool = False

    def applied_to(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Give the findings that count, with the severities that they count with."""
        return tuple(
            replace(finding, severity=self._severity(finding.code))
            for finding in findings
            if finding.code not in self.ignored | self.unasked
        )

    def without(self, codes: Iterable[Code]) -> Policy:
        """Give the policy that leaves out these codes too."""
        return replace(self, ignored=self.ignored | frozenset(codes))

    def also(self, slug: str) -> Policy:
        """Give the policy for which somebody asked for a slug."""
        return replace(self, unasked=self.unasked - {code_named(slug)})

    def _severity(self, code: Code) -> Severity:
        if code in self.raised:
            return Severity.ERROR
        if code.severity is Severity.ERROR and code.can_be_let_through and self.lets_late_errors_through:
            return Severity.WARNING
        return code.severity


LIBRARY_POLICY: Final = Policy(lets_late_errors_through=True)
"""The library compiles whatever the interpreter loads."""


def policy_of(
    ignore: Iterable[str],
    error: Iterable[str],
    *,
    select: Iterable[str] = (),
    extend_select: Iterable[str] = (),
    lets_late_errors_through: bool = False,
) -> Policy:
    """Make a policy from codes, slugs, beginnings of codes and severities, several in one string with commas between.

    Of two that name the same code, the one that names more of it counts, and `ignore` where both name as much. What
    refuses a template is never left out.

    Args:
        ignore: what is left out.
        error: what is an error; a whole code is looked for then, too.
        select: what is looked for, and nothing else; without any, all but what is only looked for on request.
        extend_select: what is looked for as well.
        lets_late_errors_through: as in `Policy`.

    Raises:
        PolicyError: there is no such code, or it cannot be treated so.
    """
    ignoring, raising = _named_by(ignore), _named_by(error)
    asked = _named_by(select) or {code: 0 for code in CODES if code.by_default}
    asked = _most(asked, _named_by(extend_select))
    asked = _most(asked, {code: much for code, much in raising.items() if much == _WHOLE or code in asked})
    for code, much in ignoring.items():
        if much == _WHOLE and not code.can_be_let_through:
            raise PolicyError(f"{code.code} cannot be ignored: with it there is no template to compile")
        if raising.get(code) == much:
            raise PolicyError(f"{code.code} is to be ignored, and to be an error")
    can_go = [code for code in CODES if code.can_be_let_through]
    ignored = frozenset(code for code in can_go if code in ignoring and ignoring[code] >= asked.get(code, 0))
    unasked = frozenset(code for code in can_go if code not in asked)
    return Policy(ignored, unasked, frozenset(raising), lets_late_errors_through)


def _most(one: dict[Code, int], two: dict[Code, int]) -> dict[Code, int]:
    """Put codes together, each with the most that is named of it."""
    return {code: max(one.get(code, 0), two.get(code, 0)) for code in (*one, *two)}


def codes_named_by(names: Iterable[str]) -> frozenset[Code]:
    """Give the codes that can be left out, of those that are named; PolicyError for a name that is none."""
    return frozenset(code for code in _named_by(names) if code.can_be_let_through)


def _named_by(names: Iterable[str]) -> dict[Code, int]:
    """Give the codes that are named, and how much of each is."""
    named: dict[Code, int] = {}
    for name in (part.strip() for text in names for part in text.split(",")):
        for code, length in _named(name):
            named[code] = max(length, named.get(code, 0))
    return named


def _named(name: str) -> Iterable[tuple[Code, int]]:
    begun = name.upper()
    if begun == _ALL:
        return [(code, 0) for code in CODES]
    severity = next((each for each in Severity if each.value == name.lower()), None)
    if severity is not None:
        return [(code, 1) for code in CODES if code.severity is severity]
    if _PREFIX.fullmatch(begun):
        found = [(code, len(begun)) for code in CODES if code.code.startswith(begun)]
        if found:
            return found
    try:
        return [(code_named(begun if begun.startswith("RT") else name.lower()), _WHOLE)]
    except KeyError:
        raise PolicyError(f"there is no diagnostic {name!r}") from None
