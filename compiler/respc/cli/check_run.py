"""Checking sources and making their fixes: what ``respc check`` does before it shows something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from respc.cli.terminal import Failure, unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.cli.project_config import ProjectConfig
    from respc.diagnostics import Diagnostic, Policy
    from respc.fixing import FixedText
    from respc.source import SourceText, TemplateSource


@dataclass(frozen=True, slots=True)
class Checked:
    """One source: what was found in it, in the order of its text, and the template, unless there is none."""

    name: str
    findings: tuple[Diagnostic, ...]
    text: SourceText | None
    template: TemplateSource | None


@dataclass(frozen=True, slots=True)
class Checker:
    """What is looked for, and which fixes are made.

    Attributes:
        engine: the serving engine that templates are checked for, if there is one.
        policy: which findings count.
        project: what counts in some files alone.
        unsafe_fixes: whether fixes are made, too, that change messages.
    """

    engine: str | None
    policy: Policy
    project: ProjectConfig
    unsafe_fixes: bool

    def check(self, source: str) -> Checked:
        """Check a source; Failure where nothing can be read there."""
        from respc.cli.sources import read_source
        from respc.diagnostics import by_place
        from respc.errors import TemplateError
        from respc.source import SourceFileError

        try:
            template = read_source(source)
        except SourceFileError as error:
            raise unreadable(error) from error
        except TemplateError as error:
            findings = self._policy_in(error.name).applied_to(error.diagnostics)
            return Checked(error.name, by_place(findings), error.text, None)
        return Checked(template.name, by_place(self.find(template)), template.text, template)

    def find(self, template: TemplateSource) -> tuple[Diagnostic, ...]:
        """Find what counts in a template."""
        policy = self._policy_in(template.name)
        if self.engine is None:
            from respc.analysis import check_source

            return policy.applied_to(check_source(template))
        from respc.engines import check_for_engine, engine_named

        return policy.applied_to(check_for_engine(template, engine_named(self.engine)))

    def fixed(self, checked: Checked) -> FixedText | None:
        """Make the fixes in the text of a template; None where there is none."""
        from respc.fixing import fix_text

        if checked.template is None:
            return None
        return fix_text(checked.template, self.find, unsafe_fixes=self.unsafe_fixes)

    def fix(self, checked: Checked, *, quiet: bool) -> Checked:
        """Make the fixes in the file, and give what is found after them; Failure where it cannot be written."""
        from respc.cli.files import write_if_changed
        from respc.cli.terminal import file_failure
        from respc.diagnostics import by_place

        fixed = self.fixed(checked)
        if fixed is None or not fixed.made:
            return checked
        try:
            write_if_changed(checked.name, fixed.text)
        except OSError as error:
            raise file_failure(checked.name, error) from error
        if not quiet:
            show_fixes(checked.name, fixed, "fixed")
        return Checked(checked.name, by_place(self.find(fixed.source)), fixed.source.text, fixed.source)

    def _policy_in(self, name: str) -> Policy:
        from respc.diagnostics import codes_named_by

        codes = self.project.ignored_in(name)
        return self.policy.without(codes_named_by(codes)) if codes else self.policy


def check_all(sources: Sequence[str], checker: Checker) -> tuple[list[Checked], bool]:
    """Check all sources; also tell whether one could not be read, which is said."""
    checked: list[Checked] = []
    failed = False
    for source in sources:
        try:
            checked.append(checker.check(source))
        except Failure as failure:
            failure.show()
            failed = True
    return checked, failed


def fix_all(checked: list[Checked], checker: Checker, *, quiet: bool) -> bool:
    """Make the fixes in all files, and put what is found then in its place; tell whether one could not be written."""
    failed = False
    for number, each in enumerate(checked):
        try:
            checked[number] = checker.fix(each, quiet=quiet)
        except Failure as failure:
            failure.show()
            failed = True
    return failed


def show_fixes(name: str, fixed: FixedText, done: str) -> None:
    """Say on standard error which fixes were made, or would be, and what they change."""
    from respc.diagnostics import visible

    for made in fixed.made:
        if made.fix is not None:
            where = f"{name}: {made.code.code} {made.code.slug} at {made.pointer}"
            unsafe = "" if made.fix.is_safe else " (unsafe)"
            click.echo(visible(f"{where}: {done}{unsafe}"), err=True)
            click.echo(visible(f"  changes: {made.fix.changes}"), err=True)
