"""The items of a run as its reader sees them: calls, replies, a person's messages, notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sandbox_tui.core.events import types as e

CallStatus = Literal["proposed", "waiting", "running", "done", "failed", "rejected"]


@dataclass(slots=True)
class CallItem:
    """A tool call and its outcome."""

    call: e.ToolCall
    proposed_at: float
    held: e.CallHeld | None = None
    decided: e.CallDecided | None = None
    started_at: float | None = None
    finished: e.CallFinished | None = None

    @property
    def arguments(self) -> str:
        """The arguments it ran with: as a person edited them, or as the model wrote them."""
        edited = self.decided.arguments if self.decided else None
        return self.call.arguments if edited is None else edited

    @property
    def status(self) -> CallStatus:
        """Its status."""
        if self.finished is not None:
            if self.decided and self.decided.verdict in ("reject", "skip"):
                return "rejected"
            return "done" if self.finished.ok else "failed"
        if self.started_at is not None:
            return "running"
        return "waiting" if self.held is not None and self.decided is None else "proposed"


@dataclass(slots=True)
class ReplyItem:
    """A model's reply: it grows by fragments, and is complete once `replied` is set.

    Attributes:
        interrupted: a person broke it off; its fragments are all there is of it.
        failures: of the attempts to get it, in order.
        abandoned: it broke off, and the model was asked again: what comes then is another reply
            of the same step.
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

    @property
    def ended(self) -> bool:
        """Whether it is complete or broken off."""
        return self.replied is not None or self.interrupted or self.abandoned

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt failed and the next one has not begun."""
        return bool(self.failures) and self.failures[-1].t >= self.asked_at

    @property
    def remark(self) -> str:
        """Why it has no calls, as a sentence; empty where it has some."""
        if self.interrupted:
            return "You stopped the reply."
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
    """A person's message, command (`command` is set) or work on a file (`file` is set)."""

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
        """Whether it waits: a message or an output for the next request, a command to be run."""
        if self.delivered or self.withdrawn:
            return False
        if self.file is not None:
            return self.told_to_model
        if self.command is None or not self.started:
            return True
        return self.told_to_model and self.finished is not None

    @property
    def may_change(self) -> bool:
        """Whether a person can still edit it."""
        return self.waits and not self.started and self.file is None


@dataclass(slots=True)
class NoteItem:
    """A sentence for the reader."""

    at: float
    text: str
    level: Literal["info", "warning", "error"] = "info"


Item = CallItem | ReplyItem | HumanItem | NoteItem


def is_lost(item: CallItem) -> bool:
    """Whether a call was running and is lost with its program; a submit can be repeated."""
    return item.started_at is not None and item.finished is None and item.call.name != "submit"
