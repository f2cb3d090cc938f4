"""Adapts conversations to what a model's chat template accepts.

Templates are Jinja programs that come with a model; many raise an exception on unexpected input: a
system message (Gemma, early Mistral), consecutive messages of one role (most), a message without
text. The server's error tells what a template refuses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sandbox_tui.core.models.base import Message

NO_TEXT = "(no text)"
"""Replaces an empty message."""

_SYSTEM = re.compile(
    r"system role|system message|role.{0,20}system|only user(?:,| and)? .{0,30}assistant roles"
)
_ALTERNATE = re.compile(
    r"roles? must alternate|alternate user|consecutive (?:user|messages)|after the optional system"
)
_EMPTY = re.compile(
    r"(?:content|message|text).{0,40}(?:must not be empty|cannot be empty|non-?empty|is empty)"
)


@dataclass(frozen=True, slots=True)
class TemplateLimits:
    """What a template accepts.

    Attributes:
        system: messages with the role system.
        same_role: consecutive messages of one role.
        empty: messages without text.
    """

    system: bool = True
    same_role: bool = True
    empty: bool = True

    def updated(self, words: str) -> TemplateLimits | None:
        """Return a copy updated from a server's rejection; None if that reveals nothing new.

        Args:
            words: the error, in lower case.
        """
        if self.same_role and _ALTERNATE.search(words):
            return replace(self, same_role=False)
        if self.system and _SYSTEM.search(words):
            return replace(self, system=False)
        if self.empty and _EMPTY.search(words):
            return replace(self, empty=False)
        return None


def fitted(messages: Sequence[Message], limits: TemplateLimits) -> Sequence[Message]:
    """Return the conversation in a form that the template accepts; the same object if nothing
    has to change."""
    if limits == TemplateLimits():
        return messages
    fitting = list(messages)
    if not limits.system:
        fitting = _without_system(fitting)
    if not limits.empty:
        fitting = [_with_text(message) for message in fitting]
    if not (limits.same_role and limits.system):
        fitting = join_user_messages(fitting)
    return fitting


def _without_system(messages: list[Message]) -> list[Message]:
    """Return the messages with the role system replaced by user."""
    return [
        {**message, "role": "user"} if message["role"] == "system" else message
        for message in messages
    ]


def _with_text(message: Message) -> Message:
    if message.get("content") or message.get("tool_calls"):
        return message
    return {**message, "content": NO_TEXT}


def join_user_messages(messages: list[Message]) -> list[Message]:
    """Return the messages with consecutive user messages joined into one."""
    joined: list[Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        if last is not None and last["role"] == message["role"] == "user":
            joined[-1] = {"role": "user", "content": _both(last["content"], message["content"])}
        else:
            joined.append(message)
    return joined


def _both(one: Any, other: Any) -> Any:
    """Return two contents joined into one; each is text, or a list of parts."""
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    return [*_parts(one), *_parts(other)]


def _parts(content: Any) -> list[Any]:
    if isinstance(content, list):
        return cast("list[Any]", content)
    return [{"type": "text", "text": str(content or "")}]
