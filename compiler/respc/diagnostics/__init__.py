"""Diagnostics: the table of codes and the model; ``respc.diagnostics.render`` shows them."""

from respc.diagnostics.codes import CODES, Code, Severity, code_named
from respc.diagnostics.fixes import Fix
from respc.diagnostics.model import Diagnostic, by_place, diagnose
from respc.diagnostics.policy import (
    LIBRARY_POLICY,
    ON_REQUEST,
    Policy,
    PolicyError,
    codes_named_by,
    policy_of,
)
from respc.diagnostics.wording import listed, member, quoted, visible, without_steering

__all__ = [
    "CODES",
    "LIBRARY_POLICY",
    "ON_REQUEST",
    "Code",
    "Diagnostic",
    "Fix",
    "Policy",
    "PolicyError",
    "Severity",
    "by_place",
    "code_named",
    "codes_named_by",
    "diagnose",
    "listed",
    "member",
    "policy_of",
    "quoted",
    "visible",
    "without_steering",
]
