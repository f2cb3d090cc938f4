"""The story of a session: what happened, in order, with outcomes. All export formats share it.

The events are folded once, as the screen folds them, so that formats cannot disagree: a withdrawn
message is treated as never sent; an edited message appears in its last version.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.notes import INTERRUPTED
from sandbox_tui.core.events.run_state import (
    CallItem,
    HumanItem,
    Item,
    NoteItem,
    ReplyItem,
    RunState,
)
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.interchange.exports.base import Recording
from sandbox_tui.sessions.store.tables.annotations import Note

Marker = (
    e.ModelFailed
    | e.ModeChanged
    | e.SandboxFrozen
    | e.SandboxThawed
    | e.SnapshotTaken
    | e.RunFinished
)
"""Events that are complete in themselves: no later event changes them."""

StoryItem = Item | Note | Marker

PARTICIPLES: dict[e.Verdict, str] = {
    "approve": "approved",
    "edit": "edited",
    "reject": "rejected",
    "answer": "answered",
    "skip": "skipped",
}

NOT_RUN: frozenset[e.Verdict] = frozenset(("reject", "answer", "skip"))
"""Verdicts after which a call's tool did not run."""


@dataclass(slots=True)
class Entry:
    """One thing that happened. Positions are event numbers; 0 means never.

    Attributes:
        seq: when it appeared.
        step: the step that was running at that point.
        item: the item, in its state at the end of the session.
        held: when a call began to wait for the user.
        decided, began, ended: for calls and the user's commands; for replies, `ended` is when the
            reply was complete.
        delivered: when the user's message reached the model.
        withdrawn: when the user withdrew it.
    """

    seq: int
    step: int
    item: StoryItem
    held: int = 0
    decided: int = 0
    began: int = 0
    ended: int = 0
    delivered: int = 0
    withdrawn: int = 0


def story(recording: Recording) -> list[Entry]:
    """Return everything that happened. Notes follow the reply of their step, or come last."""
    return _Story(recording).entries


class _Story:
    def __init__(self, recording: Recording) -> None:
        self.entries: list[Entry] = []
        self._state = RunState()
        self._of: dict[int, Entry] = {}  # by id() of the item that later events may change
        self._notes = list(recording.notes)
        self._add_notes(recording.events[0].seq, step=0)
        for event in recording.events:
            self._take(event)
        self._add_notes(event_seq=self._state.seq, step=None)

    def _take(self, event: e.AnyEvent) -> None:
        state = self._state
        known = len(state.items)
        state.apply(event)
        for item in list(state.items[known:]) if event.kind != "RunFinished" else ():
            self._of[id(item)] = self._add(event.seq, item)
            if isinstance(item, ReplyItem):
                self._add_notes(event.seq, item.step)
        match event:
            case e.ModelReplied() | e.ReplyInterrupted() if state.reply is not None:
                self._of[id(state.reply)].ended = event.seq
            case e.RunFinished() if state.reply is not None and state.reply.cut_off:
                self._of[id(state.reply)].ended = event.seq
                self._add(event.seq, event)
            case e.CallHeld(call=number):
                self._of[id(state.calls[number])].held = event.seq
            case e.CallDecided(call=number):
                self._of[id(state.calls[number])].decided = event.seq
            case e.CallStarted(call=number):
                self._of[id(state.calls[number])].began = event.seq
            case e.CallFinished(call=number):
                self._of[id(state.calls[number])].ended = event.seq
            case e.HumanCommandStarted(id=number):
                self._of[id(state.humans[number])].began = event.seq
            case e.HumanCommandFinished(id=number):
                self._of[id(state.humans[number])].ended = event.seq
            case e.Delivered(ids=ids):
                for number in ids:
                    self._of[id(state.humans[number])].delivered = event.seq
            case e.Withdrawn(id=number):
                self._of[id(state.humans[number])].withdrawn = event.seq
            case (
                e.ModelFailed()
                | e.ModeChanged()
                | e.SandboxFrozen()
                | e.SandboxThawed()
                | e.SnapshotTaken()
                | e.RunFinished()
            ):
                self._add(event.seq, event)
            case _:
                pass

    def _add(self, seq: int, item: StoryItem) -> Entry:
        entry = Entry(seq, self._state.step, item)
        self.entries.append(entry)
        return entry

    def _add_notes(self, event_seq: int, step: int | None) -> None:
        """Add the notes on a step, or all remaining notes if `step` is None."""
        for note in [note for note in self._notes if step is None or note.step == step]:
            self._notes.remove(note)
            self._add(event_seq, note)


