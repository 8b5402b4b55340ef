"""The text of regions as pieces that add up to the text of the message."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from respc_runtime.call_deltas import Delta
    from respc_runtime.forms import TextForm


class SentRegion(NamedTuple):
    """The text of a region that went out in pieces, as a part of the parser's input.

    Attributes:
        start: where it begins.
        end: where it ends.
        strips_start: whether blanks at its start did not go out.
        strips_end: whether blanks at its end did not.
    """

    start: int
    end: int
    strips_start: bool
    strips_end: bool

    def of(self, input_text: str) -> str:
        """Give the text."""
        text = input_text[self.start : self.end]
        if self.strips_start:
            text = text.lstrip()
        return text.rstrip() if self.strips_end else text


class TextStream:
    """Gives the text of several regions in pieces, each as early as it is known to stay.

    The blanks around a stripped region do not go out before text comes behind them. What the template joins regions
    by goes out with the text of the next one, so that an empty region at the end leaves no trace. Between regions of
    the implicit field it is the model's own blanks instead, also none where only another region came between them.

    Args:
        keys: the keys of a message, and of its deltas, that have the text.

    Attributes:
        keys: these keys.
    """

    __slots__ = (
        "_before",
        "_behind",
        "_between",
        "_blanks",
        "_interrupted",
        "_joins",
        "_only_key",
        "_own_blanks",
        "_passed_mark",
        "_regions",
        "_sent",
        "_sent_of_region",
        "_start",
        "_strip",
        "_strips_start",
        "_text_of_region",
        "keys",
    )

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys
        self._only_key = keys[0] if len(keys) == 1 else None
        self._sent: list[str | SentRegion] = []
        self._joins = ""
        self._blanks = ""
        self._regions = 0
        self._own_blanks = False
        self._interrupted = True
        self._strip = self._strips_start = True
        # Of the open region, where its text begins, and whether there is any, also in what went out.
        self._start = 0
        self._text_of_region = self._sent_of_region = False
        # The model's blanks before the first delimiter behind a region, behind the last one, and among them.
        self._before = ""
        self._between = ""
        self._behind = ""
        self._passed_mark = False

    def text(self, input_text: str) -> str:
        """Give all that went out; what did so in pieces is looked up in the input of the parser."""
        return "".join(sent if isinstance(sent, str) else sent.of(input_text) for sent in self._sent)

    @property
    def clean_key(self) -> str | None:
        """The key of more text, which goes out as it is if it ends in no blank; None where there is more to do."""
        return self._only_key if self._sent_of_region and not self._blanks else None

    def delta(self, text: str) -> Delta:
        """Give the delta of a piece."""
        return dict.fromkeys(self.keys, text) if self._only_key is None else {self._only_key: text}

    def open(self, form: TextForm, start: int = 0, *, own_blanks: bool = False) -> None:
        """Begin a region whose text starts there; with ``own_blanks``, it is joined by those that the model wrote."""
        # What the parser does not join is text after text here all the same.
        join = "\n" if form["join"] is None else form["join"]
        if self._regions and own_blanks:
            written = self._before + self._behind or self._between
            self._joins = written or ("" if self._interrupted else join)
        elif self._regions:
            self._joins += join
        self._own_blanks = own_blanks
        self._regions += 1
        self._strip = self._strips_start = form["strip"]
        self._start = start
        self._text_of_region = self._sent_of_region = False

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
                text = self._without_leading_blanks(text)
            kept = text.rstrip()
            blanks = self._blanks
            if not kept:
                self._blanks = ""
                blanks += text  # a string that nothing else holds grows in place
                self._blanks = blanks
                return ""
            self._blanks = "" if kept is text else text[len(kept) :]
            text = blanks + kept if blanks else kept
        if not text:
            return ""
        self._text_of_region = self._sent_of_region = True
        return self._joined(text) if self._joins else text

    def _without_leading_blanks(self, text: str) -> str:
        stripped = text.lstrip()
        if self._own_blanks and self._regions > 1:
            leading = text[: len(text) - len(stripped)]
            self._joins += leading
            self._behind += leading
        return stripped

    def _joined(self, text: str) -> str:
        """Give the first text of a region behind what joins it to the one before."""
        joins, self._joins = self._joins if self._sent else self._joins.lstrip(), ""
        if joins:
            self._sent.append(joins)
        return joins + text

    def close(self, end: int) -> None:
        """End the region, whose text ends there."""
        if self._sent_of_region:
            self._sent.append(SentRegion(self._start, end, self._strips_start, self._strip))
        self._leave()

    def add_whole(self, text: str, form: TextForm, *, is_kept: bool = True) -> str:
        """Take a whole region, and give what goes out; unless ``is_kept``, nothing does: the prompt has it."""
        self.open(form)
        written = self.take(text)
        if not is_kept:
            self.begin_after_prompt(0)
        elif self._sent_of_region:
            self._sent.append(text.strip() if form["strip"] else text)
        self._leave()
        return written if is_kept else ""

    def _leave(self) -> None:
        if self._text_of_region:
            self._before, self._between, self._behind = self._blanks, "", ""
            self._passed_mark = False
            self._interrupted = True
        self._blanks = ""

    def begin_after_prompt(self, place: int) -> None:
        """Leave out what went out up to a place: the prompt has it.

        The region goes on; its blanks are between texts.
        """
        self._sent.clear()
        self._blanks = ""
        self._start = place
        self._sent_of_region = False
        self._strips_start = self._strip and not self._text_of_region

    def finish(self) -> str:
        """Give what is left at the end: joins around empty regions, unless they are blanks."""
        left, self._joins = self._joins.rstrip(), ""
        if not self._sent:
            left = left.lstrip()
        if left:
            self._sent.append(left)
        return left
