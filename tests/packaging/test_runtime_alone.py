"""Production installs the runtime, and the ready-made parsers if it likes, and nothing of the compiler."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import respc
import respc_runtime
from respc_runtime.abi import ABI
from support.distributions import PROJECT, SOURCES, build, environment_with, files_of_package, run
from support.families import FAMILIES, PARSERS
from support.goldens import ACCEPTED, cases_in
from support.templates import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("runtime_alone")  # one process builds for all

DISTRIBUTIONS: Final = {"respc-runtime": "respc_runtime", "respc-parsers": "respc_parsers"}
SAMPLES: Final = 3
"""Of each module."""
NEEDS_REGEX: Final = re.compile(r"^from respc_runtime\.(?:patterns|json_dialects) import", re.MULTILINE)
USE: Final = """
import importlib, json, sys
before = {*sys.modules}
sys.path[:0] = sys.argv[1:]
for name, samples in json.load(sys.stdin):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        print(json.dumps([name, type(error).__name__, str(error)]))
        continue
    from respc_runtime.errors import ResponseError
    from respc_runtime.openai import ChatCompletionParser
    said = []
    for text, prefix, tools in samples:
        try:
            said.append(repr(module.parse_response(text, prefix=prefix, tools=tools)))
        except ResponseError as error:
            said.append(repr(error))
        parsers = [getattr(module, kind) for kind in ("ResponseParser", "ServingParser") if hasattr(module, kind)]
        for parser in parsers:
            stream = parser(prefix, tools=tools)
            try:
                events = [event for character in text for event in stream.feed(character)]
                said.append(repr([stream.initial_events, events, *stream.finalize()]))
            except ResponseError as error:
                said.append(repr(error))
        if hasattr(parsers[-1], "calls"):
            form = ChatCompletionParser(parsers[-1], prefix, tools=tools, make_id=str, require_anchor=False)
            deltas = [*form.initial_deltas, *form.feed(text), *form.finalize()]
            said.append(json.dumps([deltas, form.message, form.finish_reason]))
    print(json.dumps([name, "used", said]))
loaded = {name.partition(".")[0] for name in {*sys.modules} - before}
print(json.dumps(sorted(loaded - sys.stdlib_module_names)))
"""
"""Parses samples in every way that modules have; the last line lists the packages that this has loaded."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributions")
    for package in DISTRIBUTIONS.values():
        build(PROJECT / SOURCES[package], folder)
    return folder


