"""Why an action that steers a run has nothing to act on at this moment."""

from __future__ import annotations

from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.core.events.types import RESUMABLE
from sandbox_tui.tui.format.status import awaits_next_try, unfinished_reply
from sandbox_tui.tui.keys.hint import hint

DECISIONS = frozenset(("approve", "approve_always", "edit", "reject", "answer", "skip"))
"""Actions that decide on the call that waits."""

ABOUT_WAITING_CALL = DECISIONS | {"waiting"}
"""Actions on the call that waits for a decision."""

AFTER_THE_END = {
    "fork": "a run can be forked once it has ended",
    "run_again": "the task can run again once this run has ended",
    "open_folder": "there is a results folder once the run has ended",
    "resume": "the run is still running",
}
"""Actions on the session that a run has left, and why they are off until then."""

DURING_AND_AFTER = frozenset(("replay", "export"))
"""Actions on the session of a run that take what is recorded so far, and all once it has ended."""

NOTHING_QUEUED = "nothing is queued for the model"


def asked_once_resumed() -> str:
    """Return when a paused run asks the model again."""
    return f"the model is asked again once you resume with {hint('live.pause')}"


def why_not_after_the_end(action: str, state: RunState) -> str:
    """Return why an action on the session that a run leaves is not available; empty if it is."""
    finished = state.finished
    if finished is None:
        return AFTER_THE_END[action]
    if action == "resume" and finished.reason not in RESUMABLE:
        return "this run has ended for good"
    return "" if finished.output or action != "open_folder" else "there are no results"


def why_nothing_to_act_on(action: str, state: RunState, waiting: CallItem | None) -> str:
    """Return why an action has nothing to act on; empty if it has.

    Args:
        action: its name.
        state: a run that goes on.
        waiting: the call that waits for a decision of this screen's.
    """
    if action in ABOUT_WAITING_CALL and state.pending is None:
        return "no call is waiting"
    if action in ABOUT_WAITING_CALL and waiting is None:
        return "you have decided on this call"
    if action == "take_over" and state.frozen:
        return f"the sandbox is frozen: {hint('live.pause')} resumes it"
    if action == "step" and state.mode == "step" and waiting is not None:
        return f"call {waiting.call.number} still waits for your decision"
    if action == "queue" and not state.queue:
        return NOTHING_QUEUED
    if action == "allowed" and not state.granted:
        return "nothing was allowed in this run"
    if action == "interrupt_reply" and unfinished_reply(state) is None:
        waits = state.pending is not None
        done = "the reply is complete, and its call waits for you"
        return done if waits else "no reply is on its way"
    if action == "interrupt_reply" and state.mode == "paused" and awaits_next_try(state):
        return asked_once_resumed()
    if action == "interrupt" and not state.busy:
        return "no command is running"
    return ""
