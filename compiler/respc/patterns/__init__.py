"""What the compiler knows about a delimiter's regular expression."""

from respc.patterns.facts import PatternFacts, literal_facts, pattern_facts
from respc.patterns.parse import parse_pattern

__all__ = ["PatternFacts", "literal_facts", "parse_pattern", "pattern_facts"]
