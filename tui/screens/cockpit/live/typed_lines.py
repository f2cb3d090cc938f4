"""Text that the user types for a run: commands, messages, and decisions with a reason."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import HumanItem, RunState
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.tui.keys.key_sequencer import ignore_burst, note_sent_line
from sandbox_tui.tui.screens.cockpit.live.steering import GONE, RunSteering
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar, Purpose
from sandbox_tui.tui.widgets.calls.queue_list import QueueList


class TypedLines:
    """The input line, and the queue for the model.

    Args:
        screen: contains both.
        steering: controls the run.
        state: the run as far as the screen shows it.
    """

    def __init__(self, screen: Screen[None], steering: RunSteering, state: RunState) -> None:
        self._screen = screen
        self._steering = steering
        self._state = state
        self._rewording: int | None = None
        self._deciding: int | None = None
        self._before_queue: Widget | None = None

    def write(self, purpose: Purpose) -> None:
        """Open the input line for a command or a message.

        It also opens while the run is still being created: otherwise the typed text would be
        handled as keys.
        """
        if self._steering.run is None or self._steering.steerable_run() is not None:
            self._open(purpose)
        else:
            ignore_burst(self._screen)

    def decide(self, purpose: Purpose) -> None:
        """Open the input line for the reason of a rejection, or for an answer to the call."""
        pending = self._steering.waiting
        if pending is not None:
            if pending.call.number != self._deciding:
                self._bar.begin_deciding(pending.call.number)
            self._deciding = pending.call.number
            self._open(purpose)
        else:
            self._steering.not_shown_yet.says_so(self._screen)
            ignore_burst(self._screen)

    def focus_queue(self) -> None:
        """Focus the queue for the model."""
        if self._state.queue:
            queue = self._screen.query_one(QueueList)
            if self._screen.focused is not queue:
                self._before_queue = self._screen.focused
            queue.focus()

    def edit(self, item: HumanItem) -> None:
        """Edit a queued item."""
        self._rewording = item.id
        self._open("reword", item.text)

    def remove(self, item: HumanItem) -> None:
        """Remove a queued item."""
        run = self._steering.steerable_run()
        if run is not None and not run.withdraw(item.id):
            self._screen.notify("It is no longer queued.")

    def _open(self, purpose: Purpose, text: str | None = None) -> None:
        self._screen.add_class("-typing")
        self._bar.ask(purpose, text)

    @property
    def _bar(self) -> InjectBar:
        return self._screen.query_one(InjectBar)

    def leave(self) -> None:
        """Return the focus to where it was before the queue had it, otherwise to the calls."""
        self._screen.remove_class("-typing")
        before, self._before_queue = self._before_queue, None
        is_there = before is not None and before.is_attached and before.focusable
        self._screen.set_focus(before if is_there else self._screen.query_one(Calls))

    # --- a line that was sent

    def send(self, line: InjectBar.Sent) -> None:
        """Pass a line on to the run."""
        run = self._steering.steerable_run()
        if run is None:
            self._open(line.purpose, line.text)  # keep the typed text
            return
        self.leave()
        note_sent_line(self._screen)
        try:
            self._pass_on(run, line)
        except SandboxTuiError as error:
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)

    def _pass_on(self, run: Controls, line: InjectBar.Sent) -> None:
        match line.purpose:
            case "command":
                run.inject(line.text, tell=line.is_visible_to_model)
                self._steering.say_since_when(run)
            case "message":
                run.message(line.text)
                self._steering.say_since_when(run)
            case "reword":
                self._reword(run, line.text)
            case "reject" | "answer":
                self._decide_in_words(line)

    def _reword(self, run: Controls, text: str) -> None:
        item, self._rewording = self._rewording, None
        if item is not None and not run.reword(item, text):
            self._screen.notify("Too late: it was already sent unchanged.")

    def _decide_in_words(self, line: InjectBar.Sent) -> None:
        """Decide about the call for which the line was opened, not the one waiting by now."""
        number, self._deciding = self._deciding, None
        if number is None:
            self._screen.notify(GONE)
        else:
            verdict = "reject" if line.purpose == "reject" else "answer"
            self._steering.decide_in_words(number, verdict, line.text)
