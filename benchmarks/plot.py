"""Draws cost against length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.growth import GrowthRow

FAMILIES = ("smollm3", "qwen3.5")
"""Two are enough for a picture: one of literals, and one with blanks in front of its delimiters."""
_LINES = ("-", "--")
_COLOURS = {"interpreter": "#c0392b", "compiled": "#1f5fa8", "floor": "#7f8c8d"}
_HOW = {"streamed": "streamed, chunk by chunk", "whole text": "whole text at once"}


class PlotMissingError(Exception):
    """There is nothing to draw with, or nothing to draw."""


def draw(rows: Sequence[GrowthRow], path: Path) -> None:
    """Write the curves of growth as an SVG that does not depend on when or where it is drawn.

    Raises:
        PlotMissingError: matplotlib is not installed, or the rows have none of the families.
    """
    names = [name for name in FAMILIES if any(row.family == name for row in rows)] or sorted(
        {row.family for row in rows}
    )
    if not names:
        raise PlotMissingError("the plot needs the section growth")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotMissingError("the plot needs matplotlib: pip install matplotlib") from None
    with mpl.rc_context({"svg.hashsalt": "respc", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(9.0, 4.8), facecolor="white", layout="constrained")
        left, right = figure.subplots(1, 2)
        for axes, how in ((left, "streamed"), (right, "whole text")):
            for name, line in zip(names, _LINES, strict=False):
                for row in rows:
                    if (row.family, row.how) == (name, how):
                        _draw_row(axes, row, line)
            _dress(axes, _HOW[how])
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
        figure.savefig(path, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})


def _draw_row(axes: Axes, row: GrowthRow, line: str) -> None:
    for engine, seconds in (
        ("interpreter", row.interpreter),
        ("compiled", row.compiled),
        ("floor", row.floor),
    ):
        axes.plot(
            row.tokens[: len(seconds)],
            [second * 1e3 for second in seconds],
            line,
            color=_COLOURS[engine],
            marker=".",
            linewidth=1.4,
            label=f"{engine}, {row.family}",
        )


def _dress(axes: Axes, title: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(title)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()
    axes.set_xlabel("tokens")
    axes.set_ylabel("milliseconds")
    axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_facecolor("white")
