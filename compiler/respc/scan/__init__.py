"""From the delimiters of a state to the two regular expressions that find them.

`spelling` writes a delimiter as `re` does, `beginnings` everything that has begun to be one. `language` answers
questions about the texts of delimiters, with which `certain` decides when searching for both is what the interpreter
does, and `order` which delimiter comes first. `compose` writes the expressions, `states` puts it all together. What is
not certain stays with `regex`, a search a delimiter; `refusals` and `reasons` say why.
"""

from respc.scan.plans import Refused, ScanPlan, Watched
from respc.scan.states import plan_scan, plan_start, plan_state, watched_of

__all__ = ["Refused", "ScanPlan", "Watched", "plan_scan", "plan_start", "plan_state", "watched_of"]
