"""The code of the README and of the documentation does what is said beside it.

The blocks of a page run in order, in one namespace and one folder. What is compared:

- a literal in the comment below a statement, with the statement's value;
- a text block with the title ``Output``, or a Python block of dicts alone, with what the Python block before it prints;
- what stands below a ``$`` command in a console block, with what the command prints;
- every message of `respc.parse_response`, with the interpreter's.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from click.testing import CliRunner

import respc
from respc.cli import main
from respc.driver import compile_source
from respc.options import Options
from respc.source import read_template
from support.oracle import builtin_class, interpret
from support.strictness import first_difference
from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT: Final = TESTS.parent
# The templates of docs/diagnostics.md, which are there to be refused, have tests of their own.
PAGES: Final = [
    PROJECT / "README.md",
    *sorted(path for path in (PROJECT / "docs").glob("*.md") if path.name != "diagnostics.md"),
]
NOT_RUN: Final = {
    "python3 -m venv .venv && .venv/bin/pip install -q . &&": "installs; tests/packaging/test_wheel.py runs it",
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' &&": "the run of this very test",
    ".venv/bin/python -m pytest -q -n 2 --dist loadgroup -m long": "the run of the other tests",
    "python3 -m venv .venv && .venv/bin/pip install .": "installs; the wheel's own test does",
    "zensical": "tests/docs/test_docs_site.py builds the site",
    "python -m build": "the tests of packaging build both",
    "pip install dist/": "installs; the tests of packaging do",
    "python -m benchmarks": "takes five minutes",
    "respc parse qwen3 outputs.jsonl": "there is no such file; tests/cli/test_cli_parse_command.py has some",
    "Thread(target=model.generate": "there is no model; tests/integrations has what stands for one",
    "from respc.integrations.vllm import": "there is no engine; tests/engine_copies has their adapters",
    "vllm serve": "there is no engine, nor a model",
    'checkpoint, served = Path("Qwen3-8B")': "there is no checkpoint; tests/engine_templates makes one",
    '--8<-- "docs/examples/': "tests/engines and tests/forms run the files",
    "python docs/examples/prove_all.py": "tests/docs/test_docs_prove_all.py runs it",
    "python docs/examples/server.py": "serves until it is stopped; tests/forms does",
    "sglang serve": "there is no engine; tests/engines has its serving classes",
    "from transformers.cli.transformers import": "there is no model; tests/integrations has what streams",
    "from llama_cpp": "there is no model; tests/engines makes one",
}
# What a project says, and its hooks: tests/cli/test_cli_project_config.py reads them.
LANGUAGES: Final = {"python", "json", "sh", "console", "text", "toml", "yaml"}

# Sentences are broken as in a terminal of 80 columns, without colours: a page has no room for more.
TERMINAL: Final = {"TERM": "dumb", "TTY_COMPATIBLE": "1"}

FENCED: Final = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE: Final = re.compile(r'title="([^"]*)"')
INLINE_COMMAND: Final = re.compile(r"`(respc (?:check|compile) (\S+\.json)(?: [^`]*)?)`")
COMMENT: Final = re.compile(r"#(?: (.*))?$")
LITERAL_STARTS: Final = ("{", "[", "(", "'", '"', *"-0123456789", "True", "False", "None")


@dataclass(frozen=True)
class Block:
    """A fenced block, or a command inside a sentence (language ``inline``)."""

    page: Path
    line: int
    language: str
    title: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def is_output(self) -> bool:
        """Tell whether this is what the block before it prints."""
        if self.language == "python":
            return all(line.startswith("{'") and is_literal(line) for line in self.text.splitlines())
        return self.language == "text" and self.title == "Output"


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, and the commands on files between them, in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    at = 0
    for fence in FENCED.finditer(text):
        found += inline_commands(page, text, at, fence.start())
        language, _, rest = fence["info"].partition(" ")
        title = TITLE.search(rest)
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page, line, language, title[1] if title else "", fence["text"]))
        at = fence.end()
    return [*found, *inline_commands(page, text, at, len(text))]


def inline_commands(page: Path, text: str, start: int, end: int) -> Iterator[Block]:
    """Give the commands in the sentences of a part of a page."""
    for match in INLINE_COMMAND.finditer(text, start, end):
        yield Block(page, text.count("\n", 0, match.start()) + 1, "inline", match[2], match[1])


def is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return True


def reason_not_to_run(command: str) -> str | None:
    return next((reason for start, reason in NOT_RUN.items() if start in command), None)


def shown_value(lines: list[str], statement: ast.stmt) -> str | None:
    """Return the comment right below a statement, if it shows a value."""
    comments: list[str] = []
    for line in lines[statement.end_lineno :]:
        comment = COMMENT.match(line)
        if comment is None:
            break
        comments.append(comment[1] or "")
    shown = "\n".join(comments)
    return shown if shown.startswith(LITERAL_STARTS) else None


@dataclass
class PageRun:
    """The state of a page while its blocks run."""

    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    printed: str | None = None
    compared: int = 0

    def run(self, block: Block) -> None:
        """Run a block, or compare it with what the one before it printed."""
        assert block.language in {*LANGUAGES, "inline"}, f"{block.place}: what language is this?"
        if block.is_output:
            assert self.printed == block.text, f"{block.place}: printed {self.printed}"
            self.compared += 1
        elif block.language == "python":
            if reason_not_to_run(block.text) is None:
                self.run_python(block)
        elif block.language == "json":
            self.write_template(block)
        elif block.language == "inline":
            if Path(block.title).exists():
                self.run_command(block, block.text)
        elif block.language in ("sh", "console"):
            self.run_commands(block)

    def run_python(self, block: Block) -> None:
        """Run Python, statement by statement, with the page's lines in tracebacks."""
        lines = block.text.splitlines()
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            for statement in ast.parse(block.text).body:
                value = self.value_of(statement, block)
                if (shown := shown_value(lines, statement)) is not None:
                    difference = first_difference(ast.literal_eval(f"({shown}\n)"), value)
                    assert difference is None, f"{block.place}: {difference}"
                    self.compared += 1
        self.printed = out.getvalue()

    def value_of(self, statement: ast.stmt, block: Block) -> Any:
        """Run a statement, and return the value of an expression or of a name that it sets."""
        ast.increment_lineno(statement, block.line)
        if isinstance(statement, ast.Expr):
            expression = ast.Expression(statement.value)
            value = eval(compile(expression, block.page, "eval", dont_inherit=True), self.namespace)
            ast.increment_lineno(statement, -block.line)
            return value
        module = ast.Module([statement], [])
        exec(compile(module, block.page, "exec", dont_inherit=True), self.namespace)
        ast.increment_lineno(statement, -block.line)
        if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name):
            return self.namespace[target.id]
        return None

    def write_template(self, block: Block) -> None:
        """Put JSON into its file; what looks like a template compiles."""
        name = block.title or "template.json"
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(block.text, encoding="utf-8")
        if '"fields"' in block.text:
            compile_source(read_template(name), Options.of(formatted=False))

    def run_commands(self, block: Block) -> None:
        """Run the commands of a block of shell."""
        if block.language == "sh":
            for command in block.text.splitlines():
                if reason_not_to_run(command) is None:
                    self.run_command(block, command)
            return
        assert block.text.startswith("$ "), f"{block.place}: a console block starts with a command"
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            printed = self.run_command(block, command)
            assert printed == shown, f"{block.place}: printed {printed}"
            self.compared += 1

    @staticmethod
    def run_command(block: Block, command: str) -> str:
        """Run `respc`, and return what it prints, on either stream."""
        name, *arguments = shlex.split(command)
        assert name == "respc", f"{block.place}: `{command}` is neither run nor listed with a reason"
        result = CliRunner().invoke(main, arguments, prog_name="respc", env=TERMINAL)
        assert result.exit_code == 0, f"{block.place}: {command}\n{result.output}"
        return result.output


