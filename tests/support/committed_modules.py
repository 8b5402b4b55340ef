"""The modules in the repository that import the runtime: those of the golden cases, and the ready-made parsers."""

from __future__ import annotations

from typing import Final

from support.families import PARSERS
from support.goldens import ACCEPTED

MODULES: Final = [
    path
    for path in sorted([*ACCEPTED.glob("*/*.py"), *PARSERS.glob("*.py")])
    if path.name not in ("standalone.py", "__init__.py")
]
