"""From a template as written to the intermediate representation, or to the findings that refuse it."""

from respc.frontend.endless import check_ends
from respc.frontend.kept_patterns import kept_patterns
from respc.frontend.late_faults import late_faults
from respc.frontend.lowering import lower_template
from respc.frontend.shape import check_shape

__all__ = ["check_ends", "check_shape", "kept_patterns", "late_faults", "lower_template"]
