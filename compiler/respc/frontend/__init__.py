"""From a template as written to the intermediate representation, or to the findings that refuse it."""

from respc.frontend.lowering import lower_template
from respc.frontend.shape import check_shape
from respc.frontend.sound_part import sound_part

__all__ = ["check_shape", "lower_template", "sound_part"]
