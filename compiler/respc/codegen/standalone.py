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
    definitions = [index[name] for name in needed_names(names)]
    imports = {statement for definition in definitions for statement in definition.imports}
    parts = [definition.source for definition in definitions]
    return re.sub(r"\n{4,}", "\n\n\n", "\n\n\n".join(parts)), imports
