"""What a SOURCE is: a file, a folder, standard input, or the name of a ready-made parser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.source import TemplateSource

_NAME = re.compile(r"[a-z0-9_]+")


def is_family_name(source: str) -> bool:
    """Tell whether a SOURCE names a ready-made parser; a file of that name goes first."""
    if not _NAME.fullmatch(source) or Path(source).exists():
        return False
    from respc.families import families

    return source in families()


def read_source(source: str) -> TemplateSource:
    """Read the template of a SOURCE.

    Raises:
        SourceFileError: nothing can be read there.
        TemplateSourceError: what was read holds no template.
    """
    from respc.source import SourceFileError, read_template

    if is_family_name(source):
        from respc.families import family_template

        return family_template(source)
    try:
        return read_template(source)
    except SourceFileError as error:
        meant = _meant(source)
        if meant is None:
            raise
        reason = f"{error.reason}; did you mean the ready-made `{meant}`? `respc list` shows them all"
        raise SourceFileError(error.path, reason) from None


def _meant(source: str) -> str | None:
    """Give the family that was perhaps meant by what is no file and does not look like a path."""
    if "/" in source or "\\" in source or source.endswith(".json") or source == "-" or Path(source).exists():
        return None
    from respc.families import closest_family

    return closest_family(source)
