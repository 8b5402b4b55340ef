"""Carrying the runtime inside a module, so that it imports nothing of this project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from respc.codegen.runtime_names import needed_names, runtime_index

if TYPE_CHECKING:
    from collections.abc import Iterable


def standalone_source(names: Iterable[str]) -> tuple[str, set[str]]:
    """Give the definitions of some names of the runtime with all that they need, and the imports for them."""
    index = runtime_index()
    needed = needed_names(names)
    definitions = [index.definitions[name] for name in needed]
    mentioned = {name for definition in definitions for name in definition.needs}
    imports = {index.imports[name] for name in mentioned if name in index.imports}
    parts = [definition.source for definition in definitions]
    return re.sub(r"\n{4,}", "\n\n\n", "\n\n\n".join(parts)), imports