def run_of(blocks: list[Block]) -> PageRun:
    """Run all blocks of a page."""
    run = PageRun()
    for block in blocks:
        run.run(block)
    return run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory, whose modules can be imported and are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def interpreter_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has `respc.parse_response` compare its messages and errors with the interpreter's."""
    parse = respc.parse_response

    def parsed(text: str, template: dict[str, Any], *, prefix: str = "", tools: Any = None) -> Any:
        expected = interpret(template, prefix, [text], tools)
        try:
            message = parse(text, template, prefix=prefix, tools=tools)
        except Exception as error:
            if expected.error != builtin_class(error):
                pytest.fail(f"the interpreter gives {expected.error}, not {error!r}")
            raise
        assert expected.error is None
        assert first_difference(expected.message, message) is None
        return message

    monkeypatch.setattr(respc, "parse_response", parsed)


@pytest.mark.usefixtures("folder", "interpreter_agrees")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_of_a_page_runs_and_gives_what_is_shown(page: Path) -> None:
    blocks = blocks_of(page)
    run = run_of(blocks)
    if any(block.language == "python" and reason_not_to_run(block.text) is None for block in blocks):
        assert run.compared > 0


def test_what_is_not_run_is_there() -> None:
    commands = [
        block.text for page in PAGES for block in blocks_of(page) if block.language in ("sh", "python")
    ]
    for start in NOT_RUN:
        assert any(start in command for command in commands), start


def written_page(folder: Path, text: str) -> list[Block]:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return blocks_of(page)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nvalue = 1\n# 2\n```\n",
        "```python\nlen('ab')\n# [2]\n```\n",
        "```python\nvalue = [1]\n# [1,\n```\n",
        '```python\nprint(1)\n```\n\n```text title="Output"\n2\n```\n',
        "```python\nprint({'a': 1})\n```\n\nprints\n\n```python\n{'a': 2}\n```\n",
        "```python\nassert False\n```\n",
        '```json\n{"start_anchor": "A", "fields": {}}\n```\n',
        "```sh\nrm -r somewhere\n```\n",
        "```sh\nrespc check missing.json\n```\n",
        "```console\n$ respc explain RT101\nnothing\n```\n",
        "```ruby\nputs 1\n```\n",
        '```json\n{"fields": 1, "start_anchor": "A"}\n```\n',
    ],
)
def test_a_page_that_is_wrong_fails(text: str, folder: Path) -> None:
    with pytest.raises((AssertionError, SyntaxError, respc.TemplateError)):
        run_of(written_page(folder, text))


def test_a_page_that_is_right_passes(folder: Path) -> None:
    text = (
        '```json title="a.json"\n{"start_anchor": "A", "fields": {"content": {}}}\n```\n\n'
        "`respc compile a.json -o a_parser.py` makes\n\n"
        "```python\nfrom a_parser import parse_response\n\nparse_response('x', prefix='')\n# {'content':\n#  'x'}\n"
        "print('y')\n```\n\n```text title=\"Output\"\ny\n```\n"
    )
    assert run_of(written_page(folder, text)).compared == 2
    assert "a_parser" in sys.modules
