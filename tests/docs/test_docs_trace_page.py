"""The example of a page is what the command of docs/trace.md writes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from click.testing import CliRunner

from respc.cli import main
from support.templates import TESTS

if TYPE_CHECKING:
    import pytest

    from support.goldens import Goldens

DOCS: Final = TESTS.parent / "docs"
EXAMPLE: Final = DOCS / "examples" / "trace.html"


def found(pattern: str) -> str:
    """Return what the documentation has there."""
    match = re.search(pattern, (DOCS / "trace.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert match is not None, pattern
    return match[1]


def test_the_example_is_the_present_page(
    goldens: Goldens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("template.json").write_text(found(r'^```json title="template.json"\n(.*?)^```$'), encoding="utf-8")
    Path("output.txt").write_text(found(r'Path\("output.txt"\).write_text\("""(.*?)"""\)'), encoding="utf-8")
    command, *arguments = shlex.split(found(r"^```sh\n(respc trace [^\n]+)\n```$"))
    assert command == "respc"
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    goldens.check(EXAMPLE, Path("trace.html").read_text(encoding="utf-8"))


def test_the_documentation_links_the_example() -> None:
    assert "](examples/trace.html)" in (DOCS / "trace.md").read_text(encoding="utf-8")
