"""What a caller asks of the compiler, apart from the template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from respc.passes import PASSES

if TYPE_CHECKING:
    from collections.abc import Collection

EVENT_FORMS: Final = ("default", "serving")
"""The forms of events: those of the interpreter, and those of the copies of it that serving engines have."""

NEEDED_FOR_STABILITY: Final = ("expressions",)
"""The passes that a stable module cannot do without: `regex` does not tell what more text could change."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a template is compiled.

    Attributes:
        events: the form of the events, one of `EVENT_FORMS`.
        stable: whether the outcome may not depend on how a text is cut into chunks.
        standalone: whether the module carries the parts of the runtime that it uses, instead of importing them.
        passes: the optimisations to run.
        formatted: whether black formats the module, which takes longer than all else.
        only_refusals: whether to look only for what refuses the template: nobody reads warnings of what is loaded.
        strict_bodies: whether a body of tags or lines has to be that and nothing else; parsers with serving events
            always ask for it.
        closers_in_strings: whether a closer in a string of a JSON body is a part of that, if a later one ends it; with
            serving events it always is.
    """

    events: str = "default"
    stable: bool = False
    standalone: bool = False
    passes: tuple[str, ...] = PASSES
    formatted: bool = True
    only_refusals: bool = False
    strict_bodies: bool = False
    closers_in_strings: bool = False

    @property
    def serving(self) -> bool:
        """Tell whether the events are those for serving engines."""
        return self.events == "serving"

    @property
    def flags(self) -> tuple[str, ...]:
        """Give the options of `respc compile` that ask for this, without those that are so by default."""
        flags = ["--events serving"] if self.serving else []
        if self.stable is not self.serving:
            flags.append("--stable" if self.stable else "--no-stable")
        asked = {
            "--standalone": self.standalone,
            "--strict-bodies": self.strict_bodies,
            "--closers-in-strings": self.closers_in_strings,
        }
        flags += [flag for flag, is_asked in asked.items() if is_asked]
        return (*flags, *(f"--without {name}" for name in PASSES if name not in self.passes))

    @classmethod
    def of(
        cls,
        *,
        events: str = "default",
        stable: bool | None = None,
        standalone: bool = False,
        passes: Collection[str] | None = None,
        formatted: bool = True,
        only_refusals: bool = False,
        strict_bodies: bool = False,
        closers_in_strings: bool = False,
    ) -> Options:
        """Check what a caller asks, and fill in the rest.

        Args:
            events: as the attribute.
            stable: as the attribute; None: if the events are for serving.
            standalone: as the attribute.
            passes: as the attribute; None for all of them.
            formatted: as the attribute.
            only_refusals: as the attribute.
            strict_bodies: as the attribute.
            closers_in_strings: as the attribute.

        Raises:
            ValueError: there is no form of events, or no pass, of a name; or a pass is left out that ``stable`` needs.
        """
        if events not in EVENT_FORMS:
            raise ValueError(f"unknown form of events {events!r}; there are {list(EVENT_FORMS)}")
        wanted = PASSES if passes is None else tuple(passes)
        if unknown := set(wanted).difference(PASSES):
            raise ValueError(f"unknown passes {sorted(unknown)}; there are {list(PASSES)}")
        stable = events == "serving" if stable is None else stable
        if stable and (missing := set(NEEDED_FOR_STABILITY).difference(wanted)):
            raise ValueError(f"a stable module needs the passes {sorted(missing)}")
        return cls(
            events, stable, standalone, wanted, formatted, only_refusals, strict_bodies, closers_in_strings
        )


DEFAULT_OPTIONS: Final = Options()
"""What is done where nothing is asked."""
