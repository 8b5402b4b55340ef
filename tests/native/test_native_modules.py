"""Extensions do what the interpreter does, and what modules do, in the checks that all modules have to pass."""

from __future__ import annotations

import gc
import multiprocessing
import pickle
from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, event, given, settings

import respc
from support.chunking import few, random_cuts
from support.families import Family
from support.fuzzing import streams, try_stream
from support.load import Plans, alone, first_mixed, interleaved
from support.native import folder, native_module, native_modules, needs_compiler, pure_module
from support.oracle import assert_same, compiled, interpret, run_compiled
from support.recutting import first_instability, recut
from support.stability import stable_module
from support.strictness import first_difference

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_compiler

# Those of one family run in one process, so that it is built once.
FAMILIES = [
    pytest.param(Family(name), marks=pytest.mark.xdist_group(name))
    for name in (
        "cohere_command",
        "deepseek_v3_1",
        "gemma4",
        "glm4_5",
        "gpt_oss",
        "kimi_k2",
        "lfm2",
        "minimax_m2",
        "mistral_v11",
        "qwen3_coder",
        "smollm3",
    )
]
SEARCHES = settings(
    max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module", params=FAMILIES, ids=str)
def family(request: pytest.FixtureRequest) -> Iterator[Family]:
    found: Family = request.param
    with native_modules(found.template):
        yield found


def test_what_the_checks_load_is_an_extension(family: Family) -> None:
    for module in (compiled(family.template), stable_module(family.template, "serving")):
        assert module is not None
        assert module.__file__ is not None
        assert not module.__file__.endswith(".py")
        # Its methods are machine code.
        assert not hasattr(module.ResponseParser.feed, "__code__")


def test_samples_in_many_chunkings(family: Family) -> None:
    module = compiled(family.template)
    for sample in family.samples:
        random = Random(sample["id"])
        for how, chunks in few(sample["text"], random, 20):
            expected = interpret(family.template, sample["prefix"], chunks, sample["tools"])
            actual = run_compiled(module, sample["prefix"], chunks, sample["tools"])
            assert_same(expected, actual, f"{family}/{sample['id']}, {how}")


@pytest.mark.long
def test_the_same_for_every_cut(family: Family) -> None:
    for sample in family.samples:
        prefix, text = sample["prefix"], sample["text"]
        runs = recut(family.template, prefix, text, Random(sample["id"]), moved_by=7)
        assert (
            first_instability(family.template, prefix, text, sample["tools"], runs, serving_every=3) is None
        )


def test_streams_of_a_server(family: Family) -> None:
    """Damaged, cut off, with wrong tools, abandoned: each alone, then all at once, as with the module in Python."""
    makers = Plans(Random(1))
    makers.samples = [(family, sample) for sample in family.samples]
    plans = [makers.make() for _ in range(300)]
    expected = [alone(plan).results for plan in plans]
    assert first_mixed(plans, expected, interleaved(plans, Random(2))) is None
    pure = pure_module(family.template, "serving")
    for plan, results in zip(plans, expected, strict=True):
        object.__setattr__(plan, "module", pure)
        assert alone(plan).results == results, plan


def test_streams_leave_no_cycle(family: Family) -> None:
    makers = Plans(Random(3))
    makers.samples = [(family, sample) for sample in family.samples]
    plans = [makers.make() for _ in range(50)]
    gc.collect()
    gc.disable()
    try:
        for plan in plans:
            alone(plan)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_odd_texts_and_what_is_no_text(family: Family) -> None:
    @SEARCHES
    @given(streams())
    def search(stream: Any) -> None:
        event(try_stream(stream))

    search()


def half_fed(family: Family, events: str) -> Iterator[tuple[Any, list[str], Any]]:
    """Yield for each sample a parser that was fed some chunks, the others, and what it comes to."""
    module = native_module(family.template, events=events)
    for sample in family.samples:
        chunks = random_cuts(sample["text"], Random(sample["id"]))
        for half in {0, len(chunks) // 3, len(chunks) // 2, len(chunks)}:
            parsers = [module.ResponseParser(sample["prefix"], tools=sample["tools"]) for _ in range(2)]
            for parser in parsers:
                for chunk in chunks[:half]:
                    parser.feed(chunk)
            yield parsers[0], chunks[half:], outcome(parsers[1], chunks[half:])


def outcome(parser: Any, chunks: list[str]) -> Any:
    """Return the events and the message of the rest, or what is raised."""
    try:
        return parser.captures, [parser.feed(chunk) for chunk in chunks], parser.finalize()
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("events", ["default", "serving"])
def test_a_half_fed_parser_is_copied_and_pickled(family: Family, events: str) -> None:
    for parser, rest, expected in half_fed(family, events):
        copies = [deepcopy(parser), *(pickle.loads(pickle.dumps(parser, protocol)) for protocol in (2, 4, 5))]
        for each in (*copies, parser):
            assert repr(outcome(each, rest)) == repr(expected)


def outcome_here(arguments: tuple[bytes, list[str], str]) -> str:
    """Finish a parser in a process that was started anew."""
    import sys

    pickled, rest, path = arguments
    sys.path.append(path)
    return repr(outcome(pickle.loads(pickled), rest))


def test_a_parser_goes_to_another_process(family: Family) -> None:
    cases = list(half_fed(family, "default"))[:6]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        work = [(pickle.dumps(parser), rest, str(folder())) for parser, rest, _ in cases]
        assert pool.map(outcome_here, work) == [repr(expected) for *_, expected in cases]


def test_prepared_tools_are_shared_and_pickled(family: Family) -> None:
    module = compiled(family.template)
    for sample in family.samples:
        if sample["tools"] is None or sample["message"] is None:
            continue
        for prepared in (module.prepare_tools(sample["tools"]), respc.prepare_tools(sample["tools"])):
            for tools in (prepared, pickle.loads(pickle.dumps(prepared)), deepcopy(prepared)):
                message = module.parse_response(sample["text"], prefix=sample["prefix"], tools=tools)
                assert first_difference(sample["message"], message) is None


def test_what_is_no_text_is_refused_as_by_the_module_in_python(family: Family) -> None:
    native, pure = compiled(family.template), pure_module(family.template)
    wrong: list[Any] = [None, 0, 7, b"x", ["x"], {"a": 1}, 1.5, False, ""]

    def said(call: Any) -> Any:
        try:
            return repr(call())
        except TypeError:
            return "TypeError"  # in the words of Python or of mypyc
        except Exception as error:
            return [kind.__name__ for kind in type(error).__mro__], str(error)

    for value in wrong:
        for calls in (
            lambda module, value=value: module.ResponseParser(value).feed("x"),
            lambda module, value=value: module.ResponseParser("").feed(value),
            lambda module, value=value: module.ResponseParser("").finish(value),
            lambda module, value=value: module.parse_response(value, prefix=""),
            lambda module, value=value: module.parse_response(["x"], prefix=value),
            lambda module, value=value: module.parse_response("x", prefix="", tools=value),
        ):
            expected, actual = said(lambda calls=calls: calls(pure)), said(lambda calls=calls: calls(native))
            # Deep in the search, Python may only notice that a list is no text when it lacks a method.
            assert actual == expected or (actual == "TypeError" and expected[0][0] == "AttributeError")


def test_a_parser_can_be_derived_from(family: Family) -> None:
    module = compiled(family.template)

    class Counting(module.ResponseParser):  # type: ignore[misc,name-defined]
        """Counts, and asks for a field that is never there."""

        required = ("never_there",)

        def __init__(self, prefix: str) -> None:
            self.fed = 0
            super().__init__(prefix)

        def feed(self, text: str) -> Any:
            self.fed += 1
            return super().feed(text)

    parser = Counting("")
    assert parser.feed("a") == compiled(family.template).ResponseParser("").feed("a")
    assert parser.fed == 1
    with pytest.raises(ValueError, match="never_there"):
        parser.finalize()
