"""The dialog shown while runs move to separate programs, after their current call or reply ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import RunRegistry, RunWorker
from sandbox_tui.sessions.remote.detach import can_be_detached, detach
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

STAYS = "keep the rest here"


class DetachingRunsDialog(ExplainsUnavailable, Dialog[bool]):
    """Moves runs; dismisses with whether none of them is left in this program.

    Args:
        workers: the runs; empty for all that can move.
        runs: all runs of this program.
    """

    CSS = """
    DetachingRunsDialog .dialog { width: 68; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("leave_run.interrupt", "interrupt"),
        binding("leave_run.stay", "answer(None)"),
    ]

    def __init__(self, workers: Sequence[RunWorker], runs: RunRegistry) -> None:
        super().__init__()
        self._moving = list(workers or can_be_detached(runs))
        self._runs = runs
        self._moved = 0
        self._tasks: list[asyncio.Task[bool]] = []

    def compose(self) -> ComposeResult:
        """Yield the progress, the consequences of detaching, and the key that stops it."""
        with Vertical(classes="dialog") as box:
            box.border_title = f"detaching {numbers.counted(len(self._moving), 'run')}"
            yield Static(id="how-far", markup=False)
            yield Static(_WHAT_IT_MEANS, markup=False)

    def on_mount(self) -> None:
        """Start moving the runs."""
        self._show_progress()
        self.set_interval(0.25, self._show_progress)
        self._move()

    @work(group="detaching")
    async def _move(self) -> None:
        self._tasks = [asyncio.create_task(detach(one, self._runs)) for one in self._moving]
        for task in self._tasks:
            task.add_done_callback(self._count)
        results = await asyncio.gather(*self._tasks, return_exceptions=True)
        for error in results:
            if isinstance(error, SandboxTuiError):
                words = sanitize_line(str(error))
                self.notify(words, severity="error", markup=False, timeout=20)
        self.dismiss_when_on_top(not self._runs.running)

    def _count(self, task: asyncio.Task[bool]) -> None:
        self._moved += not task.cancelled() and task.exception() is None

    def _show_progress(self) -> None:
        waiting = [words for one in self._moving if (words := _under_way(one))]
        done = f"{self._moved} of {len(self._moving)} have moved. " if len(self._moving) > 1 else ""
        more = f" (and {len(waiting) - 1} more)" if len(waiting) > 1 else ""
        now = f"Waiting for {waiting[0]} to end{more}." if waiting else "Moving …"
        self.query_one("#how-far", Static).update(f"{done}{now}\n")
        stays = f"{hint('leave_run.stay')} {STAYS}"
        interrupts = f"{hint('leave_run.interrupt')} interrupt the call · "
        box = self.query_one(".dialog")
        can_interrupt = not self.why_unavailable("interrupt", ())
        box.border_subtitle = f"{interrupts}{stays}" if can_interrupt else stays
        self.refresh_bindings()

    def words_for(self, action: str) -> str | None:
        """Return the key bar's words for staying, which are those of the dialog."""
        return STAYS if action == "answer" else None

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        is_off = action == "interrupt" and not any(map(_runs_call, self._moving))
        return "no command is running" if is_off else ""

    @work(group="interrupting")
    async def action_interrupt(self) -> None:
        """Interrupt the calls that the runs wait for: a command may take hours."""
        for worker in filter(_runs_call, self._moving):
            try:
                if worker.run is not None:
                    await worker.run.interrupt()
            except SandboxTuiError as error:
                self.notify(sanitize_line(str(error)), severity="error", markup=False)

    def action_answer(self, _: None) -> None:
        """Keep the runs that have not moved in this program."""
        for task in self._tasks:
            task.cancel()


def _runs_call(worker: RunWorker) -> bool:
    """Return whether a run waits for its call to end before it can move."""
    return not worker.left and not worker.ended.is_set() and worker.state.running is not None


def _under_way(worker: RunWorker) -> str:
    """Return what has to end before a run can move; empty if nothing does."""
    state: RunState = worker.state
    if worker.left or worker.ended.is_set():
        return ""
    if state.running is not None:
        return f"call {state.running.call.number}"
    reply = state.reply
    return "the reply" if reply is not None and not reply.ended else ""


_WHAT_IT_MEANS = (
    "A separate program resumes each run from its record, in the same sandbox. Files, shell "
    "state, mode and messages are kept. Background processes continue in a container; in the "
    "embedded sandbox they end, and the model is told. Open shells are closed. The home screen "
    "and `sandbox-tui attach` open the run again."
)
