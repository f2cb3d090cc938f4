"""Renders conversations as text in ChatML, the markup of Qwen's and many other chat templates."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.models.base import Message
from sandbox_tui.core.models.reply_builder import content_text

END = "<|im_end|>"
REPLY_BEGINS = "<|im_start|>assistant\n"


def render(messages: Sequence[Message]) -> str:
    """Render messages whose tool calls are already part of their contents."""
    return "".join(
        f"<|im_start|>{message['role']}\n{content_text(message.get('content'))}{END}\n"
        for message in messages
    )


def ended(reply: str) -> str:
    """Return a reply as the policy wrote it, with the end of its message added if it is missing."""
    return f"{reply}\n" if reply.endswith(END) else f"{reply}{END}\n"