@pytest.fixture(scope="module")
def python(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has these two distributions and nothing else, for which pip needs no index."""
    folder = tmp_path_factory.mktemp("production")
    python = environment_with(folder, "--no-index", *built.glob("*.whl")) / "python"
    names = "import importlib.metadata as m; print(*sorted(d.name for d in m.distributions()))"
    assert run(python, "-c", names, folder=folder).split() == sorted(DISTRIBUTIONS)
    return python


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the golden modules, default and serving, under names of their own."""
    folder = tmp_path_factory.mktemp("compiled")
    for case in cases_in(ACCEPTED):
        for file in ("expected.py", "serving.py"):
            if (case.folder / file).exists():
                shutil.copy(case.folder / file, folder / f"{case}_{file}")
    return folder


def modules_with_samples() -> Iterator[tuple[str, str, list[list[object]]]]:
    """Give the name, the source and samples of each committed module."""
    for case in cases_in(ACCEPTED):
        for path in case.folder.glob("*.py"):
            if path.name != "standalone.py":
                yield f"{case}_{path.stem}", path.read_text(encoding="utf-8"), first(case.samples)
    for path in sorted(PARSERS.glob("*.py")):
        rows = FAMILIES / path.stem / "samples.jsonl"
        if rows.exists():
            yield f"respc_parsers.{path.stem}", path.read_text(encoding="utf-8"), first(read_rows(rows))


def first(rows: list[dict[str, object]]) -> list[list[object]]:
    return [[row["text"], row["prefix"], row["tools"]] for row in rows[:SAMPLES]]


def used(python: str | Path, *folders: str | Path) -> tuple[dict[str, list[object]], list[str]]:
    """Return what came of each module, and the packages that were loaded."""
    given = json.dumps([[name, samples] for name, _, samples in modules_with_samples()])
    *lines, loaded = map(
        json.loads,
        run(python, "-c", USE, *map(str, folders), folder=PROJECT.parent, stdin=given).splitlines(),
    )
    return {name: rest for name, *rest in lines}, loaded


@pytest.fixture(scope="module")
def expected(compiled: Path) -> dict[str, list[object]]:
    """What the modules do where everything is installed."""
    results, _ = used(sys.executable, compiled, *(PROJECT / folder for folder in SOURCES.values()))
    assert {outcome for outcome, _ in results.values()} == {"used"}
    return results


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_what_is_built_holds_the_package_and_nothing_else(built: Path, name: str) -> None:
    package = DISTRIBUTIONS[name]
    (wheel,) = built.glob(f"{package}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode("utf-8")
    (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    assert {name for name in names if not name.startswith(info)} == files_of_package(package)
    assert {f"{package}/py.typed", f"{info}/licenses/LICENSE"} <= names
    assert re.findall(r"^Requires-Dist: (.*)", metadata, re.MULTILINE) == (
        ["regex>=2024.4.16; extra == 'regex'"] if package == "respc_runtime" else []
    )
    (sdist,) = built.glob(f"{package}-*.tar.gz")
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert packed >= files_of_package(package) | {"pyproject.toml", "README.md", "LICENSE"}
    assert not packed & {"show.py", "tests"}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_version_and_licence_are_those_of_respc(built: Path, name: str) -> None:
    assert respc.__version__ == respc_runtime.__version__
    assert [*built.glob(f"{DISTRIBUTIONS[name]}-{respc.__version__}-*.whl")]
    folder = PROJECT / SOURCES[DISTRIBUTIONS[name]]
    assert (folder / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_without_regex_modules_run_or_say_that_they_need_it(
    python: Path, compiled: Path, expected: dict[str, list[object]]
) -> None:
    results, loaded = used(python, compiled)
    need = {name for name, source, _ in modules_with_samples() if NEEDS_REGEX.search(source)}
    assert min(len(need), len(expected.keys() - need)) > 20
    for name, result in results.items():
        if name in need:
            outcome, message = result
            assert outcome == "ModuleNotFoundError"
            assert str(message).endswith("the package regex is not installed: `pip install regex`")
        else:
            assert result == expected[name], name
    golden = {name for name in expected if not name.startswith("respc_parsers.")}
    assert {*loaded} == {"respc_runtime", "respc_parsers", *golden - need}


def test_with_regex_all_modules_run(
    python: Path, compiled: Path, expected: dict[str, list[object]], tmp_path: Path
) -> None:
    regex = find_spec("regex")
    assert regex is not None
    assert regex.origin is not None
    shutil.copytree(Path(regex.origin).parent, tmp_path / "regex")
    results, loaded = used(python, compiled, tmp_path)
    assert results == expected
    assert {name for name in loaded if "_" not in name} == {"regex"}


def test_a_runtime_that_is_too_old_says_what_to_install(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("respc_runtime-*.whl")
    (parsers,) = built.glob("respc_parsers-*.whl")
    python = environment_with(tmp_path, "--no-index", "--no-compile", wheel, parsers) / "python"
    (abi,) = tmp_path.glob("environment/**/respc_runtime/abi.py")
    source = abi.read_text(encoding="utf-8").replace(f"\nABI: Final = {ABI}\n", f"\nABI: Final = {ABI - 1}\n")
    abi.write_text(source, encoding="utf-8")
    for path in abi.parent.glob("*.py"):
        if path not in (abi, abi.parent / "__init__.py"):
            path.unlink()
    result = subprocess.run(
        [python, "-I", "-c", "import respc_parsers; respc_parsers.for_model('Qwen/Qwen3-8B')"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    said = result.stderr.splitlines()[-1]
    assert said.startswith(
        f"ImportError: respc_parsers.qwen3 was compiled for ABI {ABI} of respc_runtime, and "
    )
    assert f"serves 4 to {ABI - 1}: install the runtime" in said
    assert "`pip install ./runtime`" in said


@pytest.mark.parametrize(
    ("there", "found"),
    [
        ({"__init__.py": '__version__ = "9.9"\n', "abi.py": "ABI = 99\n"}, "9.9 with ABI 99"),
        ({"__init__.py": f'__version__ = "{respc.__version__}"\n', "abi.py": "ABI = 99\n"}, "with ABI 99"),
        (
            {"errors.py": "left = True\n"},
            "finds none",
        ),  # one of the two was uninstalled, and took what it knew
        ({}, "finds none"),
    ],
    ids=["another version", "another ABI", "the rest of one", "none"],
)
def test_a_compiler_over_whose_runtime_another_was_installed_says_so(
    tmp_path: Path, there: dict[str, str], found: str
) -> None:
    for name, text in there.items():
        (tmp_path / "respc_runtime").mkdir(exist_ok=True)
        (tmp_path / "respc_runtime" / name).write_text(text, encoding="utf-8")
    shutil.copytree(PROJECT / "compiler" / "respc", tmp_path / "respc")
    script = "import sys; sys.path = [sys.argv[1], *(p for p in sys.path if 'site-packages' not in p)]; import respc"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
    )
    said = result.stderr.splitlines()[-1]
    assert said.startswith("ImportError: respc needs the respc_runtime that it brings, ")
    assert found in said
    assert "`pip uninstall respc-runtime`" in said
