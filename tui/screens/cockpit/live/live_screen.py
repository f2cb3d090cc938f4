"""A live run: the cockpit with all the controls of the run."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.css.query import NoMatches
from typing_extensions import override

from sandbox_tui.core.base.errors import ImageMissing, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, Item
from sandbox_tui.core.run.human.run_controls import Controls, FileControls
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.sessions.recording.run_worker import EndedEarly, ProgramExited, RunLost, RunWorker
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.run_handle import RunHandle, run_clock
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import ignore_burst
from sandbox_tui.tui.keys.leaving_word import leaving_word
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.live.approving.waiting_file import WaitingFile
from sandbox_tui.tui.screens.cockpit.live.approving.whole_call import WholeCallScreen
from sandbox_tui.tui.screens.cockpit.live.end_toast import toast_end
from sandbox_tui.tui.screens.cockpit.live.ending_runs import closing_dialog
from sandbox_tui.tui.screens.cockpit.live.failed_start import offer_image, say_it_failed
from sandbox_tui.tui.screens.cockpit.live.interrupted import offer_to_resume
from sandbox_tui.tui.screens.cockpit.live.next_steps import NextSteps
from sandbox_tui.tui.screens.cockpit.live.shells import Shells
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.screens.cockpit.live.steering_actions import SteeringActions
from sandbox_tui.tui.screens.cockpit.live.storage_toast import StorageToast
from sandbox_tui.tui.screens.cockpit.live.typed_lines import TypedLines
from sandbox_tui.tui.screens.cockpit.live.waiting_toast import WaitingToast
from sandbox_tui.tui.screens.cockpit.outdated_notices import CONTROL_TAKEN, OutdatedNotices
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.screens.dialogs.confirm import EndRunDialog
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog, Leaving
from sandbox_tui.tui.screens.messages import DetachRequested
from sandbox_tui.tui.textual_support.private_api import is_closing
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, warn_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar
from sandbox_tui.tui.widgets.calls.queue_list import QueueList
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane


class LiveScreen(SteeringActions, NextSteps, ClosesWhenOnTop[None]):
    """Shows a run's events once they are stored, and passes the user's actions on to the run.

    Args:
        worker: the run.
        store: the store that contains it.
        confirm_leave: whether leaving an active run asks what to do with it, or it continues.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("live.steer", "steer"),
        binding("live.pause", "pause"),
        binding("live.step", "step"),
        binding("live.approve", "approve"),
        binding("live.edit", "edit"),
        binding("live.resume", "resume"),
        binding("live.reject", "reject"),  # the same key, which says why this action is off
        binding("live.approve_always", "approve_always", show=False),
        binding("live.answer", "answer", show=False),
        binding("live.skip", "skip", show=False),
        binding("live.waiting", "waiting", show=False),
        binding("live.mode", "mode"),
        binding("live.allowed", "allowed", show=False),
        binding("live.freeze", "freeze", show=False),
        binding("live.inject", "inject"),
        binding("live.message", "message"),
        binding("live.queue", "queue", show=False),
        binding("live.put_away", "put_away", show=False),  # the same key: notices go first
        binding("live.shell", "take_over"),
        binding("live.end", "end"),
        binding("live.fork", "fork"),
        binding("live.run_again", "run_again"),
        binding("live.replay", "replay", show=False),
        binding("live.export", "export", show=False),
        binding("live.open_folder", "open_folder", show=False),
        *Cockpit.COMMON,
        binding("live.to_calls", "to_calls"),  # the same key: the way back comes first
        binding("live.interrupt", "interrupt"),
        binding("live.interrupt_reply", "interrupt_reply"),
        binding("live.leave", "leave"),
    ]

    def __init__(self, worker: RunHandle, store: Store, *, confirm_leave: bool = True) -> None:
        blobs = store.blobs(worker.run_id)
        super().__init__(worker.task, task=worker.task, live=True, get_blob=blobs.get)
        self.worker = worker
        self._session_store = store
        self._confirm_leave = confirm_leave
        self._known = worker.state if isinstance(worker, RunWorker | RunClient) else None
        self._known_seq = 0 if self._known is None else self._known.seq  # the panes are behind it
        self._told_of_end = worker.ended.is_set()
        self._shown_keys_for: object = None
        self._steering = RunSteering(self, worker, self.state)
        self._typed_lines = TypedLines(self, self._steering, self.state)
        self._shells = Shells(self, self._steering)
        self._storage_toast = StorageToast(self)
        self._waiting_toast = WaitingToast(self)
        self._outdated_notices = OutdatedNotices(self, self.state)
        self._steered = False
        self._waiting_file = WaitingFile(self, self.state, lambda: self.live_files)

    def compose_bottom(self) -> ComposeResult:
        """Yield the bars for the waiting call, the outcome, the queue and the input line."""
        yield ApprovalBar(lambda: self._steering.has_draft, self._would_fail, id="approval")
        yield EndCard(self.worker.run_id, id="end")
        yield QueueList(id="queue")
        yield InjectBar(id="inject")

    def on_mount(self) -> None:
        """Start watching the run."""
        self._tick()
        self._watch()

    @property
    @override
    def session(self) -> tuple[Store, str]:
        return self._session_store, self.worker.run_id

    @property
    def run(self) -> Controls | None:
        """The run, or None until it has been created."""
        return self.worker.run

    @work(exclusive=True)
    async def _watch(self) -> None:
        """Apply the run's events as they arrive, once their terminal has the width of its pane: a
        line is wrapped only once."""
        await self._panes.wait_until_placed()
        async for event in self.worker.watch():
            try:
                await self.apply(event)
            except NoMatches:
                if is_closing(self):
                    return
                raise
        match self.worker.failure:
            case ImageMissing() as error:
                await offer_image(self, error, self._start_again)
            case EndedEarly() | RunLost():
                self._told_of_end = True
            case ProgramExited() as error:
                offer_to_resume(self, error)
            case SandboxTuiError() as error:
                say_it_failed(self, error)
            case None:
                self._told_of_end = True
        for words in self.run.left_behind if self.run is not None else ():
            self.notify(sanitize_line(words), severity="warning", markup=False, timeout=20)

    def _start_again(self) -> None:
        self.worker.start()
        self._watch()

    async def apply(self, event: e.AnyEvent) -> None:
        """Apply an event, and also report how the run ended."""
        await super().apply(event)
        if isinstance(event, e.RunFinished):
            self.add_class("-over")  # the run takes no more input
            if event.reason not in e.RESUMABLE:  # a resumed run asks about the same call again
                self._steering.forget_draft()
            # The card at the bottom reports the end, unless another screen covers it.
            if not self._told_of_end and not self.is_current:
                toast_end(self, event, self.state)

    @property
    def now(self) -> float:
        """Seconds since the run started; they advance between events."""
        return run_clock(self.worker, self.state, self._clock_at)

    @override
    def _tick(self) -> None:
        super()._tick()
        if self.state.started is None and self._has_panes:
            status, client = self.query_one(StatusBar), self.worker
            if isinstance(client, RunClient):  # its mode is in its record, which is yet to be read
                status.first_summary = client.summary
            elif status.first_mode != self._steering.mode:
                status.first_mode = self._steering.mode
                self.refresh_bindings()

    @override
    def sync_bars(self) -> None:
        super().sync_bars()
        for bar in (ApprovalBar, EndCard, QueueList):
            self.query_one(bar).sync(self.state)
        self._waiting_file.sync()
        self._sync_waiting_toast()
        self._outdated_notices.sync(steers=self.worker.steers)
        status, audience = self.query_one(StatusBar), self.worker.audience
        if self._known is not None and self.state.seq < self._known_seq:
            status.sync(self._known, run_clock(self.worker, self._known, self._clock_at))
        if status.prefix != audience:
            status.prefix = audience
            self.refresh_bindings()
        self._notice_lost_control()
        self.query_one(InjectBar).say_refused(self._steering.why_unavailable("inject"))
        status.waits = bool(self.worker.storage_error)
        status.interrupted = self._is_cut_off
        self._storage_toast.show(self.worker.storage_error)
        keys_for = (
            *(self.state.pending, self.state.mode, self.state.frozen, self.state.awaited),
            *(self._steering.interruptible, self._steering.why_unavailable("pause")),
        )
        if keys_for != self._shown_keys_for:
            self._shown_keys_for = keys_for
            self.refresh_bindings()

    @property
    def _is_cut_off(self) -> bool:
        """Whether the run goes no further although it has not ended: its program has exited, or it
        could not be resumed."""
        state = self.state
        is_unfinished = state.started is not None and state.finished is None
        return isinstance(self.worker.failure, ProgramExited) or (
            is_unfinished and self.worker.failure is not None
        )

    def _notice_lost_control(self) -> None:
        """Say that another terminal has taken control of the run."""
        steered, self._steered = self._steered, self.worker.steers or bool(self.state.finished)
        if steered and not self._steered and self.worker.audience:
            words = f"{CONTROL_TAKEN}; {hint('live.steer')} takes it back."
            warn_here(app_of(self), words, seconds=RESULT_SECONDS)

    def on_screen_resume(self) -> None:
        """Remove the toast about a waiting call: the call is visible again."""
        self._sync_waiting_toast()

    def _sync_waiting_toast(self) -> None:
        waiting = None if self._is_cut_off else self._steering.waiting
        self._waiting_toast.sync(waiting.call.number if waiting is not None else None)

    @override
    def open_whole(self, item: Item | None) -> None:
        if isinstance(item, CallItem) and item is self._steering.waiting:
            calls = self.query_one(Calls)
            whole = (item, self.state, calls.edited_files, self._steering, calls.words_in(item))
            app_of(self).push_screen(WholeCallScreen(*whole))
        else:
            super().open_whole(item)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        return self._steering.why_unavailable(action) or super().why_unavailable(action, parameters)

    @override
    def leave_when_on_top(self, _: None) -> None:
        self.dismiss_when_on_top(None)

    # --- the run's files

    @property
    def live_files(self) -> FileControls | None:
        """The files of the run while it is active, otherwise None."""
        return None if self.run is None or self.run.over else self.run.files

    # --- ending and leaving

    def action_end(self) -> None:
        """End the run after a confirmation."""
        if self._steering.steerable_run() is None:
            return

        def ended(sure: bool | None) -> None:
            if sure and self.run is not None:
                self.run.cancel(ENDED_BY_USER)

        app_of(self).push_screen(EndRunDialog(), ended)

    @override
    def words_for(self, action: str) -> str | None:
        """The key bar's current words for an action: leaving asks, or goes back without a word."""
        is_back = action == "leave" and not self._confirm_leave
        return leaving_word(self) if is_back else super().words_for(action)

    @override
    def action_leave(self) -> None:
        """Leave the screen; ask first what to do with an active run."""
        if self.worker.ended.is_set() or not self._confirm_leave:
            self.dismiss(None)
        elif self.state.finished is not None:
            self._end_and_leave()
        else:
            dialog = LeaveDialog([self.state], detachable=isinstance(self.worker, RunWorker))
            app_of(self).push_screen(dialog, self._left)

    def _left(self, choice: Leaving | None) -> None:
        if choice == "end":
            self._end_and_leave()
        elif choice == "keep":
            self.call_later(self._close)  # the question is still on top
        elif choice == "detach" and isinstance(self.worker, RunWorker):
            self.post_message(DetachRequested([self.worker], self._detached))

    def _detached(self, _: bool | None) -> None:
        if isinstance(self.worker, RunWorker) and self.worker.left:
            self.call_later(self._close)

    def _close(self) -> None:
        """Leave without awaiting `dismiss`: a screen must not wait for its own end."""
        self.dismiss(None)

    @work(group="leaving")
    async def _end_and_leave(self) -> None:
        """Leave once the results are copied and the sandbox is closed."""
        async with closing_dialog(self, [self.worker]):
            await self.worker.stop(ENDED_BY_USER)
        self.dismiss_when_on_top(None)

    # --- steering

    def action_steer(self) -> None:
        """Take control; the screen that had it becomes a spectator."""
        self._steering.take_control()

    # --- typed lines

    def action_inject(self) -> None:
        """Type a command."""
        self._typed_lines.write("command")

    def action_message(self) -> None:
        """Type a message."""
        self._typed_lines.write("message")

    def action_reject(self) -> None:
        """Reject the waiting call, with a reason for the model."""
        self._typed_lines.decide("reject")

    def action_answer(self) -> None:
        """Answer the waiting call instead of running it."""
        self._typed_lines.decide("answer")

    def action_queue(self) -> None:
        """Focus the queue for the model."""
        self._typed_lines.focus_queue()

    @on(QueueList.EditRequested)
    def _edit_queued(self, event: QueueList.EditRequested) -> None:
        self._typed_lines.edit(event.item)

    @on(QueueList.RemoveRequested)
    def _remove_queued(self, event: QueueList.RemoveRequested) -> None:
        self._typed_lines.remove(event.item)

    @on(InjectBar.Sent)
    def _sent(self, event: InjectBar.Sent) -> None:
        self._typed_lines.send(event)

    @on(InjectBar.Closed)
    @on(QueueList.Closed)
    def _left_bar(self) -> None:
        self._typed_lines.leave()

    # --- shells

    async def action_take_over(self) -> None:
        """Move the keyboard to a shell in the sandbox."""
        if self._steering.steerable_run() is not None:
            self.action_pane("terminals")
            await self._shells.enter()
        else:
            ignore_burst(self)

    @on(TerminalPane.ShellRequested)
    async def _shell_requested(self) -> None:
        await self._shells.open()

    @on(TerminalPane.CloseRequested)
    async def _close_requested(self, event: TerminalPane.CloseRequested) -> None:
        if self.run is not None:
            await self.run.close_shell(event.terminal)

    @on(TerminalPane.Typed)
    async def _typed(self, event: TerminalPane.Typed) -> None:
        if self.run is not None:
            await self.run.type(event.terminal, event.data)

    @on(TerminalPane.Resized)
    async def _resized(self, event: TerminalPane.Resized) -> None:
        if self.run is not None and event.terminal in self.state.terminals:
            await self.run.resize(event.terminal, event.columns, event.rows)
