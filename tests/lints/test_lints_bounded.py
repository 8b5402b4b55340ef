"""Checking is never slow: work is counted, not timed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest

from lints.building import TEXT, Template, closed_by, fields, found, of, opened_by, tagged
from respc.analysis import check_source
from respc.lints import rivals
from respc.patterns import trials
from respc.patterns.trials import (
    Trial,
    bad_cut,
    empty_match_before,
    holds,
    is_tied_to_start,
    long_hold,
    matched_samples,
    matches_everywhere,
    takes,
)
from respc.source.template_source import template_from_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SLOW: Final = r"(?:a|aa)+$"
"""A pattern that backtracks for ever on a long word."""

FIELDS: Final = 490
LITERALS: Final = 3_000
LARGE: Final = 20_000
LARGE_PATTERN: Final = 10_000
LONG_PATTERN: Final = 1_000


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    remembered = (trials._trial, matched_samples, bad_cut)
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count searches and matches, and those that a pattern was given up in."""
    counted: Counter[str] = Counter()
    run = Trial._run

    def counting(self: Trial, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        def searched(*given: Any, **with_options: Any) -> Any:
            counted["all"] += 1
            counted["after"] += counted["given up"] > 0
            try:
                return function(*given, **with_options)
            except TimeoutError:
                counted["given up"] += 1
                raise

        return run(self, searched, *arguments, **options)

    monkeypatch.setattr(Trial, "_run", counting)
    return counted


def checked(template: Template) -> tuple[str, ...]:
    slugs = tuple(finding.code.slug for finding in check_source(template_from_dict(template)))
    assert not {"template-too-large", "delimiters-too-long"}.intersection(slugs), "nothing was checked"
    return slugs


def give_up(monkeypatch: pytest.MonkeyPatch, pattern: str) -> Trial:
    """Let each search of a pattern take longer than a moment."""
    trial = trials._trial(pattern)

    class Endless:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            def never_comes_back(*_: Any, timeout: float, **__: Any) -> Any:
                assert 0 < timeout < 1
                raise TimeoutError

            return never_comes_back

    monkeypatch.setattr(trial, "compiled", Endless())
    return trial


def test_a_slow_pattern_is_searched_for_a_moment_once(searches: Counter[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "MOMENT", 0.01)
        text = "a" * 60 + "b"
        assert takes(SLOW, text) is False
    assert searches == {"all": 1, "given up": 1, "after": 0}
    assert not holds(SLOW, text)
    assert not matches_everywhere(SLOW)
    assert bad_cut(SLOW) is None
    assert searches["all"] == 1


@pytest.mark.parametrize("place", [opened_by, closed_by])
@pytest.mark.parametrize("pattern", ["<a>|$", r"\s*<a>", "[^<]*<a>", "(?=x)", r"</a>\b", "<a>(?:bc)?"])
def test_of_a_pattern_that_was_given_up_nothing_is_said_that_has_to_be_tried(
    place: Callable[[str], Template], pattern: str, searches: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = {
        "end-or-text",
        "leading-blanks",
        "holds-everything",
        "word-edge",
        "optional-tail",
        "literals-extend",
    }
    tried |= {"zero-width-delimiter", "closer-always-empty", "opener-always-matches"}
    assert tried.intersection(checked(place(pattern)))
    searches.clear()
    bad_cut.cache_clear()
    matched_samples.cache_clear()
    give_up(monkeypatch, pattern)
    assert not tried.intersection(checked(place(pattern)))
    assert searches == {"all": 1, "given up": 1, "after": 0}


def test_all_trials_are_neutral_once_a_pattern_was_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = "<a>|$"
    trial = give_up(monkeypatch, pattern)
    assert not holds(pattern, "<")
    assert trial.too_slow
    assert matched_samples(pattern) == ()
    results = (takes(pattern, "<a>"), matches_everywhere(pattern), is_tied_to_start(pattern))
    assert results == (False, False, False)
    assert (empty_match_before(pattern), long_hold(pattern), bad_cut(pattern)) == (None, None, None)


def many_fields(opener: Callable[[int], dict[str, Any]], count: int = FIELDS) -> Template:
    return fields(
        **{f"f{number}": {**opener(number), "close": "</>"} for number in range(count)}, content=TEXT
    )


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often an opener is tried on the text of another one."""
    counted: Counter[str] = Counter()

    def counting(pattern: str, text: str) -> bool:
        counted["takes"] += 1
        return takes(pattern, text)

    monkeypatch.setattr(rivals, "takes", counting)
    return counted


def test_hundreds_of_fields_with_literals_are_not_tried_on_each_other(
    tried: Counter[str], searches: Counter[str]
) -> None:
    assert checked(many_fields(lambda number: {"open": f"<f{number}>"})) == ()
    assert tried["takes"] == 0
    assert searches["all"] <= 10


def test_hundreds_of_fields_beside_a_pattern_are_tried_once_each(tried: Counter[str]) -> None:
    template = many_fields(lambda number: {"open": f"<f{number}>"})
    template["fields"]["g"] = {"open_pattern": r"<[0-9]+>", "close": "</>"}
    assert checked(template) == ()
    assert tried["takes"] <= FIELDS


@pytest.mark.parametrize("count", [100, 400])
def test_fields_with_patterns_are_searched_a_few_times_each(
    count: int, tried: Counter[str], searches: Counter[str]
) -> None:
    checked(many_fields(lambda number: {"open_pattern": rf"<f{number}[a-z]+>"}, count))
    assert tried["takes"] == 0
    assert searches["all"] <= 250 * count


def test_patterns_and_literals_are_tried_no_more_often_than_there_are_pairs(tried: Counter[str]) -> None:
    def opener(number: int) -> dict[str, Any]:
        return {"open_pattern": rf"<f{number}[a-z]+>"} if number % 2 else {"open": f"<f{number}>"}

    checked(many_fields(opener, 60))
    assert tried["takes"] <= 30 * 30


def test_equal_openers_of_hundreds_of_fields_are_found_in_one_go(tried: Counter[str]) -> None:
    slugs = checked(many_fields(lambda number: {"open": "<same>"}))
    assert slugs == ("equal-openers",) * (FIELDS - 1)
    assert tried["takes"] == 0


@pytest.mark.parametrize(
    "literals",
    [
        [f"<{number}>" for number in range(LITERALS)],
        ["a" * length for length in range(1, 200)],
        ["<same>"] * LITERALS,
        [f"{'a' * 300}{number}" for number in range(75)],
    ],
    ids=["different", "in each other", "the same", "with a long beginning"],
)
def test_very_many_literals_are_compared_as_texts(
    literals: list[str], tried: Counter[str], searches: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = Counter[str]()

    def nearest(texts: Any) -> Iterator[tuple[str, str]]:
        for pair in rivals_nearest(texts):
            pairs["pairs"] += 1
            yield pair

    rivals_nearest = rivals.nearest_beginnings
    monkeypatch.setattr(rivals, "nearest_beginnings", nearest)
    checked(tagged(open=literals, close=literals))
    assert pairs["pairs"] <= len(literals)
    assert tried["takes"] == 0
    assert searches["all"] <= 10


@pytest.mark.parametrize(
    "field",
    [
        {"open": "a" * LARGE, "close": "b" * LARGE},
        {"open": ["a" * LARGE, "a" * (LARGE - 1) + "b"], "close": "</a>"},
        {"open_pattern": "a" * LARGE_PATTERN, "close_pattern": "</a>"},
        {"open_pattern": "<a>", "close_pattern": "[ab]*" + "a" * LARGE_PATTERN},
        {"open_pattern": "<a>", "close_pattern": "|".join(["</a>"] * (LARGE_PATTERN // 5))},
    ],
    ids=["literals", "list", "pattern", "pattern with a run", "choice"],
)
def test_large_delimiters_are_searched_a_few_times(field: dict[str, Any], searches: Counter[str]) -> None:
    lengths: Counter[str] = Counter()
    samples_of = trials.samples

    def counting(tree: Any) -> Any:
        texts = samples_of(tree)
        lengths["characters"] += sum(map(len, texts))
        return texts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "samples", counting)
        checked(of(field))
    assert lengths["characters"] <= 16 * 400 * 2
    assert searches["all"] <= 200


def test_deeply_nested_patterns_are_checked() -> None:
    nested = ("[ab]" * 300 + "(?:") * 4 + "x" + ")" * 4
    assert found(closed_by(nested), "closer-always-empty") == []
    assert found(closed_by("(?:" * 60 + "<" + ")?" * 60), "closer-always-empty")


def test_patterns_that_are_very_long_are_not_tried(searches: Counter[str]) -> None:
    def pattern(length: int) -> str:
        beginning, end = "</a>(?#", ")|$"
        return beginning + "x" * (length - len(beginning) - len(end)) + end

    assert "end-or-text" in checked(closed_by(pattern(LONG_PATTERN)))
    searches.clear()
    assert "end-or-text" not in checked(closed_by(pattern(LONG_PATTERN + 1)))
    assert searches["all"] == 0


def test_a_pattern_that_is_often_almost_too_slow_is_given_up(
    searches: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter(range(1_000))
    monkeypatch.setattr(trials, "perf_counter", lambda: next(seconds))
    assert not matches_everywhere("<a>")
    assert not takes("<a>", "<a")
    assert takes("<a>", "<a>")
    assert not takes("<a>", "<a>")
    assert searches == {"all": 3, "after": 0}


@pytest.mark.parametrize(("side", "start"), [("open_pattern", "<"), ("close_pattern", "</")])
def test_of_regions_whose_delimiters_are_too_slow_nothing_is_said(
    side: str, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"opener-as-body", "call-in-reasoning"}

    def template(pattern: str) -> Template:
        field = {"open_pattern": "<a>", "close_pattern": "</a>", side: pattern, "repeats": True}
        thought = {"open": "<think>", "close_pattern": field["close_pattern"], "repeats": True, "join": ""}
        return fields(reasoning_content=thought, tool_calls=field, content=TEXT)

    assert told <= set(checked(template(f"{start}[a-z]>")))
    give_up(monkeypatch, f"{start}[b-z]>")
    matched_samples.cache_clear()
    assert not told.intersection(checked(template(f"{start}[b-z]>")))


def test_openers_of_many_forms_are_tried_a_few_times(searches: Counter[str]) -> None:
    forms = "|".join(f"<{number}[a-z]+ ?>" for number in range(50))
    call = {"open_pattern": forms, "close_pattern": forms.replace("<", "</"), "repeats": True}
    closer = "|".join(f"<end{number}>\\s*" for number in range(60))
    thought = {"open": "<think>", "close_pattern": "</think>", "repeats": True, "join": ""}
    slugs = checked(
        fields(reasoning_content=thought, tool_calls=call, content={**TEXT, "close_pattern": closer})
    )
    assert {"opener-as-body", "call-in-reasoning"} <= set(slugs)
    assert searches["all"] <= 5_000
