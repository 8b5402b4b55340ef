"""The child process that runs what others wrote: a script, which is started by its path.

It reads a request from standard input and writes an answer to standard output, both JSON. It is started isolated, so
that no folder that the command happens to be run in has a say in what is imported.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Call the function that is asked for, and say what it gives or what it raises."""
    sys.path[:] = request["path"]
    _limit_memory(request["bytes"])
    try:
        function = getattr(importlib.import_module(request["module"]), request["function"])
        return {"value": function(*request["arguments"])}
    except MemoryError:
        return {"memory": True}
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return {"error": str(error), "kinds": kinds}


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the limit of time holds there, too
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    given = json.loads(sys.stdin.buffer.read())
    written = json.dumps(answer(given)).encode("ascii")
    sys.stdout.buffer.write(written)
