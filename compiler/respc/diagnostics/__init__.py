"""Diagnostics: the table of codes and the model; ``respc.diagnostics.render`` shows them."""

from respc.diagnostics.codes import CODES, Code, Severity, code_named
from respc.diagnostics.fixes import Fix
from respc.diagnostics.model import Diagnostic, diagnose
from respc.diagnostics.policy import LIBRARY_POLICY, Policy, PolicyError, policy_of
from respc.diagnostics.wording import listed, member, quoted, visible, without_steering

__all__ = [
    "CODES",
    "LIBRARY_POLICY",
    "Code",
    "Diagnostic",
    "Fix",
    "Policy",
    "PolicyError",
    "Severity",
    "code_named",
    "diagnose",
    "listed",
    "member",
    "policy_of",
    "quoted",
    "visible",
    "without_steering",
]
