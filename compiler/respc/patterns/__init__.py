"""What the compiler knows about a delimiter's regular expression."""

from respc.patterns.facts import PatternFacts, pattern_facts
from respc.patterns.parse import parse_pattern

__all__ = ["PatternFacts", "parse_pattern", "pattern_facts"]
