"""``compile_template``, ``load`` and the cache behind ``parse_response`` and ``ResponseParser``."""

from __future__ import annotations

import inspect
import linecache
import sys
import threading
import traceback
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from transformers.utils.chat_parsing import ResponseParser as Interpreter
from transformers.utils.chat_parsing import parse_response as interpreted

import respc
import respc.analysis
import respc.api
from respc.diagnostics import Severity, code_named
from support.modules import imported_packages, module_of
from support.oracle import assert_same, interpret, record, run_compiled
from support.strictness import first_difference
from support.templates import own_names, own_samples, own_template

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = count()


def fresh_template(**defaults: Any) -> dict[str, Any]:
    """Return a template that no test has compiled before."""
    fields = {"n": {"open": "<n>", "close": "</n>", "content": "int"}, "content": {"close": "<end>"}}
    return {"defaults": {"number": next(NUMBERS), **defaults}, "start_anchor": "<A>", "fields": fields}


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The digests of the templates that were compiled, in order."""
    compiled: list[str] = []
    compile_source = respc.api.compile_source

    def counted(*arguments: Any, **options: Any) -> respc.Compilation:
        compilation = compile_source(*arguments, **options)
        compiled.append(compilation.digest)
        return compilation

    monkeypatch.setattr(respc.api, "compile_source", counted)
    return compiled


class TestCompileTemplate:
    @pytest.mark.parametrize("name", own_names())
    @pytest.mark.parametrize("standalone", [False, True])
    def test_the_source_is_a_parser(self, name: str, standalone: bool) -> None:
        template = own_template(name)
        source = respc.compile_template(template, standalone=standalone, formatted=False).source
        if standalone:
            assert imported_packages(source) - sys.stdlib_module_names <= {"regex"}
        module = module_of(source)
        for row in own_samples(name):
            expected = interpret(template, row["prefix"], [row["text"]], row["tools"])
            assert_same(expected, run_compiled(module, row["prefix"], [row["text"]], row["tools"]))

    def test_warnings_come_with_the_source(self) -> None:
        template = fresh_template()
        template["fields"]["n"]["transform"] = ["{missing}"]
        compilation = respc.compile_template(template)
        found = [finding for finding in compilation.diagnostics if "missing" in finding.message]
        assert [(finding.code.code, finding.pointer) for finding in found] == [
            ("RT420", "/fields/n/transform/0")
        ]

    def test_check_gives_errors_as_errors_and_never_raises(self) -> None:
        template = fresh_template()
        assert respc.check_template(template) == tuple(
            finding for finding in respc.compile_template(template).diagnostics
        )
        template["fields"]["n"]["transform"] = ["{missing}"]
        errors = [
            each.code.code for each in respc.check_template(template) if each.severity is Severity.ERROR
        ]
        assert errors == ["RT420"]
        assert [each.code.code for each in respc.check_template({"fields": {1: {}}})] == ["RT007"]
        assert [each.code.code for each in respc.check_template(None)] == ["RT101"]

    def test_load_looks_only_for_what_refuses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        endless = {"start_anchor": "A", "fields": {"a": {"open_pattern": "(?=b)", "close_pattern": "(?=b)"}}}
        refusals = []
        for compiled in (respc.load, respc.compile_template):
            with pytest.raises(respc.TemplateError) as caught:
                compiled(endless)
            refusals.append(caught.value.diagnostics)
        assert refusals[0] == refusals[1]
        assert len(refusals[0]) > 1
        # The warnings of a template that is loaded are read by nobody.
        monkeypatch.setattr(respc.analysis, "lint", None)
        assert respc.load(fresh_template()).parse_response

    def test_what_only_shows_when_text_is_parsed_is_a_warning_here(self) -> None:
        template = fresh_template()
        template["fields"]["n"]["transform"] = ["{missing}"]
        compilation = respc.compile_template(template)
        assert {finding.severity.value for finding in compilation.diagnostics} <= {"warning", "note"}
        assert code_named("RT420").severity is Severity.ERROR

    def test_all_errors_come_at_once_with_their_places(self) -> None:
        template = {"start_anchor": "", "fields": {"a": {"open": "", "join": 5}, "b": {"content": "cvs"}}}
        with pytest.raises(respc.TemplateError) as caught:
            respc.compile_template(template, name="mine")
        found = [finding.pointer for finding in caught.value.diagnostics]
        assert sorted(found) == ["/fields/a/join", "/fields/a/open", "/fields/b/content", "/start_anchor"]
        assert all(finding.code.code.startswith("RT") for finding in caught.value.diagnostics)
        assert isinstance(caught.value, ValueError)
        assert str(caught.value).startswith("mine:")

    def test_the_template_is_not_changed_and_not_kept(self) -> None:
        template = fresh_template(items=[1])
        module = respc.load(template)
        template["defaults"]["items"].append(2)
        template["fields"].clear()
        assert module.parse_response("<n>1</n>", prefix="")["items"] == [1]

    def test_the_name_stays_in_the_header(self) -> None:
        template = fresh_template()
        named = respc.compile_template(template, name='a"""\nimport os; os.system("x")\\').source
        plain = respc.compile_template(template).source
        named_lines, plain_lines = named.split("\n"), plain.split("\n")
        naming = [0, 2]  # what was compiled, and the command that does it again
        assert all(named_lines[line].startswith("# ") for line in naming)
        for line in naming:
            named_lines[line] = plain_lines[line]
        assert named_lines == plain_lines

    def test_an_unknown_pass_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no-such-pass"):
            respc.compile_template(fresh_template(), passes=["no-such-pass"])

    def test_without_black_the_module_means_the_same(self) -> None:
        template = fresh_template(words=["too long for a line"] * 10)
        sources = [
            respc.compile_template(template, formatted=formatted).source for formatted in (True, False)
        ]
        assert sources[0] != sources[1]
        text = "<n>5</n>x<end>"
        traces = [run_compiled(module_of(source), "", [text]) for source in sources]
        assert traces[0].message is not None
        assert_same(traces[0], traces[1])