def decision(item: CallItem) -> str:
    """Return what was decided about a call and by whom, or that the run ended before it ran; empty
    if it was simply approved."""
    decided = item.decided
    if item.status == "not_run":
        return "not run"
    if decided is None or (decided.by != "human" and decided.verdict not in NOT_RUN):
        return ""
    who = {"human": "you", "policy": "the policy"}.get(decided.by, "the program")
    return f"{PARTICIPLES[decided.verdict]} by {who}"


def unfinished(item: CallItem, *, is_running: bool) -> str:
    """Return the state of a call without a result, with its sign; empty if it has one.

    Args:
        item: the call, in its state at the end of the session.
        is_running: whether the session still runs; otherwise the call was cut off.
    """
    if item.finished is not None or item.status == "not_run":
        return ""
    if item.status == "waiting":
        return "waits for you"
    return "● running" if is_running else INTERRUPTED


def was_interrupted(item: CallItem, *, is_running: bool) -> bool:
    """Return whether a call was cut off: by the user, or since its program was killed."""
    if item.finished is not None:
        return item.finished.interrupted
    return unfinished(item, is_running=is_running) == INTERRUPTED


def did_run(item: CallItem) -> bool:
    """Return whether a call's tool ran: a rejected call neither ran nor failed."""
    return item.decided is None or item.decided.verdict not in NOT_RUN


def delivery(item: HumanItem) -> str:
    """Return whether the model saw the user's message, command or file edit."""
    if item.command is not None and not item.started:
        return "withdrawn: never ran" if item.withdrawn else "it never ran"
    if item.withdrawn:
        return "withdrawn: the model never saw it"
    if not item.told_to_model:
        return "private"
    if not item.delivered:
        return "the model never saw it"
    return "visible to the model" if item.command is not None or item.file else "delivered"


def marked(item: Marker) -> str:
    """Return a marker as one line."""
    match item:
        case e.ModelFailed(error=error):
            return f"request failed: {error}"
        case e.ModeChanged(mode=mode, by=by):
            return f"mode: {mode}" + (", set by you" if by == "human" else "")
        case e.SandboxFrozen():
            return "the sandbox was frozen"
        case e.SandboxThawed():
            return "the sandbox was thawed"
        case e.SnapshotTaken(step=step):
            return f"snapshot after step {step}"
        case e.RunFinished(reason=reason, error=error):
            return error or reason.replace("_", " ")


def user_actions(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return the user's actions as objects, for JSON formats without a field for them."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        item = entry.item
        match item:
            case HumanItem():
                found.append({"step": entry.step, **_human_action(item)})
            case CallItem() if words := decision(item):
                made = {"step": item.call.step, "call": item.call.number, "what": words}
                if item.decided is not None and item.decided.feedback:
                    made["text"] = item.decided.feedback
                if item.arguments != item.call.arguments:
                    made["proposed"] = item.call.arguments
                found.append(made)
            case e.ModeChanged():
                found.append({"step": entry.step, "what": marked(item)})
            case NoteItem(level="yours"):
                found.append({"step": entry.step, "what": item.text})
            case Note():
                found.append({"step": item.step, "what": "note", "text": item.text})
            case _:
                pass
    return found


def _human_action(item: HumanItem) -> dict[str, Any]:
    if item.file is not None:
        file = item.file
        made: dict[str, Any] = {"what": f"file {file.action}", "path": file.path}
        if file.host:
            made["host"] = file.host
        if file.diff:
            made["diff"] = file.diff
        return {**made, "fate": delivery(item)}
    if item.command is None:
        return {"what": "message", "text": item.text, "fate": delivery(item)}
    made = {"what": "command", "text": item.command, "fate": delivery(item)}
    if item.finished is not None:
        made["observation"] = item.finished.observation
        made["exit_code"] = item.finished.exit_code
    return made


def call_title(item: CallItem) -> str:
    """Return number, tool and summary of a call, as in the call list."""
    name = short_name(item.call.name)
    return f"{item.call.number} {name} {summarize_call(item.call.name, item.arguments)}"
