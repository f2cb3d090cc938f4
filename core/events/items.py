"""The items of a run as the user sees them: calls, replies, user messages, notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from sandbox_tui.core.events import types as e

CallStatus = Literal[
    "proposed", "waiting", "running", "done", "failed", "rejected", "held_back", "not_run"
]

NOT_YET = "Not handed in yet: a person has written to you. Read it, then continue or submit again."
"""The observation of a submit that a message of the user's holds back: the call has not failed."""


@dataclass(slots=True)
class CallItem:
    """A tool call and its outcome.

    Attributes:
        run_ended: the run ended before the call did.
        printed: what it had printed when its program was killed, as the terminal showed it; None
            if unknown. Screens that show the end of such a run set it: it is no event.
    """

    call: e.ToolCall
    proposed_at: float
    held: e.CallHeld | None = None
    decided: e.CallDecided | None = None
    started_at: float | None = None
    finished: e.CallFinished | None = None
    run_ended: bool = False
    printed: str | None = None

    @property
    def arguments(self) -> str:
        """The arguments it ran with: the user's, if edited, or else the model's."""
        edited = self.decided.arguments if self.decided else None
        return self.call.arguments if edited is None else edited

    @property
    def status(self) -> CallStatus:
        """The status of the call."""
        if self.finished is not None:
            if self.decided and self.decided.verdict in ("reject", "skip"):
                return "rejected"
            if not self.finished.ok and self.finished.observation == NOT_YET:
                return "held_back"
            return "done" if self.finished.ok else "failed"
        if self.started_at is not None:
            return "running"
        if self.run_ended:
            return "not_run"
        return "waiting" if self.held is not None and self.decided is None else "proposed"

    @property
    def waits_for_resume(self) -> bool:
        """Whether only the pause holds it: it needs no decision to run once the run is resumed."""
        return self.status == "waiting" and self.held is not None and self.held.until_resumed


@dataclass(slots=True)
class ReplyItem:
    """A model's reply: it grows by fragments, and is complete once `replied` is set.

    Attributes:
        interrupted: the user interrupted it; it consists only of its fragments.
        failures: failed attempts to get it, in order.
        abandoned: it broke off and was requested again; the next reply of the same step is a
            new item.
        cut_off: the run ended before it was complete.
        wrote_at: when the first piece of its text or of a call arrived.
    """

    step: int
    asked_at: float
    text: str = ""
    reasoning: str = ""
    writing: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    replied: e.ModelReplied | None = None
    failures: list[e.ModelFailed] = field(default_factory=list[e.ModelFailed])
    interrupted: bool = False
    abandoned: bool = False
    cut_off: bool = False
    wrote_at: float | None = None

    @property
    def ended(self) -> bool:
        """Whether it is complete or was cut off."""
        return self.replied is not None or self.interrupted or self.abandoned or self.cut_off

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt failed and the next one has not started."""
        return bool(self.failures) and self.failures[-1].t >= self.asked_at

    @property
    def fatal_error(self) -> str | None:
        """The error of the last attempt, if that ended the run."""
        gave_up = self.has_failed and self.failures[-1].retry_in is None
        return self.failures[-1].error if gave_up else None

    @property
    def remark(self) -> str:
        """Why it has no calls, as a sentence; empty if it has some."""
        if self.interrupted:
            return "You stopped the reply."
        if self.cut_off:
            return "The run ended before the reply was complete."
        if self.abandoned:
            why = "" if self.failures else "The program ended before the reply was complete. "
            return f"{why}The model was asked again."
        if self.replied is None or self.replied.reminder is None:
            return ""
        if self.replied.finish_reason == "length":
            return "Cut off at the token limit; the model was told."
        if self.replied.unreadable:
            return "No call was run; the model was told why."
        return "No tool was called; the model was reminded."


@dataclass(slots=True)
class HumanItem:
    """A user message, command (`command` is set) or file operation (`file` is set)."""

    id: int
    at: float
    text: str
    command: str | None = None
    told_to_model: bool = True
    started: bool = False
    finished: e.HumanCommandFinished | None = None
    file: e.HumanFile | None = None
    delivered: bool = False
    withdrawn: bool = False

    @property
    def waits(self) -> bool:
        """Whether it is pending: a message or output for the next request, or a command to run."""
        if self.delivered or self.withdrawn:
            return False
        if self.file is not None:
            return self.told_to_model
        if self.command is None or not self.started:
            return True
        return self.told_to_model and self.finished is not None

    @property
    def may_change(self) -> bool:
        """Whether the user can still edit it."""
        return self.waits and not self.started and self.file is None


@dataclass(slots=True)
class NoteItem:
    """A one-sentence note for the user; level "yours" is about something the user did."""

    at: float
    text: str
    level: Literal["info", "warning", "error", "yours"] = "info"


Item = CallItem | ReplyItem | HumanItem | NoteItem


def is_lost(item: CallItem) -> bool:
    """Return whether a call was running when its program died; a submit can be repeated."""
    return item.started_at is not None and item.finished is None and item.call.name != "submit"


def with_call(totals: e.Totals, item: CallItem) -> e.Totals:
    """Return the sums with a finished call."""
    not_ok = item.status == "failed"
    interrupted = not_ok and item.finished is not None and item.finished.interrupted
    return msgspec.structs.replace(
        totals,
        calls=totals.calls + 1,
        failed_calls=totals.failed_calls + (not_ok and not interrupted),
        interrupted_calls=totals.interrupted_calls + interrupted,
    )
