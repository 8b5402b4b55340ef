"""The state machine of a template, as people want to see it: decided once, printed in several forms.

``machine`` decides what there is to show and how it is worded; the others only print that.
"""

from respc.show.machine import machine_of
from respc.show.model import Border, Field, Machine, Row

__all__ = ["Border", "Field", "Machine", "Row", "machine_of"]
