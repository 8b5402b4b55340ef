"""Inferring a response template from a chat template alone.

The chat template is asked to write messages made of words that no format has; what stands around the words is the
format. No format is known by name. Where a decision has several answers all are tried, and what is given has been
proved by reading back all that the chat template writes.
"""

from respc.inferring.inference import Inference, InferenceError, Observation, TemplateWarning
from respc.inferring.running import InferenceRequest, infer, inferred_here

__all__ = [
    "Inference",
    "InferenceError",
    "InferenceRequest",
    "Observation",
    "TemplateWarning",
    "infer",
    "inferred_here",
]
