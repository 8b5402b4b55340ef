"""Verifying that a response template reads back what a chat template writes.

`verify` does all of it. Its parts are for those who try many response templates on one chat template: `writings` makes
the texts once, and `prove` reads them with a template.
"""

from respc.verifying.features import TOOLS, Context, Conversation, Feature, Mode, conversations
from respc.verifying.generations import Generation, Writings, writings
from respc.verifying.outcomes import Cause, Kind, Outcome, Row, TokenNote, Verification
from respc.verifying.own_conversations import OwnConversationError
from respc.verifying.proving import prove
from respc.verifying.running import Request, request_for, verified, verified_here, verify
from respc.verifying.token_checks import token_notes

__all__ = [
    "TOOLS",
    "Cause",
    "Context",
    "Conversation",
    "Feature",
    "Generation",
    "Kind",
    "Mode",
    "Outcome",
    "OwnConversationError",
    "Request",
    "Row",
    "TokenNote",
    "Verification",
    "Writings",
    "conversations",
    "prove",
    "request_for",
    "token_notes",
    "verified",
    "verified_here",
    "verify",
    "writings",
]
