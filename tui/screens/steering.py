# pyright: reportUnknownMemberType=false
"""What a person may do to the course of a run: modes, decisions, the queue, freezing."""

from __future__ import annotations

import json
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ...core.controls import Controls
from ...core.errors import SandboxTuiError
from ...core.events import Mode
from ...core.text import clean_line
from ..widgets.approval_bar import ApprovalBar
from ..widgets.calls import Calls
from ..widgets.inject_bar import InjectBar, Purpose
from ..widgets.queue_list import QueueList
from .allow_always import AllowAlways
from .cockpit import Cockpit
from .edit_call import EditCall

NEXT_MODE: dict[Mode, Mode] = {"auto": "ask", "ask": "step", "step": "auto", "paused": "auto"}

_MODES: dict[Mode, str] = {
    "auto": "Calls run by themselves; only what the policy denies does not.",
    "ask": "The policy says which calls wait for you.",
    "step": "Every call waits for you.",
}

GONE = "That call is no longer waiting; nothing was changed."


class Steering(Cockpit):
    """A cockpit with a run that can be steered; a subclass says which."""

    STEERING: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "pause", id="live.pause"),
        Binding("s", "step", "step", id="live.step"),
        Binding("a", "approve", "approve", id="live.approve"),
        Binding("e", "edit", "edit", id="live.edit"),
        Binding("r", "reject", "reject", id="live.reject"),
        Binding("Y", "approve_always", "Approve always", show=False, id="live.approve_always"),
        Binding("A", "answer", "Answer in the tool's stead", show=False, id="live.answer"),
        Binding("S", "skip", "Skip the call", show=False, id="live.skip"),
        Binding("M,f4", "cycle_mode", "mode", id="live.mode"),
        Binding("Z", "freeze", "Freeze the sandbox, let it go on", show=False, id="live.freeze"),
        Binding("i", "inject", "inject", id="live.inject"),
        Binding("m", "message", "message", id="live.message"),
        Binding("u", "queue", "What waits for the model", show=False, id="live.queue"),
        Binding("escape", "interrupt", "Interrupt the command", show=False, id="live.interrupt"),
        Binding(
            "R", "interrupt_reply", "Interrupt the reply", show=False, id="live.interrupt_reply"
        ),
    ]

    _rewording: int | None = None
    _deciding: int | None = None
    _freezing: bool | None = None

    @property
    def run(self) -> Controls | None:
        """The run, None until it has been put together."""
        raise NotImplementedError

    def compose_bottom(self) -> ComposeResult:
        """What waits for the person, what waits for the model, the line to type in."""
        yield ApprovalBar(id="approval")
        yield QueueList(id="queue")
        yield InjectBar(id="inject")

    def sync_bars(self) -> None:
        """Also what waits."""
        super().sync_bars()
        self.query_one(ApprovalBar).sync(self.state)
        self.query_one(QueueList).sync(self.state)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done at this moment."""
        if action in ("approve", "approve_always", "edit", "reject", "answer", "skip"):
            return self.state.pending is not None
        if action in ("pause", "step", "cycle_mode", "freeze", "inject", "message", "interrupt"):
            return self.state.finished is None
        if action == "queue":
            return bool(self.state.queue)
        return True

    @property
    def steers(self) -> bool:
        """Whether this is the screen that steers the run."""
        return True

    def steerable_run(self) -> Controls | None:
        """The run while something can still be done to it; says so when not."""
        run = self.run
        if run is not None and not self.steers:
            self.notify("Another screen steers this run; T takes over.")
            return None
        if run is None or not run.steerable:
            self.notify("This run is over." if run else "The run is starting.")
            return None
        return run

    # --- how it proceeds

    def action_pause(self) -> None:
        """Hold the run, or let it go on by itself."""
        run = self.steerable_run()
        if run is not None:
            run.pause() if run.gate.mode in ("auto", "ask") else run.resume()

    def action_step(self) -> None:
        """One call further."""
        run = self.steerable_run()
        if run is not None:
            run.step()

    def action_cycle_mode(self) -> None:
        """Auto, ask, step, and round again."""
        run = self.steerable_run()
        if run is not None:
            mode = NEXT_MODE[run.gate.mode]
            run.set_mode(mode)
            self.notify(_MODES[mode], title=mode, timeout=3)

    @work(group="freezing")
    async def action_freeze(self) -> None:
        """Pause and stop every process in the sandbox; or let all of it go on."""
        run = self.steerable_run()
        if run is None:
            return
        frozen = run.frozen if self._freezing is None else self._freezing
        self._freezing = not frozen  # pressed again before it is done, it means the opposite
        try:
            await (run.thaw() if frozen else run.freeze())
        except SandboxTuiError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)
        finally:
            if self._freezing is not frozen:
                self._freezing = None

    # --- the waiting call

    def action_approve(self) -> None:
        """Let the waiting call run."""
        run, pending = self.steerable_run(), self.state.pending
        if run is not None and pending is not None:
            run.approve(pending.call.number)

    def action_approve_always(self) -> None:
        """Let the waiting call run, and all like it for the rest of the run."""
        run, pending = self.steerable_run(), self.state.pending
        if run is None or pending is None:
            return
        patterns = run.gate.suggested()
        if not patterns:
            self.notify("No pattern fits this call: approve it by itself.")
            return
        number = pending.call.number

        def allowed(chosen: tuple[str, ...] | None) -> None:
            if chosen and not run.approve_always(number, chosen):
                self.notify(GONE)

        self.app.push_screen(AllowAlways(pending.call, patterns), allowed)

    def action_edit(self) -> None:
        """Change the waiting call before it runs."""
        run, pending = self.steerable_run(), self.state.pending
        if run is None or pending is None:
            return
        number, before = pending.call.number, pending.call.arguments

        def edited(arguments: str | None) -> None:
            if arguments is None:
                return
            done = run.approve(number) if _same(arguments, before) else run.edit(number, arguments)
            if not done:
                self.notify(GONE)

        self.app.push_screen(EditCall(pending.call), edited)

    def action_reject(self) -> None:
        """Keep the waiting call from running, with words for the model."""
        self._type_decision("reject")

    def action_answer(self) -> None:
        """Answer the waiting call in the tool's stead."""
        self._type_decision("answer")

    def _type_decision(self, purpose: Purpose) -> None:
        pending = self.state.pending
        if pending is not None:
            self._deciding = pending.call.number
            self._type_in(purpose)

    def action_skip(self) -> None:
        """Leave the waiting call out."""
        run, pending = self.steerable_run(), self.state.pending
        if run is not None and pending is not None:
            run.skip(pending.call.number)

    # --- words and commands

    def action_inject(self) -> None:
        """Type a command."""
        self._type_in("command")

    def action_message(self) -> None:
        """Type a message."""
        self._type_in("message")

    def action_queue(self) -> None:
        """Go to what waits for the model."""
        if self.state.queue:
            self.query_one(QueueList).focus()

    @on(QueueList.Edit)
    def _edit_waiting(self, event: QueueList.Edit) -> None:
        self._rewording = event.item.id
        self._type_in("reword", event.item.text)

    @on(QueueList.Remove)
    def _remove_waiting(self, event: QueueList.Remove) -> None:
        run = self.steerable_run()
        if run is not None and not run.withdraw(event.item.id):
            self.notify("That is no longer waiting.")

    def _type_in(self, purpose: Purpose, text: str | None = None) -> None:
        self.add_class("-typing")
        self.query_one(InjectBar).ask(purpose, text)

    @on(InjectBar.Left)
    @on(QueueList.Left)
    def _left_bar(self) -> None:
        self.remove_class("-typing")
        self.set_focus(self.query_one(Calls))

    @on(InjectBar.Sent)
    def _sent(self, event: InjectBar.Sent) -> None:
        run = self.steerable_run()
        if event.purpose not in ("command", "message"):
            self._left_bar()
        if run is None:
            return
        match event.purpose:
            case "command":
                run.inject(event.text, tell=event.told)
            case "message":
                run.message(event.text)
            case "reword":
                self._reword(run, event.text)
            case "reject" | "answer":
                self._decide_in_words(run, event)

    def _reword(self, run: Controls, text: str) -> None:
        item, self._rewording = self._rewording, None
        if item is not None and not run.reword(item, text):
            self.notify("That is no longer waiting; it went as it was.")

    def _decide_in_words(self, run: Controls, event: InjectBar.Sent) -> None:
        """About the call it was begun for, not the one that waits by now."""
        number, self._deciding = self._deciding, None
        decide = run.reject if event.purpose == "reject" else run.answer
        if number is None or not decide(number, event.text):
            self.notify(GONE)

    # --- breaking off

    async def action_interrupt(self) -> None:
        """End the running command alone."""
        run = self.steerable_run() if self.state.busy else None
        if run is None:
            return
        try:
            if await run.interrupt():
                self.notify("The command was interrupted.", timeout=2)
        except SandboxTuiError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)

    def action_interrupt_reply(self) -> None:
        """Break off the reply alone, or the wait for the next attempt."""
        if self.run is not None and self.steers and self.run.interrupt_reply():
            self.notify("The model is asked again now.", timeout=2)

    @on(Input.Changed)
    def _stop_input(self, event: Input.Changed) -> None:
        event.stop()


def _same(arguments: str, before: str) -> bool:
    """Whether two JSON texts say the same."""
    try:
        return json.loads(arguments) == json.loads(before)
    except (ValueError, RecursionError):
        return False
