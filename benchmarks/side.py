"""One side of a comparison of two checkouts: a process with the parsers of one that is told what to do through pipes.

It is run as a script: ``python side.py CHECKOUT CLOCKS``. It imports the standard library, what lies in the checkout,
and the file of clocks that both sides share. Each line that it reads is a request in JSON, which a line answers:

- ``{"prepare": job}``: the messages of all items of the job, and a digest of its events. This is the job from now on.
- ``{"time": repeats}``: the seconds that the job takes.

A job has ``how`` (``streamed`` or ``whole text``), ``module`` (the name of a ready-made parser), or ``template`` with
``name`` beside it, and ``items``: ``prefix``, ``tools``, ``text`` and ``chunks`` of each.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Work = Callable[[], object]

FOLDERS = ("runtime", "generated", "compiler")
STREAMED = "streamed"


class Side:
    """The parsers of a checkout, and the job that is measured."""

    def __init__(self, checkout: Path, clocks: Path) -> None:
        # The folder of this script is first, and has nothing that a parser needs.
        sys.path[0:1] = [str(checkout / folder) for folder in FOLDERS]
        runtime = importlib.import_module("respc_runtime")
        if not Path(str(runtime.__file__)).is_relative_to(checkout):
            raise ImportError(f"{checkout} has no respc_runtime in its folder runtime: name a checkout")
        self._clocks = _from_file("clocks", clocks)
        self._modules: dict[str, ModuleType] = {}
        self._loops: dict[str, Callable[..., object]] = {}
        self._work: Work = lambda: None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request says."""
        if "prepare" in request:
            return self._prepare(request["prepare"])
        return {"seconds": self._clocks.seconds(self._work, request["time"])}

    def _prepare(self, job: dict[str, Any]) -> dict[str, Any]:
        key = json.dumps([job.get("module"), job.get("template")])
        module = self._modules.get(key)
        if module is None:
            module = self._modules[key] = _module(job)
            # A loop of its own for each class, as in a server that serves one model.
            self._loops[key] = self._clocks.own_copy(self._clocks.pour)
        streamed = job["how"] == STREAMED
        events = hashlib.sha256()
        messages = [
            _streamed(module, item, events.update) if streamed else _whole(module, item)
            for item in job["items"]
        ]
        items = [item for item, (raised, _) in zip(job["items"], messages, strict=True) if not raised]
        self._work = _stream_work(module, self._loops[key], items) if streamed else _whole_work(module, items)
        gc.collect()
        gc.freeze()
        return {"messages": [message for _, message in messages], "events": events.hexdigest()}


def _module(job: dict[str, Any]) -> ModuleType:
    if "module" in job:
        return importlib.import_module(f"respc_parsers.{job['module']}")
    module: ModuleType = importlib.import_module("respc").load(job["template"], name=job["name"])
    return module


def _from_file(name: str, file: Path) -> Any:
    found = importlib.util.spec_from_file_location(name, file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _stream_work(module: ModuleType, loop: Callable[..., object], items: list[dict[str, Any]]) -> Work:
    open_ = module.ResponseParser
    runs = [(item["prefix"], item["tools"], item["chunks"]) for item in items]

    def work() -> None:
        for prefix, tools, chunks in runs:
            parser = open_(prefix, tools=tools)
            loop(parser.feed, chunks)
            parser.finalize()

    return work


def _whole_work(module: ModuleType, items: list[dict[str, Any]]) -> Work:
    parse = module.parse_response
    runs = [(item["prefix"], item["tools"], item["text"]) for item in items]

    def work() -> None:
        for prefix, tools, text in runs:
            parse(text, prefix=prefix, tools=tools)

    return work


def _streamed(module: ModuleType, item: dict[str, Any], look: Callable[[bytes], object]) -> tuple[bool, str]:
    """Tell whether an item raises, and its message, or the built-in class of what is raised."""

    def run() -> object:
        parser = module.ResponseParser(item["prefix"], tools=item["tools"])
        look(repr(parser.initial_events).encode())
        for chunk in item["chunks"]:
            look(repr(parser.feed(chunk)).encode("utf-8", "surrogatepass"))
        message, events = parser.finalize()
        look(repr(events).encode("utf-8", "surrogatepass"))
        return message

    return _outcome(run)


def _whole(module: ModuleType, item: dict[str, Any]) -> tuple[bool, str]:
    return _outcome(lambda: module.parse_response(item["text"], prefix=item["prefix"], tools=item["tools"]))


def _outcome(run: Callable[[], object]) -> tuple[bool, str]:
    try:
        return False, repr(run())
    except Exception as error:
        bases = type(error).__mro__
        return True, "raised " + next(base.__name__ for base in bases if base.__module__ == "builtins")


def main() -> None:
    """Answer until the pipe is closed."""
    answers, sys.stdout = sys.stdout, sys.stderr
    side: Side | None = None
    for line in sys.stdin:
        try:
            side = side or Side(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
            answer = side.answer(json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
