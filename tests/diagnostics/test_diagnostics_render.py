"""How findings look: one line each, or with the line of the source underlined."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from respc.diagnostics import Diagnostic, diagnose, quoted, visible
from respc.diagnostics.explanations import explanation_of
from respc.diagnostics.render.concise import concise_line
from respc.diagnostics.render.excerpt import excerpt
from respc.diagnostics.render.text import print_text
from respc.source import SourceText, Span

LINES = st.text(st.characters(codec=None, exclude_characters="\r\n☞"), max_size=200)


def why(code: str) -> str:
    """The sentence that is shown with the first finding of a code."""
    return explanation_of(code).why


def printed(diagnostics: list[Diagnostic], source: SourceText | None, **options: Any) -> str:
    file = io.StringIO()
    print_text(Console(file=file, **{"width": 80, **options}), diagnostics, "t.json", source)
    return file.getvalue()


def finding(source: SourceText, piece: str, **options: Any) -> Diagnostic:
    """A finding at the first place of ``piece`` in the text."""
    start = source.text.index(piece)
    return diagnose("RT201", "two openers", "/fields/x", source.span(start, start + len(piece)), **options)


def test_a_finding_shows_its_line_with_the_place_underlined() -> None:
    source = SourceText("t.json", '{\n  "open": "<a>",\n  "open_pattern": "<b>"\n}')
    shown = finding(
        source, '"open_pattern"', label="the second one", help="keep one of them", notes=("n1", "n2")
    )
    assert printed([shown, diagnose("RT020", "m")], source) == (
        "error[RT201]: two openers\n"
        " --> t.json:3:3\n"
        "  |\n"
        '3 |   "open_pattern": "<b>"\n'
        "  |   ^^^^^^^^^^^^^^ the second one\n"
        "  |\n"
        f"  = why: {why('RT201')}\n"
        "  = help: keep one of them\n"
        "  = note: n1\n"
        "  = note: n2\n"
        "\n"
        "warning[RT020]: m\n"
        " --> t.json\n"
        f"  = why: {why('RT020')}\n"
    )


def test_why_it_matters_is_said_once_for_each_code() -> None:
    output = printed([diagnose("RT101", "a"), diagnose("RT102", "b"), diagnose("RT101", "c")], None)
    assert output.count(why("RT101")) == output.count(why("RT102")) == 1
    assert output.index(why("RT101")) < output.index(why("RT102")) < output.index(": c")


def test_the_margin_is_as_wide_as_the_number_of_the_line() -> None:
    source = SourceText("t.json", "\n" * 99 + "  x")
    assert printed([finding(source, "x")], source) == (
        "error[RT201]: two openers\n   --> t.json:100:3\n    |\n100 |   x\n    |   ^\n"
        f"    |\n    = why: {why('RT201')}\n"
    )


def test_without_a_text_the_place_is_named() -> None:
    assert printed([diagnose("RT108", "m", "/fields/x")], None) == (
        f"error[RT108]: m\n --> t.json at /fields/x\n  = why: {why('RT108')}\n"
    )
    assert " --> t.json:2:3\n" in printed([diagnose("RT108", "m", "", Span(2, 3, 2, 4), help="h")], None)


def test_a_span_of_several_lines_is_underlined_to_the_end_of_the_first() -> None:
    source = SourceText("t.json", '  {"a":  \n 1}')
    shown = diagnose("RT101", "m", "", source.span(2, len(source.text)))
    assert '\n1 |   {"a":  \n  |   ^^^^^\n' in printed([shown], source)


def test_a_place_past_the_end_of_the_line_is_still_underlined() -> None:
    source = SourceText("t.json", "[1,")
    shown = diagnose("RT001", "m", "", source.span(3, 3))
    assert "\n1 | [1,\n  |    ^\n" in printed([shown], source)


def test_text_of_the_template_is_never_taken_for_markup_or_control() -> None:
    source = SourceText("t.json", '{"[bold red]x[/]": ":smile:\x1b[31m\u202e\x00"}')
    shown = diagnose(
        "RT109",
        "[bold]\x1b[31m\nnext",
        "",
        source.span(1, 17),
        label="[/nope]",
        help="[link=x]",
        notes=("[/]",),
    )
    output = printed([shown], source, force_terminal=True, color_system=None)
    assert r"error[RT109]: [bold]\x1b[31m\nnext" in output
    assert r'{"[bold red]x[/]": ":smile:\x1b[31m\u202e\x00"}' in output
    assert "[/nope]" in output
    assert "help: [link=x]" in output
    assert "note: [/]" in output


def test_colours_are_used_in_terminals_only_and_not_against_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = [diagnose("RT101", "m")]
    assert "\x1b" not in printed(shown, None)
    assert "\x1b[1;31merror[RT101]" in printed(shown, None, force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in printed(shown, None, force_terminal=True)


@pytest.mark.parametrize(
    ("before", "piece", "shown_before", "shown_piece"),
    [
        ("\t", "x", "    ", "x"),
        ("日本", "語", "日本", "語"),
        ("\U0001f600", "x", "\U0001f600", "x"),
        ("e\u0301", "x", "e\u0301", "x"),
        ("\x1b", "\x00", r"\x1b", r"\x00"),
        ("\u202e\xa0", "\t", r"\u202e\xa0", "    "),
        ("\ud800", "x", r"\ud800", "x"),
    ],
)
def test_the_underline_is_under_what_is_shown(
    before: str, piece: str, shown_before: str, shown_piece: str
) -> None:
    line = before + piece + "rest"
    found = excerpt(line, Span(1, len(before) + 1, 1, len(before + piece) + 1), 60)
    assert found.text == shown_before + shown_piece + "rest"
    assert (found.offset, found.width) == (cell_len(shown_before), cell_len(shown_piece))


@settings(deadline=None)
@given(LINES, LINES, st.integers(24, 100))
def test_an_excerpt_is_never_wider_than_asked_and_marks_the_place(
    before: str, after: str, width: int
) -> None:
    found = excerpt(f"{before}☞{after}", Span(1, len(before) + 1, 1, len(before) + 2), width)
    assert cell_len(found.text) <= width
    assert found.offset == cell_len(found.text.partition("☞")[0])
    assert found.text.count("☞") == found.width == 1


def test_a_minified_file_is_shown_as_a_window_around_the_place() -> None:
    source = SourceText("t.json", '{"a":"' + "x" * 500_000 + '","open":1,"b":"' + "y" * 500_000 + '"}')
    output = printed([finding(source, '"open"', label="here")], source)
    line, underline = output.splitlines()[3:5]
    assert len(line) <= 80
    assert line.startswith("1 | ...xxx")
    assert line.endswith("yyy...")
    assert len(line) > 70
    start = underline.index("^")
    assert line[start : start + 6] == '"open"'
    assert underline[start:] == "^^^^^^ here"


@pytest.mark.parametrize(("offset", "starts", "ends"), [(0, "1 | xxx", "x..."), (99_999, "1 | ...x", "xx")])
def test_a_window_at_an_end_of_the_line_is_cut_on_the_other_side(offset: int, starts: str, ends: str) -> None:
    source = SourceText("t.json", "x" * 100_000)
    output = printed([diagnose("RT001", "m", "", source.span(offset, offset + 1))], source, width=60)
    line, underline = output.splitlines()[3:5]
    assert line.startswith(starts)
    assert line.endswith(ends)
    assert len(line) <= 60
    assert underline.count("^") == 1
    assert underline.index("^") == (4 if offset == 0 else len(line) - 1)


def test_a_long_span_is_underlined_up_to_the_edge_of_the_window() -> None:
    source = SourceText("t.json", "[" + "1," * 1000 + "1]")
    line, underline = printed([finding(source, source.text)], source).splitlines()[3:5]
    assert len(underline) <= len(line) <= 80
    assert underline.strip(" |").count("^") == len(line) - len("1 | ...")


def test_a_terminal_that_lacks_the_characters_gets_escapes() -> None:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", newline="\n") as file:
        source = SourceText("t.json", '"é日"')
        console = Console(file=file, width=80)
        shown = diagnose("RT101", "ü", "", source.span(1, 3), label="ö")
        print_text(console, [shown], "ä.json", source)
        file.write(concise_line(shown, "ä.json", "ascii") + "\n")
        file.flush()
        output = raw.getvalue().decode("ascii")
    assert output == (
        "error[RT101]: \\xfc\n --> \\xe4.json:1:2\n  |\n"
        '1 | "\\xe9\\u65e5"\n  |  ^^^^^^^^^^ \\xf6\n'
        f"  |\n  = why: {why('RT101')}\n"
        "\\xe4.json:1:2: error[RT101] \\xfc\n"
    )


def test_the_concise_form_is_one_line_a_finding() -> None:
    shown = [
        diagnose("RT101", "a\nb\x1b[0m [bold]", "", Span(3, 7, 4, 1), help="not shown"),
        diagnose("RT420", "m" * 300, "/fields/x"),
        diagnose("RT010", "none"),
    ]
    assert "".join(f"{concise_line(finding, 'dir/t.json')}\n" for finding in shown) == (
        "dir/t.json:3:7: error[RT101] a\\nb\\x1b[0m [bold]\n"
        f"dir/t.json: error[RT420] {'m' * 300} (at /fields/x)\n"
        "dir/t.json: error[RT010] none\n"
    )


@settings(deadline=None)
@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_the_concise_form_stays_on_its_line_and_encodes(name: str, message: str) -> None:
    line = concise_line(diagnose("RT101", message, message), name, "ascii")
    assert line.isascii()
    assert line.isprintable()


def test_quoted_text_is_visible_and_short() -> None:
    assert quoted("a\n'b\"") == "`a\\n'b\"`"
    assert quoted(["x"]) == "`['x']`"
    assert quoted("a" * 50 + "b" * 50, 13) == "`aaaaa...bbbbb`"
    assert visible("日本 \u200b") == "日本 \\u200b"


SENTENCES = st.lists(
    st.sampled_from(["words", "of a", "`quoted text `", '"a": {"b": "c d"}', "語語", "-"])
).map(" ".join)
TERMINAL: dict[str, Any] = {"force_terminal": True, "color_system": None}


@settings(deadline=None)
@given(SENTENCES, SENTENCES, SENTENCES, st.integers(0, 90), st.integers(40, 120))
def test_in_a_terminal_no_line_is_wider_than_it_and_no_word_is_missing(
    message: str, label: str, help_line: str, column: int, width: int
) -> None:
    source = SourceText("t.json", "x" * column + "☞" + "y" * 30)
    shown = [finding(source, "☞", label=label, help=help_line)]
    in_terminal = printed(shown, source, width=width, **TERMINAL)
    in_file = printed(shown, source, width=width)
    assert max(map(cell_len, in_terminal.splitlines())) <= width
    assert words(in_terminal) == words(in_file)
    assert carets(in_terminal) == carets(in_file)


def words(output: str) -> list[str]:
    """All words, without the frame."""
    return [word for word in output.split() if word != "|"]


def carets(output: str) -> tuple[int, int]:
    """Where the underline starts, and how long it is."""
    line = next(line for line in output.splitlines() if "^" in line)
    return line.index("^"), line.count("^")


def test_sentences_are_broken_at_words_and_labels_put_below_their_carets() -> None:
    source = SourceText("t.json", " " * 40 + '"open"')
    shown = finding(
        source, '"open"', label="a label that is too long", help='write `a b c` and "close": "two words here"'
    )
    lines = printed([shown], source, width=50, **TERMINAL).splitlines()
    assert lines[4:7] == [
        "  | " + " " * 40 + "^^^^^^",
        "  | " + " " * 22 + "a label that is too long",
        "  |",
    ]
    assert lines[-2:] == [
        '  = help: write `a b c` and "close":',
        '          "two words here"',
    ]


def test_a_file_has_a_line_for_each_sentence() -> None:
    sentence = "a sentence that is wider than this " * 3
    shown = diagnose("RT101", sentence, help=sentence)
    assert printed([shown], None, width=40).splitlines()[0] == f"error[RT101]: {sentence}"
