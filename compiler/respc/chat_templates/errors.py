"""What goes wrong with chat templates."""

from __future__ import annotations


class ChatTemplateError(ValueError):
    """A chat template that cannot be had, or cannot be run at all; the message says where, and what to do."""


class NotRenderedError(Exception):
    """A chat template refuses a conversation, or leaves out what is in it; the message says which."""


class NoChatTemplateError(ChatTemplateError):
    """There is a folder or a config, and no chat template in it."""


class InterruptedTemplateError(ChatTemplateError):
    """The process that ran a chat template was ended, or never began: another time it may come to an end."""
