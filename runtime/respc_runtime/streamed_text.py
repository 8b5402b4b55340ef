"""The text of regions as pieces that add up to the text of the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc_runtime.forms import TextForm


class TextStream:
    """Gives the text of several regions in pieces, each as early as it is known to stay.

    The blanks around a stripped region do not go out before text comes behind them. What the template joins regions
    by goes out with the text of the next one, so that an empty region at the end leaves no trace. Between regions of
    the implicit field it is the model's own blanks instead, also none where only another region came between them.
    """

    __slots__ = (
        "_before",
        "_behind",
        "_between",
        "_blanks",
        "_interrupted",
        "_joins",
        "_own_blanks",
        "_parts",
        "_passed_mark",
        "_regions",
        "_strip",
        "_text_of_region",
    )

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._joins = ""
        self._blanks: list[str] = []
        self._regions = 0
        self._own_blanks = False
        self._interrupted = True
        self._strip = True
        self._text_of_region = False
        # The model's blanks before the first delimiter behind a region, behind the last one, and among them.
        self._before = ""
        self._between = ""
        self._behind = ""
        self._passed_mark = False

    @property
    def text(self) -> str:
        """All that went out."""
        return "".join(self._parts)

    def open(self, form: TextForm, *, own_blanks: bool = False) -> None:
        """Begin a region; with ``own_blanks``, it is joined by those that the model wrote."""
        # What the parser does not join is text after text here all the same.
        join = "\n" if form["join"] is None else form["join"]
        if self._regions and own_blanks:
            written = self._before + self._behind or self._between
            self._joins = written or ("" if self._interrupted else join)
        elif self._regions:
            self._joins += join
        self._own_blanks = own_blanks
        self._regions += 1
        self._strip = form["strip"]
        self._text_of_region = False

    def pass_delimiter(self, delimiter: str, *, of_region: bool = False) -> None:
        """Note the blanks of a delimiter behind the region; one ``of_region`` has ended it, nothing came between."""
        if of_region:
            self._interrupted = False
        mark = delimiter.strip()
        if not self._passed_mark:
            self._before += delimiter[: len(delimiter) - len(delimiter.lstrip())] if mark else delimiter
        elif not mark:
            self._behind += delimiter
        if mark:
            self._passed_mark = True
            self._between = self._between or self._behind
            self._behind = delimiter[len(delimiter.rstrip()) :]

    def take(self, text: str) -> str:
        """Take text of the region, and give what can go out."""
        if self._strip:
            if not self._text_of_region:
                stripped = text.lstrip()
                if self._own_blanks and self._regions > 1:
                    leading = text[: len(text) - len(stripped)]
                    self._joins += leading
                    self._behind += leading
                text = stripped
            kept = text.rstrip()
            if not kept:
                self._blanks.append(text)
                return ""
            blanks, self._blanks = self._blanks, [text[len(kept) :]]
            text = "".join((*blanks, kept))
        if not text:
            return ""
        self._text_of_region = True
        if self._joins:
            text = (self._joins if self._parts else self._joins.lstrip()) + text
            self._joins = ""
        self._parts.append(text)
        return text

    def close(self) -> None:
        """End the region."""
        if self._text_of_region:
            self._before, self._between, self._behind = "".join(self._blanks), "", ""
            self._passed_mark = False
            self._interrupted = True
        self._blanks.clear()

    def begin_after_prompt(self) -> None:
        """Leave out what went out so far: the prompt has it. The region goes on, its blanks are between texts."""
        self._parts.clear()
        self._blanks.clear()

    def finish(self) -> str:
        """Give what is left at the end: joins around empty regions, unless they are blanks."""
        left, self._joins = self._joins.rstrip(), ""
        if not self._parts:
            left = left.lstrip()
        if left:
            self._parts.append(left)
        return left
