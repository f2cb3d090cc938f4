"""When the shell is free for calls and commands of the user's."""

from __future__ import annotations

from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem, RunState
from sandbox_tui.tui.keys.hint import hint

AFTER_CALL = "after the running call"
"""When a command of the user's starts, unless the sandbox is frozen while nothing runs."""


def shell_free_at(item: Item, state: RunState) -> float | None:
    """Return since when no command of the user's has kept a running call from the shell, on the
    run's clock; None while one does.

    A call counts as started when it asks for the shell, which it may get later.
    """
    if not isinstance(item, CallItem) or item.status != "running" or item.call.name != BASH:
        return 0.0
    commands = [one for one in state.humans.values() if one.started and not one.withdrawn]
    if any(one.finished is None for one in commands):
        return None
    return max((one.finished.t for one in commands if one.finished is not None), default=0.0)


def starts_when(state: RunState) -> str:
    """Return when a command of the user's that waits will start."""
    if state.frozen and state.running is None:
        return f"when {hint('live.pause')} resumes the sandbox"
    return AFTER_CALL


def waits_until(item: Item, state: RunState) -> str:
    """Return when a command of the user's that waits will start, or a message that was sent is
    read; empty if it has been, and for other items."""
    if not isinstance(item, HumanItem):
        return ""
    return _read_when(item, state) if item.command is None else starts_when(state)


def _read_when(item: HumanItem, state: RunState) -> str:
    """Return what a message waits for until a reply to a request with it begins."""
    if not item.delivered:
        return ""
    replies = (one for one in reversed(state.items) if isinstance(one, ReplyItem))
    answered = next((one for one in replies if one.wrote_at is not None or one.replied), None)
    if answered is not None and item.at <= answered.asked_at:
        return ""
    has_failed = state.reply is not None and state.reply.has_failed
    return "sent with the next try" if has_failed else "sent, no reply yet"


def is_unread(item: Item, state: RunState) -> bool:
    """Return whether an item is a message that was sent, and that no reply has followed yet."""
    return isinstance(item, HumanItem) and item.command is None and bool(_read_when(item, state))