class TestLoad:
    def test_it_has_what_a_file_has(self) -> None:
        template = fresh_template()
        module = respc.load(template)
        file = module_of(respc.compile_template(template).source)
        assert module.__all__ == file.__all__
        for name in module.__all__:
            assert hasattr(module, name)

    @pytest.mark.parametrize("passes", [None, ()])
    def test_tracebacks_show_the_lines_of_the_module(self, passes: tuple[str, ...] | None) -> None:
        module = respc.load(fresh_template(), passes=passes)
        with pytest.raises(ValueError, match="field 'n'") as caught:
            module.parse_response("<n>five</n>", prefix="")
        cause = caught.value.__cause__
        assert cause is not None
        frames = [
            frame for frame in traceback.extract_tb(cause.__traceback__) if frame.filename == module.__file__
        ]
        lines = "".join(linecache.getlines(str(module.__file__)))
        assert frames
        assert all(frame.line for frame in frames)
        assert frames[-1].line is not None
        assert frames[-1].line.startswith("value = int(")
        assert frames[-1].line in lines

    def test_modules_of_other_passes_keep_their_own_lines(self) -> None:
        template = fresh_template()
        optimised, plain = respc.load(template), respc.load(template, passes=())
        assert "def feed" in inspect.getsource(optimised.ResponseParser.feed)
        assert "feed" not in vars(plain.ResponseParser)
        assert "def _end_n" in inspect.getsource(plain._end_n)

    def test_lines_survive_a_check_of_the_line_cache(self) -> None:
        module = respc.load(fresh_template())
        linecache.checkcache()
        assert linecache.getline(str(module.__file__), 1).startswith("# Compiled by respc")

    def test_it_stays_out_of_the_loaded_modules(self) -> None:
        before = set(sys.modules)
        module = respc.load(fresh_template())
        assert module.__name__ not in sys.modules
        assert not {
            name for name in set(sys.modules) - before if name.startswith("respc_") and name[6] != "r"
        }

    def test_each_call_gives_another_module(self) -> None:
        template = fresh_template()
        assert respc.load(template) is not respc.load(template)


