"""The dialog shown while runs move to separate programs, after their current call or reply ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunRegistry, RunWorker
from sandbox_tui.sessions.remote.detach import can_be_detached, detach
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.status import unfinished_reply
from sandbox_tui.tui.keys.available_actions import action_of_key
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import ignore_burst
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.textual_support.typed_app import app_of


class DetachingRunsDialog(ExplainsUnavailable, Dialog[bool]):
    """Moves runs; dismisses with whether none of them is left in this program.

    Args:
        workers: the runs; empty for all that can move.
        runs: all runs of this program.
        ends: called once all have moved; returns whether the program ends, until when the dialog
            stays.
    """

    CSS = """
    DetachingRunsDialog .dialog { width: 68; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("leave_run.interrupt", "interrupt"),
        binding("leave_run.interrupt_reply", "interrupt_reply"),
        binding("leave_run.keep_here", "keep_here"),
    ]

    def __init__(
        self, workers: Sequence[RunWorker], runs: RunRegistry, ends: Callable[[], bool]
    ) -> None:
        super().__init__()
        self._ends = ends
        self._moving = list(workers or can_be_detached(runs))
        self._runs = runs
        self._moved = 0
        self._tasks: list[asyncio.Task[bool]] = []
        self._stays = "keep the rest here" if len(self._moving) > 1 else "keep it here"

    def compose(self) -> ComposeResult:
        """Yield the progress, the consequences of detaching, and the key that stops it."""
        with Vertical(classes="dialog") as box:
            box.border_title = f"detaching {numbers.counted(len(self._moving), 'run')}"
            yield Static(id="how-far", markup=False)
            each = "each run" if len(self._moving) > 1 else "the run"
            yield Static(_WHAT_IT_MEANS.format(each), markup=False)

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
        self._show_progress()
        if self._have_moved and not self._runs.running and self._ends():
            return
        ignore_burst(self)  # what is being typed is not meant for the screen below
        self.dismiss_when_on_top(not self._runs.running)

    @property
    def _have_moved(self) -> bool:
        """Whether all runs go on in their new programs."""
        has_counted_all = 0 < self._moved == len(self._moving)
        return has_counted_all and all(worker.left for worker in self._moving)

    def _count(self, task: asyncio.Task[bool]) -> None:
        self._moved += not task.cancelled() and task.exception() is None

    def _show_progress(self) -> None:
        many = len(self._moving)
        done = f"{self._moved} of {many} moved · " if many > 1 else ""
        waits_for = _waits_for(self._moving)
        now = f"waiting for {waits_for} to end" if waits_for else "moving …"
        now = "leaving …" if self._have_moved else now
        words = f"{done}{now}"
        self.query_one("#how-far", Static).update(f"{words[:1].upper()}{words[1:]}\n")
        keys = [
            f"{hint(f'leave_run.{action}')} {self.words_for(action)}"
            for action in (*_INTERRUPTS, "keep_here")
            if not self.why_unavailable(action, ())
        ]
        self.query_one(".dialog").border_subtitle = " · ".join(keys)
        self.refresh_bindings()

    def words_for(self, action: str) -> str | None:
        """Return the key bar's words, which are those of the dialog; with all keys, short ones."""
        if action == "interrupt_reply" and all(map(_awaits_retry, self._replies)):
            return "ask again there"
        if not any(self.why_unavailable(interrupt, ()) for interrupt in _INTERRUPTS):
            return _SHORT_WORDS.get(action)
        return _INTERRUPTS.get(action, self._stays if action == "keep_here" else None)

    @property
    def _replies(self) -> list[RunWorker]:
        """The runs that wait for a reply."""
        return list(filter(_awaits_reply, self._moving))

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if action == "interrupt" and not any(map(_runs_call, self._moving)):
            return "no command is running"
        if action == "interrupt_reply" and not self._replies:
            return "no reply is on its way"
        if action == "keep_here" and self._have_moved:
            return "all runs have moved"
        return ""

    @override
    def why_key_does_nothing(self, key: str) -> str:
        """Why a key of the screen below does nothing: what is typed now is not meant for a dialog
        that shows progress."""
        name = action_of_key(app_of(self).screen_stack[-2], key)
        if not name:
            return ""
        moves = "runs move" if len(self._moving) > 1 else "run moves"
        stay = f"{hint('leave_run.keep_here')}  {self._stays}"
        return f"{ACTIONS[name].short_title}: not while the {moves}.  {stay}"

    @work(group="interrupting")
    async def action_interrupt(self) -> None:
        """Interrupt the calls that the runs wait for: a command may take hours."""
        for worker in filter(_runs_call, self._moving):
            try:
                if worker.run is not None:
                    await worker.run.interrupt()
            except SandboxTuiError as error:
                self.notify(sanitize_line(str(error)), severity="error", markup=False)

    def action_interrupt_reply(self) -> None:
        """Give up the replies that the runs wait for: their programs ask for them again."""
        for worker in self._replies:
            if worker.run is not None:
                worker.run.interrupt_reply()

    def action_keep_here(self) -> None:
        """Keep the runs that have not moved in this program."""
        for task in self._tasks:
            task.cancel()


def _runs_call(worker: RunWorker) -> bool:
    """Return whether a run waits for its call to end before it can move."""
    return not worker.left and not worker.ended.is_set() and worker.state.running is not None


def _awaits_reply(worker: RunWorker) -> bool:
    """Return whether a run waits for its reply to end before it can move."""
    if worker.left or worker.ended.is_set() or worker.state.running is not None:
        return False
    return unfinished_reply(worker.state) is not None


def _awaits_retry(worker: RunWorker) -> bool:
    """Return whether the reply that a run waits for has failed, and is to be asked for again."""
    reply = unfinished_reply(worker.state)
    return _awaits_reply(worker) and reply is not None and reply.has_failed


def _waits_for(workers: Sequence[RunWorker]) -> str:
    """Return what has to end before runs can move; empty if nothing does."""
    running = [one.state.running for one in workers if _runs_call(one)]
    calls = [item.call.number for item in running if item is not None]
    retries = sum(map(_awaits_retry, workers))
    replies = sum(map(_awaits_reply, workers)) - retries
    if len(workers) == 1:
        reply = "the reply" if replies else "the next try" if retries else ""
        return f"call {calls[0]}" if calls else reply
    counts = (
        (len(calls), "call", "calls"),
        (replies, "reply", "replies"),
        (retries, "retry", "retries"),
    )
    return " and ".join(f"{n} {one if n == 1 else more}" for n, one, more in counts if n)


_INTERRUPTS = {"interrupt": "interrupt the call", "interrupt_reply": "ask again there"}
"""What the keys do that let a run move at once."""

_SHORT_WORDS = {
    "interrupt": "interrupt",
    "interrupt_reply": "ask again",
    "keep_here": "keep the rest",
}
"""What all keys do in words that fit beside each other on a narrow screen; only several runs have
them all."""

_WHAT_IT_MEANS = (
    "A separate program resumes {} from its record, in the same sandbox. Files, shell "
    "state, mode and messages are kept. Background processes continue in a container; in the "
    "embedded sandbox they end, and the model is told. Open shells are closed. The home screen "
    "and `sandbox-tui attach` open the run again."
)
