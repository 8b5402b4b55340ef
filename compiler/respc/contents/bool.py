"""``bool``: true for ``true`` and ``1``, false for everything else."""

from __future__ import annotations

from respc.contents.text import TextContent


class BoolContent(TextContent):
    """True for ``true`` in any case and for ``1``."""

    name = "bool"
    wrapped = '({}.lower() in ("true", "1"))'
    result = "bool"