class TestSignatures:
    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [(respc.parse_response, interpreted), (respc.ResponseParser, Interpreter)],
        ids=["parse_response", "ResponseParser"],
    )
    def test_they_are_the_interpreters(self, ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
        def shape(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
            parameters = inspect.signature(function).parameters.values()
            return [(parameter.name, parameter.kind, parameter.default) for parameter in parameters]

        # What the interpreter has not: to collect what cannot be read.
        further = [("errors", inspect.Parameter.KEYWORD_ONLY, "raise")]
        assert [each for each in shape(ours) if each not in further] == shape(theirs)

    @pytest.mark.parametrize("name", own_names())
    def test_they_give_the_interpreters_results(self, name: str) -> None:
        template = own_template(name)
        for row in own_samples(name):
            prefix, text, tools = row["prefix"], row["text"], row["tools"]
            expected = interpret(template, prefix, list(text), tools)

            def make(prefix: str = prefix, tools: Any = tools) -> Any:
                return respc.ResponseParser(template, prefix=prefix, tools=tools)

            assert_same(expected, record(make, list(text)))
            whole = interpret(template, prefix, [text], tools)
            if whole.error is None:
                message = respc.parse_response(text, template, prefix=prefix, tools=tools)
                assert first_difference(whole.message, message) is None

    def test_a_parser_is_an_instance_of_the_class_that_was_called(self) -> None:
        parser = respc.ResponseParser(fresh_template(), "")
        assert isinstance(parser, respc.ResponseParser)
        assert parser.initial_events == []

    def test_a_batch_gives_a_list(self) -> None:
        template = fresh_template()
        texts = ["<n>1</n>", "x", ""]
        expected = [respc.parse_response(text, template, prefix="") for text in texts]
        assert respc.parse_response(texts, template, prefix="") == expected
        assert respc.parse_response([], template, prefix="") == []
        messages = respc.parse_response(["1</n>", "x"], template, prefix=["<A><n>", "<A>"])
        assert [set(message) - {"number"} for message in messages] == [{"n"}, {"content"}]
        with pytest.raises(ValueError, match="2 texts, but 1"):
            respc.parse_response(["1", "2"], template, prefix=[""])

    @pytest.mark.parametrize("text", ["x", ["x"], []])
    def test_a_missing_prefix_is_an_error_that_says_why(self, text: Any) -> None:
        with pytest.raises(ValueError, match=r"prefix.*prompt.*prefix=\"\""):
            respc.parse_response(text, fresh_template())

    def test_a_parser_without_a_prefix_is_an_error_that_says_why(self) -> None:
        with pytest.raises(ValueError, match=r"prefix.*prompt.*prefix=\"\""):
            respc.ResponseParser(fresh_template())


class Lying(dict[str, Any]):
    """A dict that always looks the same."""

    def __repr__(self) -> str:
        return "Lying()"


class TestCache:
    def test_a_template_is_compiled_once(self, compilations: list[str]) -> None:
        template = fresh_template()
        for number in range(5):
            assert respc.parse_response(f"<n>{number}</n>", template, prefix="")["n"] == number
            respc.ResponseParser(template, prefix="").finalize()
        assert len(compilations) == 1

    def test_an_equal_template_is_the_same(self, compilations: list[str]) -> None:
        template = fresh_template()
        copied = dict(template)
        copied["fields"] = {name: dict(field) for name, field in template["fields"].items()}
        respc.parse_response("x", template, prefix="")
        respc.parse_response("x", copied, prefix="")
        assert len(compilations) == 1

    def test_a_mutated_template_is_another(self, compilations: list[str]) -> None:
        template = fresh_template()
        assert respc.parse_response("<n>1</n>x", template, prefix="")["n"] == 1
        template["fields"]["n"]["content"] = "text"
        assert respc.parse_response("<n>1</n>x", template, prefix="")["n"] == "1"
        del template["fields"]["n"]
        assert respc.parse_response("<n>1</n>x", template, prefix="")["content"] == "<n>1</n>x"
        assert len(compilations) == 3

    @pytest.mark.parametrize(
        "values",
        [
            (1, True, 1.0, "1"),
            (0, False, 0.0, -0.0, None, ""),
            ([], {}, ""),
            (["a"], "a", {"a": None}),
            ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
            ("\ud83d\ude00", "\U0001f600"),
            (float("nan"), float("inf"), float("-inf")),
            ("é", "e\u0301"),
        ],
        ids=repr,
    )
    def test_values_that_are_almost_equal_do_not_collide(
        self, values: tuple[Any, ...], compilations: list[str]
    ) -> None:
        template = fresh_template(value=None)
        for _ in range(2):
            for value in values:
                template["defaults"]["value"] = value
                message = respc.parse_response("x", template, prefix="")
                assert first_difference(value, message["value"]) is None
        assert len(compilations) == len(values)

    def test_a_tuple_is_not_a_list(self) -> None:
        template = fresh_template()
        template["fields"]["n"]["open"] = ["<n>"]
        assert respc.parse_response("<n>1</n>", template, prefix="")["n"] == 1
        template["fields"]["n"]["open"] = ("<n>",)
        for function in (interpreted, respc.parse_response):
            with pytest.raises(ValueError, match="open"):
                function("<n>1</n>", template, prefix="")

    def test_what_a_template_looks_like_does_not_count(self) -> None:
        one, two = Lying(fresh_template(which=1)), Lying(fresh_template(which=2))
        assert repr(one) == repr(two)
        assert respc.parse_response("x", one, prefix="")["which"] == 1
        assert respc.parse_response("x", two, prefix="")["which"] == 2

    def test_a_refused_template_is_refused_again(self) -> None:
        template = fresh_template()
        template["fields"]["n"]["open"] = ""
        for _ in range(2):
            with pytest.raises(respc.TemplateError):
                respc.parse_response("x", template, prefix="")
        template["fields"]["n"]["open"] = "<n>"
        assert respc.parse_response("<n>1</n>", template, prefix="")["n"] == 1

    def test_many_templates_do_not_pile_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        size = respc.api._CACHED_TEMPLATES

        def quick(template: Any) -> Any:
            return respc_module

        respc_module = respc.load(fresh_template())
        monkeypatch.setattr(respc.api, "load", quick)
        for _ in range(size + 10):
            respc.parse_response("x", fresh_template(), prefix="")
        assert respc.api._cached.cache_info().currsize == size

    def test_threads_at_once_compile_once_and_agree(self, compilations: list[str]) -> None:
        templates = [fresh_template(which=which) for which in range(3)]
        barrier = threading.Barrier(12)
        found: list[tuple[int, Any]] = []
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                barrier.wait(timeout=60)
                for turn in range(20):
                    which = (number + turn) % 3
                    text = f"<n>{number}</n>"
                    message = respc.parse_response(text, templates[which], prefix="")
                    found.append((number, (message["which"] == which, message["n"])))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert len(found) == 12 * 20
        assert all(result == (True, number) for number, result in found)
        assert len(compilations) == 3
