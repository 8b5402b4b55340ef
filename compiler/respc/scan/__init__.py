"""From the delimiters of a state to the two regular expressions that find them.

`spelling` writes a delimiter as `re` does, `beginnings` everything that has begun to be one, `language` answers questions
about the texts of delimiters, `certain` decides with it when searching for both is what the interpreter does, and
`states` puts together what a parser's states are. What is not certain stays with `regex`, a search a delimiter.
"""

from respc.scan.states import Refused, ScanPlan, Watched, plan_scan, watched_of

__all__ = ["Refused", "ScanPlan", "Watched", "plan_scan", "watched_of"]
