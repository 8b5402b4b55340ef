"""What serving engines take of response templates: the rules of each, and the template that it takes instead."""

from respc.engines.facts import ENGINES, Engine, engine_named
from respc.engines.rules import NO_WISHES, Wishes
from respc.engines.serving_template import EngineTemplate, check_for_engine, template_for_engine

__all__ = [
    "ENGINES",
    "NO_WISHES",
    "Engine",
    "EngineTemplate",
    "Wishes",
    "check_for_engine",
    "engine_named",
    "template_for_engine",
]
