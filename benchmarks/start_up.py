"""What comes before the first token: importing a parser, compiling one, starting the command."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import respc
from benchmarks.families import QWEN, SMOLLM3
from benchmarks.timing import children_clock
from respc.measuring.timing import in_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.families import Family
    from benchmarks.settings import Settings

_PROCESSES = 11
_QUICK_PROCESSES = 3
_COMPILE_ROUNDS = 7
_QUICK_COMPILE_ROUNDS = 2
INTERPRETER_MODULE = "transformers.utils.chat_parsing"

# Runs in a process of its own. The first modules are imported before anything is counted.
_IMPORT = """
import sys, time
folder, first, name, count_memory = sys.argv[1:]
sys.path.insert(0, folder)
for each in first.split():
    __import__(each)
if count_memory == "yes":
    import tracemalloc
    tracemalloc.start()
start = time.process_time()
__import__(name)
taken = time.process_time() - start
allocated = tracemalloc.get_traced_memory()[0] if count_memory == "yes" else 0
print(taken, allocated, "regex" in sys.modules)
"""


@dataclass(frozen=True, slots=True)
class ImportRow:
    """What importing a module adds to a process that has imported another one."""

    what: str
    milliseconds: float
    kilobytes: float
    loads_regex: bool


@dataclass(frozen=True, slots=True)
class CompileRow:
    """Compiling a family's template in a warm process."""

    family: str
    milliseconds: float
    milliseconds_with_black: float


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A whole process, over one that does nothing."""

    what: str
    milliseconds: float
    over_bare_python: float


def imports(settings: Settings) -> Iterator[ImportRow]:
    """Import in new processes, by turns."""
    with TemporaryDirectory() as folder:
        for family, name in ((SMOLLM3, "of_literals"), (QWEN, "of_patterns")):
            for standalone in (False, True):
                compilation = respc.compile_template(family.template, name=name, standalone=standalone)
                file = Path(folder, f"standalone_{name}.py" if standalone else f"{name}.py")
                file.write_text(compilation.source, encoding="utf-8")
        modules = {
            "json": ("sys", "json"),
            "a module of literals, beyond json": ("json", "of_literals"),
            "typing, beyond json": ("json", "typing"),
            "a module of literals, beyond json and typing": ("json typing", "of_literals"),
            "a module of patterns, beyond json and typing": ("json typing", "of_patterns"),
            "a standalone module of literals, beyond json": ("json", "standalone_of_literals"),
            "a standalone module of patterns, beyond json": ("json", "standalone_of_patterns"),
            f"{INTERPRETER_MODULE}, beyond json": ("json", INTERPRETER_MODULE),
        }
        if settings.quick:
            del modules[f"{INTERPRETER_MODULE}, beyond json"]  # needs longer than all others
        for names in modules.values():
            _import(folder, *names)  # writes the bytecode
        memory = {what: _import(folder, *names, count_memory=True) for what, names in modules.items()}
        times: dict[str, list[float]] = {what: [] for what in modules}
        rounds = _QUICK_PROCESSES if settings.quick else _PROCESSES
        for number in range(rounds):
            for what, names in modules.items():
                # The interpreter needs a second or so, next to which noise is small.
                if INTERPRETER_MODULE not in names or number < rounds // 3:
                    times[what].append(_import(folder, *names)[0])
    for what in modules:
        _, allocated, loads_regex = memory[what]
        yield ImportRow(what, statistics.median(times[what]) * 1e3, allocated / 1e3, loads_regex)


def _import(folder: str, first: str, name: str, *, count_memory: bool = False) -> tuple[float, int, bool]:
    """Import one module after another in a new process; give seconds, bytes, and whether regex was loaded."""
    command = [sys.executable, "-I", "-c", _IMPORT, folder, first, name, "yes" if count_memory else "no"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(printed[0]), int(printed[1]), printed[2] == "True"


def compiling(settings: Settings) -> Iterator[CompileRow]:
    """Compile each family's template, before black and with it."""
    rounds = _QUICK_COMPILE_ROUNDS if settings.quick else _COMPILE_ROUNDS
    for family in settings.families:
        times = in_rounds({False: _compile(family, False), True: _compile(family, True)}, rounds)
        yield CompileRow(
            family.name, statistics.median(times[False]) * 1e3, statistics.median(times[True]) * 1e3
        )


def _compile(family: Family, formatted: bool) -> Callable[[], object]:
    return lambda: respc.compile_template(family.template, name=family.name, formatted=formatted)


def commands(settings: Settings) -> Iterator[CommandRow]:
    """Run the command in new processes, by turns with a Python that does nothing."""
    with TemporaryDirectory() as folder:
        template, module = Path(folder, "template.json"), Path(folder, "parser.py")
        template.write_text(json.dumps(SMOLLM3.template), encoding="utf-8")
        python = [sys.executable, "-I"]
        processes = {
            "python -c pass": [*python, "-c", "pass"],
            "python -c 'import click'": [*python, "-c", "import click"],
            "respc --help": [*python, "-m", "respc", "--help"],
            "respc compile": [*python, "-m", "respc", "compile", str(template), "-o", str(module)],
        }
        times: dict[str, list[float]] = {what: [] for what in processes}
        for number in range((_QUICK_PROCESSES if settings.quick else _PROCESSES) + 1):
            for what, command in processes.items():
                module.unlink(missing_ok=True)
                taken = _process_seconds(command)
                if number:  # the first round fills caches of files
                    times[what].append(taken)
    bare = times["python -c pass"]
    for what, taken_by in times.items():
        over = statistics.median(one / other for one, other in zip(taken_by, bare, strict=True))
        yield CommandRow(what, statistics.median(taken_by) * 1e3, over)


def _process_seconds(command: list[str]) -> float:
    start = children_clock()
    subprocess.run(command, check=True, capture_output=True)
    return children_clock() - start
