# pyright: reportUnknownMemberType=false
"""A run as it happens: the cockpit with everything a person may do to it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType

from ...core import events as e
from ...core.controls import Controls, FileControls
from ...core.errors import ImageMissing, SandboxTuiError
from ...core.text import clean_line
from ...sessions import Store
from ...sessions.watched import Watched
from ..fork_wanted import ForkWanted
from ..widgets.status_bar import StatusBar
from ..widgets.terminals import Terminals
from .cockpit import Cockpit
from .confirm import Confirm
from .failure import Failure
from .image_offer import ImageOffer
from .leave_run import LeaveRun, Leaving
from .steering import Steering

AS_LONG_AS = 86400
"""Seconds for which is said what a run waits for: that is taken back when it goes on."""


class LiveScreen(Steering):
    """Shows a run's events once they are stored, and passes on what a person does.

    Args:
        worker: the run.
        store: where it is kept.
        asks: what shall become of a run that is left; otherwise it just goes on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("T", "steer", "steer", id="live.steer"),
        *Steering.STEERING,
        Binding("t", "take_over", "shell", id="live.shell"),
        Binding("x", "end", "End the run", show=False, id="live.end"),
        Binding("F", "fork", "fork", id="live.fork"),
        *Cockpit.COMMON,
        Binding("q", "leave", "leave", id="live.leave"),
    ]

    def __init__(self, worker: Watched, store: Store, *, asks: bool = True) -> None:
        blobs = store.blobs(worker.run_id)
        super().__init__(worker.task, live=True, get_blob=blobs.get)
        self.worker = worker
        self._session_store = store
        self._asks = asks
        self._told_of_end = worker.ended.is_set()
        self._told_of_trouble = ""

    def on_mount(self) -> None:
        """Watch the run."""
        self._watch()

    @property
    def noted(self) -> tuple[Store, str]:
        """See `StepNotes`."""
        return self._session_store, self.worker.run_id

    @property
    def run(self) -> Controls | None:
        """The run, once it has been put together."""
        return self.worker.run

    @work(exclusive=True)
    async def _watch(self) -> None:
        """Show the run's events as they come."""
        async for event in self.worker.watch():
            await self.apply(event)
        match self.worker.failure:
            case ImageMissing() as error:
                self._offer_image(error)
            case SandboxTuiError() as error:
                self.app.push_screen(Failure(str(error)))
            case None:
                self._told_of_end = True

    def _offer_image(self, error: ImageMissing) -> None:
        def answered(there: bool | None) -> None:
            if there:
                self.worker.start()
                self._watch()
            else:  # the offer itself is still on top
                self.call_later(self.app.push_screen, Failure(str(error)))

        self.app.push_screen(ImageOffer(error.image), answered)

    async def apply(self, event: e.AnyEvent) -> None:
        """Also say how it ended."""
        await super().apply(event)
        if isinstance(event, e.RunFinished):
            self.add_class("-over")  # nothing can be typed for it any more
            if not self._told_of_end:
                self._say_how_it_ended(event)

    def _say_how_it_ended(self, finished: e.RunFinished) -> None:
        if finished.reason == "submitted":
            answer = clean_line((finished.answer or "").strip())
            where = f"\nresults in {clean_line(finished.output)}" if finished.output else ""
            self.notify(f"{answer[:200]}{where}", title="submitted", markup=False, timeout=10)
        else:
            reason = finished.reason.replace("_", " ")
            words = clean_line(finished.error or "")
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
        self.post_message(ForkWanted(self.worker.run_id, self.state.seq))

    def sync_bars(self) -> None:
        """Also who steers, and the keys that can be pressed now."""
        super().sync_bars()
        bar, company = self.query_one(StatusBar), self.worker.company
        if bar.prefix != company:
            bar.prefix = company
            self.refresh_bindings()
        self._say_what_is_waited_for(bar)
        pending = self.state.pending
        number = pending.call.number if pending else None
        if number != getattr(self, "_pending_shown", None):
            self._pending_shown = number
            self.refresh_bindings()

    def _say_what_is_waited_for(self, bar: StatusBar) -> None:
        trouble = self.worker.trouble
        bar.waits = bool(trouble)
        if trouble == self._told_of_trouble:
            return
        self._told_of_trouble = trouble
        if trouble:
            words = f"{clean_line(trouble)} The run goes on then."
            self.notify(
                words, title="the run waits", severity="warning", markup=False, timeout=AS_LONG_AS
            )
        else:
            self.app.clear_notifications()
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

        self.app.push_screen(Confirm("End this run? Its results so far are kept."), ended)

    def action_leave(self) -> None:
        """Back to where one came from; what becomes of a run that goes on is asked first."""
        if self.worker.ended.is_set() or not self._asks:
            self.dismiss(None)
        elif self.state.finished is not None:
            self._end_and_leave()
        else:
            self.app.push_screen(LeaveRun(), self._left)

    def _left(self, choice: Leaving | None) -> None:
        if choice == "end":
            self._end_and_leave()
        elif choice == "keep":
            self.call_later(self.dismiss, None)  # the question is still on top

    @work(group="leaving")
    async def _end_and_leave(self) -> None:
        """The sandbox is being put away: a matter of a moment."""
        await self.worker.stop("A person ended the run.")
        self.dismiss(None)

    # --- shells

    async def action_take_over(self) -> None:
        """Take the keyboard into a shell of the sandbox."""
        run = self.steerable_run()
        if run is None:
            return
        terminals = self.query_one(Terminals)
        self.action_pane("terminals")
        if terminals.shells:
            self._attach_shell(terminals.shells[0])
            return
        await self._open_shell()

    @on(Terminals.ShellWanted)
    async def _open_shell(self) -> None:
        """Open another shell, and give it the keyboard."""
        run, terminals = self.steerable_run(), self.query_one(Terminals)
        if run is None:
            return
        size = terminals.view.content_size
        try:
            name = await run.open_shell(max(20, size.width), max(5, size.height))
        except SandboxTuiError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)
            return
        terminals.opened(name, max(20, size.width), max(5, size.height))
        self.call_after_refresh(self._attach_shell, name)

    def _attach_shell(self, name: str) -> None:
        terminals = self.query_one(Terminals)
        terminals.switch(name)
        terminals.view.attached = True
        terminals.view.focus()
        terminals.refresh_subtitle()

    @on(Terminals.EndWanted)
    async def _end_shell(self, event: Terminals.EndWanted) -> None:
        if self.run is not None:
            await self.run.close_shell(event.terminal)

    @on(Terminals.Typed)
    async def _typed(self, event: Terminals.Typed) -> None:
        if self.run is not None:
            await self.run.type(event.terminal, event.data)

    @on(Terminals.Resized)
    async def _resized(self, event: Terminals.Resized) -> None:
        if self.run is not None and event.terminal in self.state.terminals:
            await self.run.resize(event.terminal, event.columns, event.rows)
