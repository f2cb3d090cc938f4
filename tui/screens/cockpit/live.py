"""A run as it happens: the cockpit with everything a person may do to it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar, cast

from textual import on, work
from textual.binding import BindingType
from textual.css.query import NoMatches
from typing_extensions import override

from sandbox_tui.core.base.errors import ImageMissing, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.human.run_controls import Controls, FileControls
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_worker import EndedEarly
from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.ending_runs import closing_dialog
from sandbox_tui.tui.screens.cockpit.steering import Steering
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog, Leaving
from sandbox_tui.tui.screens.dialogs.show_error import ErrorDialog
from sandbox_tui.tui.screens.home.missing_image import MissingImageDialog
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.textual_support.private_api import is_closing
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane

STORAGE_TOAST_TITLE = "the run waits"
"""Title of the notice about a run that cannot be stored."""

STORAGE_TOAST_SECONDS = 86400
"""Seconds for which is said what a run waits for: that is taken back when it goes on."""


class LiveScreen(Steering, ClosesWhenOnTop[None]):
    """Shows a run's events once they are stored, and passes on what a person does.

    Args:
        worker: the run.
        store: where it is kept.
        asks: what shall become of a run that is left; otherwise it just goes on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("live.steer", "steer"),
        *Steering.STEERING,
        binding("live.shell", "take_over"),
        binding("live.end", "end", show=False),
        binding("live.fork", "fork"),
        *Cockpit.COMMON,
        binding("live.leave", "leave"),
    ]

    def __init__(self, worker: RunHandle, store: Store, *, asks: bool = True) -> None:
        blobs = store.blobs(worker.run_id)
        super().__init__(worker.task, live=True, get_blob=blobs.get)
        self.worker = worker
        self._session_store = store
        self._asks = asks
        self._told_of_end = worker.ended.is_set()
        self._shown_storage_error = ""

    def on_mount(self) -> None:
        """Watch the run."""
        self._watch()

    @property
    @override
    def session(self) -> tuple[Store, str]:
        return self._session_store, self.worker.run_id

    @property
    @override
    def session_id(self) -> str:
        return self.worker.run_id

    @property
    def run(self) -> Controls | None:
        """The run, once it has been put together."""
        return self.worker.run

    @work(exclusive=True)
    async def _watch(self) -> None:
        """Show the run's events as they come."""
        async for event in self.worker.watch():
            try:
                await self.apply(event)
            except NoMatches:
                if is_closing(self):
                    return
                raise
        match self.worker.failure:
            case ImageMissing() as error:
                self._offer_image(error)
            case EndedEarly():
                self._told_of_end = True
            case SandboxTuiError() as error:
                app_of(self).push_screen(ErrorDialog(str(error)))
            case None:
                self._told_of_end = True
        for words in self.run.left_behind if self.run is not None else ():
            self.notify(sanitize_line(words), severity="warning", markup=False, timeout=20)

    def _offer_image(self, error: ImageMissing) -> None:
        def answered(there: bool | None) -> None:
            if there:
                self.worker.start()
                self._watch()
            else:  # the offer itself is still on top
                self.call_later(app_of(self).push_screen, ErrorDialog(str(error)))

        app_of(self).push_screen(MissingImageDialog(error.image), answered)

    async def apply(self, event: e.AnyEvent) -> None:
        """Also say how it ended."""
        await super().apply(event)
        if isinstance(event, e.RunFinished):
            self.add_class("-over")  # nothing can be typed for it any more
            if not self._told_of_end:
                self._say_how_it_ended(event)

    def _say_how_it_ended(self, finished: e.RunFinished) -> None:
        if finished.reason == "submitted":
            answer = sanitize_line((finished.answer or "").strip())
            where = f"\nresults in {sanitize_line(finished.output)}" if finished.output else ""
            self.notify(f"{answer[:200]}{where}", title="submitted", markup=False, timeout=10)
        else:
            reason = finished.reason.replace("_", " ")
            words = sanitize_line(finished.error or "")
            self.notify(words, title=reason, severity="error", markup=False, timeout=20)
        self.refresh_bindings()

    @property
    def now(self) -> float:
        """Seconds since the run began, going on between events."""
        if self.state.started is None or self.state.finished is not None:
            return self.state.t
        return self.state.t + time.monotonic() - self._clock_at

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done at this moment."""
        if action == "steer":
            return not self.worker.steers and self.state.finished is None
        if action == "fork":
            return self.state.finished is not None
        if action in ("take_over", "end"):
            return self.state.finished is None
        return super().check_action(action, parameters)

    def action_fork(self) -> None:
        """Go on from the end of the run, which is over."""
        self.post_message(ForkRequested(self.worker.run_id, self.state.seq))

    def sync_bars(self) -> None:
        """Also who steers, and the keys that can be pressed now."""
        super().sync_bars()
        bar, audience = self.query_one(StatusBar), self.worker.audience
        if bar.prefix != audience:
            bar.prefix = audience
            self.refresh_bindings()
        self._say_what_is_waited_for(bar)
        pending = self.state.pending
        number = pending.call.number if pending else None
        if number != getattr(self, "_pending_shown", None):
            self._pending_shown = number
            self.refresh_bindings()

    def _say_what_is_waited_for(self, bar: StatusBar) -> None:
        storage_error = self.worker.storage_error
        bar.waits = bool(storage_error)
        if storage_error == self._shown_storage_error:
            return
        app = cast("DedupedToasts[int]", app_of(self))
        if self._shown_storage_error:
            app.take_back(_why_it_waits(self._shown_storage_error), STORAGE_TOAST_TITLE)
        self._shown_storage_error = storage_error
        if storage_error:
            words = _why_it_waits(storage_error)
            self.notify(
                words,
                title=STORAGE_TOAST_TITLE,
                severity="warning",
                markup=False,
                timeout=STORAGE_TOAST_SECONDS,
            )
        else:
            self.notify("It can be stored again.", title="the run goes on")

    # --- the run's files

    @property
    def live_files(self) -> FileControls | None:
        """The files of the run while it goes on."""
        return None if self.run is None or self.run.over else self.run.files

    @property
    def results_folder(self) -> Path:
        """Where the run's results go."""
        output = self.run.spec.output if self.run is not None else None
        return (output or Path.cwd()).absolute()

    # --- ending and leaving

    @property
    def steers(self) -> bool:
        """Whether this is the screen that steers."""
        return self.worker.steers

    def action_steer(self) -> None:
        """Steer from now on; the screen that did watches."""
        self.worker.take_over()

    def action_end(self) -> None:
        """End the run, after asking."""
        if self.steerable_run() is None:
            return

        def ended(sure: bool | None) -> None:
            if sure and self.run is not None:
                self.run.cancel("A person ended the run.")

        app_of(self).push_screen(ConfirmDialog("End this run? Its results so far are kept."), ended)

    def action_leave(self) -> None:
        """Back to where one came from; what becomes of a run that goes on is asked first."""
        if self.worker.ended.is_set() or not self._asks:
            self.dismiss(None)
        elif self.state.finished is not None:
            self._end_and_leave()
        else:
            app_of(self).push_screen(LeaveDialog(), self._left)

    def _left(self, choice: Leaving | None) -> None:
        if choice == "end":
            self._end_and_leave()
        elif choice == "keep":
            self.call_later(self._close)  # the question is still on top

    def _close(self) -> None:
        """Leave; a screen must not wait for its own end, as it would for what `dismiss` returns."""
        self.dismiss(None)

    @work(group="leaving")
    async def _end_and_leave(self) -> None:
        """Leave once the results are copied and the sandbox is gone."""
        async with closing_dialog(self, [self.worker]):
            await self.worker.stop("A person ended the run.")
        self.dismiss_when_on_top(None)

    # --- shells

    async def action_take_over(self) -> None:
        """Take the keyboard into a shell of the sandbox."""
        run = self.steerable_run()
        if run is None:
            return
        terminals = self.query_one(TerminalPane)
        self.action_pane("terminals")
        if terminals.shells:
            self._attach_shell(terminals.shells[0])
            return
        await self._open_shell()

    @on(TerminalPane.ShellRequested)
    async def _open_shell(self) -> None:
        """Open another shell, and give it the keyboard."""
        run, terminals = self.steerable_run(), self.query_one(TerminalPane)
        if run is None:
            return
        size = terminals.view.content_size
        try:
            name = await run.open_shell(max(20, size.width), max(5, size.height))
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        terminals.opened(name, max(20, size.width), max(5, size.height))
        self.call_after_refresh(self._attach_shell, name)

    def _attach_shell(self, name: str) -> None:
        terminals = self.query_one(TerminalPane)
        terminals.switch(name)
        terminals.view.attached = True
        terminals.view.focus()
        terminals.refresh_subtitle()
        self.refresh_bindings()

    @on(TerminalPane.CloseRequested)
    async def _end_shell(self, event: TerminalPane.CloseRequested) -> None:
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


def _why_it_waits(storage_error: str) -> str:
    return f"{sanitize_line(storage_error)} The run goes on then."
