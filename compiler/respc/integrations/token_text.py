"""Token ids, in all the shapes that they come in, and the text that they become while a model writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeGuard

_INCOMPLETE: Final = "\N{REPLACEMENT CHARACTER}"
# A character has at most four bytes. What is still incomplete after so many tokens is broken, and let out.
_MOST_HELD: Final = 16
# Where so many tokens in a row each end within a character, only a few stay as context. These may begin within a
# character, too, but a few bytes on it makes no difference any more.
_MOST_TOKENS: Final = 64
_FEW_TOKENS: Final = 16


def plain_ids(given: Any) -> Any:
    """Turn tensors and arrays, and lists of them, into lists of numbers; leave everything else as it is."""
    if isinstance(given, (list, tuple)):
        items = cast("Iterable[Any]", given)
        return [item if isinstance(item, int) else plain_ids(item) for item in items]
    as_list: Callable[[], Any] | None = getattr(given, "tolist", None)
    if callable(as_list):
        return as_list()
    as_array: Callable[[], Any] | None = getattr(given, "__array__", None)
    return plain_ids(as_array()) if callable(as_array) else given


def ids_of_one(given: Any) -> list[int]:
    """Give the token ids of one sequence, which may be the only one of a batch.

    Raises:
        ValueError: there are several sequences.
        TypeError: these are no token ids.
    """
    ids: Any = plain_ids(given)
    if isinstance(ids, int):
        return [ids]
    if is_batch(ids):
        if len(ids) > 1:
            raise ValueError(f"a streamer takes one sequence, but a batch of {len(ids)} was given")
        ids = ids[0]
    if not _is_list(ids) or not all(isinstance(token, int) for token in ids):
        raise TypeError(
            "a streamer takes the token ids of one sequence, as a tensor, an array or a list of whole numbers, "
            f"but {type(given).__name__} was given"
        )
    return ids


def is_batch(ids: Any) -> bool:
    """Tell whether these are token ids of several sequences, or of one in a list of its own."""
    rows = plain_ids(ids)
    return _is_list(rows) and bool(rows) and _is_list(rows[0])


def _is_list(given: object) -> TypeGuard[list[Any]]:
    return isinstance(given, list)


class TokenText:
    """Gives the text of token ids as they come, and never a part of a character.

    All that was given out is, together, what the tokenizer makes of all ids at once. Two things are exceptions,
    because a tokenizer then changes text that was given out: bytes that are no UTF-8, where bytes are tokens of
    their own, and the removal of spaces by `clean_up_tokenization_spaces`. The time for an id does not grow with
    the number of ids before it.

    Args:
        decode: makes text of ids.
    """

    def __init__(self, decode: Callable[[list[int]], str]) -> None:
        self._decode = decode
        self._ids: list[int] = []
        self._context = 0
        """So many of `_ids` are there because tokenizers treat the first token in a way of its own."""
        self._given = ""
        """What of the text of `_ids` is given out."""
        self._held = 0

    def take(self, ids: list[int]) -> str:
        """Take ids and give the text that is complete with them."""
        # One by one, however many come at once: so it is seen where, between them, characters end.
        return "".join(map(self._take_one, ids))

    def _take_one(self, token: int) -> str:
        self._ids.append(token)
        text = self._decode(self._ids)
        # Where bytes are tokens, a character that only begins makes the whole run of bytes before it incomplete, and
        # less is complete than was given out before.
        complete = text.rstrip(_INCOMPLETE)
        if complete != text and self._held > _MOST_HELD:
            complete = text[:-1]
        new = complete[len(self._given) :]
        if not new:
            self._held += 1
            if text == self._given and self._held > _MOST_HELD:  # nothing but tokens without text
                del self._ids[self._context :]
            return ""
        self._held = 0
        self._given = complete
        if complete == text:
            self._keep(self._ids[self._context :], 0)
        elif len(self._ids) > _MOST_TOKENS:
            self._keep(self._ids[-_FEW_TOKENS:], len(text) - len(complete))
        return new

    def end(self) -> str:
        """Give what was held back; nothing can be taken after that."""
        return self._decode(self._ids)[len(self._given) :] if self._ids else ""

    def _keep(self, ids: list[int], held: int) -> None:
        """Keep these ids as context; so many characters at the end of their text are not given out yet."""
        text = self._decode(ids)
        self._ids, self._context = ids, len(ids)
        self._given = text[: len(text) - held]
