"""Which modules ``respc compile`` makes: of the sources that are named, or those that a project lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from respc.cli.compile_run import Target
from respc.cli.terminal import Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from respc.cli.project_config import Module, ProjectConfig
    from respc.diagnostics import Policy
    from respc.options import Options


def targets_of_sources(
    sources: Sequence[str], output: str, options: Options, policy: Policy, *, native: bool
) -> list[Target]:
    """Say where each source is compiled to; a usage error where that cannot be."""
    from respc.cli.outputs import PRINTED, file_in, is_folder, require_folder

    several = len(sources) > 1
    if several:
        require_folder(output, sources)
    in_folder = output != PRINTED and (several or is_folder(output))
    targets: list[Target] = []
    for source in sources:
        written = file_in(output, source) if in_folder else output
        _require_output(source, written, native=native)
        targets.append(Target(source, written, options, native, policy, in_folder))
    return targets


def targets_of_project(project: ProjectConfig, policy: Policy) -> list[Target]:
    """Give the modules that a project lists; Failure where one of them cannot be."""
    if not project.modules:
        raise click.UsageError(
            "give a SOURCE and an OUT with -o, or list modules as [[tool.respc.modules]] in pyproject.toml"
        )
    written: dict[str, str] = {}
    for module in project.modules:
        if module.output in written:
            raise Failure(
                f"pyproject.toml: {written[module.output]} and {module.source} are both compiled to {module.output}"
            )
        written[module.output] = module.source
    return [_target(module, project, policy) for module in project.modules]


def _target(module: Module, project: ProjectConfig, policy: Policy) -> Target:
    from respc.diagnostics import codes_named_by

    asked: dict[str, Any] = dict(module.options)
    native = asked.pop("native", False)
    asked["standalone"] = asked.get("standalone", False) or native
    try:
        options = checked_options(**asked)
        _require_output(module.source, module.output, native=native)
    except click.UsageError as wrong:
        raise Failure(f"pyproject.toml: the module {module.output}: {wrong.message}") from wrong
    codes = project.ignored_in(module.source)
    if codes:
        policy = policy.without(codes_named_by(codes))
    return Target(module.source, module.output, options, native, policy)


def _require_output(source: str, output: str, *, native: bool) -> None:
    """Refuse to write over what is read, and what cannot be imported then."""
    from respc.cli.inputs import files_of_source, require_another_file
    from respc.cli.native_modules import require_name_for_extension
    from respc.cli.outputs import PRINTED, require_import_name

    require_another_file(output, [("SOURCE", path) for path in files_of_source(source)])
    if native:
        require_name_for_extension(output)
    elif output != PRINTED:
        require_import_name(output)


def checked_options(
    *, events: str = "default", stable: bool | None = None, without: Collection[str] = (), **asked: bool
) -> Options:
    """Check what was asked for that does not go together; a usage error then."""
    from respc.options import EVENT_FORMS, NEEDED_FOR_STABILITY, Options
    from respc.passes import PASSES

    if events not in EVENT_FORMS:
        raise click.UsageError(f"no form of events {events!r}; there are {', '.join(EVENT_FORMS)}")
    for name in without:
        if name not in PASSES:
            raise click.BadParameter(
                f"no pass {name!r}; there are {', '.join(PASSES)}", param_hint="'--without'"
            )
    passes = [name for name in PASSES if name not in without]
    if stable is None:
        stable = events == "serving"
    if stable and (needed := sorted(set(NEEDED_FOR_STABILITY) & set(without))):
        raise click.UsageError(f"--stable needs {', '.join(needed)}: give --no-stable too")
    return Options.of(passes=passes, events=events, stable=stable, **asked)
