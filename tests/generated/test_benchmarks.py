"""The benchmarks time only parsers that agree with the interpreter; nothing is timed here."""

from __future__ import annotations

import pytest

import respc
from benchmarks.__main__ import require_equal
from benchmarks.families import FAMILIES, Family


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_measured_parsers_agree(family: Family) -> None:
    module = respc.load(family.template)
    require_equal(family, module, family.generation(300))
    broken = respc.load({"start_anchor": "A", "fields": {"content": {}}})
    with pytest.raises(SystemExit, match="differs"):
        require_equal(family, broken, family.generation(300))
