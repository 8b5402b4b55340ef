"""Diagnostics: the table of codes and the model; ``respc.diagnostics.render`` shows them."""

from respc.diagnostics.codes import CODES, Code, Severity, code_named
from respc.diagnostics.fixes import Fix
from respc.diagnostics.model import Diagnostic, diagnose
from respc.diagnostics.wording import quoted, visible

__all__ = ["CODES", "Code", "Diagnostic", "Fix", "Severity", "code_named", "diagnose", "quoted", "visible"]
