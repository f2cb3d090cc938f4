"""The state of a run at one position: the fold of its events, identical live and in replay.

`RunState.apply` depends only on its event. Screens are folded in slices by `core.terminal`.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, MutableSequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.file_state import Content, FileState, lengthened, run_mark
from sandbox_tui.core.events.items import (
    CallItem,
    CallStatus,
    HumanItem,
    Item,
    NoteItem,
    ReplyItem,
    is_lost,
    with_call,
)
from sandbox_tui.core.events.kinds.values import REBUILT
from sandbox_tui.core.events.notes import note_on, still_granted
from sandbox_tui.core.events.run_phase import Phase

__all__ = [
    "MIRROR",
    "CallItem",
    "CallStatus",
    "Content",
    "FileState",
    "HumanItem",
    "Item",
    "NoteItem",
    "ReplyItem",
    "RunState",
    "RunStatus",
    "fold",
    "is_lost",
]

MIRROR = "model"
"""Name of the terminal that mirrors the commands in the sandbox."""

RunStatus = Literal[
    "starting",
    "running",
    "paused",
    "frozen",
    "waiting",
    "awaiting_input",
    "finished",
    "failed",
    "imported",
]
_ENDED: dict[e.FinishReason, RunStatus] = {"submitted": "finished", "imported": "imported"}
"""Status of a run that has ended, by reason; `failed` for every other one."""


@dataclass(slots=True)
class RunState:
    """The state of a run at one position.

    Attributes:
        seq, t: of the last event applied.
        items: what happened, in order, for the list of calls.
        files: by path.
        paused_mode: the mode before the latest pause.
        frozen: whether the sandbox's processes are stopped.
        terminals: size in cells by name.
        totals: sums so far.
        step: the step that is running.
        open_calls: unanswered calls, by number.
        decisions: number of decisions on calls, by verdict.
        awaited: set while the running command waits for terminal input.
        tool_format: the current format of tool calls.
        context_length: the model's; None while unknown.
        granted: what the user allows for the rest of the run.
        edited: the call that a fork runs in another form; proposed as the model wrote it.
    """

    seq: int = 0
    t: float = 0.0
    started: e.RunStarted | None = None
    finished: e.RunFinished | None = None
    mode: e.Mode = "auto"
    paused_mode: e.Mode = "auto"
    frozen: bool = False
    step: int = 0
    context_tokens: int = 0
    totals: e.Totals = field(default_factory=e.Totals)
    items: MutableSequence[Item] = field(default_factory=list[Item])
    calls: MutableMapping[int, CallItem] = field(default_factory=dict[int, CallItem])
    open_calls: dict[int, CallItem] = field(default_factory=dict[int, CallItem])
    decisions: dict[e.Verdict, int] = field(default_factory=dict[e.Verdict, int])
    humans: MutableMapping[int, HumanItem] = field(default_factory=dict[int, HumanItem])
    files: dict[str, FileState] = field(default_factory=dict[str, FileState])
    terminals: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    reply: ReplyItem | None = None
    awaited: e.InputAwaited | None = None
    tool_format: e.ToolFormat = field(default_factory=e.ToolFormat)
    context_length: e.ContextLength | None = None
    granted: list[e.RuleGranted] = field(default_factory=list[e.RuleGranted])
    edited: e.ToolCall | None = None

    @property
    def pending(self) -> CallItem | None:
        """The call that waits for the user."""
        if self.finished:
            return None
        for item in self.open_calls.values():  # asked for each of hundreds of runs several times
            if item.status == "waiting":
                return item
        return None

    @property
    def calls_made(self) -> int:
        """Number of calls, except those that the run's end kept from running."""
        unrun = sum(item.status == "not_run" for item in self.open_calls.values())
        return len(self.calls) - unrun

    @property
    def queue(self) -> list[HumanItem]:
        """The user's pending messages and commands, in order."""
        return [] if self.finished else [item for item in self.humans.values() if item.waits]

    @property
    def running(self) -> CallItem | None:
        """The call that is running."""
        return next((item for item in self.open_calls.values() if item.status == "running"), None)

    @property
    def busy(self) -> bool:
        """Whether a call or a user command is running."""
        if self.finished is not None:
            return False
        if self.running is not None:
            return True
        commands = (one for one in self.humans.values() if one.command and not one.withdrawn)
        return any(one.finished is None and (one.started or not self.frozen) for one in commands)

    @property
    def latest_step(self) -> int:
        """The step whose calls ran last or are running now: the previous one until the current
        reply has arrived and its calls may run."""
        reply = self.reply
        before = reply is None or reply.replied is None or self.pending is not None
        return self.step - 1 if before and self.finished is None else self.step

    def reply_arrived(self, step: int) -> float | None:
        """Return when the reply of a step arrived, in seconds since the run started, or None."""
        replies = (item.replied for item in self.items if isinstance(item, ReplyItem))
        return next((reply.t for reply in replies if reply and reply.step == step), None)

    @property
    def phase(self) -> Phase:
        """The run's phase; events do not distinguish FINISHING from RUNNING."""
        if self.finished is not None:
            return Phase.OVER
        return Phase.STARTING if self.started is None else Phase.RUNNING

    @property
    def is_rebuilt(self) -> bool:
        """Whether the session was rebuilt from a recording of another kind, which lacks parts."""
        return self.started is not None and self.started.sandbox == REBUILT

    @property
    def status(self) -> RunStatus:
        """The run's status as one word for the header."""
        if self.finished is not None:
            return _ENDED.get(self.finished.reason, "failed")
        if self.started is None:
            return "starting"
        if self.frozen:
            return "frozen"
        if self.pending:
            return "waiting"
        if self.awaited is not None and self.awaited.answerable:
            return "awaiting_input"
        return "paused" if self.mode == "paused" else "running"

    def apply(self, event: e.AnyEvent) -> None:
        """Apply one event to the state."""
        self.seq, self.t = event.seq, event.t
        match event:
            case e.RunStarted():
                self.started = event
            case e.RunResumed():
                self._resume(event)
            case e.RunFinished():
                self._finish(event)
            case (
                e.ModelAsked()
                | e.ModelDelta()
                | e.ModelReplied()
                | e.ModelFailed()
                | e.ReplyInterrupted()
            ):
                self._apply_model(event)
            case (
                e.CallProposed()
                | e.CallHeld()
                | e.CallDecided()
                | e.CallStarted()
                | e.CallFinished()
            ):
                self._apply_call(event)
            case e.HumanMessage() | e.HumanCommand() | e.HumanFile():
                self._apply_human(event)
            case e.HumanCommandStarted(id=item):
                self.humans[item].started = True
            case e.HumanCommandFinished(id=item):
                self.humans[item].finished = event
                self.awaited = None
            case e.Delivered(ids=ids):
                for item in ids:
                    self.humans[item].delivered = True
            case e.Withdrawn(id=item):
                self.humans[item].withdrawn = True
            case e.Reworded(id=item, text=text):
                self._reword(self.humans[item], text)
            case e.FilesListed(files=files):
                self.files = {
                    f.path: FileState(f, None, 0, "program", [(0, f.blob)]) for f in files
                }
            case e.FilesChanged():
                self._apply_files(event)
            case e.TerminalOpened() | e.TerminalResized():
                self.terminals[event.terminal] = (event.cols, event.rows)
            case e.TerminalClosed():
                self.terminals.pop(event.terminal, None)
            case e.ModeChanged(mode=mode):
                if mode == "paused" and self.mode != "paused":
                    self.paused_mode = self.mode
                self.mode = mode
            case e.RuleGranted() | e.RuleRevoked():
                self.granted = still_granted(self.granted, event)
                self.items.append(note_on(event))
            case e.SandboxFrozen() | e.SandboxThawed():
                self.frozen = isinstance(event, e.SandboxFrozen)
            case e.InputAwaited():
                self.awaited = event
            case e.TerminalOutput(terminal=name):
                if name == MIRROR:
                    self.awaited = None
            case e.Warned() | e.Forked() | e.Scored():
                self.items.append(note_on(event))
                self.edited = event.edited if isinstance(event, e.Forked) else self.edited
            case e.Repeated(parted=parted):
                if parted:
                    self.items.append(NoteItem(event.t, parted, "warning"))
            case e.ToolFormatChosen(format=chosen, why=why):
                self.tool_format = chosen
                self.items.append(NoteItem(event.t, f"tool calls: {chosen.title}. {why}"))
            case e.PartialReplyCounted(usage=usage):
                self.totals = msgspec.structs.replace(self.totals, usage=self.totals.usage + usage)
            case e.ContextLengthFound(context=context):
                self.context_length = context
            case e.TerminalInput() | e.SnapshotTaken():
                pass

    def _resume(self, event: e.RunResumed) -> None:
        self.awaited = self.finished = None
        for item in self.calls.values():
            item.run_ended = False
            if item.finished is None and not is_lost(item):  # the decision is made again
                item.held = item.decided = item.started_at = None
        if (reply := self.reply) is not None:
            reply.cut_off = False  # it is requested again, below the note if it had failed
            reply.abandoned |= bool(reply.failures) and not reply.ended
        self.items.append(note_on(event))

    def _finish(self, event: e.RunFinished) -> None:
        self.finished, self.awaited = event, None
        for item in self.open_calls.values():
            item.run_ended = True
        if self.reply is not None and not self.reply.ended and self.reply.fatal_error is None:
            self.reply.cut_off = True
            self.reply.writing.clear()
        self.totals = event.totals
        if event.error and (self.reply is None or self.reply.fatal_error != event.error):
            self.items.append(NoteItem(event.t, event.error, "error"))

    def _apply_model(
        self,
        event: e.ModelAsked | e.ModelDelta | e.ModelReplied | e.ModelFailed | e.ReplyInterrupted,
    ) -> None:
        self.step = event.step
        reply = self.reply
        if reply is not None and isinstance(event, e.ModelAsked) and _is_partial(reply):
            reply.abandoned = not reply.interrupted
            reply.writing.clear()
        if reply is None or reply.step != event.step or reply.interrupted or reply.abandoned:
            reply = self.reply = ReplyItem(event.step, event.t)
            self.items.append(reply)
        match event:
            case e.ModelAsked():
                reply.asked_at = event.t
                reply.text = reply.reasoning = ""
                reply.wrote_at = None
                reply.writing.clear()
            case e.ModelDelta():
                _write(reply, event)
            case e.ModelReplied():
                self._replied(reply, event)
            case e.ModelFailed():
                reply.failures.append(event)
            case e.ReplyInterrupted():
                reply.interrupted = True
                reply.writing.clear()

    def _replied(self, reply: ReplyItem, event: e.ModelReplied) -> None:
        reply.replied, reply.text, reply.reasoning = event, event.text, event.reasoning
        reply.writing.clear()
        self.context_tokens = event.usage.input_tokens + event.usage.output_tokens
        totals, cost = self.totals, self.totals.cost
        if event.cost is not None:
            cost = (cost or 0.0) + event.cost
        self.totals = msgspec.structs.replace(
            totals, steps=event.step, usage=totals.usage + event.usage, cost=cost
        )

    def _apply_call(
        self,
        event: e.CallProposed | e.CallHeld | e.CallDecided | e.CallStarted | e.CallFinished,
    ) -> None:
        if isinstance(event, e.CallProposed):
            item = CallItem(event.call, event.t)
            self.items.append(item)
            self.calls[event.call.number] = item
            self.open_calls[event.call.number] = item
            return
        item = self.calls[event.call]
        match event:
            case e.CallHeld():
                item.held = event
            case e.CallDecided():
                item.decided = event
                self.decisions[event.verdict] = self.decisions.get(event.verdict, 0) + 1
            case e.CallStarted():
                item.started_at = event.t
            case e.CallFinished():
                item.finished = event
                self.open_calls.pop(event.call, None)
                self.awaited = None
                self.totals = with_call(self.totals, item)

    def _apply_human(self, event: e.HumanMessage | e.HumanCommand | e.HumanFile) -> None:
        match event:
            case e.HumanMessage():
                item = HumanItem(event.id, event.t, event.text)
            case e.HumanCommand():
                tells_model = event.told_to_model
                item = HumanItem(event.id, event.t, event.command, event.command, tells_model)
            case e.HumanFile(path=path, told_to_model=tells_model):
                item = HumanItem(event.id, event.t, path, told_to_model=tells_model, file=event)
        self.humans[event.id] = item
        self.items.append(item)

    @staticmethod
    def _reword(item: HumanItem, text: str) -> None:
        item.text = text
        if item.command is not None:
            item.command = text

    def _apply_files(self, event: e.FilesChanged) -> None:
        for change in event.changes:
            known = self.files.get(change.path)
            mark = run_mark(known, change)
            history = lengthened(known.history if known else [], (event.step, change.blob))
            self.files[change.path] = FileState(change, mark, event.step, event.by, history)


def fold(events: Iterable[e.AnyEvent]) -> RunState:
    """Return the state after these events."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def _write(reply: ReplyItem, delta: e.ModelDelta) -> None:
    if delta.channel == "text":
        reply.text += delta.text
    elif delta.channel == "reasoning":
        reply.reasoning += delta.text
    else:
        name, arguments = reply.writing.get(delta.index, ("", ""))
        reply.writing[delta.index] = (delta.name or name, arguments + delta.text)
    if reply.wrote_at is None and (reply.writing or reply.text.strip()):
        reply.wrote_at = delta.t


def _is_partial(reply: ReplyItem) -> bool:
    """Return whether only part of the reply arrived; that part is kept."""
    return reply.replied is None and bool(reply.text or reply.reasoning or reply.writing)
