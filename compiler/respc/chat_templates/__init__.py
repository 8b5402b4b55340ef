"""Chat templates: reading them, and writing conversations with them as transformers does."""

from respc.chat_templates.environment import chat_environment
from respc.chat_templates.errors import (
    ChatTemplateError,
    InterruptedTemplateError,
    NoChatTemplateError,
    NotRenderedError,
)
from respc.chat_templates.limits import Limits, call_in_child
from respc.chat_templates.loading import ChatTemplateSource, chat_template_source, read_chat_template
from respc.chat_templates.rendering import ChatTemplate

__all__ = [
    "ChatTemplate",
    "ChatTemplateError",
    "ChatTemplateSource",
    "InterruptedTemplateError",
    "Limits",
    "NoChatTemplateError",
    "NotRenderedError",
    "call_in_child",
    "chat_environment",
    "chat_template_source",
    "read_chat_template",
]
