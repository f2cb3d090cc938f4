"""The command that goes on with a session."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.remote.sockets import is_detached


class NextCommand(NamedTuple):
    """A command, and what it does with a session.

    Attributes:
        verb: its name.
        does: what it does, such as `replays`.
    """

    verb: str
    does: str


def next_command(run: RunSummary, *, has_lost_sandbox: bool) -> NextCommand:
    """Return the command that goes on with a session.

    Args:
        run: the session.
        has_lost_sandbox: whether it could be resumed if its sandbox still existed.
    """
    if has_lost_sandbox:
        return NextCommand("fork", "continues")
    if run.is_resumable:
        return NextCommand("resume", "resumes")
    if run.outcome == "running" and is_detached(run.id):
        return NextCommand("attach", "opens")
    return NextCommand("replay", "replays")


def how_to_go_on(run: RunSummary, *, has_lost_sandbox: bool) -> str:
    """Return a sentence with the command that goes on with a session.

    Args:
        run: the session.
        has_lost_sandbox: whether it could be resumed if its sandbox still existed.
    """
    verb, does = next_command(run, has_lost_sandbox=has_lost_sandbox)
    return f"`sandbox-tui {verb} {run.id}` {does} it."
