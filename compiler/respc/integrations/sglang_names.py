"""The parsers that SGLang has by name: one pair of classes for each ready-made format, and one for any tokenizer's."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc.families import families, family_file
from respc.integrations.engine_parsers import load_for_serving
from respc.integrations.engine_reasoning import is_reasoning
from respc.integrations.inferred_templates import inferred_template
from respc.integrations.sglang_calls import CallDetector
from respc.integrations.sglang_detectors import ReasoningDetector, WrittenFormat
from respc.integrations.sglang_formats import OWN_DETECTORS, OwnDetectors
from respc.integrations.tokenizer_templates import title_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.integrations.sglang_parts import SglangParts

_LITERAL_BEGINNING: Final = re.compile(r"(?:[^\\\[\](){}.*+?^$|]|\\[^\w\s])+(?=\\s\*|\||\Z)")
"""The first branch of a pattern, if that is a text, with blanks behind it or without."""


class NamedDetectors(NamedTuple):
    """What SGLang makes of a name."""

    calls: type
    reasoning: type


def named_detectors(sglang: SglangParts) -> dict[str, NamedDetectors]:
    """Make the classes for all names."""
    named = {"respc": _detectors(sglang, "respc", TemplateOfTokenizer(sglang), OwnDetectors())}
    for family in families():
        own = OWN_DETECTORS.get(family, OwnDetectors())
        name = f"respc_{family}"
        named[name] = _detectors(sglang, name, _ReadyMade(family), _existing(sglang, own))
    return named


class _ReadyMade:
    """Gives the format of a family, whose module is imported when it is needed."""

    def __init__(self, family: str) -> None:
        self._family = family

    def __call__(self, tokenizer: Any) -> WrittenFormat:
        return ready_made_format(self._family)


@cache
def ready_made_format(family: str) -> WrittenFormat:
    """Give the format of a ready-made parser."""
    parser = import_module(f"respc_parsers.{family}").ServingParser
    template = json.loads(family_file(family).read_text(encoding="utf-8"))
    return WrittenFormat(family, template, parser, *reasoning_marks(template))


class TemplateOfTokenizer:
    """Gives the format of a tokenizer's own template, or of the one inferred for it, which is compiled once."""

    def __init__(self, sglang: SglangParts) -> None:
        self._sglang = sglang

    def __call__(self, tokenizer: Any) -> WrittenFormat:
        """Give the format for a tokenizer."""
        template = self._sglang.template_of(tokenizer)
        if template is None:
            template = inferred_template(tokenizer)
        return _compiled(json.dumps(template), title_of(tokenizer))


@lru_cache(maxsize=8)
def _compiled(written: str, title: str) -> WrittenFormat:
    template = json.loads(written)
    module = load_for_serving(template, title)
    return WrittenFormat(title, template, module.ResponseParser, *reasoning_marks(template))


def reasoning_marks(template: dict[str, Any]) -> tuple[str, str]:
    """Give the texts that open and close the reasoning of a template; both "" where they are not known."""
    for field, spec in template["fields"].items():
        opener = spec.get("open")
        if is_reasoning(field) and isinstance(opener, str):
            closer = spec.get("close", "")
            begun = _LITERAL_BEGINNING.match(spec.get("close_pattern", ""))
            if begun is not None:
                closer = re.sub(r"\\(.)", r"\1", begun[0])
            closer = closer if isinstance(closer, str) else closer[0]
            return (opener, closer) if closer else ("", "")
    return "", ""


def _existing(sglang: SglangParts, own: OwnDetectors) -> OwnDetectors:
    """Leave out what this release of SGLang does not have."""
    return OwnDetectors(
        own.calls if own.calls in sglang.call_detectors else None,
        own.reasoning if own.reasoning in sglang.reasoning_detectors else None,
    )


def _detectors(
    sglang: SglangParts, name: str, find_format: Callable[[Any], WrittenFormat], own: OwnDetectors
) -> NamedDetectors:
    members: dict[str, Any] = {"sglang": sglang, "own": own, "format_for": staticmethod(find_format)}
    return NamedDetectors(
        type(f"{name}_calls", (CallDetector, sglang.CallDetector), members),
        type(f"{name}_reasoning", (ReasoningDetector, sglang.ReasoningDetector), members),
    )
