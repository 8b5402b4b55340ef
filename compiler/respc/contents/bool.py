"""``bool``: true for ``true`` and ``1``, false for everything else."""

from __future__ import annotations

from respc.contents.scalar import ScalarArguments, ScalarContent
from respc.ir import Fault


class BoolContent(ScalarContent):
    """True for ``true`` in any case and for ``1``."""

    name = "bool"
    makes = "True for `true` in any case and for `1`, false for everything else."
    result = "bool"
    wrapped = '({}.lower() in ("true", "1"))'
    example = "true"

    def can_fail(self, arguments: ScalarArguments | Fault) -> bool:
        """Tell that every body is true or false."""
        return isinstance(arguments, Fault)
