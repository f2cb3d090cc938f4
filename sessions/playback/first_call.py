"""Where the first call of a step begins, and where a call ends."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.store import Store


def first_call(store: Store, run_id: str, reply: int) -> int:
    """Return the event with which the first call after a reply begins, or ends if it never ran.

    Args:
        store: the database.
        run_id: the session.
        reply: the event of the reply; returned if no call follows in its step.

    Raises:
        StoreError: the database cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    for event in store.events(run_id, after=reply, output=False):
        match event:
            case e.CallStarted() | e.CallFinished():
                return event.seq
            case e.ModelAsked() | e.ModelReplied() | e.RunFinished():
                break
            case _:
                pass
    return reply


def end_of_call(store: Store, run_id: str, number: int) -> int | None:
    """Return the event with which a call ends; None if it never ended.

    Args:
        store: the database.
        run_id: the session.
        number: of the call, from 1.

    Raises:
        StoreError: the database cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    ends = store.events_of_kinds(run_id, ["CallFinished"])
    return next(
        (end.seq for end in ends if isinstance(end, e.CallFinished) and end.call == number), None
    )
