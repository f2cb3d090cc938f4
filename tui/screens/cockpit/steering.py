"""What a person may do to the course of a run: modes, decisions, the queue, freezing."""

from __future__ import annotations

import json
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.dialogs.approve_always import ApproveAlwaysDialog
from sandbox_tui.tui.screens.dialogs.choose_mode import ModeDialog
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar, Purpose
from sandbox_tui.tui.widgets.calls.queue_list import QueueList
from sandbox_tui.tui.widgets.calls.rows.end_line import EndLine

_STEERING_ACTIONS = frozenset(
    ("pause", "step", "approve", "edit", "reject", "mode", "inject", "message", "take_over")
)
"""Actions that only the steering screen may take."""

GONE = "That call is no longer waiting; nothing was changed."


class Steering(Cockpit):
    """A cockpit with a run that can be steered; a subclass says which."""

    STEERING: ClassVar[list[BindingType]] = [
        binding("live.pause", "pause"),
        binding("live.step", "step"),
        binding("live.approve", "approve"),
        binding("live.edit", "edit"),
        binding("live.reject", "reject"),
        binding("live.approve_always", "approve_always", show=False),
        binding("live.answer", "answer", show=False),
        binding("live.skip", "skip", show=False),
        binding("live.waiting", "waiting", show=False),
        binding("live.mode", "mode"),
        binding("live.freeze", "freeze", show=False),
        binding("live.inject", "inject"),
        binding("live.message", "message"),
        binding("live.queue", "queue", show=False),
        binding("live.interrupt", "interrupt", show=False),
        binding("live.interrupt_reply", "interrupt_reply", show=False),
    ]

    _rewording: int | None = None
    _deciding: int | None = None
    _freezing: bool | None = None

    @property
    def run(self) -> Controls | None:
        """The run, None until it has been put together."""
        raise NotImplementedError

    @property
    def session_id(self) -> str:
        """Id of the session that the run is recorded in."""
        raise NotImplementedError

    def compose_bottom(self) -> ComposeResult:
        """What waits for the person, what waits for the model, the line to type in."""
        yield ApprovalBar(id="approval")
        yield EndLine(self.session_id, id="end")
        yield QueueList(id="queue")
        yield InjectBar(id="inject")

    def sync_bars(self) -> None:
        """Also what waits."""
        super().sync_bars()
        self.query_one(ApprovalBar).sync(self.state)
        self.query_one(EndLine).sync(self.state)
        self.query_one(QueueList).sync(self.state)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done at this moment."""
        if action in ("approve", "approve_always", "edit", "reject", "answer", "skip", "waiting"):
            return self.state.pending is not None
        if action in ("pause", "step", "mode", "freeze", "inject", "message", "interrupt"):
            return self.state.finished is None
        if action == "interrupt_reply":
            return self.state.finished is None
        if action == "queue":
            return bool(self.state.queue)
        return super().check_action(action, parameters)

    def words_for(self, action: str) -> str | None:
        """What the key bar says of an action at this moment: nothing of what only another screen
        may do; None where the binding's own words will do."""
        if action in _STEERING_ACTIONS and not self.steers:
            return ""
        if action == "pause":
            return "pause" if self.state.mode in ("auto", "ask") else "resume"
        return None

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
        if run is None:
            self.notify("The run is starting.")
        elif not run.steerable:
            ending = run.phase is Phase.FINISHING
            self.notify("This run is ending." if ending else "This run is over.")
        else:
            return run
        return None

    def _say_since_when(self, run: Controls) -> None:
        """A run that is starting shows no effect yet: say when it takes effect."""
        if run.phase is Phase.STARTING:
            self.notify("The run is starting: this holds from its first step on.")

    # --- how it proceeds

    def action_pause(self) -> None:
        """Hold the run, or let it go on by itself."""
        run = self.steerable_run()
        if run is not None:
            run.pause() if run.gate.mode in ("auto", "ask") else run.resume()
            self._say_since_when(run)
            self._say_what_still_waits()

    def action_step(self) -> None:
        """One call further."""
        run = self.steerable_run()
        if run is not None:
            run.step()
            self._say_since_when(run)
            self._say_what_still_waits()

    def action_mode(self) -> None:
        """Choose how the run proceeds; a call that waits goes on waiting."""
        run, pending = self.steerable_run(), self.state.pending
        if run is None:
            return

        def chosen(mode: Mode | None) -> None:
            run = self.steerable_run() if mode is not None else None
            if run is not None and mode is not None:
                run.set_mode(mode)
                self._say_since_when(run)

        number = pending.call.number if pending is not None else None
        app_of(self).push_screen(ModeDialog(run.gate.mode, number), chosen)

    def _say_what_still_waits(self) -> None:
        pending = self.state.pending
        if pending is not None:
            number = pending.call.number
            self.notify(f"Call {number} still waits for your decision.", timeout=3)

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
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
        finally:
            if self._freezing is not frozen:
                self._freezing = None

    # --- the waiting call

    def action_waiting(self) -> None:
        """Open the whole of the waiting call, wherever the cursor is."""
        self.open_whole(self.state.pending)

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

        app_of(self).push_screen(ApproveAlwaysDialog(pending.call, patterns), allowed)

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

        app_of(self).push_screen(EditCallDialog(pending.call), edited)

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
        if self._may_write():
            self._type_in("command")

    def action_message(self) -> None:
        """Type a message."""
        if self._may_write():
            self._type_in("message")

    def _may_write(self) -> bool:
        """Whether a line can be opened; says so when not. A run that is still being put together
        has one too: what is typed next would else be taken for other keys."""
        return self.run is None or self.steerable_run() is not None

    def action_queue(self) -> None:
        """Go to what waits for the model."""
        if self.state.queue:
            self.query_one(QueueList).focus()

    @on(QueueList.EditRequested)
    def _edit_waiting(self, event: QueueList.EditRequested) -> None:
        self._rewording = event.item.id
        self._type_in("reword", event.item.text)

    @on(QueueList.RemoveRequested)
    def _remove_waiting(self, event: QueueList.RemoveRequested) -> None:
        run = self.steerable_run()
        if run is not None and not run.withdraw(event.item.id):
            self.notify("That is no longer waiting.")

    def _type_in(self, purpose: Purpose, text: str | None = None) -> None:
        self.add_class("-typing")
        self.query_one(InjectBar).ask(purpose, text)

    @on(InjectBar.Closed)
    @on(QueueList.Closed)
    def _left_bar(self) -> None:
        self.remove_class("-typing")
        self.set_focus(self.query_one(Calls))

    @on(InjectBar.Sent)
    def _sent(self, event: InjectBar.Sent) -> None:
        run = self.steerable_run()
        if run is None:
            self._type_in(event.purpose, event.text)  # nothing typed is lost
            return
        self._left_bar()
        try:
            self._pass_on(run, event)
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)

    def _pass_on(self, run: Controls, event: InjectBar.Sent) -> None:
        match event.purpose:
            case "command":
                run.inject(event.text, tell=event.told)
                self._say_since_when(run)
            case "message":
                run.message(event.text)
                self._say_since_when(run)
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
            self.notify(sanitize_line(str(error)), severity="error", markup=False)

    def action_interrupt_reply(self) -> None:
        """Break off the reply alone, or the wait for the next attempt."""
        if self.run is not None and self.steers and self.run.interrupt_reply():
            self.notify("The model is asked again now.", timeout=2)

    @on(Input.Changed)
    def _stop_input(self, event: Input.Changed) -> None:
        event.stop()


def _same(arguments: str, before: str) -> bool:
    """Whether two JSON texts have the same value."""
    try:
        return json.loads(arguments) == json.loads(before)
    except (ValueError, RecursionError):
        return False
